//===- checks/RecurrentState.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See RecurrentState.h.

#include "checks/RecurrentState.h"
#include "checks/GrowingMemory.h"
#include "checks/TensorOps.h"
#include "checks/TensorUses.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace vramlint {

bool isRecurrentOp(llvm::StringRef Op) {
  return llvm::StringSwitch<bool>(Op)
      .Cases("lstm", "gru", "rnn_tanh", "rnn_relu", true)
      .Cases("lstm_cell", "gru_cell", "rnn_tanh_cell", "rnn_relu_cell", true)
      .Default(false);
}

/// torch::nn's LSTM, GRU, RNN and their cells.
static bool isRecurrentModule(const CXXRecordDecl *R) {
  return R && isLibTorch(R) &&
         llvm::StringSwitch<bool>(nameOf(R))
             .Cases("LSTMImpl", "GRUImpl", "RNNImpl", true)
             .Cases("LSTMCellImpl", "GRUCellImpl", "RNNCellImpl", true)
             .Default(false);
}

/// The class of the module that \p S runs.
static const CXXRecordDecl *moduleOf(const ForwardSite &S) {
  if (const auto *M = dyn_cast<CXXMemberCallExpr>(S.Call))
    return M->getImplicitObjectArgument()
               ? recordOf(M->getImplicitObjectArgument()->IgnoreImpCasts()->getType())
               : nullptr;
  if (const auto *Op = dyn_cast<CXXOperatorCallExpr>(S.Call))
    return Op->getNumArgs() ? recordOf(Op->getArg(0)->getType()) : nullptr;
  return nullptr;
}

/// Does the project's own module \p R run a recurrent layer and give its state back
/// with the graph? False also where a body isn't seen.
static bool carriesThrough(const CXXRecordDecl &R, const UnitFacts &U) {
  for (const CXXMethodDecl *M : R.methods()) {
    const FunctionFacts *F = nameOf(M) == "forward" ? U.function(M) : nullptr;
    if (!F)
      continue;
    bool Recurrent = llvm::any_of(F->Forwards, [](const ForwardSite &S) {
      return !S.Guarded && !S.Jit && isRecurrentModule(moduleOf(S));
    });
    bool Cuts = F->HasGuard;
    forEachStmt(F->Body, [&](const Stmt *S) {
      if (const auto *C = dyn_cast<CallExpr>(S))
        Cuts |= nameOf(C->getDirectCallee()).contains("detach") ||
                nameOf(C->getDirectCallee()) == "data";
    });
    return Recurrent && !Cuts;
  }
  return false;
}

static bool isRecurrent(const ForwardSite &S, const UnitFacts &U) {
  const CXXRecordDecl *R = moduleOf(S);
  if (!R || S.Jit || S.Guarded || S.Detached || S.Through)
    return false;
  return isRecurrentModule(R) || (!isLibTorch(R) && carriesThrough(*R, U));
}

/// Tensors, and the pairs, tuples and optionals that a state comes in.
static bool isStateType(QualType T) {
  if (isTensor(T))
    return true;
  const auto *S = dyn_cast_or_null<ClassTemplateSpecializationDecl>(
      T.getNonReferenceType().getCanonicalType()->getAsCXXRecordDecl());
  return S && llvm::is_contained({"tuple", "pair", "optional", "vector"}, nameOf(S)) &&
         mayHoldTensor(T);
}

/// A call that hands its arguments on as they are.
static bool handsOn(const CallExpr &C) {
  return llvm::StringSwitch<bool>(nameOf(C.getDirectCallee()))
      .Cases("make_tuple", "tie", "make_optional", "move", "get", true)
      .Cases("forward", "make_pair", "value", "forward_as_tuple", true)
      .Default(false);
}

/// Is \p Use an argument of \p Call, with nothing on the way that could change it?
static bool isHandedTo(const DeclRefExpr *Use, const Expr *Call, const BodyView &View) {
  if (!View.isInside(Use, Call))
    return false;
  for (const Stmt *P = View.parent(Use); P && P != Call; P = View.parent(P))
    if (const auto *C = dyn_cast<CallExpr>(P); C && !handsOn(*C))
      return false;
  return true;
}

