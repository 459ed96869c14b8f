//===- checks/MissingZeroGradCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See MissingZeroGradCheck.h.

#include "checks/MissingZeroGradCheck.h"
#include "checks/TensorOps.h"
#include "checks/TensorUses.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include <set>

using namespace clang;

namespace vramlint {

/// `sgd.step()` without a closure.
static const CXXMemberCallExpr *stepIn(const Stmt *S) {
  const auto *C = dyn_cast<CXXMemberCallExpr>(S);
  if (!C || nameOf(C->getMethodDecl()) != "step" || !C->getImplicitObjectArgument() ||
      !isOptimizer(C->getImplicitObjectArgument()->IgnoreImpCasts()->getType()))
    return nullptr;
  for (const Expr *A : C->arguments())
    if (!isa<CXXDefaultArgExpr>(A))
      return nullptr;
  return C;
}

/// Could \p S set gradients back, or be told to: zero_grad(), anything done with
/// grad(), a function that gets an optimizer, a body that we don't see?
static bool mayZero(const Stmt *S, const UnitFacts &U, int Depth) {
  bool May = false;
  forEachStmt(S, [&](const Stmt *Part) {
    May |= isa<LambdaExpr>(Part);
    const auto *C = dyn_cast<CallExpr>(Part);
    const FunctionDecl *F = C ? C->getDirectCallee() : nullptr;
    if (May || !C)
      return;
    if (!F) {
      May = true; // A function object or pointer: it may be a training step.
      return;
    }
    llvm::StringRef Name = nameOf(F);
    if (Name == "zero_grad" || Name == "grad" || Name == "mutable_grad") {
      May = true;
      return;
    }
    if (isLibTorch(F) || F->isInStdNamespace() || isa<CXXOperatorCallExpr>(C))
      return;
    if (const FunctionFacts *Facts = U.function(F)) {
      May |= Depth > 4 || mayZero(Facts->Body, U, Depth + 1);
      return;
    }
    // Methods may hold the optimizer; others would have to be given one.
    May |= isa<CXXMethodDecl>(F) && !isNNModule(U.Context.getRecordType(
                                        cast<CXXMethodDecl>(F)->getParent()));
    for (const Expr *A : C->arguments())
      May |= isOptimizer(A->getType()) || holdsModule(A->getType());
  });
  return May;
}

/// Does \p S run in each iteration of \p Loop, and the loop go on after it?
static bool runsEachTime(const Stmt *S, const Stmt *Loop, const BodyView &View) {
  for (const Stmt *P = View.parent(S); P && P != Loop; P = View.parent(P)) {
    if (isa<IfStmt, SwitchStmt, ConditionalOperator, CXXTryStmt>(P))
      return false;
    if (const auto *B = dyn_cast<CompoundStmt>(P))
      for (const Stmt *Each : B->body())
        if (isa<BreakStmt, ReturnStmt>(Each))
          return false;
  }
  return true;
}

/// Is the model or its optimizer made anew in \p Loop? Then so are the gradients.
static bool makesModels(const Stmt *Loop) {
  bool Makes = false;
  forEachStmt(Loop, [&](const Stmt *S) {
    if (const auto *D = dyn_cast<DeclStmt>(S))
      for (const Decl *Each : D->decls())
        if (const auto *V = dyn_cast<VarDecl>(Each); V && !V->getType()->isReferenceType())
          Makes |= isNNModule(V->getType()) || isOptimizer(V->getType());
  });
  return Makes;
}

namespace {
struct Training {
  const CXXMemberCallExpr *Step = nullptr;
  const CallExpr *Backward = nullptr;
  const Stmt *Loop = nullptr;
};
} // namespace

static std::optional<Training> trainingLoop(const FunctionFacts &F, const UnitFacts &U,
                                            const BodyView &View) {
  std::vector<const CXXMemberCallExpr *> Steps;
  forEachStmt(F.Body, [&](const Stmt *S) {
    if (const CXXMemberCallExpr *C = stepIn(S))
      Steps.push_back(C);
  });
  auto Backwards = backwardCalls(View);
  if (Steps.size() != 1 || Backwards.empty())
    return std::nullopt;
  Training T{Steps.front(), nullptr, View.loopAround(Steps.front())};
  if (!T.Loop || !runsEachTime(T.Step, T.Loop, View) || makesModels(T.Loop))
    return std::nullopt;
  for (const CallExpr *B : Backwards)
    if (isRepeatedBy(T.Loop, B, View) && nameOf(B->getDirectCallee()) == "backward")
      T.Backward = T.Backward ? T.Backward : B;
  if (!T.Backward || View.loopAround(T.Backward) != T.Loop ||
      !runsEachTime(T.Backward, T.Loop, View) || mayZero(F.Body, U, 0))
    return std::nullopt;
  return T;
}

void MissingZeroGradCheck::onAnalysis(const Analysis &A) {
  std::set<SourceLocation> Done; // Instantiations share their text.
  for (const FunctionFacts &F : A.unit().Functions) {
    if (!F.Trains || F.InTest || !F.Body || F.Outer)
      continue;
    BodyView View(F, A.context());
    std::optional<Training> T = trainingLoop(F, A.unit(), View);
    if (!T || A.unit().isInMacroBody(T->Step->getExprLoc()) ||
        !Done.insert(T->Step->getExprLoc()).second)
      continue;
    llvm::StringRef Optimizer = nameOf(dyn_cast_or_null<NamedDecl>(
        A.unit().resolve(T->Step->getImplicitObjectArgument())));
    diag(T->Step->getExprLoc(), "this step uses the sum of all gradients since the "
                                "first iteration: nothing sets them back");
    note(T->Backward->getExprLoc(), "backward() adds to the gradients that are there");
    note(T->Loop->getBeginLoc(), "in this loop; call zero_grad()" +
                                     (Optimizer.empty() ? "" : " of '" + Optimizer.str() + "'") +
                                     " once in each iteration, before backward()");
  }
}

} // namespace vramlint
