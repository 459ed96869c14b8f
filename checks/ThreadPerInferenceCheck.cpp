//===- checks/ThreadPerInferenceCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See ThreadPerInferenceCheck.h.

#include "checks/ThreadPerInferenceCheck.h"
#include "checks/ElementAccess.h"
#include "checks/TensorUses.h"
#include "checks/TorchNames.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include <set>

using namespace clang;

namespace vramlint {

/// Where \p F, or what it calls in this unit, runs a model; null: nowhere.
static const ForwardSite *forwardIn(const UnitFacts &U, const FunctionDecl *F, int Depth) {
  const FunctionFacts *Facts = U.function(F);
  if (!Facts || Depth > 4 || Facts->Trains)
    return nullptr;
  if (!Facts->Forwards.empty())
    return &Facts->Forwards.front();
  for (const CallSite &C : Facts->Calls)
    if (const ForwardSite *S = forwardIn(U, C.Callee, Depth + 1))
      return S;
  return nullptr;
}

/// The thread's variable if \p At makes one, or the object that a call is made on.
static const VarDecl *threadAt(const Stmt *At, const BodyView &View) {
  const auto *D = dyn_cast_or_null<DeclStmt>(View.statementOf(At));
  return D && D->isSingleDecl() ? dyn_cast<VarDecl>(D->getSingleDecl()) : nullptr;
}

/// Is the thread ended, or left alone, before the next iteration: t.join(),
/// t.detach(), or a future's get()?
static bool endsInIteration(const Stmt *At, const BodyView &View) {
  auto Ends = [](llvm::StringRef Name) {
    return llvm::is_contained({"join", "detach", "get", "wait"}, Name);
  };
  // std::thread(…).detach();
  for (const Stmt *P = View.parent(At); P && isa<Expr>(P); P = View.parent(P))
    if (const auto *M = dyn_cast<CXXMemberCallExpr>(P))
      return Ends(nameOf(M->getMethodDecl()));
  const VarDecl *V = threadAt(At, View);
  if (!V)
    return false;
  for (const DeclRefExpr *Use : View.usesOf(V)) {
    const auto *M = dyn_cast_or_null<MemberExpr>(View.userOf(Use));
    if (M && Ends(nameOf(M->getMemberDecl())))
      return true;
  }
  const CXXRecordDecl *R = V->getType()->getAsCXXRecordDecl();
  return nameOf(R) == "jthread"; // Joins at the end of its scope.
}

void ThreadPerInferenceCheck::onAnalysis(const Analysis &A) {
  const UnitFacts &U = A.unit();
  std::set<SourceLocation> Done; // Instantiations share their text.
  for (const ThreadStart &T : U.Threads) {
    const ForwardSite *Runs = T.Pool ? nullptr : forwardIn(U, T.Runs, 0);
    if (!Runs || !T.In || T.In->InTest || !T.In->Body)
      continue;
    BodyView View(*T.In, A.context());
    const Stmt *At = nullptr;
    forEachStmt(T.In->Body, [&](const Stmt *S) {
      const auto *E = dyn_cast<Expr>(S);
      if (!E || (E->getBeginLoc() != T.Loc && E->getExprLoc() != T.Loc))
        return;
      const auto *C = dyn_cast<CallExpr>(E);
      if ((isa<CXXConstructExpr>(E) && isThread(E->getType())) ||
          (C && nameOf(C->getDirectCallee()) == "async"))
        At = E;
    });
    const Stmt *Loop = At ? View.loopAround(At) : nullptr;
    if (!Loop || !isRepeatedBy(Loop, At, View) || isFewTimes(Loop, A.context()) ||
        !endsInIteration(At, View) || U.isInMacroBody(T.Loc) || !Done.insert(T.Loc).second)
      continue;
    diag(T.Loc, "a thread is started for each inference: starting it, its CUDA state "
                "and its guards are paid for each time");
    note(Loop->getBeginLoc(), "in this loop; keep one thread, and hand it the inputs");
    note(Runs->Loc, "the model runs here");
  }
}

} // namespace vramlint