/// Does \p E give what \p Call returned, or a part of it?
static bool isResultOf(const Expr *E, const Expr *Call, const BodyView &View,
                       int Depth = 0) {
  E = E ? bare(E) : nullptr;
  if (!E || Depth > 8)
    return false;
  if (E == Call)
    return true;
  if (const VarDecl *V = variableIn(E)) {
    if (isa<DecompositionDecl>(V))
      return isResultOf(V->getInit(), Call, View, Depth + 1);
    const Expr *Value = View.valueAt(V, E);
    if (Value)
      return isResultOf(Value, Call, View, Depth + 1);
    // std::tie(out, next) = rnn->forward(…);
    for (const DeclRefExpr *Use : View.usesOf(V))
      if (const Stmt *S = View.statementOf(Use); View.isInside(Call, S) && S != View.statementOf(E))
        if (std::optional<Write> W = View.writeAt(Use);
            W && isa<CallExpr>(W->At) &&
            nameOf(cast<CallExpr>(W->At)->getDirectCallee()) == "tie")
          return true;
    return false;
  }
  if (const auto *M = dyn_cast<MemberExpr>(E))
    return isResultOf(M->getBase(), Call, View, Depth + 1);
  if (const auto *K = dyn_cast<CXXConstructExpr>(E)) {
    return K->getNumArgs() && llvm::all_of(K->arguments(), [&](const Expr *A) {
      return isa<CXXDefaultArgExpr>(A) || isResultOf(A, Call, View, Depth + 1);
    });
  }
  if (const auto *C = dyn_cast<CallExpr>(E); C && handsOn(*C) && C->getNumArgs())
    return llvm::all_of(C->arguments(), [&](const Expr *A) {
      return isResultOf(A, Call, View, Depth + 1);
    });
  if (const auto *C = dyn_cast<CastExpr>(E))
    return isResultOf(C->getSubExpr(), Call, View, Depth + 1);
  return false;
}

/// What the use \p Use, a write of the state, assigns from \p Call; null: something
/// else.
static const Expr *assignedFrom(const DeclRefExpr *Use, const Write &W, const Expr *Call,
                                const BodyView &View) {
  if (W.Value)
    return isResultOf(W.Value, Call, View) ? W.At : nullptr;
  const auto *Tie = dyn_cast<CallExpr>(W.At);
  if (!Tie || nameOf(Tie->getDirectCallee()) != "tie")
    return nullptr;
  const auto *Top = dyn_cast<Expr>(View.statementOf(Use));
  const auto *Op = Top ? dyn_cast<CXXOperatorCallExpr>(bare(Top)) : nullptr;
  return Op && Op->getOperator() == OO_Equal && Op->getNumArgs() == 2 &&
                 isResultOf(Op->getArg(1), Call, View)
             ? Op
             : nullptr;
}

/// May \p Use, which neither runs the layer nor sets the state, cut its history?
static bool mayCut(const DeclRefExpr *Use, const BodyView &View) {
  for (const Stmt *P = View.parent(Use); P; P = View.parent(P)) {
    if (isa<LambdaExpr>(P))
      return true;
    const auto *C = dyn_cast<CallExpr>(P);
    if (!C)
      continue;
    llvm::StringRef Name = nameOf(C->getDirectCallee());
    if (Name.contains("detach") || Name == "data" || Name == "set_data" ||
        Name.ends_with("_") || Name.empty() != isa<CXXOperatorCallExpr>(C) ||
        !isLibTorch(C->getDirectCallee()))
      return !isa<CXXOperatorCallExpr>(C);
  }
  return false;
}

