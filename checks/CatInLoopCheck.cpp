//===- checks/CatInLoopCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See CatInLoopCheck.h.

#include "checks/CatInLoopCheck.h"
#include "checks/ElementAccess.h"
#include "checks/TensorOps.h"
#include "checks/TensorUses.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include <set>

using namespace clang;

namespace vramlint {

static bool isCat(llvm::StringRef Name) {
  return llvm::is_contained({"cat", "concat", "concatenate", "vstack", "hstack"}, Name);
}

/// The use of \p V among the tensors that \p Cat joins; null: not there.
static const DeclRefExpr *elementOf(const CallExpr &Cat, const VarDecl *V) {
  const DeclRefExpr *Found = nullptr;
  if (Cat.getNumArgs())
    forEachStmt(Cat.getArg(0), [&](const Stmt *S) {
      const auto *List = dyn_cast<InitListExpr>(S);
      if (!List)
        return;
      for (const Expr *E : List->inits())
        if (const auto *Ref = dyn_cast<DeclRefExpr>(bare(E)); Ref && Ref->getDecl() == V)
          Found = Ref;
    });
  return Found;
}

/// Does \p Use only ask whether the tensor is there, or how large it is?
static bool onlyAsks(const DeclRefExpr *Use, const BodyView &View) {
  const auto *M = dyn_cast_or_null<MemberExpr>(View.userOf(Use));
  return M && llvm::is_contained({"defined", "numel", "size", "sizes", "dim"},
                                 nameOf(M->getMemberDecl()));
}

namespace {
struct Append {
  const CallExpr *Cat = nullptr;
  const VarDecl *Into = nullptr;
  const Stmt *Loop = nullptr;
};
} // namespace

/// `x = torch::cat({x, …})` in a loop that x survives and where nothing else needs x.
static std::optional<Append> appendIn(const Stmt *S, const BodyView &View) {
  const auto *Op = dyn_cast<CXXOperatorCallExpr>(S);
  if (!Op || Op->getOperator() != OO_Equal || Op->getNumArgs() != 2)
    return std::nullopt;
  const VarDecl *V = variableIn(Op->getArg(0));
  const auto *Cat = dyn_cast<CallExpr>(bare(Op->getArg(1)));
  const FunctionDecl *F = Cat ? Cat->getDirectCallee() : nullptr;
  const DeclRefExpr *Self = F && V && isLibTorch(F) && isCat(nameOf(F))
                                ? elementOf(*Cat, V)
                                : nullptr;
  const Stmt *Loop = View.loopAround(Op);
  const Stmt *Scope = Self ? View.scopeOf(V) : nullptr;
  if (!Loop || !Scope || View.isInside(Scope, Loop) || isFewTimes(Loop, View.Context))
    return std::nullopt;
  for (const DeclRefExpr *Use : View.usesOf(V)) {
    if (!View.isInside(Use, Loop) || Use == Self || onlyAsks(Use, View))
      continue;
    std::optional<Write> W = View.writeAt(Use);
    if (!W || !isa<CXXOperatorCallExpr>(W->At))
      return std::nullopt; // The joined tensor is needed in each iteration.
  }
  return Append{Cat, V, Loop};
}

void CatInLoopCheck::onAnalysis(const Analysis &A) {
  std::set<SourceLocation> Done; // Instantiations share their text.
  forEachOwnStmt(A.unit(), [&](const Stmt *S, LazyView &View) {
    const auto *C = dyn_cast<CallExpr>(S);
    if (!C || !isa<CXXOperatorCallExpr>(C))
      return;
    if (cast<CXXOperatorCallExpr>(C)->getOperator() != OO_Equal ||
        !isTensor(C->getType()))
      return;
    std::optional<Append> Found = appendIn(S, *View);
    if (!Found || A.unit().isInMacroBody(Found->Cat->getExprLoc()) ||
        !Done.insert(Found->Cat->getExprLoc()).second)
      return;
    std::string Name = Found->Into->getNameAsString();
    diag(Found->Cat->getBeginLoc(),
         "each iteration copies all of '%0' to append to it")
        << Name;
    note(Found->Loop->getBeginLoc(),
         "in this loop; collect the parts in a std::vector<torch::Tensor> and join "
         "them once, after it");
  });
}

} // namespace vramlint
