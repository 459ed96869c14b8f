//===- checks/GraphAccumulationCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See GraphAccumulationCheck.h.

#include "checks/GraphAccumulationCheck.h"
#include "checks/GrowingMemory.h"
#include "checks/RecurrentState.h"
#include "checks/TensorOps.h"
#include "checks/TensorUses.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/StringSwitch.h"
#include <set>

using namespace clang;

namespace vramlint {

namespace {
/// `total += loss`, `total = total + loss`, `losses.push_back(loss)`.
struct Accumulation {
  const CallExpr *At = nullptr;
  const VarDecl *Into = nullptr;
  const Expr *Operand = nullptr;
  bool IsList = false;
  const Stmt *Loop = nullptr; ///< The innermost that Into survives.
};
} // namespace

/// The two operands of a sum of tensors: a + b, a.add(b), torch::add(a, b).
static std::pair<const Expr *, const Expr *> sumIn(const Expr *E) {
  TensorCall Op = tensorCall(E);
  if (!Op || !Op.arg(0) || !isTensor(Op.arg(0)->getType()))
    return {};
  const auto *Sign = dyn_cast<CXXOperatorCallExpr>(Op.Call);
  if (Sign ? Sign->getOperator() == OO_Plus : Op.Name == "add")
    return {Op.Self, Op.arg(0)};
  return {};
}

static std::optional<Accumulation> accumulationIn(const CallExpr &C) {
  if (const auto *Op = dyn_cast<CXXOperatorCallExpr>(&C)) {
    if (Op->getNumArgs() != 2 || !isTensor(Op->getArg(0)->getType()))
      return std::nullopt;
    const VarDecl *Into = variableIn(Op->getArg(0));
    if (Op->getOperator() == OO_PlusEqual && isTensor(Op->getArg(1)->getType()))
      return Accumulation{&C, Into, Op->getArg(1)};
    if (Op->getOperator() != OO_Equal || !Into)
      return std::nullopt;
    auto [A, B] = sumIn(Op->getArg(1));
    if (A && variableIn(A) == Into)
      return Accumulation{&C, Into, B};
    if (B && variableIn(B) == Into)
      return Accumulation{&C, Into, A};
    return std::nullopt;
  }
  const auto *M = dyn_cast<CXXMemberCallExpr>(&C);
  if (!M || !M->getMethodDecl() || M->getNumArgs() == 0)
    return std::nullopt;
  const Expr *Object = M->getImplicitObjectArgument();
  llvm::StringRef Name = nameOf(M->getMethodDecl());
  if (Name == "add_" && isTensor(Object->IgnoreImpCasts()->getType()) &&
      isTensor(M->getArg(0)->getType()))
    return Accumulation{&C, variableIn(Object), M->getArg(0)};
  if ((Name == "push_back" || Name == "emplace_back") &&
      isTensorContainer(Object->getType()) && isTensor(M->getArg(0)->getType()))
    return Accumulation{&C, variableIn(Object), M->getArg(0), true};
  return std::nullopt;
}

/// The variable with a graph that \p E is made of; null: none that we see.
static const VarDecl *graphOf(const Expr *E, const Stmt *Loop, const BodyView &View,
                              int Depth = 0) {
  E = bare(E);
  if (Depth > 8)
    return nullptr;
  if (const VarDecl *V = variableIn(E)) {
    if (!isTensor(V->getType()) || !View.scopeOf(V) ||
        !View.isInside(View.scopeOf(V), Loop))
      return nullptr;
    return reachesBackward(V, Loop, View) ? V : nullptr;
  }
  TensorCall Op = tensorCall(E);
  if (!Op || !keepsGraph(Op.Name))
    return nullptr;
  if (const auto *Sign = dyn_cast<CXXOperatorCallExpr>(Op.Call))
    if (!llvm::is_contained({OO_Plus, OO_Minus, OO_Star, OO_Slash, OO_Subscript},
                            Sign->getOperator()))
      return nullptr;
  if (const VarDecl *V = graphOf(Op.Self, Loop, View, Depth + 1))
    return V;
  const Expr *Other = Op.arg(0);
  return Other && isTensor(Other->getType())
             ? graphOf(Other, Loop, View, Depth + 1)
             : nullptr;
}

/// Is \p Into given a new value, or emptied, in \p Loop? Then it does not grow.
static bool startsAnew(const Accumulation &A, const BodyView &View,
                       llvm::function_ref<bool(const Stmt *)> Adds) {
  for (const DeclRefExpr *Use : View.usesOf(A.Into)) {
    if (!View.isInside(Use, A.Loop) || Adds(Use))
      continue;
    if (View.writeAt(Use))
      return true;
    if (const auto *Member = dyn_cast_or_null<MemberExpr>(View.userOf(Use)))
      if (llvm::StringSwitch<bool>(nameOf(Member->getMemberDecl()))
              .Cases("clear", "resize", "erase", "pop_back", "pop_front", true)
              .Cases("zero_", "detach_", "reset", "fill_", "swap", "assign", true)
              .Default(false))
        return true;
  }
  return false;
}

/// The innermost loop around \p At that the variable is declared outside of.
static const Stmt *survivedLoop(const Accumulation &A, const BodyView &View) {
  const Stmt *Scope = View.scopeOf(A.Into);
  const Stmt *Loop = nullptr;
  for (const Stmt *L = View.loopAround(A.At); L; L = View.loopAround(L))
    if (L != Scope && View.isInside(L, Scope) && isRepeatedBy(L, A.At, View))
      Loop = Loop ? Loop : L;
  return Loop;
}

/// Does the run contradict: were ops run in that line, and none with a graph?
static bool runSaysNo(const Analysis &A, SourceLocation Loc) {
  std::shared_ptr<const Trace> T = A.trace();
  bool Ran = false;
  for (const OpRecord &Op : T->Ops) {
    if (Op.In != Phase::Forward || Op.Inputs.empty() ||
        !onSameLine(A, A.ownLocation(*T, Op.Stack), Loc))
      continue;
    Ran = true;
    if (Op.RecordsGraph)
      return false;
  }
  return Ran;
}

/// \p E with a call appended, in parentheses where it has to be.
static void addDetach(DiagnosticBuilder &D, const Expr *E, const ASTContext &Context) {
  E = bare(E);
  SourceLocation End = endOf(E, Context);
  if (End.isInvalid())
    return;
  if (isa<CXXOperatorCallExpr>(E) &&
      cast<CXXOperatorCallExpr>(E)->getOperator() != OO_Subscript) {
    D << FixItHint::CreateInsertion(E->getBeginLoc(), "(")
      << FixItHint::CreateInsertion(End, ").detach()");
    return;
  }
  D << FixItHint::CreateInsertion(End, ".detach()");
}

static std::vector<Accumulation> accumulationsOf(const FunctionFacts &F,
                                                 const BodyView &View) {
  std::vector<Accumulation> Found;
  forEachStmt(F.Body, [&](const Stmt *S) {
    const auto *C = dyn_cast<CallExpr>(S);
    std::optional<Accumulation> A = C ? accumulationIn(*C) : std::nullopt;
    if (!A || !A->Into || !A->Into->hasLocalStorage() ||
        A->Into->getType()->isReferenceType() || !View.scopeOf(A->Into))
      return;
    A->Loop = survivedLoop(*A, View);
    if (A->Loop)
      Found.push_back(*A);
  });
  return Found;
}

void GraphAccumulationCheck::reportText(const Analysis &A, const FunctionFacts &F,
                                        std::set<SourceLocation> &Done) {
  BodyView View(F, A.context());
  std::vector<Accumulation> All = accumulationsOf(F, View);
  auto Adds = [&](const Stmt *Use) {
    return llvm::any_of(All, [&](const Accumulation &Acc) {
      return View.isInside(Use, Acc.At) && variableIn(cast<Expr>(Use)) == Acc.Into;
    });
  };
  for (const Accumulation &Acc : All) {
    SourceLocation Loc = Acc.At->getExprLoc();
    const VarDecl *Of = graphOf(Acc.Operand, Acc.Loop, View);
    if (!Of || Of == Acc.Into || startsAnew(Acc, View, Adds) ||
        isGuardedCall(*Acc.At, F) || A.unit().isInMacroBody(Loc) ||
        !endsInNumbers(Acc.Into, View, Adds) ||
        (!Acc.IsList && runSaysNo(A, Acc.At->getBeginLoc())) || !Done.insert(Loc).second)
      continue;
    {
      auto D = diag(Loc, "'%0' keeps the autograd graph of every iteration: '%1' is "
                         "%select{added|stored}2 with its history")
               << Acc.Into->getName() << Of->getName() << Acc.IsList;
      addDetach(D, Acc.Operand, A.context());
    }
    note(Acc.Loop->getBeginLoc(), "of this loop; '" + Acc.Into->getNameAsString() +
                                      "' is only read as a number, so it needs no "
                                      "graph: item() or detach()");
    for (const Growing &G : A.growingLoops())
      if (onSameLine(A, G.Op, Acc.At->getBeginLoc()) ||
          (Acc.IsList && onSameLine(A, G.Loop, Acc.Loop->getBeginLoc())))
        note(G.Loop.isValid() ? G.Loop : Loc, growthText(A, G));
  }
}

/// Is an input of \p Op the result of an earlier op with a graph, of an iteration
/// before? Leaves that need gradients are no history.
static bool continuesGraph(const Trace &T, OpId Id) {
  const OpRecord &Op = T.Ops[Id];
  for (const TensorDesc &In : Op.Inputs) {
    if (!In.RequiresGrad)
      continue;
    for (OpId Before = Id; Before-- > 0;)
      if (T.Ops[Before].RecordsGraph &&
          T.Ops[Before].Stack == Op.Stack &&
          llvm::any_of(T.Ops[Before].Outputs, [&](const TensorDesc &Out) {
            return Out.Storage == In.Storage;
          }))
        return true;
  }
  return false;
}

/// What the run saw grow where the text did not tell.
void GraphAccumulationCheck::reportRun(const Analysis &A,
                                       std::set<SourceLocation> &Done) {
  std::shared_ptr<const Trace> T = A.trace();
  for (const Growing &G : A.growingLoops()) {
    if (G.Is->KeptBy == None || G.Freed || G.Op.isInvalid() || G.Loop.isInvalid() ||
        isRecurrentOp(T->Ops[G.Is->KeptBy].Name) || !continuesGraph(*T, G.Is->KeptBy) ||
        llvm::any_of(Done, [&](SourceLocation L) { return onSameLine(A, L, G.Op); }))
      continue;
    SourceLocation Loc = A.findingLocation(*T, T->Ops[G.Is->KeptBy].Stack);
    if (Loc.isInvalid() || !Done.insert(Loc).second)
      continue;
    diag(Loc, "this '%0' joins the autograd graph of each iteration to the one before: "
              "none of them is freed")
        << T->Ops[G.Is->KeptBy].Name.str();
    note(G.Loop, "in this loop " + growthText(A, G));
    note(Loc, "detach() what is only carried on, or read it with item()");
  }
}

void GraphAccumulationCheck::onAnalysis(const Analysis &A) {
  std::set<SourceLocation> Done; // Instantiations share their text.
  const std::vector<CarriedState> &States = A.carriedStates();
  for (const FunctionFacts &F : A.unit().Functions)
    if (F.Trains && !F.InTest && F.Body)
      reportText(A, F, Done);
  // A state that is carried on has a check of its own.
  if (States.empty() && A.unit().AnyTraining)
    reportRun(A, Done);
}

} // namespace vramlint
