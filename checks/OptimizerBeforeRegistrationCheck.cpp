//===- checks/OptimizerBeforeRegistrationCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See OptimizerBeforeRegistrationCheck.h.

#include "checks/OptimizerBeforeRegistrationCheck.h"
#include "checks/BodyView.h"
#include "checks/TensorOps.h"
#include "checks/TensorUses.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include <set>

using namespace clang;

namespace vramlint {

/// The model whose parameters() stand below \p E; null: none.
static const Decl *parametersOf(const Stmt *E, const UnitFacts &U) {
  const Decl *Found = nullptr;
  forEachStmt(E, [&](const Stmt *S) {
    const auto *C = dyn_cast<CXXMemberCallExpr>(S);
    if (C && !Found && nameOf(C->getMethodDecl()) == "parameters" &&
        C->getImplicitObjectArgument() &&
        isNNModule(C->getImplicitObjectArgument()->IgnoreImpCasts()->getType()))
      Found = U.resolve(C->getImplicitObjectArgument());
  });
  return Found;
}

/// Does \p C put parameters into the module that it is called on?
static bool addsParameters(const CXXMemberCallExpr &C) {
  llvm::StringRef Name = nameOf(C.getMethodDecl());
  const auto *R = C.getMethodDecl() ? C.getMethodDecl()->getParent() : nullptr;
  return R && isLibTorch(R) &&
         llvm::is_contained({"register_module", "register_parameter", "push_back",
                             "emplace_back", "insert", "replace_module"},
                            Name) &&
         isOrDerivesFrom(R, "torch::nn::Module");
}

namespace {
struct Optimizer {
  const Decl *Model = nullptr;
  const Stmt *Made = nullptr;
  const VarDecl *Var = nullptr;
};
} // namespace

/// `SGD sgd(net->parameters(), …)`, `auto sgd = std::make_unique<SGD>(…)`.
static std::vector<Optimizer> optimizersIn(const FunctionFacts &F, const UnitFacts &U) {
  std::vector<Optimizer> Found;
  forEachStmt(F.Body, [&](const Stmt *S) {
    const auto *D = dyn_cast<DeclStmt>(S);
    const auto *V =
        D && D->isSingleDecl() ? dyn_cast<VarDecl>(D->getSingleDecl()) : nullptr;
    if (!V || !V->getInit() || !isOptimizer(V->getType()))
      return;
    if (const Decl *Model = parametersOf(V->getInit(), U))
      Found.push_back({Model, D, V});
  });
  return Found;
}

/// Is the optimizer told later, or made anew?
static bool isToldLater(const Optimizer &O, const BodyView &View) {
  for (const DeclRefExpr *Use : View.usesOf(O.Var)) {
    if (View.writeAt(Use))
      return true;
    bool Adds = false;
    for (const Stmt *P = View.parent(Use); P; P = View.parent(P))
      if (const auto *C = dyn_cast<CallExpr>(P)) {
        llvm::StringRef Name = nameOf(C->getDirectCallee());
        Adds |= Name == "add_param_group" || Name == "add_parameters" ||
                Name == "param_groups" || Name == "reset";
      }
    if (Adds)
      return true;
  }
  return false;
}

void OptimizerBeforeRegistrationCheck::onAnalysis(const Analysis &A) {
  const UnitFacts &U = A.unit();
  std::set<SourceLocation> Done; // Instantiations share their text.
  for (const FunctionFacts &F : U.Functions) {
    if (F.InTest || !F.Body)
      continue;
    std::vector<Optimizer> All = optimizersIn(F, U);
    if (All.empty())
      continue;
    BodyView View(F, A.context());
    for (const Optimizer &O : All) {
      if (isToldLater(O, View))
        continue;
      forEachStmt(F.Body, [&](const Stmt *S) {
        const auto *C = dyn_cast<CXXMemberCallExpr>(S);
        if (!C || View.begin(C) < View.end(O.Made) || !addsParameters(*C) ||
            !View.isInside(C, View.scopeOf(O.Var)))
          return;
        const Decl *Model = U.resolve(C->getImplicitObjectArgument());
        SourceLocation Loc = C->getExprLoc();
        if (!Model || U.same(Model) != U.same(O.Model) || U.isInMacroBody(Loc) ||
            !Done.insert(Loc).second)
          return;
        diag(Loc, "'%0' does not train what is added here: it was made before")
            << O.Var->getName();
        note(O.Var->getLocation(), "it took the parameters that were there; make it after "
                                   "the model is complete, or add a parameter group");
      });
    }
  }
}

} // namespace vramlint
