//===- tool/clangd/Preamble.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Keeps the bodies of functions in the project's own headers when clangd builds
// its preamble; it skips all of them, and a model in a header would have no
// forward. Those of LibTorch's holders and options, which the machine runs, are
// kept as our own frontend keeps them.
//
// The linker's --wrap sends clangd's calls of PrecompiledPreamble::Build here. If
// the name no longer matches, the link fails: __real_… is nowhere.

#include "checks/TorchNames.h"
#include "lib/frontend/BodyFilter.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/PrecompiledPreamble.h"
#include "clang/Lex/PPCallbacks.h"
#include "llvm/Support/VirtualFileSystem.h"

using namespace clang;

namespace {

/// clangd's own callbacks, but for the bodies.
class KeepOwnBodies : public PreambleCallbacks {
public:
  explicit KeepOwnBodies(PreambleCallbacks &Inner) : Inner(Inner) {}

  void BeforeExecute(CompilerInstance &CI) override { Inner.BeforeExecute(CI); }
  void AfterExecute(CompilerInstance &CI) override { Inner.AfterExecute(CI); }
  void AfterPCHEmitted(ASTWriter &Writer) override {
    Inner.AfterPCHEmitted(Writer);
  }
  void HandleTopLevelDecl(DeclGroupRef DG) override {
    Inner.HandleTopLevelDecl(DG);
  }
  std::unique_ptr<PPCallbacks> createPPCallbacks() override {
    return Inner.createPPCallbacks();
  }
  CommentHandler *getCommentHandler() override {
    return Inner.getCommentHandler();
  }
  bool shouldSkipFunctionBody(Decl *D) override {
    const SourceManager &SM = D->getASTContext().getSourceManager();
    if (vramlint::isProjectCode(D->getLocation(), SM) ||
        vramlint::keepsBodies(SM.getFilename(SM.getExpansionLoc(D->getLocation()))))
      return false;
    return Inner.shouldSkipFunctionBody(D);
  }

private:
  PreambleCallbacks &Inner;
};

#define VRAMLINT_BUILD                                                         \
  "_ZN5clang19PrecompiledPreamble5BuildERKNS_18CompilerInvocationEPKN4llvm12"  \
  "MemoryBufferENS_14PreambleBoundsERNS_17DiagnosticsEngineENS4_18"            \
  "IntrusiveRefCntPtrINS4_3vfs10FileSystemEEESt10shared_ptrINS_22"             \
  "PCHContainerOperationsEEbNS4_9StringRefERNS_17PreambleCallbacksE"

} // namespace

#define VRAMLINT_BUILD_PARAMETERS                                              \
  const CompilerInvocation &Invocation, const llvm::MemoryBuffer *Main,        \
      PreambleBounds Bounds, DiagnosticsEngine &Diagnostics,                   \
      llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> VFS,                     \
      std::shared_ptr<PCHContainerOperations> PCHContainerOps,                 \
      bool StoreInMemory, llvm::StringRef StoragePath,                         \
      PreambleCallbacks &Callbacks

llvm::ErrorOr<PrecompiledPreamble>
    realBuild(VRAMLINT_BUILD_PARAMETERS) __asm__("__real_" VRAMLINT_BUILD);
llvm::ErrorOr<PrecompiledPreamble>
    wrappedBuild(VRAMLINT_BUILD_PARAMETERS) __asm__("__wrap_" VRAMLINT_BUILD);

llvm::ErrorOr<PrecompiledPreamble> wrappedBuild(VRAMLINT_BUILD_PARAMETERS) {
  KeepOwnBodies Ours(Callbacks);
  return realBuild(Invocation, Main, Bounds, Diagnostics, std::move(VFS),
                   std::move(PCHContainerOps), StoreInMemory, StoragePath,
                   Ours);
}
