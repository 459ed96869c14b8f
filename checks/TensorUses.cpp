//===- checks/TensorUses.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See TensorUses.h.

#include "checks/TensorUses.h"
#include "checks/TensorOps.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace vramlint {

static constexpr int MaxSteps = 6;

const VarDecl *variableIn(const Expr *E) {
  E = E ? bare(E) : nullptr;
  const auto *Ref = dyn_cast_or_null<DeclRefExpr>(E);
  if (!Ref)
    return nullptr;
  if (const auto *B = dyn_cast<BindingDecl>(Ref->getDecl()))
    return dyn_cast_or_null<VarDecl>(B->getDecomposedDecl());
  return dyn_cast<VarDecl>(Ref->getDecl());
}

bool isTensorContainer(QualType T) {
  const auto *S = dyn_cast_or_null<ClassTemplateSpecializationDecl>(
      T.getNonReferenceType().getCanonicalType()->getAsCXXRecordDecl());
  if (!S || !S->getIdentifier() || S->getTemplateArgs().size() == 0)
    return false;
  const TemplateArgument &Of = S->getTemplateArgs()[0];
  return llvm::StringSwitch<bool>(S->getName())
             .Cases("vector", "list", "deque", "SmallVector", true)
             .Default(false) &&
         Of.getKind() == TemplateArgument::Type && isTensor(Of.getAsType());
}

bool isLoopStmt(const Stmt *S) {
  return S && isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S);
}

bool isRepeatedBy(const Stmt *Loop, const Stmt *S, const BodyView &View) {
  if (!isLoopStmt(Loop) || Loop == S || !View.isInside(S, Loop))
    return false;
  if (const auto *F = dyn_cast<ForStmt>(Loop))
    return !F->getInit() || !View.isInside(S, F->getInit());
  if (const auto *R = dyn_cast<CXXForRangeStmt>(Loop))
    return View.isInside(S, R->getBody());
  return true;
}

bool isBackwardCall(const CallExpr &C) {
  const FunctionDecl *F = C.getDirectCallee();
  llvm::StringRef Name = nameOf(F);
  if (const auto *M = dyn_cast<CXXMemberCallExpr>(&C))
    return Name == "backward" && M->getImplicitObjectArgument() &&
           isTensor(M->getImplicitObjectArgument()->IgnoreImpCasts()->getType());
  if (Name != "backward" && Name != "grad")
    return false;
  std::string Full = qualifiedName(*F);
  return Full == "torch::autograd::backward" || Full == "torch::autograd::grad";
}

llvm::SmallVector<const CallExpr *, 4> backwardCalls(const BodyView &View) {
  llvm::SmallVector<const CallExpr *, 4> Calls;
  forEachStmt(View.Facts.Body, [&](const Stmt *S) {
    if (const auto *C = dyn_cast<CallExpr>(S); C && isBackwardCall(*C))
      Calls.push_back(C);
  });
  return Calls;
}

/// What torch::stack and torch::cat take: at::TensorList.
static bool isTensorList(QualType T) {
  const CXXRecordDecl *R = T.getCanonicalType()->getAsCXXRecordDecl();
  llvm::StringRef Name = nameOf(R);
  return R && isLibTorch(R) &&
         (Name == "ArrayRef" || Name == "IListRef" || Name == "ITensorListRef");
}

/// losses[i], losses.back(): an element of the container \p E, or a part of the way
/// to one.
static bool isElementAccess(const Expr *Up, const Expr *E) {
  if (const auto *M = dyn_cast<MemberExpr>(Up))
    return isTensorContainer(M->getBase()->getType()) &&
           llvm::is_contained({"back", "front", "at"}, nameOf(M->getMemberDecl()));
  const auto *C = dyn_cast<CallExpr>(Up);
  if (!C || !isTensor(C->getType()))
    return false;
  if (const auto *Op = dyn_cast<CXXOperatorCallExpr>(C))
    return Op->getOperator() == OO_Subscript && Op->getArg(0) == E &&
           isTensorContainer(E->getType());
  return isa<CXXMemberCallExpr>(C) && isa<MemberExpr>(E) && C->getCallee() == E &&
         isTensorContainer(cast<MemberExpr>(E)->getBase()->getType());
}

/// Ops of tensors whose result has no history.
static bool cutsGraph(llvm::StringRef Op) {
  return llvm::StringSwitch<bool>(Op)
      .Cases("detach", "data", "variable_data", "tensor_data", true)
      .Cases("argmax", "argmin", "eq", "ne", "gt", "lt", "ge", "le", true)
      .Cases("isnan", "isfinite", "isinf", "zeros_like", "ones_like", true)
      .Default(false);
}

/// \p E and what stands around it as long as it is the same value, or one made of
/// it by ops of tensors; what then uses it is the parent of the result.
static const Expr *climb(const Expr *E, const BodyView &View) {
  const Expr *Top = E;
  for (const Stmt *P = View.parent(Top); P; P = View.parent(Top)) {
    const auto *Up = dyn_cast<Expr>(P);
    if (!Up)
      break;
    bool Wraps = isa<ImplicitCastExpr, ParenExpr, ExprWithCleanups,
                     MaterializeTemporaryExpr, CXXBindTemporaryExpr>(Up);
    const auto *K = dyn_cast<CXXConstructExpr>(Up);
    Wraps |= K && (isTensor(K->getType()) || isTensorList(K->getType()));
    Wraps |= isElementAccess(Up, Top);
    const auto *Member = dyn_cast<MemberExpr>(Up);
    bool OfOp = Member && isTensor(Member->getBase()->getType());
    bool Op = isa<CallExpr>(Up) && isTensor(Up->getType()) && Up->isPRValue() &&
              isLibTorch(cast<CallExpr>(Up)->getDirectCallee());
    if (!Wraps && !OfOp && !Op)
      break;
    // An op that cuts the graph ends the way: what follows has none.
    if (Op && cutsGraph(nameOf(cast<CallExpr>(Up)->getDirectCallee())))
      return Up;
    Top = Up;
  }
  return Top;
}

