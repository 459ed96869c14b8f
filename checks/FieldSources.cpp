//===- checks/FieldSources.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See FieldFlow.h: what is stored in a field, and where that comes from.

#include "checks/FieldFlow.h"
#include "checks/TorchNames.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace vramlint {

static constexpr unsigned MaxDepth = 16; ///< Expressions inside expressions.

void FieldFlow::sourcesOf(const ValueDecl &D) {
  if (const auto *V = dyn_cast<VarDecl>(&D)) {
    if (isa<ParmVarDecl>(V) || !V->isLocalVarDecl() || V->isStaticLocal())
      Shared = true;
    else if (V->getInit())
      source(V->getInit(), Origin::Elsewhere,
             dyn_cast<FunctionDecl>(V->getDeclContext()));
    return;
  }
  const auto *F = dyn_cast<FieldDecl>(&D);
  if (!F)
    return;
  bool Own = F->getCanonicalDecl() == Field.getCanonicalDecl();
  Origin::KindTy Kind = Own ? Origin::Initialiser : Origin::Elsewhere;
  const auto *R = dyn_cast<CXXRecordDecl>(F->getParent());
  bool Written = F->hasInClassInitializer();
  if (Written)
    source(F->getInClassInitializer(), Kind, nullptr);
  for (const CXXConstructorDecl *C : R->ctors()) {
    const FunctionFacts *Facts = Index.Unit.function(C);
    const auto *Def = Facts ? cast<CXXConstructorDecl>(Facts->Decl) : nullptr;
    if (!Def || C->isCopyOrMoveConstructor() || Def->isDelegatingConstructor())
      continue;
    for (const CXXCtorInitializer *I : Def->inits())
      if (I->isMemberInitializer() && I->isWritten() &&
          I->getMember()->getCanonicalDecl() == F->getCanonicalDecl()) {
        Written = true;
        source(I->getInit(), Kind, Def);
      }
  }
  if (!Written && Own)
    implicitSource();
}

/// No initializer is written: a holder makes its module, and so does a module
/// that is held by value; pointers and containers are empty.
void FieldFlow::implicitSource() {
  const CXXRecordDecl *R = Field.getType()->getAsCXXRecordDecl();
  if (R && (isOrDerivesFrom(R, "torch::nn::Module") ||
            recordOf(Field.getType()) != R) &&
      isNNModule(Field.getType()) &&
      !llvm::StringSwitch<bool>(R->getIdentifier() ? R->getName() : "")
           .Cases("shared_ptr", "unique_ptr", "optional", "AnyModule", true)
           .Default(false))
    Origins.push_back({Origin::Implicit, nullptr, nullptr});
}

void FieldFlow::source(const Expr *E, Origin::KindTy Kind,
                       const FunctionDecl *In, unsigned Depth) {
  E = spelled(E);
  if (!E || done())
    return;
  if (Depth > MaxDepth) {
    Unclear = true;
    return;
  }
  if (registersSomething(E, Index.Unit)) {
    Registered = true;
    return;
  }
  Origin O{Kind, E, In};
  if (isa<CXXNullPtrLiteralExpr, GNUNullExpr, IntegerLiteral, StringLiteral,
          ImplicitValueInitExpr>(E))
    return;
  if (const auto *C = dyn_cast<CXXConstructExpr>(E))
    return sourceConstruct(*C, O, Depth);
  if (const auto *L = dyn_cast<InitListExpr>(E)) {
    for (const Expr *Item : L->inits())
      source(Item, Origin::Elsewhere, In, Depth + 1);
    return;
  }
  if (isa<CXXNewExpr>(E)) {
    Origins.push_back(O);
    return;
  }
  if (const auto *C = dyn_cast<ConditionalOperator>(E)) {
    source(C->getTrueExpr(), Origin::Elsewhere, In, Depth + 1);
    source(C->getFalseExpr(), Origin::Elsewhere, In, Depth + 1);
    return;
  }
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
    if (const auto *V = dyn_cast<VarDecl>(Ref->getDecl()))
      return addUpstream(V);
  } else if (const auto *M = dyn_cast<MemberExpr>(E)) {
    const auto *F = dyn_cast<FieldDecl>(M->getMemberDecl());
    if (F && isa<CXXThisExpr>(M->getBase()->IgnoreParenImpCasts()))
      return addUpstream(F);
    Shared = true;
    return;
  } else if (const auto *C = dyn_cast<CallExpr>(E)) {
    return sourceCall(*C, O, Depth);
  }
  if (!mayHoldTensor(E->getType())) // A key, a count.
    return;
  Unclear = true;
}

/// Does the type hold modules, as a holder, pointer or container does?
static bool holdsModules(QualType T, unsigned Depth = 0) {
  if (isNNModule(T))
    return true;
  const CXXRecordDecl *R = T.getNonReferenceType()->getAsCXXRecordDecl();
  const auto *S = dyn_cast_or_null<ClassTemplateSpecializationDecl>(R);
  if (!S || Depth > 4)
    return false;
  for (const TemplateArgument &A : S->getTemplateArgs().asArray())
    if (A.getKind() == TemplateArgument::Type &&
        holdsModules(A.getAsType(), Depth + 1))
      return true;
  return false;
}

