//===- lib/frontend/Frontend.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Runs clang's frontend in pieces, so that the compilation can be held open.

#include "lib/frontend/Frontend.h"

#include "clang/AST/ASTContext.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "clang/Frontend/TextDiagnostic.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Sema/Sema.h"
#include "lib/frontend/BodyFilter.h"
#include "lib/frontend/DiagnosticCapture.h"
#include "lib/frontend/IncludeScan.h"
#include "lib/frontend/Invocation.h"
#include "lib/frontend/PreambleCache.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/Path.h"
#include <mutex>

using namespace llvm;

namespace vramlint {

namespace {

/// Collects the project's own top-level declarations, filters bodies, and holds
/// back the end of the unit from the caller's consumer.
class UnitConsumer : public clang::MultiplexConsumer {
public:
  UnitConsumer(std::vector<std::unique_ptr<clang::ASTConsumer>> Extra,
               BodyFilter::Predicate IsExternal, bool KeepAll)
      : MultiplexConsumer(std::move(Extra)), IsExternal(IsExternal),
        Filter(IsExternal), KeepAll(KeepAll) {}

  bool HandleTopLevelDecl(clang::DeclGroupRef Group) override {
    for (clang::Decl *D : Group)
      if (!IsExternal(D->getLocation()))
        Own.push_back(D);
    return MultiplexConsumer::HandleTopLevelDecl(Group);
  }
  bool shouldSkipFunctionBody(clang::Decl *D) override {
    return !KeepAll && Filter.shouldSkip(*D);
  }
  void HandleTranslationUnit(clang::ASTContext &Context) override {
    Context.setTraversalScope(Own);
  }
  void finish(clang::ASTContext &Context) {
    MultiplexConsumer::HandleTranslationUnit(Context);
  }

private:
  BodyFilter::Predicate IsExternal;
  BodyFilter Filter;
  bool KeepAll;
  std::vector<clang::Decl *> Own;
};

} // namespace

struct Unit::Impl {
  CompileCommand Command;
  FrontendOptions Options;
  ConsumerHook Hook;
  Project Files;
  DiagnosticCapture Diagnostics;
  std::unique_ptr<clang::CompilerInstance> Compiler;
  std::unique_ptr<clang::FrontendAction> Action;
  UnitConsumer *Consumer = nullptr; // Owned by the compiler.
  bool Begun = false, Preamble = false, Finished = false;
  mutable DenseMap<clang::FileID, bool> External;

  bool isExternal(clang::SourceLocation Loc) const;
};

bool Unit::Impl::isExternal(clang::SourceLocation Loc) const {
  if (Loc.isInvalid())
    return true;
  const clang::SourceManager &SM = Compiler->getSourceManager();
  clang::FileID File = SM.getFileID(SM.getExpansionLoc(Loc));
  if (File == SM.getMainFileID())
    return false;
  auto [Slot, IsNew] = External.try_emplace(File, true);
  if (!IsNew)
    return Slot->second;
  auto Entry = SM.getFileEntryRefForID(File);
  bool Answer = !Entry || !Files.owns(absolutePath(Entry->getName(),
                                                   Command.Directory));
  return External[File] = Answer;
}

namespace {

/// A syntax-only run whose consumer is made by a function.
class UnitAction : public clang::ASTFrontendAction {
public:
  using Maker = std::function<std::unique_ptr<clang::ASTConsumer>(
      clang::CompilerInstance &, StringRef)>;
  explicit UnitAction(Maker Make) : Make(std::move(Make)) {}

protected:
  std::unique_ptr<clang::ASTConsumer>
  CreateASTConsumer(clang::CompilerInstance &CI, StringRef File) override {
    return Make(CI, File);
  }

private:
  Maker Make;
};

} // namespace

/// The steps of loadUnit; a friend, to reach the unit's parts.
struct UnitLoader {
  Unit::Impl &I;

  std::unique_ptr<clang::ASTConsumer> makeConsumer(clang::CompilerInstance &CI,
                                                   StringRef File) {
    std::vector<std::unique_ptr<clang::ASTConsumer>> Extra;
    if (I.Hook)
      if (auto Consumer = I.Hook(CI, File))
        Extra.push_back(std::move(Consumer));
    Unit::Impl *Parts = &I;
    auto Made = std::make_unique<UnitConsumer>(
        std::move(Extra),
        [Parts](clang::SourceLocation Loc) { return Parts->isExternal(Loc); },
        I.Options.KeepAllBodies);
    I.Consumer = Made.get();
    return Made;
  }

  /// Parses; \p Preamble is a compiled header to start from, or "".
  Error parse(std::shared_ptr<clang::CompilerInvocation> Invocation,
              StringRef Preamble) {
    I.Diagnostics.clearAll();
    I.External.clear();
    I.Compiler = makeCompiler(std::move(Invocation), I.Options.FS,
                              I.Diagnostics);
    if (!Preamble.empty()) {
      auto &PP = I.Compiler->getPreprocessorOpts();
      PP.ImplicitPCHInclude = Preamble.str();
      PP.DisablePCHOrModuleValidation =
          clang::DisableValidationForModuleKind::PCH;
    }
    I.Compiler->getFrontendOpts().SkipFunctionBodies = !I.Options.KeepAllBodies;
    I.Action = std::make_unique<UnitAction>(
        [this](clang::CompilerInstance &CI, StringRef File) {
          return makeConsumer(CI, File);
        });
    const auto &Input = I.Compiler->getFrontendOpts().Inputs.front();
    if (!I.Action->BeginSourceFile(*I.Compiler, Input))
      return createStringError(inconvertibleErrorCode(),
                               "%s: the compiler could not start: %s",
                               I.Command.File.c_str(),
                               I.Diagnostics.firstMessage().c_str());
    I.Begun = true;
    I.Preamble = !Preamble.empty();
    if (Error E = I.Action->Execute())
      return E;
    // From here on nothing that is instantiated on demand is the user's error.
    I.Diagnostics.freeze();
    return Error::success();
  }

