//===- checks/JitCloneSharesCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See JitCloneSharesCheck.h.

#include "checks/JitCloneSharesCheck.h"
#include "checks/BodyView.h"
#include "checks/Surroundings.h"
#include "checks/TensorOps.h"
#include "checks/TensorUses.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include <set>

using namespace clang;

namespace vramlint {

namespace {
/// `auto b = a;`, a.copy(), a.clone(true): two handles of the same weights.
struct SharedCopy {
  const VarDecl *Copy = nullptr;
  const VarDecl *Of = nullptr;
  const Expr *From = nullptr;
  std::string By; ///< "copy()", "clone(true)"; empty: an assignment.
};
} // namespace

static bool isModuleValue(QualType T) {
  return !T->isReferenceType() && !T->isPointerType() && isJitModule(T) &&
         nameOf(T.getCanonicalType()->getAsCXXRecordDecl()) == "Module";
}

static std::optional<SharedCopy> sharedCopy(const VarDecl &V) {
  if (!V.hasLocalStorage() || !V.getInit() || !isModuleValue(V.getType()))
    return std::nullopt;
  const Expr *E = bare(V.getInit());
  SharedCopy S{&V, nullptr, E, ""};
  if (const auto *C = dyn_cast<CXXMemberCallExpr>(E)) {
    llvm::StringRef Name = nameOf(C->getMethodDecl());
    const auto *InPlace =
        C->getNumArgs() ? dyn_cast<CXXBoolLiteralExpr>(bare(C->getArg(0))) : nullptr;
    if (Name == "copy")
      S.By = "copy()";
    else if (Name == "clone" && InPlace && InPlace->getValue())
      S.By = "clone(true)";
    else
      return std::nullopt;
    E = C->getImplicitObjectArgument();
  }
  S.Of = variableIn(E);
  // std::move(a): the other handle is gone.
  bool Moved = S.By.empty() && V.getInit() && isa<CallExpr>(V.getInit()->IgnoreImplicit());
  return S.Of && S.Of != &V && !Moved ? std::optional(S) : std::nullopt;
}

/// The call of \p Name on \p V with an argument; null: none.
static const CXXMemberCallExpr *callOn(const VarDecl *V, llvm::StringRef Name,
                                       const BodyView &View, const Stmt *After) {
  for (const DeclRefExpr *Use : View.usesOf(V)) {
    const auto *M = dyn_cast_or_null<MemberExpr>(View.userOf(Use));
    const auto *C = M ? dyn_cast_or_null<CXXMemberCallExpr>(View.parent(M)) : nullptr;
    if (C && nameOf(M->getMemberDecl()) == Name && View.begin(C) > View.begin(After))
      return C;
  }
  return nullptr;
}

/// What makes the sharing a mistake: the copy is moved, and the other one is still
/// used as it was, or is moved for another copy.
static const Stmt *conflictOf(const SharedCopy &S, const CXXMemberCallExpr &To,
                              const BodyView &View) {
  // A copy for each device, in a loop: all of them end on the last one.
  const Stmt *Loop = View.loopAround(&To);
  const Stmt *Scope = View.scopeOf(S.Of);
  bool Outside = Loop && (!Scope || !View.isInside(Scope, Loop));
  if (Outside && To.getNumArgs() && variesIn(To.getArg(0), *Loop))
    return Loop;
  if (View.loopAround(&To) != View.loopAround(S.From))
    return nullptr;
  for (const char *Use : {"forward", "to"})
    if (const CXXMemberCallExpr *C = callOn(S.Of, Use, View, &To))
      return C;
  return nullptr;
}

void JitCloneSharesCheck::onAnalysis(const Analysis &A) {
  std::set<SourceLocation> Done; // Instantiations share their text.
  forEachOwnStmt(A.unit(), [&](const Stmt *Part, LazyView &View) {
    const auto *D = dyn_cast<DeclStmt>(Part);
    const auto *V = D && D->isSingleDecl() ? dyn_cast<VarDecl>(D->getSingleDecl())
                                           : nullptr;
    std::optional<SharedCopy> S = V ? sharedCopy(*V) : std::nullopt;
    if (!S)
      return;
    const CXXMemberCallExpr *To = callOn(V, "to", *View, D);
    const Stmt *Conflict = To ? conflictOf(*S, *To, *View) : nullptr;
    SourceLocation Loc = V->getLocation();
    if (!Conflict || A.unit().isInMacroBody(Loc) || !Done.insert(Loc).second)
      return;
    std::string Of = S->Of->getNameAsString();
    {
      auto Diag = diag(Loc, "'%0' shares its weights with '%1': to() moves them for both")
                  << V->getName() << Of;
      SourceLocation Begin = S->From->getBeginLoc(), End = endOf(S->From, A.context());
      if (Begin.isFileID() && End.isValid())
        Diag << FixItHint::CreateReplacement(S->From->getSourceRange(),
                                             Of + ".deepcopy()");
    }
    note(To->getExprLoc(), "moved here");
    if (isLoopStmt(Conflict))
      note(Conflict->getBeginLoc(), "in this loop, each time to another place: in the "
                                    "end all are at the last one");
    else
      note(cast<Expr>(Conflict)->getExprLoc(), "'" + Of + "' is used here as if it "
                                               "had stayed where it was");
  });
}

} // namespace vramlint
