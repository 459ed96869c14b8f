//===- checks/BodyView.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See BodyView.h.

#include "checks/BodyView.h"
#include "checks/TensorOps.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;

namespace vramlint {

/// The children of \p S that belong to the same function.
template <typename Fn> static void forOwnChildren(const Stmt *S, Fn Visit) {
  if (const auto *L = dyn_cast<LambdaExpr>(S)) {
    for (const Expr *Init : L->capture_inits())
      if (Init)
        Visit(Init);
    return;
  }
  for (const Stmt *Child : S->children())
    if (Child)
      Visit(Child);
}

void forEachStmt(const Stmt *Root,
                 llvm::function_ref<void(const Stmt *)> Visit) {
  if (!Root)
    return;
  llvm::SmallVector<const Stmt *, 32> Todo = {Root};
  while (!Todo.empty()) {
    const Stmt *S = Todo.pop_back_val();
    Visit(S);
    size_t From = Todo.size();
    forOwnChildren(S, [&](const Stmt *Child) { Todo.push_back(Child); });
    std::reverse(Todo.begin() + From, Todo.end());
  }
}

llvm::SmallVector<Root, 4> rootsOf(const FunctionFacts &F) {
  llvm::SmallVector<Root, 4> Roots;
  if (const auto *K = dyn_cast<CXXConstructorDecl>(F.Decl))
    for (const CXXCtorInitializer *I : K->inits())
      if (I->isWritten())
        Roots.push_back({I->getInit(), I->getMember()});
  if (F.Body)
    Roots.push_back({F.Body, nullptr});
  return Roots;
}

BodyView::BodyView(const FunctionFacts &F, const ASTContext &Context)
    : Facts(F), Context(Context) {
  for (const Root &R : rootsOf(F)) {
    if (R.Field)
      Fields[R.Code] = R.Field;
    index(R.Code, nullptr);
  }
}

/// Depth first with a stack of its own: long chains must not overflow ours.
void BodyView::index(const Stmt *S, const Stmt *Parent) {
  struct Item {
    const Stmt *S;
    bool Leaving;
  };
  llvm::SmallVector<Item, 64> Todo = {{S, false}};
  Parents[S] = Parent;
  while (!Todo.empty()) {
    Item I = Todo.pop_back_val();
    if (I.Leaving) {
      Order[I.S].second = ++Clock;
      continue;
    }
    Order[I.S] = {++Clock, 0};
    Todo.push_back({I.S, true});
    if (const auto *Ref = dyn_cast<DeclRefExpr>(I.S))
      if (const auto *V = dyn_cast<VarDecl>(Ref->getDecl()))
        Uses[V->getCanonicalDecl()].push_back(Ref);
    if (const auto *D = dyn_cast<DeclStmt>(I.S))
      for (const Decl *Each : D->decls())
        if (const auto *V = dyn_cast<VarDecl>(Each))
          Declared[V->getCanonicalDecl()] = D;
    size_t From = Todo.size();
    forOwnChildren(I.S, [&](const Stmt *Child) {
      // Some nodes are shared (a semantic and a syntactic form): first wins.
      if (Parents.try_emplace(Child, I.S).second)
        Todo.push_back({Child, false});
    });
    std::reverse(Todo.begin() + From, Todo.end());
  }
}

llvm::ArrayRef<const DeclRefExpr *> BodyView::usesOf(const VarDecl *V) const {
  auto It = Uses.find(V->getCanonicalDecl());
  if (It == Uses.end())
    return {};
  return It->second;
}

static bool isScope(const Stmt *S) {
  return isa<CompoundStmt, ForStmt, WhileStmt, DoStmt, CXXForRangeStmt, IfStmt,
             SwitchStmt, CXXCatchStmt>(S);
}

const Stmt *BodyView::scopeOf(const VarDecl *V) const {
  auto It = Declared.find(V->getCanonicalDecl());
  if (It == Declared.end())
    return nullptr;
  for (const Stmt *S = parent(It->second); S; S = parent(S))
    if (isScope(S))
      return S;
  return nullptr;
}

const Stmt *BodyView::statementOf(const Stmt *S) const {
  while (const Stmt *P = parent(S)) {
    if (isScope(P) || isa<CXXTryStmt, LabelStmt, CaseStmt, DefaultStmt>(P))
      return S;
    S = P;
  }
  return S;
}

/// `do … while (false)`, as macros are written: runs once.
static bool runsOnce(const Stmt *Loop, const ASTContext &Context) {
  const auto *D = dyn_cast<DoStmt>(Loop);
  bool Again = true;
  return D && !D->getCond()->isValueDependent() &&
         D->getCond()->EvaluateAsBooleanCondition(Again, Context) && !Again;
}

const Stmt *BodyView::loopAround(const Stmt *S, const Stmt *Inside) const {
  for (S = parent(S); S && S != Inside; S = parent(S))
    if (isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S) && !runsOnce(S, Context))
      return S;
  return nullptr;
}

