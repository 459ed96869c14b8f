//===- checks/Mentions.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See Mentions.h.

#include "checks/Mentions.h"
#include "checks/TorchNames.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace vramlint {

Mentions::Mentions(const UnitFacts &Unit) : Unit(Unit) {
  for (const FunctionFacts &F : Unit.Functions) {
    if (F.Outer) // A lambda: part of its outer body.
      continue;
    if (const auto *C = dyn_cast<CXXConstructorDecl>(F.Decl)) {
      for (const CXXCtorInitializer *I : C->inits()) {
        if (!I->isWritten() || !I->getInit())
          continue;
        if (I->isMemberInitializer())
          Initialisers[I->getInit()] = I->getMember();
        walk(I->getInit(), F.Decl);
      }
    }
    walk(F.Body, F.Decl);
    if (const auto *M = dyn_cast<CXXMethodDecl>(F.Decl))
      addClass(*M->getParent());
  }
}

void Mentions::addClass(const CXXRecordDecl &R) {
  if (!Classes.try_emplace(&R, true).second)
    return;
  for (const FieldDecl *F : R.fields())
    if (F->hasInClassInitializer())
      if (const Expr *Init = F->getInClassInitializer()) {
        Initialisers[Init] = F;
        walk(Init, nullptr);
      }
}

void Mentions::walk(const Stmt *Top, const FunctionDecl *In) {
  if (!Top)
    return;
  std::vector<const Stmt *> Work{Top};
  while (!Work.empty()) {
    const Stmt *S = Work.back();
    Work.pop_back();
    if (const auto *E = dyn_cast<DeclRefExpr>(S)) {
      if (isa<VarDecl, BindingDecl>(E->getDecl()))
        All[E->getDecl()->getCanonicalDecl()].push_back({E, In});
    } else if (const auto *E = dyn_cast<MemberExpr>(S)) {
      if (isa<FieldDecl>(E->getMemberDecl()))
        All[E->getMemberDecl()->getCanonicalDecl()].push_back({E, In});
    } else if (const auto *E = dyn_cast<CXXThisExpr>(S)) {
      if (!E->isImplicit())
        if (const CXXRecordDecl *R = E->getType()->getPointeeCXXRecordDecl())
          All[R->getCanonicalDecl()].push_back({E, In});
    }
    llvm::SmallVector<const Stmt *, 8> Inner;
    for (const Stmt *C : S->children())
      if (C)
        Inner.push_back(C);
    for (const Stmt *C : llvm::reverse(Inner)) {
      // The first parent counts: range loops name their parts twice.
      if (Parents.try_emplace(C, S).second)
        Work.push_back(C);
    }
  }
}

llvm::ArrayRef<Mention> Mentions::of(const Decl *D) const {
  auto It = All.find(D->getCanonicalDecl());
  if (It == All.end())
    return {};
  return It->second;
}

llvm::ArrayRef<Mention> Mentions::thisIn(const CXXRecordDecl *R) const {
  return of(R);
}

bool Mentions::isVisible(const FunctionDecl *F) const {
  if (!F)
    return false;
  if (Unit.function(F))
    return true;
  const FunctionDecl *Pattern = F->getTemplateInstantiationPattern();
  return Pattern && Pattern->isDefined();
}

const Expr *spelled(const Expr *E) {
  while (E) {
    if (const auto *F = dyn_cast<FullExpr>(E))
      E = F->getSubExpr();
    else if (const auto *P = dyn_cast<ParenExpr>(E))
      E = P->getSubExpr();
    else if (const auto *B = dyn_cast<CXXBindTemporaryExpr>(E))
      E = B->getSubExpr();
    else if (const auto *M = dyn_cast<MaterializeTemporaryExpr>(E))
      E = M->getSubExpr();
    else if (const auto *C = dyn_cast<CastExpr>(E))
      E = C->getSubExpr();
    else if (const auto *L = dyn_cast<CXXStdInitializerListExpr>(E))
      E = L->getSubExpr();
    else if (const auto *D = dyn_cast<CXXDefaultArgExpr>(E))
      E = D->getExpr();
    else
      return E;
  }
  return nullptr;
}

bool isRegistration(const FunctionDecl *F) {
  const auto *M = dyn_cast_or_null<CXXMethodDecl>(F);
  if (!M || !M->getIdentifier())
    return false;
  llvm::StringRef Name = M->getName();
  return (Name == "register_module" || Name == "replace_module" ||
          Name == "register_parameter" || Name == "register_buffer") &&
         isOrDerivesFrom(M->getParent(), "torch::nn::Module");
}

bool registersSomething(const Stmt *Top, const UnitFacts &U, unsigned Depth) {
  if (!Top)
    return false;
  std::vector<const Stmt *> Work{Top};
  while (!Work.empty()) {
    const Stmt *S = Work.back();
    Work.pop_back();
    if (const auto *C = dyn_cast<CallExpr>(S)) {
      const FunctionDecl *F = C->getDirectCallee();
      if (isRegistration(F))
        return true;
      const FunctionFacts *Facts = Depth ? U.function(F) : nullptr;
      if (Facts && registersSomething(Facts->Body, U, Depth - 1))
        return true;
    }
    for (const Stmt *Child : S->children())
      if (Child)
        Work.push_back(Child);
  }
  return false;
}

} // namespace vramlint
