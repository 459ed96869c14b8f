//===- checks/TensorFields.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See ModuleFields.h: fields that are tensors, parameters or buffers by use.

#include "checks/ModuleFields.h"
#include "checks/TorchNames.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace vramlint {

/// Is "requires_grad" asked for by \p C, and not with false?
static bool asksForGrad(const CallExpr &C) {
  llvm::StringRef Name = nameOf(C.getDirectCallee());
  if (Name != "requires_grad" && Name != "requires_grad_" &&
      Name != "set_requires_grad")
    return false;
  if (isa<CXXMemberCallExpr>(C) && Name == "requires_grad" && !C.getNumArgs())
    return false; // A question.
  const auto *B = C.getNumArgs()
                      ? dyn_cast_or_null<CXXBoolLiteralExpr>(spelled(C.getArg(0)))
                      : nullptr;
  return !B || B->getValue();
}

namespace {
class TensorUses {
public:
  TensorUses(const Mentions &Index, const FieldDecl &F, TensorField &Out)
      : Index(Index), F(F), Out(Out) {}
  void run();

private:
  void follow(const Mention &M);
  void write(const Expr *E, Origin::KindTy Kind, const FunctionDecl *In);
  void argument(const CallExpr &C, const Stmt *Child, const Mention &M);
  void read(const Mention &M);
  bool inSetup(const FunctionDecl *In) const;

  const Mentions &Index;
  const FieldDecl &F;
  TensorField &Out;
};
} // namespace

/// A constructor, reset(), or the field's own initializer.
bool TensorUses::inSetup(const FunctionDecl *In) const {
  return !In || isa<CXXConstructorDecl>(In) || nameOf(In) == "reset";
}

void TensorUses::read(const Mention &M) {
  const SourceManager &SM = Index.Unit.Context.getSourceManager();
  if (!inSetup(M.In) &&
      (!Out.Use || SM.isBeforeInTranslationUnit(M.E->getExprLoc(),
                                                Out.Use->getExprLoc())))
    Out.Use = M.E;
}

void TensorUses::write(const Expr *E, Origin::KindTy Kind,
                       const FunctionDecl *In) {
  if (registersSomething(E, Index.Unit)) {
    Out.Registered = true;
    return;
  }
  const Expr *Plain = spelled(E);
  if (const auto *C = dyn_cast_or_null<CXXConstructExpr>(Plain)) {
    if (!C->getNumArgs())
      return; // Not defined yet.
    Plain = C->getNumArgs() == 1 ? spelled(C->getArg(0)) : nullptr;
  }
  if (!Plain || !isa<CallExpr>(Plain)) {
    Out.Shared = true; // Another tensor, or nothing that we understand.
    return;
  }
  std::vector<const Stmt *> Work{Plain};
  while (!Work.empty()) {
    const Stmt *S = Work.back();
    Work.pop_back();
    if (const auto *C = dyn_cast<CallExpr>(S))
      Out.Learned |= asksForGrad(*C);
    const auto *Ref = dyn_cast<DeclRefExpr>(S);
    if (Ref && isa<ParmVarDecl>(Ref->getDecl()) &&
        mayHoldTensor(Ref->getType()) &&
        isOrDerivesFrom(recordOf(Ref->getType()), "at::Tensor"))
      Out.Shared = true; // Comes from a tensor that is given.
    for (const Stmt *Child : S->children())
      if (Child)
        Work.push_back(Child);
  }
  Out.Changes |= !inSetup(In);
  Out.Origins.push_back({Kind, Plain, In});
}

