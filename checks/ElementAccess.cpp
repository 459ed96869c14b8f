//===- checks/ElementAccess.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See ElementAccess.h.

#include "checks/ElementAccess.h"
#include "checks/TensorOps.h"
#include "checks/TensorUses.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;

namespace vramlint {

bool isFewTimes(const Stmt *Loop, const ASTContext &Context) {
  constexpr int64_t Few = 16;
  const auto *F = dyn_cast<ForStmt>(Loop);
  const auto *Test = F && F->getCond() ? dyn_cast<BinaryOperator>(
                                             F->getCond()->IgnoreParenImpCasts())
                                       : nullptr;
  Expr::EvalResult R;
  return Test && Test->isRelationalOp() && !Test->getRHS()->isValueDependent() &&
         Test->getRHS()->EvaluateAsInt(R, Context) && R.Val.getInt().getExtValue() <= Few;
}

/// The counter of \p Loop: the variable that its head makes.
static const VarDecl *counterOf(const Stmt *Loop) {
  const auto *F = dyn_cast<ForStmt>(Loop);
  const auto *D = F ? dyn_cast_or_null<DeclStmt>(F->getInit()) : nullptr;
  return D && D->isSingleDecl() ? dyn_cast<VarDecl>(D->getSingleDecl()) : nullptr;
}

static bool names(const Expr *E, const VarDecl *V) {
  bool Found = false;
  forEachStmt(E, [&](const Stmt *S) {
    const auto *Ref = dyn_cast<DeclRefExpr>(S);
    Found |= Ref && Ref->getDecl() == V;
  });
  return Found;
}

/// The tensor that \p E takes an element of by \p Counter: t[i][j], t.index({i, j}),
/// t.select(0, i); null: something else.
static const Expr *elementBy(const Expr *E, const VarDecl *Counter) {
  bool Indexed = false;
  for (TensorCall Op = tensorCall(E); Op; Op = tensorCall(E)) {
    if (Op.Name != "operator[]" && Op.Name != "index" && Op.Name != "select")
      return nullptr;
    for (unsigned I = 0; I < Op.argCount(); ++I)
      Indexed |= Op.arg(I) && names(Op.arg(I), Counter);
    E = bare(Op.Self);
  }
  return Indexed && E->isLValue() ? E : nullptr;
}

std::vector<ElementAccess> elementAccesses(const FunctionFacts &F,
                                           const ASTContext &Context) {
  std::vector<ElementAccess> Found;
  LazyView View(F, Context);
  forEachStmt(F.Body, [&](const Stmt *S) {
    const auto *C = dyn_cast<CXXMemberCallExpr>(S);
    if (!C || nameOf(C->getMethodDecl()) != "item" || !C->getImplicitObjectArgument() ||
        !tensorCall(C->getImplicitObjectArgument()))
      return;
    const Stmt *Loop = View->loopAround(C);
    const VarDecl *Counter = Loop ? counterOf(Loop) : nullptr;
    const Expr *Of = Counter ? elementBy(C->getImplicitObjectArgument(), Counter) : nullptr;
    if (Of && !isFewTimes(Loop, Context))
      Found.push_back({C, Loop, textOf(Of, Context)});
  });
  return Found;
}

} // namespace vramlint