static std::optional<CarriedState> carriedBy(const VarDecl *V, const ForwardSite &S,
                                             const Stmt *Loop, const BodyView &View) {
  CarriedState State{&View.Facts, V, Loop, &S};
  bool HandedIn = false;
  for (const DeclRefExpr *Use : View.usesOf(V)) {
    if (!isRepeatedBy(Loop, Use, View))
      continue;
    if (std::optional<Write> W = View.writeAt(Use)) {
      const Expr *At = assignedFrom(Use, *W, S.Call, View);
      if (!At)
        return std::nullopt;
      State.Assigned = At;
    } else if (isHandedTo(Use, S.Call, View)) {
      HandedIn = true;
    } else if (mayCut(Use, View)) {
      return std::nullopt;
    }
  }
  if (!HandedIn || !State.Assigned)
    return std::nullopt;
  return State;
}

/// Did the run go through the backward pass twice without an exception? Then
/// something that the text doesn't show cuts the graph.
static bool runSaysNo(const Analysis &A, const CarriedState &State) {
  if (State.KeepsGraph)
    return false;
  std::shared_ptr<const Trace> T = A.trace();
  SourceLocation Loc = State.Backward->getExprLoc();
  for (const Failure &F : T->Failures)
    if (onSameLine(A, A.ownLocation(*T, F.Stack), Loc))
      return false;
  unsigned Passes = 0;
  for (const Event &E : T->Events)
    Passes += E.Kind == EventKind::PhaseBegin &&
              E.Value == static_cast<int64_t>(Phase::Backward) &&
              onSameLine(A, A.ownLocation(*T, E.Stack), Loc);
  return Passes >= 2;
}

/// backward(gradient, retain_graph, create_graph): is one of the flags true?
static bool retainsGraph(const CallExpr &Backward) {
  bool Retains = false;
  for (const Expr *Arg : Backward.arguments())
    if (!isa<CXXDefaultArgExpr>(Arg))
      forEachStmt(Arg, [&](const Stmt *S) {
        const auto *B = dyn_cast<CXXBoolLiteralExpr>(S);
        Retains |= B && B->getValue();
      });
  return Retains;
}

static void statesOf(const FunctionFacts &F, const Analysis &A,
                     std::vector<CarriedState> &Out) {
  BodyView View(F, A.context());
  for (const CallExpr *Backward : backwardCalls(View)) {
    const Stmt *Loop = View.loopAround(Backward);
    if (!Loop)
      continue;
    for (const ForwardSite &S : F.Forwards) {
      if (!isRepeatedBy(Loop, S.Call, View) || !isRecurrent(S, A.unit()))
        continue;
      llvm::SmallVector<const VarDecl *, 2> Seen;
      forEachStmt(S.Call, [&](const Stmt *E) {
        const auto *Ref = dyn_cast<DeclRefExpr>(E);
        const VarDecl *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
        const Stmt *Scope = V ? View.scopeOf(V) : nullptr;
        if (!V || !isStateType(V->getType()) || V->getType()->isReferenceType() ||
            !Scope || Scope == Loop || !View.isInside(Loop, Scope) ||
            llvm::is_contained(Seen, V))
          return;
        Seen.push_back(V);
        std::optional<CarriedState> State = carriedBy(V, S, Loop, View);
        if (!State)
          return;
        State->Backward = Backward;
        State->KeepsGraph = retainsGraph(*Backward);
        bool Known = llvm::any_of(Out, [&](const CarriedState &Old) {
          return Old.Assigned->getExprLoc() == State->Assigned->getExprLoc();
        });
        if (!Known && !runSaysNo(A, *State))
          Out.push_back(*State);
      });
    }
  }
}

std::vector<CarriedState> findCarriedStates(const Analysis &A) {
  std::vector<CarriedState> Found;
  for (const FunctionFacts &F : A.unit().Functions)
    if (F.Trains && !F.InTest && F.Body && !F.Forwards.empty())
      statesOf(F, A, Found);
  return Found;
}

bool isBackwardOf(llvm::ArrayRef<CarriedState> States, SourceLocation Loc,
                  const Analysis &A) {
  return llvm::any_of(States, [&](const CarriedState &S) {
    return !S.KeepsGraph && onSameLine(A, S.Backward->getExprLoc(), Loc);
  });
}

} // namespace vramlint