/// The variable that \p Value, with nothing around it, is put into; null: none.
static const VarDecl *putInto(const Expr *Value, const BodyView &View) {
  const Stmt *P = View.parent(Value);
  if (const auto *D = dyn_cast_or_null<DeclStmt>(P)) {
    for (const Decl *Each : D->decls())
      if (const auto *V = dyn_cast<VarDecl>(Each); V && V->getInit() == Value)
        return V;
    return nullptr;
  }
  if (const auto *Op = dyn_cast_or_null<CXXOperatorCallExpr>(P))
    if ((Op->getOperator() == OO_Equal || Op->getOperator() == OO_PlusEqual) &&
        Op->getNumArgs() == 2 && Op->getArg(1) == Value)
      return variableIn(Op->getArg(0));
  return nullptr;
}

static bool reaches(const VarDecl *V, const Stmt *Within, const BodyView &View,
                    int Depth) {
  if (Depth > MaxSteps)
    return false;
  for (const DeclRefExpr *Use : View.usesOf(V)) {
    if (!View.isInside(Use, Within))
      continue;
    const Expr *Top = climb(Use, View);
    const Stmt *P = View.parent(Top);
    if (const auto *C = dyn_cast<CallExpr>(Top); C && isBackwardCall(*C))
      return true;
    if (const auto *C = dyn_cast_or_null<CallExpr>(P); C && isBackwardCall(*C))
      return true;
    const VarDecl *Next = putInto(Top, View);
    if (Next && Next != V && reaches(Next, Within, View, Depth + 1))
      return true;
  }
  return false;
}

bool reachesBackward(const VarDecl *V, const Stmt *Within, const BodyView &View) {
  return reaches(V, Within, View, 0);
}

bool keepsGraph(llvm::StringRef Op) {
  return llvm::StringSwitch<bool>(Op)
      .Cases("sum", "mean", "mul", "div", "add", "sub", "neg", "pow", true)
      .Cases("to", "cpu", "cuda", "clone", "contiguous", "squeeze", true)
      .Cases("view", "reshape", "flatten", "unsqueeze", "select", "abs", true)
      .Cases("sqrt", "exp", "log", "norm", "toType", "alias", "index", true)
      .Cases("mul_", "div_", "add_", "sub_", "relu", "sigmoid", "tanh", true)
      .Cases("transpose", "permute", "t", "narrow", "slice", "expand", true)
      .Cases("stack", "cat", "operator", "operator[]", "square", "clamp", true)
      .Default(false);
}

/// A call that reads \p E, its receiver or argument, as a number or not at all.
static bool readsNumbers(const CallExpr &C, const Expr *E) {
  if (const auto *Op = dyn_cast<CXXOperatorCallExpr>(&C))
    return Op->getOperator() == OO_LessLess;
  return llvm::StringSwitch<bool>(nameOf(C.getDirectCallee()))
      .Cases("item", "detach", "detach_", "data", "variable_data", true)
      .Cases("tensor_data", "print", "defined", "size", "sizes", "dim", true)
      .Cases("numel", "argmax", "eq", "ne", "gt", "lt", "ge", "le", true)
      .Cases("dtype", "device", "scalar_type", "zero_", "reset", true)
      .Cases("empty", "clear", "reserve", "toString", "isnan", "isfinite", true)
      .Default(false);
}

static bool numbersOnly(const VarDecl *V, const BodyView &View,
                        llvm::function_ref<bool(const Stmt *)> Skip, int Depth) {
  if (Depth > MaxSteps)
    return false;
  for (const DeclRefExpr *Use : View.usesOf(V)) {
    if (Skip(Use))
      continue;
    const Expr *Top = climb(Use, View);
    if (const auto *C = dyn_cast<CallExpr>(Top);
        C && !isBackwardCall(*C) && readsNumbers(*C, Use))
      continue;
    const Stmt *P = View.parent(Top);
    // A member call: the callee's expression stands between.
    if (const auto *M = dyn_cast_or_null<MemberExpr>(P))
      P = View.parent(M);
    if (const auto *C = dyn_cast_or_null<CallExpr>(P)) {
      const auto *Op = dyn_cast<CXXOperatorCallExpr>(C);
      // x = …: another tensor takes its place.
      if (Op && Op->getOperator() == OO_Equal && Op->getArg(0) == Top)
        continue;
      if (!isBackwardCall(*C) && readsNumbers(*C, Top))
        continue;
    }
    const VarDecl *Next = putInto(Top, View);
    if (Next == V || (Next && View.contains(Top) && !Next->getType()->isReferenceType() &&
                      numbersOnly(Next, View, [](const Stmt *) { return false; },
                                  Depth + 1)))
      continue;
    // A statement of its own: dropped.
    if (!P || isa<CompoundStmt>(P))
      continue;
    return false;
  }
  return true;
}

bool endsInNumbers(const VarDecl *V, const BodyView &View,
                   llvm::function_ref<bool(const Stmt *)> Skip) {
  return numbersOnly(V, View, Skip, 0);
}

bool isGuardedCall(const CallExpr &C, const FunctionFacts &F) {
  if (F.GuardedWhereWritten || F.GuardedByMember)
    return true;
  for (const CallSite &S : F.Calls)
    if (S.Loc == C.getBeginLoc() && S.Callee == C.getDirectCallee()->getCanonicalDecl())
      return S.Guarded;
  return false;
}

} // namespace vramlint
