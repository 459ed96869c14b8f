//===- checks/ViewRebindCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See ViewRebindCheck.h.

#include "checks/ViewRebindCheck.h"
#include "checks/TensorOps.h"
#include "checks/TensorUses.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include <set>

using namespace clang;

namespace vramlint {

/// The op that makes \p E, a view of a tensor that has a name; empty: something else.
static TensorCall namedViewIn(const Expr *E) {
  TensorCall Op = tensorCall(E);
  bool View = sharingOf(Op.Name) == Sharing::View && Op.Name != "detach" &&
              Op.Name != "data";
  const Expr *Of = View ? bare(Op.Self) : nullptr;
  while (Of)
    if (TensorCall Inner = tensorCall(Of);
        Inner && sharingOf(Inner.Name) == Sharing::View)
      Of = bare(Inner.Self);
    else
      break;
  return Of && Of->isLValue() ? Op : TensorCall();
}

/// The assignments that are all that \p V is used for; empty: it is read.
static std::vector<const CXXOperatorCallExpr *> onlyAssigned(const VarDecl *V,
                                                             const BodyView &View) {
  std::vector<const CXXOperatorCallExpr *> All;
  for (const DeclRefExpr *Use : View.usesOf(V)) {
    std::optional<Write> W = View.writeAt(Use);
    const auto *Op = W ? dyn_cast<CXXOperatorCallExpr>(W->At) : nullptr;
    if (!Op || Op->getOperator() != OO_Equal)
      return {};
    All.push_back(Op);
  }
  return All;
}

void ViewRebindCheck::onAnalysis(const Analysis &A) {
  std::set<SourceLocation> Done; // Instantiations share their text.
  forEachOwnStmt(A.unit(), [&](const Stmt *S, LazyView &View) {
    const auto *D = dyn_cast<DeclStmt>(S);
    const auto *V = D && D->isSingleDecl() ? dyn_cast<VarDecl>(D->getSingleDecl())
                                           : nullptr;
    if (!V || !V->hasLocalStorage() || V->getType()->isReferenceType() ||
        !isTensor(V->getType()) || !V->getInit())
      return;
    TensorCall Op = namedViewIn(V->getInit());
    if (!Op)
      return;
    for (const CXXOperatorCallExpr *Set : onlyAssigned(V, *View)) {
      SourceLocation Loc = Set->getOperatorLoc();
      if (A.unit().isInMacroBody(Loc) || !Done.insert(Loc).second)
        continue;
      std::string Of = textOf(Op.Self, A.context()), Name = V->getNameAsString();
      diag(Loc, "'%0' becomes another tensor here: the values of '%1' stay as they are")
          << Name << Of;
      note(V->getLocation(), "'" + Name + "' is a view of it, and not read; write "
                             "through it with '" + Name + ".copy_(…)'");
    }
  });
}

} // namespace vramlint
