//===- checks/MissingEvalCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See MissingEvalCheck.h.

#include "checks/MissingEvalCheck.h"
#include "checks/Insertion.h"
#include "checks/ModuleMode.h"
#include "checks/Surroundings.h"
#include "checks/TorchNames.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Support/Path.h"
#include <set>

using namespace clang;

namespace vramlint {

/// The trace's word: does anything in it depend on the mode of the module that
/// ran at \p S? Nothing if it did not run.
static std::optional<bool> ranInTraining(const Analysis &A,
                                         const ForwardSite &S) {
  std::optional<bool> Answer;
  for (const ForwardCall *F : A.forwardsOf(S))
    Answer = Answer.value_or(false) || F->TrainingMode;
  return Answer;
}

/// Did the module that ran at \p S hold dropout or batch norm, when the program ran?
static bool ranWithMode(const Analysis &A, const ForwardSite &S) {
  std::shared_ptr<const Trace> T = A.trace();
  std::vector<ModuleId> Todo;
  for (const ForwardCall *F : A.forwardsOf(S))
    Todo.push_back(F->Module);
  std::set<ModuleId> Seen;
  while (!Todo.empty()) {
    ModuleId Id = Todo.back();
    Todo.pop_back();
    if (Id >= T->Modules.size() || !Seen.insert(Id).second)
      continue;
    const ModuleInfo &M = T->Modules[Id];
    if (M.Builtin && builtinIsModal(M.Class))
      return true;
    for (const ModuleInfo::Child &C : M.Children)
      Todo.push_back(C.Id);
  }
  return false;
}

/// Loaded, never told its mode and not trained: its mode is the file's, or
/// training.
static bool isLoadedAsIs(const UnitFacts &U, const ForwardSite &S,
                         const ObjectFacts &O) {
  if (O.LoadLoc.isInvalid() || O.ModeTouched || O.Escapes || O.Frozen ||
      O.InTraining || (O.ParametersTaken && U.AnyOptimizer) || S.In->Trains ||
      U.isInMacroBody(O.LoadLoc))
    return false;
  // A part of another module gets its mode from that.
  const auto *Field = dyn_cast_or_null<FieldDecl>(O.LoadedInto);
  return !Field ||
         !isOrDerivesFrom(dyn_cast<CXXRecordDecl>(Field->getParent()),
                          "torch::nn::Module");
}

/// Is \p S a loop's work, or in a function that is called as evaluation is?
static bool looksLikeEvaluation(const ForwardSite &S, const SourceManager &SM) {
  if (hasWord(plainName(*S.In->Decl), {"test", "eval", "valid", "predict", "infer",
                                       "accuracy", "sample", "synth"}))
    return true;
  return S.Guard.Block && anyBelow(S.Guard.Block, [&](const Stmt &Part) {
    const Stmt *Body = nullptr;
    if (const auto *R = dyn_cast<CXXForRangeStmt>(&Part))
      Body = R->getBody();
    else if (const auto *F = dyn_cast<ForStmt>(&Part))
      Body = F->getBody();
    return Body && within(S.Loc, Body->getSourceRange(), SM);
  });
}

/// Trained in this file, and evaluated under a guard that turns gradients off,
/// while nothing leaves training mode.
static bool isEvaluatedInTraining(const UnitFacts &U, const ForwardSite &S,
                                  const ObjectFacts &O) {
  if (S.Jit || !S.Guarded || !S.Guard.TurnsOff || !S.Guard.Block ||
      O.EvalLoc.isValid() || O.Escapes || !(O.InTraining || O.ModeTouched) ||
      !U.AnyTraining)
    return false;
  const SourceManager &SM = U.Context.getSourceManager();
  if (!looksLikeEvaluation(S, SM))
    return false;
  return llvm::none_of(S.In->TrainingLocs, [&](SourceLocation L) {
    return S.Guard.Loc < L && within(L, S.Guard.Block->getSourceRange(), SM);
  });
}

/// The module's class behind \p T, or null for containers: it isn't one class.
static const CXXRecordDecl *moduleOf(QualType T) {
  return isNNModule(T) ? recordOf(T) : nullptr;
}

/// The layers whose mode matters, in a constructor that only \p Words are known of.
static bool namesModal(const llvm::StringSet<> &Words) {
  return llvm::any_of(Words, [](const auto &Word) {
    return builtinIsModal(Word.getKey());
  });
}

/// Evaluates, under a guard, a model that its callers in other files hand it, and
/// that no file which knows this function puts in eval(). Such a file that trains
/// is returned; empty: not so, or not known.
static std::string evaluatedForTraining(const Analysis &A, const ForwardSite &S,
                                        const ObjectFacts &O) {
  const UnitFacts &U = A.unit();
  const auto *P = dyn_cast_or_null<ParmVarDecl>(S.Object);
  UnitProvider *Others = A.options().Others;
  if (S.Jit || !P || !Others || !S.Guard.TurnsOff || !S.Guard.Block ||
      O.ModeTouched || O.Escapes || U.AnyTraining || S.In->Decl->isMain() ||
      !S.In->Decl->isExternallyVisible() || !U.callersOf(*S.In).empty() ||
      !looksLikeEvaluation(S, U.Context.getSourceManager()))
    return "";
  const CXXRecordDecl *R = moduleOf(P->getType());
  bool HasMode = surelyHasMode(R, U) || ranWithMode(A, S);
  if (R && (R = R->getDefinition()) && !HasMode)
    for (const CXXConstructorDecl *Maker : R->ctors())
      if (!HasMode && !Maker->isImplicit() && !Maker->isDefined())
        for (const UnitProvider::SourceWords &F : Others->filesNaming(*Maker))
          HasMode |= F.Defines && namesModal(F.Words);
  if (!HasMode)
    return "";
  std::string Trains;
  for (const UnitProvider::SourceWords &F : Others->filesNaming(*S.In->Decl)) {
    if (F.Words.contains("eval") || F.Words.contains("is_training"))
      return "";
    if (F.Words.contains("backward") && Trains.empty())
      Trains = F.File;
  }
  return Trains;
}

/// Is \p T a pointer, a smart pointer or a holder?
static bool usesArrow(QualType T) {
  return recordOf(T) != T.getNonReferenceType()->getAsCXXRecordDecl();
}

/// Does a method of \p R set its own mode, the constructor say?
static bool setsItsMode(const UnitFacts &U, const CXXRecordDecl *R) {
  for (const FunctionFacts &F : U.Functions)
    if (R && F.Decl->getParent()->Equals(R->getDefinition()))
      for (const CallSite &C : F.Calls)
        if (plainName(*C.Callee) == "eval" || plainName(*C.Callee) == "train")
          return true;
  return false;
}

void MissingEvalCheck::onAnalysis(const Analysis &A) {
  const UnitFacts &U = A.unit();
  static const ObjectFacts Nothing;
  std::set<const Decl *> Done;
  for (const FunctionFacts &F : U.Functions)
    for (const ForwardSite &S : F.Forwards) {
      const ObjectFacts *O = U.object(S.Object);
      if (!S.Object || F.InTest || F.InModule || Done.count(U.same(S.Object)))
        continue;
      if (!O) // Nothing but run.
        O = &Nothing;
      const auto *V = dyn_cast_or_null<ValueDecl>(S.Object);
      if (!S.Jit && V && setsItsMode(U, moduleOf(V->getType())))
        continue;
      if (isLoadedAsIs(U, S, *O)) {
        if (!S.Jit && (!V || !mayHaveMode(moduleOf(V->getType()), A.context()) ||
                       ranInTraining(A, S) == false))
          continue;
        reportLoaded(A, S, *O);
      } else if (isEvaluatedInTraining(U, S, *O)) {
        if (!V || ranInTraining(A, S) == false || U.isInMacroBody(S.Loc) ||
            !(surelyHasMode(moduleOf(V->getType()), U) || ranWithMode(A, S)))
          continue;
        reportTrained(A, S, "");
      } else if (std::string By = evaluatedForTraining(A, S, *O); !By.empty()) {
        if (ranInTraining(A, S) == false || U.isInMacroBody(S.Loc))
          continue;
        reportTrained(A, S, By);
      } else {
        continue;
      }
      Done.insert(U.same(S.Object));
    }
}

void MissingEvalCheck::reportTrained(const Analysis &A, const ForwardSite &S,
                                     llvm::StringRef By) {
  {
    auto D = diag(S.Loc, "'%0' is evaluated in training mode: no eval() stands "
                         "anywhere in this file%1")
             << S.ObjectName
             << (By.empty() ? "" : " or in those that call this function");
    const auto *V = dyn_cast<ValueDecl>(S.Object);
    if (V && isNNModule(V->getType()))
      if (std::optional<FixItHint> Fix = insertBefore(
              *S.Guard.Block, S.Guard.Loc,
              V->getNameAsString() + (usesArrow(V->getType()) ? "->" : ".") +
                  "eval();",
              A.context()))
        D << *Fix;
  }
  note(S.Guard.Loc, "run under this guard, so not to train; dropout drops values and "
                    "batch norm uses and updates the batch's statistics");
  if (!By.empty())
    note(S.In->Decl->getLocation(), llvm::sys::path::filename(By).str() +
                                        " trains and calls this; there, go back with train()");
  if (S.In->Trains && S.Guard.Block != S.In->Body)
    note(S.Guard.Block->getRBracLoc(), "go back with train() where training goes on");
}

void MissingEvalCheck::reportLoaded(const Analysis &A, const ForwardSite &S,
                              const ObjectFacts &O) {
  std::optional<FixItHint> Fix;
  if (const auto *V = dyn_cast_or_null<ValueDecl>(O.LoadedInto);
      V && !isa<FunctionDecl>(V)) {
    llvm::StringRef Spelled = llvm::StringRef(O.LoadedIntoText).ltrim("* ");
    Spelled.consume_back("->"); // A holder's operator.
    // Of a container each element would need it.
    if (!Spelled.empty() && (isJitModule(V->getType()) || isNNModule(V->getType())))
      Fix = insertAfter(O.LoadLoc, O.LoadEnd,
                        (Spelled + (usesArrow(V->getType()) ? "->" : ".") +
                         "eval();")
                            .str(),
                        A.context());
  }
  {
    auto D = diag(O.LoadLoc,
                  S.Jit ? "'%0' runs in the mode it was saved in: no eval() "
                          "follows %1"
                        : "'%0' runs in training mode: no eval() follows %1")
             << S.ObjectName << O.LoadedBy;
    if (Fix)
      D << *Fix;
  }
  note(S.Loc, S.Jit ? "run here; if it was saved in training mode, dropout drops "
                      "values and batch norm uses and updates statistics"
                    : "run here; dropout drops values and batch norm uses and "
                      "updates the batch's statistics");
}

} // namespace vramlint
