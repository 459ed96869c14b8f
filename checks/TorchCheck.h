//===- checks/TorchCheck.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The base class of every check: gathers what a run needs and calls onAnalysis
// once, at the end of the unit.
//
// clang-tidy calls a check only where one of its matchers matches, and clangd
// never matches translationUnitDecl() (its traversal starts below it). So this
// class adds a matcher that takes the first declaration there is, to get hold of
// the ASTContext. All checks of a run share one Analysis. The run is known by
// its ClangTidyContext and lives as long as its checks: clangd has several
// threads and uses addresses again.

#pragma once

#include "checks/Analysis.h"
#include "clang-tidy/ClangTidyCheck.h"
#include <memory>

namespace vramlint {

struct AnalysisRun;

class TorchCheck : public clang::tidy::ClangTidyCheck {
public:
  TorchCheck(llvm::StringRef Name, clang::tidy::ClangTidyContext *Context);
  ~TorchCheck() override;

  bool
  isLanguageVersionSupported(const clang::LangOptions &Opts) const override {
    return Opts.CPlusPlus;
  }
  void registerPPCallbacks(const clang::SourceManager &SM,
                           clang::Preprocessor *PP,
                           clang::Preprocessor *Expander) final;
  void registerMatchers(clang::ast_matchers::MatchFinder *Finder) final;
  void check(const clang::ast_matchers::MatchFinder::MatchResult &R) final;
  void onStartOfTranslationUnit() final;
  void onEndOfTranslationUnit() final;
  /// Stores the options that all checks have; a check with more calls this too.
  void storeOptions(clang::tidy::ClangTidyOptions::OptionMap &Opts) override;

protected:
  /// Reports what \p A holds. Not called for a file with errors.
  virtual void onAnalysis(const Analysis &A) = 0;

  /// A note of the finding just made.
  void note(clang::SourceLocation Loc, llvm::StringRef Text);

private:
  std::shared_ptr<AnalysisRun> Run;
  clang::tidy::ClangTidyContext *Tidy;
};

/// The options that stand for all checks, as `.clang-tidy` has them; a bad value
/// is an error that names it.
inline constexpr llvm::StringLiteral GlobalOptionNames[] = {
    "torch.BatchSize", "torch.Construct", "torch.Gpu", "torch.Input",
    "torch.Optimizer", "torch.Precision"};

/// \p Told with what `.clang-tidy` adds where the host said nothing. Problems go
/// to \p Report, one text each.
AnalysisOptions
mergeConfig(AnalysisOptions Told,
            const clang::tidy::ClangTidyOptions::OptionMap &Config,
            llvm::function_ref<void(std::string)> Report);

} // namespace vramlint