  /// parse(), with a crash in it made an error.
  Error attempt(const clang::CompilerInvocation &Invocation,
                StringRef Preamble);

  static std::unique_ptr<Unit> wrap(std::unique_ptr<Unit::Impl> Parts) {
    return std::unique_ptr<Unit>(new Unit(std::move(Parts)));
  }

  static Expected<std::unique_ptr<Unit>> load(const CompileCommand &Command,
                                              const FrontendOptions &Options,
                                              const ConsumerHook &Hook);
};

static bool definesTwice(const DiagnosticCapture &Diagnostics) {
  return any_of(Diagnostics.all(), [](const CompilerDiagnostic &D) {
    return D.IsError && StringRef(D.Message).starts_with("redefinition of");
  });
}

Expected<std::unique_ptr<Unit>>
UnitLoader::load(const CompileCommand &Command, const FrontendOptions &Options,
                 const ConsumerHook &Hook) {
  auto Parts = std::make_unique<Unit::Impl>();
  Parts->Command = Command;
  Parts->Options = Options;
  Parts->Hook = Hook;
  if (!Parts->Options.FS)
    Parts->Options.FS = vfs::createPhysicalFileSystem();
  if (auto Text = readSource(*Parts->Options.FS, Command.File); !Text)
    return Text.takeError();
  Parts->Options.FS->setCurrentWorkingDirectory(Command.Directory);
  Parts->Files = Project(*Parts->Options.FS, Command);
  Parts->Diagnostics.setForward(Options.Diagnostics);
  Parts->Diagnostics.setColors(Options.Colors);
  UnitLoader Loader{*Parts};
  auto Invocation = makeInvocation(Command, *Parts->Options.FS);
  if (!Invocation)
    return Invocation.takeError();
  std::string Preamble;
  if (Options.Cache && !Options.KeepAllBodies)
    Preamble = Options.Cache->preambleFor(**Invocation, Parts->Options.FS,
                                          Parts->Files, Command.Directory);
  if (!Preamble.empty()) {
    Error Problem = Loader.attempt(**Invocation, Preamble);
    bool Twice = !Problem && definesTwice(Parts->Diagnostics);
    if (!Problem && !Twice)
      return wrap(std::move(Parts));
    // A header that can't be read, or that makes clang crash, is not to blame on
    // the user's file, nor is one without a guard, which the preamble and the file
    // both include: once more without it.
    consumeError(std::move(Problem));
    if (!Twice)
      Options.Cache->reject(Preamble);
    FrontendOptions Plain = Options;
    Plain.Cache = nullptr;
    (void)Parts.release(); // What a crash left half done isn't touched again.
    return load(Command, Plain, Hook);
  }
  if (Error Problem = Loader.attempt(**Invocation, "")) {
    (void)Parts.release();
    return std::move(Problem);
  }
  return wrap(std::move(Parts));
}

Error UnitLoader::attempt(const clang::CompilerInvocation &Invocation,
                          StringRef Preamble) {
  std::optional<Error> Problem;
  auto Copy = std::make_shared<clang::CompilerInvocation>(Invocation);
  Error Crash = runGuarded(I.Command.File, [&] {
    Problem.emplace(parse(std::move(Copy), Preamble));
  });
  if (!Problem)
    return Crash;
  cantFail(std::move(Crash));
  return std::move(*Problem);
}

Unit::Unit(std::unique_ptr<Impl> I) : I(std::move(I)) {}

Unit::~Unit() {
  if (I && I->Begun)
    I->Action->EndSourceFile();
}

UnitView Unit::view() const {
  return {&I->Compiler->getASTContext(), &I->Compiler->getSema()};
}

clang::CompilerInstance &Unit::compiler() const { return *I->Compiler; }
const CompileCommand &Unit::command() const { return I->Command; }
const Project &Unit::project() const { return I->Files; }
bool Unit::usedPreamble() const { return I->Preamble; }

const std::vector<CompilerDiagnostic> &Unit::diagnostics() const {
  return I->Diagnostics.all();
}

bool Unit::isExternal(clang::SourceLocation Loc) const {
  return I->isExternal(Loc);
}

void Unit::runExtraConsumers() {
  if (I->Finished)
    return;
  I->Finished = true;
  I->Consumer->finish(I->Compiler->getASTContext());
}

Expected<std::unique_ptr<Unit>> loadUnit(const CompileCommand &Command,
                                         const FrontendOptions &Options,
                                         const ConsumerHook &Hook) {
  return UnitLoader::load(Command, Options, Hook);
}

Error runGuarded(StringRef What, function_ref<void()> Work) {
  static std::once_flag Once;
  std::call_once(Once, [] { CrashRecoveryContext::Enable(); });
  // Clang recurses once per nested expression; 64 MiB is what clangd's and
  // clang's own threads get together, and only touched pages cost.
  constexpr unsigned StackBytes = 64u << 20;
  CrashRecoveryContext Recovery;
  if (Recovery.RunSafelyOnThread(Work, StackBytes))
    return Error::success();
  return createStringError(inconvertibleErrorCode(),
                           "%s: the analysis crashed; this is our bug",
                           What.str().c_str());
}

} // namespace vramlint
