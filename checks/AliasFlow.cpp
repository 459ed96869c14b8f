//===- checks/AliasFlow.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See AliasFlow.h.

#include "checks/AliasFlow.h"
#include "checks/TensorOps.h"
#include "checks/TorchNames.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace vramlint {

namespace {
class Follower {
public:
  explicit Follower(const BodyView &View) : View(View) {}
  void follow(const Expr *E, FlowState State);
  std::vector<FlowEnd> Ends;

private:
  /// The expression that now holds the alias; null: the way ends.
  const Expr *step(const Expr *E, const Stmt *P, FlowState &State);
  const Expr *tensorOp(const TensorCall &Op, FlowState &State);
  const Expr *intoCall(const CallExpr &C, const Expr *Arg, FlowState &State);
  void store(const Expr *To, const Expr *At, FlowState State);
  void variable(const VarDecl &V, const Stmt *From, FlowState State);
  void end(FlowEnd::KindTy Kind, const Stmt *At, std::string Name,
           const FlowState &State, const VarDecl *V = nullptr) {
    Ends.push_back({Kind, At, std::move(Name), V, State});
  }

  const BodyView &View;
  std::vector<std::pair<const VarDecl *, const Stmt *>> Open;
};
} // namespace

/// Classes whose constructors keep what they get: pairs, vectors, Example …
static bool keepsArguments(const CXXRecordDecl *R) {
  llvm::StringRef Name = nameOf(R);
  if (!R)
    return false;
  if (R->isInStdNamespace())
    return llvm::StringSwitch<bool>(Name)
        .Cases("pair", "tuple", "optional", "vector", "initializer_list", true)
        .Cases("array", "map", "unordered_map", "function", "list", true)
        .Cases("deque", "queue", true)
        .Default(false);
  if (isLibTorch(R))
    return Name == "Example" || Name == "IValue" || Name == "optional" ||
           Name == "TensorExample" || Name == "Dict" || Name == "List";
  return R->isAggregate();
}

static bool storesArgument(llvm::StringRef Method) {
  return llvm::StringSwitch<bool>(Method)
      .Cases("push_back", "emplace_back", "insert", "emplace", true)
      .Cases("push", "push_front", "insert_or_assign", "try_emplace", true)
      .Default(false);
}

const Expr *Follower::tensorOp(const TensorCall &Op, FlowState &State) {
  switch (sharingOf(Op, State.DType, &View)) {
  case Sharing::View:
    State.Strided |= Op.Name != "view" && Op.Name != "unsqueeze" &&
                     Op.Name != "squeeze" && Op.Name != "detach" &&
                     Op.Name != "data" && Op.Name != "operator[]";
    return Op.Call;
  case Sharing::InPlace:
    return Op.Call;
  case Sharing::MaybeView:
    return State.Strided ? nullptr : Op.Call;
  case Sharing::MaybeSame:
    if (Op.Name == "contiguous")
      return State.Strided || Op.argCount() ? nullptr : Op.Call;
    if (Op.Name != "cpu" && !State.MaybeSame)
      State.MaybeSame = Op.Call;
    return Op.Call;
  case Sharing::Copy:
  case Sharing::Unknown:
    return nullptr;
  }
  return nullptr;
}