/// Does the parameter or reference that gets \p E let it be changed?
static bool mayChange(QualType T) {
  return T->isReferenceType() && !T->getPointeeType().isConstQualified() &&
         !T->isRValueReferenceType();
}

/// The parameter that argument \p A of \p C goes to; null if there is none.
static const ParmVarDecl *parameterFor(const CallExpr *C, const Stmt *A) {
  const FunctionDecl *F = C->getDirectCallee();
  if (!F)
    return nullptr;
  unsigned Skip =
      isa<CXXOperatorCallExpr>(C) && isa<CXXMethodDecl>(F) ? 1 : 0;
  for (unsigned I = Skip; I < C->getNumArgs(); ++I)
    if (C->getArg(I) == A && I - Skip < F->getNumParams())
      return F->getParamDecl(I - Skip);
  return nullptr;
}

/// std::get<0>(t): a part of the tuple, which it does not change.
static bool isStdGet(const CallExpr &C) {
  const FunctionDecl *F = C.getDirectCallee();
  return F && F->isInStdNamespace() && nameOf(F) == "get";
}

/// Does \p Parent assign to \p E, or hand it to something that may?
static bool isAssigned(const Expr *E, const Stmt *Parent) {
  if (const auto *Op = dyn_cast_or_null<CXXOperatorCallExpr>(Parent))
    return Op->getArg(0) == E && Op->isAssignmentOp();
  if (const auto *B = dyn_cast_or_null<BinaryOperator>(Parent))
    return B->isAssignmentOp() && B->getLHS() == E;
  if (const auto *D = dyn_cast_or_null<DeclStmt>(Parent))
    return llvm::any_of(D->decls(), [](const Decl *Each) {
      const auto *V = dyn_cast<VarDecl>(Each);
      return V && mayChange(V->getType());
    });
  const auto *C = dyn_cast_or_null<CallExpr>(Parent);
  const ParmVarDecl *P = C ? parameterFor(C, E) : nullptr;
  return P && mayChange(P->getType()) && !isStdGet(*C);
}

