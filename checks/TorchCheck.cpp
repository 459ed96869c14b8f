//===- checks/TorchCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See TorchCheck.h.

#include "checks/TorchCheck.h"
#include "clang/ASTMatchers/ASTMatchFinder.h"
#include "clang/ASTMatchers/ASTMatchers.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/Sema.h"

using namespace clang;
using namespace clang::ast_matchers;

namespace vramlint {

/// What the checks of one run share.
struct AnalysisRun {
  ASTContext *Context = nullptr;
  Preprocessor *PP = nullptr;
  bool Captured = false;
  AnalysisScope *Scope = AnalysisScope::current();
  std::shared_ptr<const Analysis> Result;

  void reset() {
    Context = nullptr;
    Captured = false;
    Result.reset();
  }
  static std::shared_ptr<AnalysisRun> of(const tidy::ClangTidyContext *Tidy);
};

std::shared_ptr<AnalysisRun>
AnalysisRun::of(const tidy::ClangTidyContext *Tidy) {
  // Weak: the last check of a run takes it along.
  static thread_local const tidy::ClangTidyContext *Of = nullptr;
  static thread_local std::weak_ptr<AnalysisRun> Current;
  std::shared_ptr<AnalysisRun> Run = Current.lock();
  if (!Run || Of != Tidy) {
    Run = std::make_shared<AnalysisRun>();
    Current = Run;
    Of = Tidy;
  }
  return Run;
}

namespace {
/// Matches until a declaration was seen: checking a flag is all it costs then.
AST_MATCHER_P(Decl, stillWanted, const bool *, Captured) { return !*Captured; }
} // namespace

TorchCheck::TorchCheck(llvm::StringRef Name, tidy::ClangTidyContext *Context)
    : ClangTidyCheck(Name, Context), Run(AnalysisRun::of(Context)),
      Tidy(Context) {}
TorchCheck::~TorchCheck() = default;

void TorchCheck::registerPPCallbacks(const SourceManager &, Preprocessor *PP,
                                     Preprocessor *) {
  Run->PP = PP;
}

void TorchCheck::registerMatchers(MatchFinder *Finder) {
  Finder->addMatcher(decl(stillWanted(&Run->Captured)).bind("any"), this);
}

void TorchCheck::check(const MatchFinder::MatchResult &R) {
  Run->Context = R.Context;
  Run->Captured = true;
}

void TorchCheck::onStartOfTranslationUnit() { Run->reset(); }

/// The value of a macro that is one integer, or nothing.
static std::optional<unsigned> macroValue(Preprocessor &PP,
                                          llvm::StringRef Name) {
  const MacroInfo *M = PP.getMacroInfo(PP.getIdentifierInfo(Name));
  unsigned N;
  if (!M || M->getNumTokens() != 1 ||
      PP.getSpelling(M->getReplacementToken(0)).empty() ||
      llvm::StringRef(PP.getSpelling(M->getReplacementToken(0)))
          .getAsInteger(10, N))
    return std::nullopt;
  return N;
}

static void readVersion(Preprocessor *PP, AnalysisOptions &Options) {
  if (Options.VersionTold || !PP)
    return;
  auto Major = macroValue(*PP, "TORCH_VERSION_MAJOR");
  auto Minor = macroValue(*PP, "TORCH_VERSION_MINOR");
  if (!Major || !Minor)
    return;
  Options.Program.Target.TorchMajor = Options.Fit.TorchMajor = *Major;
  Options.Program.Target.TorchMinor = Options.Fit.TorchMinor = *Minor;
}

/// clang-tidy and clangd give no Sema, but the preprocessor's module loader is the
/// compiler, which has one until the unit is done with.
static void takeSema(Preprocessor *PP, ASTContext &Context,
                     AnalysisOptions &Options) {
  if (Options.Sema || !PP)
    return;
  auto &Compiler = static_cast<CompilerInstance &>(PP->getModuleLoader());
  if (!Compiler.hasSema() || &Compiler.getASTContext() != &Context)
    return;
  Options.Sema = &Compiler.getSema();
  Options.OwnHeadersInPreamble = Context.getExternalSource() != nullptr;
}

void TorchCheck::onEndOfTranslationUnit() {
  if (!Run->Context ||
      Run->Context->getDiagnostics().hasUncompilableErrorOccurred())
    return;
  if (!Run->Result) {
    AnalysisOptions Told = Run->Scope ? Run->Scope->Options : AnalysisOptions();
    readVersion(Run->PP, Told);
    takeSema(Run->PP, *Run->Context, Told);
    AnalysisOptions Options =
        mergeConfig(std::move(Told), Tidy->getOptions().CheckOptions,
                    [&](std::string Text) { configurationDiag(Text); });
    Run->Result = std::make_shared<Analysis>(*Run->Context, std::move(Options));
    if (Run->Scope)
      Run->Scope->Result = Run->Result;
  }
  onAnalysis(*Run->Result);
}

void TorchCheck::storeOptions(tidy::ClangTidyOptions::OptionMap &Opts) {
  const auto &Config = Tidy->getOptions().CheckOptions;
  for (llvm::StringRef Name : GlobalOptionNames) {
    auto It = Config.find(Name);
    Opts[Name] = It == Config.end() ? tidy::ClangTidyOptions::ClangTidyValue("")
                                    : It->second;
  }
}

void TorchCheck::note(SourceLocation Loc, llvm::StringRef Text) {
  // "%0": the text may hold a percent sign.
  diag(Loc, "%0", DiagnosticIDs::Note) << Text;
}

static void addGpus(AnalysisOptions &Options, llvm::StringRef Names,
                    llvm::function_ref<void(std::string)> Report) {
  const GpuCatalog &Catalog =
      Options.Catalog ? *Options.Catalog : GpuCatalog::builtin();
  llvm::SmallVector<llvm::StringRef, 2> Parts;
  Names.split(Parts, ',', -1, false);
  for (llvm::StringRef Name : Parts) {
    llvm::Expected<const GpuSpec *> Gpu = Catalog.find(Name.trim());
    if (Gpu)
      Options.Gpus.push_back(**Gpu);
    else
      Report("torch.Gpu: " + llvm::toString(Gpu.takeError()));
  }
}

AnalysisOptions mergeConfig(AnalysisOptions Told,
                            const tidy::ClangTidyOptions::OptionMap &Config,
                            llvm::function_ref<void(std::string)> Report) {
  auto Value = [&](llvm::StringRef Name) -> llvm::StringRef {
    auto It = Config.find(Name);
    return It == Config.end() ? llvm::StringRef()
                              : llvm::StringRef(It->second.Value).trim();
  };
  ProgramOptions &P = Told.Program;
  if (llvm::StringRef V = Value("torch.BatchSize"); !V.empty() && !P.Batch) {
    int64_t N;
    if (V.getAsInteger(10, N) || N <= 0)
      Report("torch.BatchSize: expected a positive number, got '" + V.str() +
             "'");
    else
      P.Batch = N;
  }
  if (llvm::StringRef V = Value("torch.Optimizer"); !V.empty() && !P.Optimizer)
    P.Optimizer = V.str();
  if (llvm::StringRef V = Value("torch.Precision"); !V.empty() && !P.Precision) {
    P.Precision = parseDType(V);
    if (!P.Precision)
      Report("torch.Precision: expected a floating type such as float32, "
             "bfloat16 or float16, got '" + V.str() + "'");
  }
  StatedModels Near; // What the command line says goes before.
  if (llvm::Error E = stateInput(Near, Value("torch.Input")))
    Report("torch.Input: " + llvm::toString(std::move(E)));
  if (llvm::Error E = stateConstruct(Near, Value("torch.Construct")))
    Report("torch.Construct: " + llvm::toString(std::move(E)));
  for (auto &[Class, Said] : Near) {
    StatedModel &Known = P.Stated[Class];
    if (Known.Inputs.empty())
      Known.Inputs = std::move(Said.Inputs);
    if (!Known.Arguments)
      Known.Arguments = std::move(Said.Arguments);
  }
  if (llvm::StringRef V = Value("torch.Gpu"); !V.empty() && Told.Gpus.empty())
    addGpus(Told, V, Report);
  return Told;
}

} // namespace vramlint