/// \p Arg, an alias, is given to \p C.
const Expr *Follower::intoCall(const CallExpr &C, const Expr *Arg,
                               FlowState &State) {
  const FunctionDecl *F = C.getDirectCallee();
  llvm::StringRef Name = nameOf(F);
  if (const auto *Op = dyn_cast<CXXOperatorCallExpr>(&C)) {
    if (Op->getOperator() == OO_Equal && Op->getNumArgs() == 2 &&
        Op->getArg(1) == Arg)
      store(Op->getArg(0), Op, State);
    else if (Op->getOperator() == OO_Subscript && Op->getArg(0) == Arg)
      return isTensor(Arg->getType()) ? Op : nullptr;
    return nullptr;
  }
  if (const auto *M = dyn_cast<CXXMemberCallExpr>(&C)) {
    const Expr *Object = M->getImplicitObjectArgument();
    const CXXRecordDecl *R = M->getMethodDecl()->getParent();
    if (storesArgument(Name) && (R->isInStdNamespace() ||
                                 (isLibTorch(R) && !isTensor(Object->getType()))))
      store(Object, M, State);
    else if (Name == "register_buffer" || Name == "register_parameter")
      end(FlowEnd::Registered, M, "", State);
    else if (!isTensor(Object->IgnoreImpCasts()->getType()))
      end(FlowEnd::Called, M, Name.str(), State);
    return nullptr;
  }
  if (F && F->isInStdNamespace()) {
    if (Name == "move" || Name == "forward" || Name == "make_pair" ||
        Name == "make_tuple" || Name == "make_optional")
      return &C;
    return nullptr;
  }
  TensorCall Op = tensorCall(&C);
  if (Op && C.getArg(0) == Arg)
    return tensorOp(Op, State);
  end(FlowEnd::Called, &C, Name.str(), State);
  return nullptr;
}

/// The variable that \p E is, or is part of; null: none of this function.
static const VarDecl *baseVariable(const Expr *E) {
  for (int Steps = 0; E && Steps < 16; ++Steps) {
    E = bare(E);
    if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
      return dyn_cast<VarDecl>(Ref->getDecl());
    if (const auto *M = dyn_cast<MemberExpr>(E)) {
      if (M->isArrow())
        return nullptr;
      E = M->getBase();
    } else if (const auto *Op = dyn_cast<CXXOperatorCallExpr>(E)) {
      // Assigning to a part of a tensor copies.
      if (Op->getOperator() != OO_Subscript || isTensor(Op->getArg(0)->getType()))
        return nullptr;
      E = Op->getArg(0);
    } else if (const auto *A = dyn_cast<ArraySubscriptExpr>(E)) {
      E = A->getBase();
    } else if (const auto *C = dyn_cast<ImplicitCastExpr>(E)) {
      E = C->getSubExpr();
    } else {
      return nullptr;
    }
  }
  return nullptr;
}

/// The member of *this, or of what some pointer points to, in \p E.
static const ValueDecl *memberIn(const Expr *E) {
  for (int Steps = 0; E && Steps < 16; ++Steps) {
    E = bare(E);
    if (const auto *M = dyn_cast<MemberExpr>(E)) {
      if (isa<FieldDecl>(M->getMemberDecl()) &&
          isa<CXXThisExpr>(M->getBase()->IgnoreImpCasts()))
        return M->getMemberDecl();
      E = M->getBase();
    } else if (const auto *Op = dyn_cast<CXXOperatorCallExpr>(E)) {
      if (Op->getOperator() != OO_Subscript || isTensor(Op->getArg(0)->getType()))
        return nullptr;
      E = Op->getArg(0);
    } else if (const auto *C = dyn_cast<ImplicitCastExpr>(E)) {
      E = C->getSubExpr();
    } else {
      return nullptr;
    }
  }
  return nullptr;
}

void Follower::store(const Expr *To, const Expr *At, FlowState State) {
  if (const ValueDecl *M = memberIn(To))
    return end(FlowEnd::Member, At, M->getNameAsString(), State);
  const VarDecl *V = baseVariable(To);
  if (!V)
    return;
  if (V->hasGlobalStorage())
    return end(FlowEnd::Static, At, V->getNameAsString(), State);
  if (isa<ParmVarDecl>(V) && V->getType()->isLValueReferenceType() &&
      !V->getType()->getPointeeType().isConstQualified())
    return end(FlowEnd::OutParameter, At, V->getNameAsString(), State);
  if (V->getType()->isReferenceType() || V->getType()->isPointerType())
    return; // Whose it is we don't know.
  variable(*V, At, State);
}

