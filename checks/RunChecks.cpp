//===- checks/RunChecks.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See RunChecks.h. Like clangd, this makes the checks and their match finder
// itself: clang-tidy's own driver would bring in the static analyzer.

#include "checks/RunChecks.h"
#include "checks/Analysis.h"
#include "checks/TorchCheck.h"
#include "checks/TorchModule.h"
#include "clang-tidy/ClangTidyDiagnosticConsumer.h"
#include "clang-tidy/ClangTidyModule.h"
#include "clang-tidy/ClangTidyModuleRegistry.h"
#include "clang/ASTMatchers/ASTMatchFinder.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "lib/frontend/Frontend.h"

using namespace clang;

namespace vramlint {

namespace {
/// clang-tidy's errors, which know files and offsets, as findings.
class Converter {
public:
  explicit Converter(SourceManager &SM) : SM(SM) {}

  Finding convert(const tidy::ClangTidyError &E) {
    Finding F;
    F.Check = E.DiagnosticName;
    F.Message = E.Message.Message;
    F.Pos = posOf(E.Message.FilePath, E.Message.FileOffset);
    if (E.DiagLevel == tooling::Diagnostic::Remark)
      F.Level = Severity::Remark;
    else if (E.IsWarningAsError || E.DiagLevel == tooling::Diagnostic::Error)
      F.Level = Severity::Error;
    F.Fixes = editsOf(E.Message);
    for (const tooling::DiagnosticMessage &N : E.Notes)
      F.Notes.push_back({posOf(N.FilePath, N.FileOffset), N.Message, editsOf(N),
                         /*Suggestion=*/!N.Fix.empty()});
    moveFixToItsNote(F);
    return F;
  }

private:
  SourcePos posOf(llvm::StringRef File, unsigned Offset) {
    if (File.empty())
      return {};
    auto Entry = SM.getFileManager().getOptionalFileRef(File);
    if (!Entry)
      return {intern(File), 1, 1};
    FileID Id = SM.getOrCreateFileID(*Entry, SrcMgr::C_User);
    return {intern(File), SM.getLineNumber(Id, Offset),
            SM.getColumnNumber(Id, Offset)};
  }

  std::vector<FixEdit> editsOf(const tooling::DiagnosticMessage &M) {
    std::vector<FixEdit> Edits;
    for (const auto &[File, Replacements] : M.Fix)
      for (const tooling::Replacement &R : Replacements)
        Edits.push_back({intern(R.getFilePath()), R.getOffset(), R.getLength(),
                         R.getReplacementText().str(),
                         posOf(R.getFilePath(), R.getOffset())});
    llvm::sort(Edits, [](const FixEdit &A, const FixEdit &B) {
      return A.File != B.File ? A.File < B.File : A.Offset < B.Offset;
    });
    return Edits;
  }

  /// clang-tidy and clangd apply fixes of the finding itself only; read as text,
  /// a fix stands best below the note that speaks of its place.
  static void moveFixToItsNote(Finding &F) {
    if (F.Fixes.empty())
      return;
    for (FindingNote &N : F.Notes)
      if (N.Pos == F.Fixes.front().Pos && N.Fixes.empty()) {
        N.Fixes = std::move(F.Fixes);
        F.Fixes.clear();
        return;
      }
  }

  SourceManager &SM;
};
} // namespace

static ConfigOptions configFor(Unit &U, const CheckOptions &Options) {
  ConfigOptions C = Options.Config;
  if (C.ProjectRoot.empty())
    C.ProjectRoot = U.project().root();
  return C;
}

static AnalysisOptions analysisFor(Unit &U, const CheckOptions &Options) {
  AnalysisOptions A = Options.Analysis;
  A.Sema = U.view().Sema;
  A.FindingsInHeaders = true;
  return A;
}

/// Makes the enabled checks and lets them see the unit.
static std::vector<std::string> matchAll(Unit &U, tidy::ClangTidyContext &Tidy) {
  tidy::ClangTidyCheckFactories Factories;
  for (const auto &Entry : tidy::ClangTidyModuleRegistry::entries())
    Entry.instantiate()->addCheckFactories(Factories);
  std::vector<std::unique_ptr<tidy::ClangTidyCheck>> Checks =
      Factories.createChecksForLanguage(&Tidy);
  CompilerInstance &Compiler = U.compiler();
  ast_matchers::MatchFinder Finder;
  Preprocessor *PP = Compiler.hasPreprocessor() ? &Compiler.getPreprocessor()
                                                : nullptr;
  for (auto &Check : Checks) {
    Check->registerPPCallbacks(Compiler.getSourceManager(), PP, PP);
    Check->registerMatchers(&Finder);
  }
  Finder.matchAST(Compiler.getASTContext());
  std::vector<std::string> Active;
  for (const CheckInfo &C : allChecks())
    if (Tidy.isCheckEnabled(C.Name))
      Active.push_back(C.Name.str());
  return Active;
}

llvm::Expected<CheckResult> runChecks(Unit &U, const CheckOptions &Options) {
  const std::string &File = U.command().File;
  auto Provider = makeConfig(File, configFor(U, Options));
  if (!Provider)
    return Provider.takeError();

  ASTContext &Context = U.compiler().getASTContext();
  SourceManager &SM = Context.getSourceManager();
  tidy::ClangTidyContext Tidy(std::move(*Provider));
  tidy::ClangTidyDiagnosticConsumer Consumer(Tidy);
  llvm::IntrusiveRefCntPtr<DiagnosticOptions> Style = new DiagnosticOptions();
  DiagnosticsEngine Engine(new DiagnosticIDs(), &*Style, &Consumer, false);
  Tidy.setDiagnosticsEngine(&Engine);
  Tidy.setSourceManager(&SM);
  Tidy.setCurrentFile(File);
  Tidy.setCurrentBuildDirectory(U.command().Directory);
  Tidy.setASTContext(&Context);

  CheckResult Result;
  {
    AnalysisScope Scope(analysisFor(U, Options));
    Result.Active = matchAll(U, Tidy);
    Result.Facts = Scope.Result;
  }
  Converter Convert(SM);
  for (const tidy::ClangTidyError &E : Consumer.take()) {
    if (E.DiagnosticName == "clang-tidy-config")
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     E.Message.Message);
    Result.Findings.push_back(Convert.convert(E));
  }
  llvm::sort(Result.Findings, [](const Finding &A, const Finding &B) {
    return A.Pos != B.Pos       ? A.Pos < B.Pos
           : A.Check != B.Check ? A.Check < B.Check
                                : A.Message < B.Message;
  });
  return Result;
}

llvm::Expected<std::shared_ptr<const Analysis>>
makeAnalysis(Unit &U, const CheckOptions &Options) {
  auto Provider = makeConfig(U.command().File, configFor(U, Options));
  if (!Provider)
    return Provider.takeError();
  tidy::ClangTidyOptions Config = (*Provider)->getOptions(U.command().File);
  std::string Problem;
  AnalysisOptions Merged =
      mergeConfig(analysisFor(U, Options), Config.CheckOptions,
                  [&](std::string Text) {
                    if (Problem.empty())
                      Problem = std::move(Text);
                  });
  if (!Problem.empty())
    return llvm::createStringError(llvm::inconvertibleErrorCode(), Problem);
  return std::make_shared<const Analysis>(U.compiler().getASTContext(),
                                          std::move(Merged));
}

} // namespace vramlint
