//===- lib/frontend/Invocation.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Calls the driver as a library.

#include "lib/frontend/Invocation.h"

#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/Utils.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "lib/frontend/DiagnosticCapture.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace vramlint {

static std::vector<std::string> driverArguments(const CompileCommand &Command,
                                                vfs::FileSystem &FS) {
  std::string Resources = clangResourceDir();
  std::vector<std::string> Args = {std::string(VRAMLINT_LLVM_PREFIX) +
                                   "/bin/clang++"};
  Args.insert(Args.end(), {"-fsyntax-only", "-w", "-Qunused-arguments"});
  Args.push_back(std::string("-D") + AnalyzerMacro);
  if (!Resources.empty())
    Args.insert(Args.end(), {"-resource-dir", Resources});
  Args.insert(Args.end(), Command.Flags.begin(), Command.Flags.end());
  bool HasLanguage = is_contained(Command.Flags, "-x");
  StringRef Extension = sys::path::extension(Command.File);
  if (Extension == ".cu" || Extension == ".cuh") {
    // The host's side only; without CUDA its headers are reported missing.
    Args.insert(Args.end(), {"--cuda-host-only", "-nocudalib"});
    if (!FS.exists("/usr/local/cuda/include/cuda.h"))
      Args.push_back("-nocudainc");
  } else if (!HasLanguage && (Extension.starts_with(".h") ||
                              Extension == ".ipp" || Extension == ".inl")) {
    Args.insert(Args.end(), {"-x", "c++"});
  }
  Args.insert(Args.end(), {"--", Command.File});
  return Args;
}

Expected<std::shared_ptr<clang::CompilerInvocation>>
makeInvocation(const CompileCommand &Command, vfs::FileSystem &FS) {
  std::vector<std::string> Args = driverArguments(Command, FS);
  std::vector<const char *> Pointers;
  for (const std::string &A : Args)
    Pointers.push_back(A.c_str());
  DiagnosticCapture Capture;
  clang::CreateInvocationOptions Options;
  Options.Diags = clang::CompilerInstance::createDiagnostics(
      new clang::DiagnosticOptions, &Capture, /*ShouldOwnClient=*/false);
  Options.VFS = &FS;
  std::shared_ptr<clang::CompilerInvocation> Invocation =
      clang::createInvocation(Pointers, Options);
  if (!Invocation)
    return createStringError(inconvertibleErrorCode(),
                             "%s: unusable flags: %s", Command.File.c_str(),
                             Capture.firstMessage().c_str());
  auto &Frontend = Invocation->getFrontendOpts();
  Frontend.DisableFree = false;
  Frontend.ProgramAction = clang::frontend::ParseSyntaxOnly;
  Invocation->getDiagnosticOpts().IgnoreWarnings = true;
  Invocation->getFileSystemOpts().WorkingDir = Command.Directory;
  // Only own tools read it, and it costs a scan of each comment.
  Invocation->getLangOpts().CommentOpts.ParseAllComments = false;
  return Invocation;
}

std::unique_ptr<clang::CompilerInstance>
makeCompiler(std::shared_ptr<clang::CompilerInvocation> Invocation,
             FileSystemPtr FS, clang::DiagnosticConsumer &Diagnostics) {
  auto Compiler = std::make_unique<clang::CompilerInstance>();
  Compiler->setInvocation(std::move(Invocation));
  Compiler->createDiagnostics(&Diagnostics, /*ShouldOwnClient=*/false);
  Compiler->createFileManager(std::move(FS));
  Compiler->createSourceManager(Compiler->getFileManager());
  Compiler->createTarget();
  return Compiler;
}

} // namespace vramlint