/// \p V holds the alias after \p From.
void Follower::variable(const VarDecl &V, const Stmt *From, FlowState State) {
  if (Open.size() > 12 || llvm::is_contained(Open, std::make_pair(&V, From)))
    return;
  Open.push_back({&V, From});
  unsigned Start = View.end(From);
  for (const DeclRefExpr *Use : View.usesOf(&V)) {
    if (View.begin(Use) <= Start)
      continue;
    if (std::optional<Write> W = View.writeAt(Use)) {
      // Its right side was followed before: `t = t.view(…)` goes on from there.
      if (W->At && W->Value) {
        bool OnItself = false;
        for (const DeclRefExpr *Other : View.usesOf(&V))
          OnItself |= Other != Use && View.isInside(Other, W->Value);
        if (OnItself)
          for (const DeclRefExpr *Other : View.usesOf(&V))
            if (Other != Use && View.isInside(Other, W->Value))
              follow(Other, State);
        break;
      }
      if (W->Value == nullptr && !isa<LambdaExpr>(W->At))
        end(FlowEnd::Used, Use, V.getNameAsString(), State, &V);
      break;
    }
    end(FlowEnd::Used, Use, V.getNameAsString(), State, &V);
    // clear() and the like end it; so does detach from a container.
    if (const auto *M = dyn_cast_or_null<MemberExpr>(View.parent(Use)))
      if (llvm::StringRef Name = nameOf(M->getMemberDecl());
          Name == "clear" || Name == "reset")
        break;
    follow(Use, State);
  }
}

const Expr *Follower::step(const Expr *E, const Stmt *P, FlowState &State) {
  if (isa<CastExpr, ParenExpr, FullExpr, MaterializeTemporaryExpr,
          CXXBindTemporaryExpr, CXXStdInitializerListExpr>(P))
    return cast<Expr>(P);
  if (const auto *K = dyn_cast<CXXConstructExpr>(P)) {
    bool Keeps = isTensor(K->getType()) || K->getConstructor()->isCopyOrMoveConstructor() ||
                 keepsArguments(K->getType()->getAsCXXRecordDecl());
    if (!Keeps)
      end(FlowEnd::Called, K, "", State);
    return Keeps ? K : nullptr;
  }
  if (isa<LambdaExpr>(P) && isa<DeclRefExpr>(E))
    return nullptr; // Captured by reference.
  State.InLambda |= isa<LambdaExpr>(P);
  if (isa<InitListExpr, LambdaExpr>(P))
    return cast<Expr>(P);
  if (const auto *C = dyn_cast<ConditionalOperator>(P))
    return C->getCond() == E ? nullptr : C;
  if (const auto *M = dyn_cast<MemberExpr>(P)) {
    const auto *Call = dyn_cast_or_null<CXXMemberCallExpr>(View.parent(M));
    if (!Call) // A field of a struct that holds it.
      return isTensor(M->getType()) ? M : nullptr;
    TensorCall Op = tensorCall(Call);
    return Op ? tensorOp(Op, State) : nullptr;
  }
  if (const auto *C = dyn_cast<CallExpr>(P))
    return C->getCallee() == E ? nullptr : intoCall(*C, E, State);
  if (const auto *R = dyn_cast<ReturnStmt>(P)) {
    if (State.InLambda || mayHoldTensor(View.Facts.Decl->getReturnType()))
      end(FlowEnd::Returned, R, "", State);
    return nullptr;
  }
  if (const auto *D = dyn_cast<DeclStmt>(P)) {
    for (const Decl *Each : D->decls()) {
      const auto *V = dyn_cast<VarDecl>(Each);
      if (!V || V->getInit() != E || V->isImplicit())
        continue;
      if (V->isStaticLocal())
        end(FlowEnd::Static, D, V->getNameAsString(), State);
      else
        variable(*V, D, State);
    }
  }
  return nullptr;
}

void Follower::follow(const Expr *E, FlowState State) {
  for (int Steps = 0; E && Steps < 64; ++Steps) {
    const Stmt *P = View.parent(E);
    if (!P) {
      if (const FieldDecl *F = View.fieldOf(E))
        end(FlowEnd::Member, E, F->getNameAsString(), State);
      return;
    }
    E = step(E, P, State);
  }
}

std::vector<FlowEnd> followAlias(const Expr *Start, FlowState State,
                                 const BodyView &View) {
  Follower F(View);
  F.follow(Start, std::move(State));
  return std::move(F.Ends);
}

} // namespace vramlint