void TensorUses::argument(const CallExpr &C, const Stmt *Child,
                          const Mention &M) {
  const FunctionDecl *Callee = C.getDirectCallee();
  llvm::StringRef Name = nameOf(Callee);
  if (isRegistration(Callee)) {
    Out.Registered = true;
    return;
  }
  std::string Full = Callee ? qualifiedName(*Callee) : "";
  if (llvm::StringRef(Full).starts_with("torch::nn::init::")) {
    Out.Learned = true;
    return;
  }
  if (Name == "save" || Name == "load" || Name == "push_back" ||
      Name == "emplace_back" || Name == "insert") {
    Out.ByHand = true;
    return;
  }
  if (!Callee || !Index.Unit.isUserCode(Callee->getLocation()))
    return read(M); // LibTorch's: an op.
  bool Method = isa<CXXOperatorCallExpr>(C) && isa<CXXMethodDecl>(Callee);
  for (unsigned I = 0; I < C.getNumArgs(); ++I) {
    unsigned P = I - (Method ? 1 : 0);
    if (C.getArg(I) != Child || P >= Callee->getNumParams())
      continue;
    QualType T = Callee->getParamDecl(P)->getType();
    if (T->isPointerType() ||
        (T->isReferenceType() && !T->getPointeeType().isConstQualified()))
      Out.Unclear = true;
  }
  read(M);
}

/// Goes up from \p M to what decides.
void TensorUses::follow(const Mention &M) {
  static constexpr unsigned MaxSteps = 32;
  const Stmt *Child = M.E;
  bool Listed = false;
  for (unsigned I = 0; I < MaxSteps; ++I) {
    const Stmt *P = Index.parent(Child);
    if (!P) { // A field's or a base's initializer.
      Out.Unclear |= !Index.initialised(Child);
      return;
    }
    if (const auto *ME = dyn_cast<MemberExpr>(P)) {
      llvm::StringRef Name = ME->getMemberDecl()->getIdentifier()
                                 ? ME->getMemberDecl()->getName()
                                 : "";
      const auto *C = dyn_cast_or_null<CallExpr>(Index.parent(P));
      Out.Learned |= C && asksForGrad(*C);
      Out.ByHand |= Name == "to" || Name == "cuda";
      return read(M);
    }
    if (isa<InitListExpr, CXXStdInitializerListExpr>(P)) {
      Listed = true;
    } else if (const auto *Op = dyn_cast<CXXOperatorCallExpr>(P)) {
      if (Op->getOperator() == OO_Equal && Op->getArg(0) == Child)
        return write(Op->getArg(1), Origin::Assigned, M.In);
      return argument(*Op, Child, M);
    } else if (const auto *C = dyn_cast<CallExpr>(P)) {
      return argument(*C, Child, M);
    } else if (const auto *K = dyn_cast<CXXConstructExpr>(P)) {
      if (isOptimizer(K->getType())) {
        Out.ByHand = true;
        return;
      }
    } else if (isa<UnaryOperator, LambdaExpr, ReturnStmt>(P)) {
      Out.Unclear = true; // Its address; a list of all weights; a getter.
      return;
    } else if (const auto *D = dyn_cast<DeclStmt>(P)) {
      const auto *V = D->isSingleDecl() ? dyn_cast<VarDecl>(D->getSingleDecl())
                                        : nullptr;
      Out.Unclear |= Listed || !V || V->getType()->isReferenceType();
      return read(M);
    } else if (!isa<Expr>(P)) {
      return read(M);
    }
    Child = P;
  }
  Out.Unclear = true;
}

void TensorUses::run() {
  if (F.hasInClassInitializer() && F.getInClassInitializer())
    write(F.getInClassInitializer(), Origin::Initialiser, nullptr);
  for (const CXXConstructorDecl *C : cast<CXXRecordDecl>(F.getParent())->ctors()) {
    const FunctionFacts *Facts = Index.Unit.function(C);
    if (!Facts || C->isCopyOrMoveConstructor())
      continue;
    for (const CXXCtorInitializer *I : cast<CXXConstructorDecl>(Facts->Decl)->inits())
      if (I->isMemberInitializer() && I->isWritten() && I->getMember() == &F)
        write(I->getInit(), Origin::Initialiser, Facts->Decl);
  }
  for (const Mention &M : Index.of(&F))
    follow(M);
}

TensorField tensorField(const Mentions &Index, const FieldDecl &F) {
  TensorField Out;
  TensorUses(Index, F, Out).run();
  return Out;
}

} // namespace vramlint