void FieldFlow::sourceConstruct(const CXXConstructExpr &C, Origin O,
                                unsigned Depth) {
  unsigned Args = 0;
  for (const Expr *A : C.arguments())
    Args += !isa<CXXDefaultArgExpr>(A);
  const CXXRecordDecl *R = C.getConstructor()->getParent();
  bool Holder = isNNModule(C.getType());
  if (Args == 1) {
    const Expr *A = spelled(C.getArg(0));
    if (!A || isa<CXXNullPtrLiteralExpr>(A) || A->getType()->isNullPtrType())
      return;
    const CXXRecordDecl *Of = recordOf(A->getType());
    // A copy, or a holder, pointer or AnyModule of a module that is there.
    bool Wraps = Holder && isNNModule(A->getType()) &&
                 (Of == recordOf(C.getType()) ||
                  R->getNameAsString() == "AnyModule" ||
                  (recordOf(C.getType()) != R && Of && Of->hasDefinition() &&
                   recordOf(C.getType())->hasDefinition() &&
                   Of->isDerivedFrom(recordOf(C.getType()))));
    if (C.getConstructor()->isCopyOrMoveConstructor() || Wraps ||
        (!Holder && holdsModules(A->getType())))
      return source(A, O.Kind, O.In, Depth + 1);
  }
  if (Holder && (Args || isa<CXXTemporaryObjectExpr>(C) ||
                 recordOf(C.getType()) != R ||
                 isOrDerivesFrom(R, "torch::nn::Module"))) {
    bool Empty = !Args && R->getIdentifier() &&
                 (R->getName() == "shared_ptr" || R->getName() == "unique_ptr" ||
                  R->getName() == "optional" || R->getName() == "AnyModule");
    if (Empty)
      return;
    Origins.push_back(O);
    for (const Expr *A : C.arguments())
      Contents.push_back(A);
    return;
  }
  // A container: its elements.
  for (const Expr *A : C.arguments())
    if (holdsModules(A->getType()) || isa<InitListExpr>(spelled(A) ? spelled(A) : A))
      source(A, Origin::Elsewhere, O.In, Depth + 1);
}

void FieldFlow::sourceCall(const CallExpr &C, Origin O, unsigned Depth) {
  const FunctionDecl *F = C.getDirectCallee();
  llvm::StringRef Name = F && F->getIdentifier() ? F->getName() : "";
  if (!mayHoldTensor(C.getType()))
    return;
  if (F && F->isInStdNamespace()) {
    if (Name == "make_shared" || Name == "make_unique" ||
        Name == "make_optional") {
      Origins.push_back(O);
      return;
    }
    if ((Name == "move" || Name == "forward") && C.getNumArgs() == 1)
      return source(C.getArg(0), O.Kind, O.In, Depth + 1);
    if (Name == "make_pair" || Name == "make_tuple") {
      for (const Expr *A : C.arguments())
        source(A, Origin::Elsewhere, O.In, Depth + 1);
      return;
    }
  }
  if (const auto *M = dyn_cast<CXXMemberCallExpr>(&C);
      M && (Name == "ptr" || Name == "get") &&
      !Index.Unit.isUserCode(F->getLocation()))
    return source(M->getImplicitObjectArgument(), O.Kind, O.In, Depth + 1);
  // A function of the unit that registers nothing: what it gives is new. A getter
  // would hand out what is registered elsewhere.
  const FunctionFacts *Facts = F ? Index.Unit.function(F) : nullptr;
  if (!Facts) {
    Unclear = true;
    return;
  }
  Helpers.insert(Facts->Decl);
  std::vector<const Stmt *> Work{Facts->Body};
  while (!Work.empty()) {
    const Stmt *S = Work.back();
    Work.pop_back();
    if (const auto *Ret = dyn_cast<ReturnStmt>(S); Ret && Ret->getRetValue()) {
      const Expr *Value = spelled(Ret->getRetValue());
      const auto *K = dyn_cast_or_null<CXXConstructExpr>(Value);
      if (K && K->getNumArgs() == 1 && K->getConstructor()->isCopyOrMoveConstructor())
        Value = spelled(K->getArg(0));
      const auto *Ref = dyn_cast_or_null<DeclRefExpr>(Value);
      const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
      if (V && V->isLocalVarDecl() && !V->isStaticLocal())
        addDownstream(V);
      else if (!isa_and_nonnull<CXXConstructExpr>(Value) &&
               !isa_and_nonnull<CallExpr>(Value))
        Shared = true;
    }
    for (const Stmt *Child : S->children())
      if (Child)
        Work.push_back(Child);
  }
  Origins.push_back(O);
}

} // namespace vramlint
