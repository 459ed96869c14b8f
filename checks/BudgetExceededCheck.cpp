//===- checks/BudgetExceededCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See BudgetExceededCheck.h.

#include "checks/BudgetExceededCheck.h"
#include "checks/Analysis.h"
#include "lib/gpu/GpuCatalog.h"
#include "lib/torch/Models.h"
#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace vramlint {

BudgetExceededCheck::BudgetExceededCheck(llvm::StringRef Name,
                                         tidy::ClangTidyContext *Context)
    : TorchCheck(Name, Context), ParametersText(Options.get("Parameters", "")),
      TrainingText(Options.get("Training", "")),
      InferenceText(Options.get("Inference", "")),
      Parameters(read("Parameters", parseCountBudgets)),
      Training(read("Training", parseByteBudgets)),
      Inference(read("Inference", parseByteBudgets)) {}

std::vector<Budget> BudgetExceededCheck::read(llvm::StringRef Option,
                                              ListParser Parse) {
  llvm::Expected<std::vector<Budget>> All = Parse(Options.get(Option, ""));
  if (All)
    return std::move(*All);
  configurationDiag("torch-budget-exceeded.%0: %1")
      << Option << llvm::toString(All.takeError());
  return {};
}

void BudgetExceededCheck::storeOptions(
    tidy::ClangTidyOptions::OptionMap &Opts) {
  TorchCheck::storeOptions(Opts);
  Options.store(Opts, "Parameters", ParametersText);
  Options.store(Opts, "Training", TrainingText);
  Options.store(Opts, "Inference", InferenceText);
}

/// What is judged against a budget, in words.
struct BudgetExceededCheck::Subject {
  std::string Who; ///< "training takes", "'Net' has"
  Quantity Need;
  bool AreBytes = true; ///< Else parameters.

  std::string figure(int64_t N) const {
    return AreBytes ? formatBytes(Bytes{N}) : formatCount(N);
  }
  std::string text(BudgetVerdict Is) const {
    std::string Unit = AreBytes ? "" : " parameters";
    if (Is == BudgetVerdict::Exceeded)
      return Who + (Need.isExact() ? " " : " at least ") +
             figure(Need.lower()) + Unit;
    if (Need.isUnknown())
      return Who + " ?" + Unit + " (at least " + figure(Need.lower()) + ")";
    return Who + " ~" + figure(Need.expected()) + Unit + " (at most " +
           figure(Need.upper()) + ")";
  }
};

void BudgetExceededCheck::compare(SourceLocation At, const Subject &S,
                                  int64_t Limit) {
  BudgetVerdict Is = judge(S.Need, Limit);
  if (Is == BudgetVerdict::Met || At.isInvalid())
    return;
  if (Is == BudgetVerdict::Exceeded) {
    diag(At, "%0, the budget is %1") << S.text(Is) << S.figure(Limit);
    return;
  }
  diag(At, "budget of %0 not shown to hold: %1", DiagnosticIDs::Remark)
      << S.figure(Limit) << S.text(Is);
  if (!S.Need.causes().empty())
    note(At, S.Need.causes().front());
}

void BudgetExceededCheck::judgeModels(const Analysis &A) {
  std::shared_ptr<const Trace> T = A.trace();
  SourceManager &SM = A.context().getSourceManager();
  for (const Model &M : findModels(*T)) {
    SourceLocation At = A.locate(M.Pos);
    // A header's class is judged where the program builds one.
    if (At.isInvalid() || !SM.isInMainFile(At) || M.Jit)
      At = A.findingLocation(*T, T->Modules[M.Root].Created);
    for (const Budget &B : Parameters)
      if (B.Scope.empty() || B.Scope == M.Class)
        compare(
            At,
            {"'" + M.Class.str() + "' has", M.Parameters, /*AreBytes=*/false},
            B.Limit);
  }
}

void BudgetExceededCheck::judgePeak(const Analysis &A, const Budget &B) {
  const Timeline &Line = *A.timeline();
  Subject S{Line.TrainsHere ? "training takes" : "inference takes", Line.Live};
  if (!B.Gpu.empty()) {
    const GpuCatalog &Catalog =
        A.options().Catalog ? *A.options().Catalog : GpuCatalog::builtin();
    llvm::Expected<const GpuSpec *> Gpu = Catalog.find(B.Gpu);
    if (!Gpu) {
      configurationDiag("torch-budget-exceeded: %0")
          << llvm::toString(Gpu.takeError());
      return;
    }
    S.Need = A.fit(**Gpu).Need;
    S.Who += " on " + (*Gpu)->Name.str();
  }
  if (!A.trace()->Complete)
    S.Need =
        Quantity::unknown("the run was cut short by a limit", S.Need.lower());
  SourceManager &SM = A.context().getSourceManager();
  SourceLocation At =
      A.findingLocation(*A.trace(), Line.Highest.Stack, /*InMainFile=*/true);
  if (At.isInvalid())
    At = SM.getLocForStartOfFile(SM.getMainFileID());
  compare(At, S, B.Limit);
}

void BudgetExceededCheck::onAnalysis(const Analysis &A) {
  if (Parameters.empty() && Training.empty() && Inference.empty())
    return;
  judgeModels(A);
  if (A.trace()->Entry.empty() ||
      A.options().Program.Target.Target != DeviceKind::CUDA)
    return;
  SourceManager &SM = A.context().getSourceManager();
  OptionalFileEntryRef Main = SM.getFileEntryRefForID(SM.getMainFileID());
  llvm::StringRef File = Main ? Main->getName() : "";
  for (const Budget &B : A.timeline()->TrainsHere ? Training : Inference)
    if (B.coversFile(File))
      judgePeak(A, B);
}

} // namespace vramlint