std::optional<Write> BodyView::writeAt(const DeclRefExpr *Use) const {
  const Stmt *Child = Use;
  const Stmt *P = parent(Use);
  while (P && (isa<ParenExpr>(P) ||
               (isa<ImplicitCastExpr>(P) &&
                cast<ImplicitCastExpr>(P)->getCastKind() == CK_NoOp &&
                !cast<ImplicitCastExpr>(P)->getType().isConstQualified() &&
                cast<Expr>(P)->isLValue()))) {
    Child = P;
    P = parent(P);
  }
  if (!P)
    return std::nullopt;
  if (const auto *B = dyn_cast<BinaryOperator>(P)) {
    if (B->isAssignmentOp() && B->getLHS() == Child)
      return Write{B, B->getOpcode() == BO_Assign ? B->getRHS() : nullptr};
    return std::nullopt;
  }
  if (const auto *U = dyn_cast<UnaryOperator>(P)) {
    if (U->isIncrementDecrementOp() || U->getOpcode() == UO_AddrOf)
      return Write{U, nullptr};
    return std::nullopt;
  }
  if (const auto *Op = dyn_cast<CXXOperatorCallExpr>(P)) {
    if (Op->getNumArgs() == 2 && Op->getArg(0) == Child &&
        Op->getOperator() == OO_Equal)
      return Write{Op, Op->getArg(1)};
    // t += x changes a tensor's values, not which tensor t is.
    if (isTensor(Use->getType()))
      return std::nullopt;
  }
  if (isa<LambdaExpr>(P) && Use->isLValue() && !isa<CastExpr>(Child))
    return Write{cast<Expr>(P), nullptr};
  if (const auto *C = dyn_cast<CallExpr>(P)) {
    if (isStdGet(*C) && !isAssigned(C, parent(C)))
      return std::nullopt;
    const ParmVarDecl *Param = parameterFor(C, Child);
    if (Param ? mayChange(Param->getType())
              : C->getCallee() != Child && Use->isLValue() &&
                    !isa<CastExpr>(Child) && !C->getDirectCallee())
      return Write{C, nullptr};
  }
  if (isa<DeclStmt>(P))
    for (const Decl *D : cast<DeclStmt>(P)->decls())
      if (const auto *V = dyn_cast<VarDecl>(D);
          V && V->getInit() == Child && mayChange(V->getType()) &&
          !V->isImplicit())
        return Write{Use, nullptr};
  return std::nullopt;
}

const Expr *BodyView::valueAt(const VarDecl *V, const Stmt *Where) const {
  V = V->getCanonicalDecl();
  auto It = Declared.find(V);
  bool OwnParameter =
      isa<ParmVarDecl>(V) && V->getDeclContext() == Facts.Decl;
  if ((It == Declared.end() && !OwnParameter) || V->isStaticLocal() ||
      V->getType()->isReferenceType())
    return nullptr;
  // What a parameter got from the caller isn't known.
  const Expr *Value = OwnParameter ? nullptr : V->getInit();
  const Stmt *From = OwnParameter ? Facts.Body : It->second;
  const Stmt *Loop = loopAround(Where);
  for (const DeclRefExpr *Use : usesOf(V)) {
    std::optional<Write> W = writeAt(Use);
    if (!W)
      continue;
    if (isInside(Where, W->At) || end(W->At) > begin(Where)) {
      // Later in the text, but earlier in time if a loop is around both.
      for (const Stmt *L = Loop; L; L = loopAround(L))
        if (isInside(W->At, L) && !isInside(From, L))
          return nullptr;
      continue;
    }
    From = W->At;
    Value = W->Value;
    // A write in a branch that Where isn't in: we can't tell.
    for (const Stmt *S = parent(W->At); S; S = parent(S))
      if (isScope(S) || isa<CXXTryStmt, ConditionalOperator>(S)) {
        if (!isInside(Where, S) || isa<ConditionalOperator, SwitchStmt>(S))
          Value = nullptr;
        // if (c) x = …; the other way round: it holds in that branch only.
        if (const auto *I = dyn_cast<IfStmt>(S))
          if (I->getElse() && isInside(Where, I->getElse()) &&
              isInside(W->At, I->getThen()))
            Value = nullptr;
      }
  }
  return Value;
}

const Expr *BodyView::originOf(const Expr *E) const {
  const Stmt *Where = E;
  for (int Steps = 0; E && Steps < 8; ++Steps) {
    E = bare(E);
    const auto *Ref = dyn_cast<DeclRefExpr>(E);
    const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    if (!V)
      return E;
    const Expr *Value = valueAt(V, Where);
    if (!Value)
      return E;
    E = Value;
    Where = Value;
  }
  return E;
}

const Stmt *BodyView::userOf(const Stmt *S) const {
  const Stmt *P = parent(S);
  while (P && isa<ImplicitCastExpr, ParenExpr>(P))
    P = parent(P);
  return P;
}

void forEachOwnStmt(const UnitFacts &Unit,
                    llvm::function_ref<void(const Stmt *, LazyView &)> Visit) {
  for (const FunctionFacts &F : Unit.Functions) {
    if (F.InTest)
      continue;
    LazyView View(F, Unit.Context);
    forEachStmt(F.Body, [&](const Stmt *S) { Visit(S, View); });
  }
}

} // namespace vramlint
