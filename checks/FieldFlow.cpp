//===- checks/FieldFlow.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See FieldFlow.h. Where values go; FieldSources.cpp has where they come from.

#include "checks/FieldFlow.h"
#include "checks/TorchNames.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace vramlint {

static constexpr size_t MaxCarriers = 64; ///< Variables followed for one field.
static constexpr unsigned MaxSteps = 64;  ///< Up from one mention.

FieldFlow::FieldFlow(const Mentions &Index, const FieldDecl &Field)
    : Index(Index), Field(Field) {
  addUpstream(&Field);
  while (!Work.empty() && !done()) {
    Now = Work.back();
    Work.pop_back();
    for (const Mention &M : Index.of(Now)) {
      if (done())
        return;
      follow(M);
    }
  }
}

void FieldFlow::addDownstream(const ValueDecl *D) {
  if (Carriers.size() >= MaxCarriers)
    Unclear = true;
  else if (Carriers.try_emplace(D->getCanonicalDecl(), false).second)
    Work.push_back(D);
}

void FieldFlow::addUpstream(const ValueDecl *D) {
  addDownstream(D);
  bool &Up = Carriers[D->getCanonicalDecl()];
  if (!Up) {
    Up = true;
    sourcesOf(*D);
  }
}

void FieldFlow::used(const Mention &M) {
  const auto *Method = dyn_cast_or_null<CXXMethodDecl>(M.In);
  if (!M.In || isa<CXXConstructorDecl, CXXDestructorDecl>(M.In))
    return;
  if (Method && Method->getIdentifier() && Method->getName() == "reset")
    return;
  Uses.push_back(M);
}

void FieldFlow::follow(const Mention &M) {
  const Stmt *Child = M.E;
  for (unsigned I = 0; I < MaxSteps && !done(); ++I) {
    const Stmt *P = Index.parent(Child);
    if (!P)
      return top(Child);
    if (const auto *E = dyn_cast<MemberExpr>(P)) {
      P = member(*E, M);
      if (!P)
        return;
    } else if (!step(P, Child, M)) {
      return;
    }
    Child = P;
  }
  Unclear |= !done();
}

/// The whole initializer of a field, a base or a body is reached.
void FieldFlow::top(const Stmt *S) {
  const FieldDecl *F = Index.initialised(S);
  if (!F)
    Unclear = true;
  else if (F->getCanonicalDecl() != Field.getCanonicalDecl()) {
    Contained |= F->getParent() == Field.getParent();
    addDownstream(F);
  }
}

/// What \p C calls its arguments by: -1 for the object or the callee.
static int argumentIndex(const CallExpr &C, const Stmt *Child) {
  for (unsigned I = 0; I < C.getNumArgs(); ++I)
    if (C.getArg(I) == Child)
      return int(I);
  return -1;
}

bool FieldFlow::step(const Stmt *P, const Stmt *Child, const Mention &M) {
  if (const auto *C = dyn_cast<CastExpr>(P))
    return !C->getType()->isVoidType() && !C->getType()->isBooleanType();
  if (isa<ParenExpr, FullExpr, MaterializeTemporaryExpr, CXXBindTemporaryExpr,
          CXXStdInitializerListExpr, InitListExpr>(P))
    return true;
  if (const auto *C = dyn_cast<ConditionalOperator>(P))
    return C->getCond() != Child;
  if (const auto *U = dyn_cast<UnaryOperator>(P)) {
    Unclear |= U->getOpcode() == UO_AddrOf;
    return U->getOpcode() != UO_LNot && U->getOpcode() != UO_AddrOf;
  }
  if (const auto *B = dyn_cast<BinaryOperator>(P)) {
    if (B->isComparisonOp() || B->isLogicalOp())
      return false;
    if (B->getOpcode() == BO_Comma)
      return B->getRHS() == Child;
    if (B->getOpcode() != BO_Assign)
      return B->isAdditiveOp();
    if (B->getLHS() == Child)
      source(B->getRHS(), Origin::Assigned, M.In);
    else
      flowInto(B->getLHS());
    return false;
  }
  if (const auto *A = dyn_cast<ArraySubscriptExpr>(P))
    return A->getBase() == Child;
  if (const auto *C = dyn_cast<CXXOperatorCallExpr>(P))
    return operatorCall(*C, Child, M);
  if (const auto *C = dyn_cast<CallExpr>(P)) {
    int I = argumentIndex(*C, Child);
    if (I < 0)
      Unclear = true;
    return I >= 0 && argument(*C, unsigned(I), M);
  }
  if (const auto *C = dyn_cast<CXXConstructExpr>(P))
    return constructed(*C, Child);
  if (const auto *D = dyn_cast<DeclStmt>(P)) {
    declared(*D, Child);
    return false;
  }
  if (const auto *L = dyn_cast<LambdaExpr>(P)) {
    // A plain capture: the body names the same variable. Else a new one gets it.
    for (unsigned I = 0; I < L->capture_size(); ++I)
      if (L->capture_init_begin()[I] == Child) {
        const LambdaCapture &C = L->capture_begin()[I];
        if (C.capturesVariable() && L->isInitCapture(&C))
          addDownstream(C.getCapturedVar());
      }
    return false;
  }
  // A statement: its value goes nowhere.
  bool Ends = isa<CompoundStmt, IfStmt, WhileStmt, ForStmt, DoStmt, SwitchStmt,
                  CXXForRangeStmt, SwitchCase, LabelStmt, AttributedStmt>(P);
  Ends |= isa<ReturnStmt>(P) && M.In && Helpers.contains(M.In);
  Unclear |= !Ends;
  return false;
}

bool FieldFlow::operatorCall(const CXXOperatorCallExpr &C, const Stmt *Child,
                             const Mention &M) {
  bool First = C.getArg(0) == Child;
  switch (C.getOperator()) {
  case OO_Arrow:
  case OO_Star:
  case OO_Subscript:
    return First;
  case OO_Call:
    if (First) {
      used(M);
      return false;
    }
    return argument(C, unsigned(argumentIndex(C, Child)), M);
  case OO_Equal:
    if (First)
      source(C.getArg(1), Origin::Assigned, M.In);
    else
      flowInto(C.getArg(0));
    return false;
  case OO_PlusPlus:
  case OO_MinusMinus:
  case OO_Plus:
  case OO_Minus:
    return First;
  case OO_EqualEqual:
  case OO_ExclaimEqual:
  case OO_Exclaim:
  case OO_LessLess:
    return false;
  default:
    Unclear = true;
    return false;
  }
}

/// What becomes of a method's object.
enum class MethodKind { Through, Silent, Runs, Adds, ByHand, Unknown };

static MethodKind methodKind(llvm::StringRef Name) {
  return llvm::StringSwitch<MethodKind>(Name)
      .Cases("get", "ptr", "value", "at", "front", "back", MethodKind::Through)
      .Cases("begin", "end", "cbegin", "cend", "rbegin", "rend",
             MethodKind::Through)
      .Cases("data", "find", "as", "value_or", MethodKind::Through)
      .Cases("push_back", "emplace_back", "insert", "emplace", "push_front",
             "try_emplace", "insert_or_assign", "assign", "extend",
             MethodKind::Adds)
      .Cases("size", "empty", "is_empty", "has_value", "clear", "reserve",
             "resize", "count", "contains", MethodKind::Silent)
      .Cases("is_training", "name", "pretty_print", "reset_parameters", "reset",
             "use_count", "capacity", "keys", "flatten_parameters",
             MethodKind::Silent)
      .Cases("apply", "modules", "named_modules", "children", "named_children",
             MethodKind::Silent)
      .Cases("parameters", "named_parameters", "buffers", "named_buffers", "to",
             "train", "eval", "zero_grad", "save", "load", MethodKind::ByHand)
      .Cases("cuda", "cpu", MethodKind::ByHand)
      .Cases("forward", "any_forward", MethodKind::Runs)
      .Default(MethodKind::Unknown);
}

/// A member of what is carried: where to go on, or null.
const Stmt *FieldFlow::member(const MemberExpr &E, const Mention &M) {
  const ValueDecl *D = E.getMemberDecl();
  if (isa<FieldDecl>(D)) {
    if (D->getIdentifier() && (D->getName() == "first" || D->getName() == "second"))
      return &E;
    used(M);
    part(E, M);
    return nullptr;
  }
  const Stmt *P = Index.parent(&E);
  while (P && isa<ParenExpr>(P))
    P = Index.parent(P);
  const auto *C = dyn_cast_or_null<CXXMemberCallExpr>(P);
  if (!C) {
    Unclear = true;
    return nullptr;
  }
  return method(*C, M) ? C : nullptr;
}

/// field.push_back(…), field->push_back(…), field.emplace_back(…)
void FieldFlow::added(const CXXMemberCallExpr &C, bool IsModule,
                      const Mention &M) {
  size_t Before = Origins.size(), Followed = Carriers.size();
  for (const Expr *A : C.arguments()) {
    Contents.push_back(A);
    if (!IsModule)
      source(A, Origin::Added, M.In);
    else if (registersSomething(A, Index.Unit))
      Registered = true;
  }
  // emplace_back(3, 4) makes the module in place.
  if (!IsModule && !done() && Origins.size() == Before &&
      Carriers.size() == Followed && C.getNumArgs())
    Origins.push_back({Origin::Elsewhere, &C, M.In});
}

bool FieldFlow::method(const CXXMemberCallExpr &C, const Mention &M) {
  const CXXMethodDecl *F = C.getMethodDecl();
  if (!F) {
    Unclear = true;
    return false;
  }
  if (isa<CXXConversionDecl>(F)) // operator bool, and of a holder's kind.
    return !C.getType()->isBooleanType();
  bool IsModule = isOrDerivesFrom(F->getParent(), "torch::nn::Module");
  llvm::StringRef Name = F->getIdentifier() ? F->getName() : "";
  if (IsModule && Index.Unit.isUserCode(F->getLocation())) {
    used(M); // It may do what it likes with itself.
    return false;
  }
  switch (methodKind(Name)) {
  case MethodKind::Through:
    return true;
  case MethodKind::Silent:
    if (Name == "reset" && !IsModule && C.getNumArgs())
      source(C.getArg(0), Origin::Elsewhere, M.In);
    return false;
  case MethodKind::Adds:
    added(C, IsModule, M);
    return false;
  case MethodKind::ByHand:
    ByHand = true;
    return false;
  case MethodKind::Runs:
    used(M);
    return false;
  case MethodKind::Unknown:
    break;
  }
  if (IsModule && Name != "clone" && !isRegistration(F))
    used(M); // Any other of torch::nn: forward_with_…, for one.
  else if (F->getOverloadedOperator() == OO_Call)
    used(M);
  else
    Unclear = true;
  return false;
}

/// A module or tensor inside of what is carried: registered by itself?
void FieldFlow::part(const Expr &E, const Mention &M) {
  const Stmt *Child = &E;
  for (unsigned I = 0; I < MaxSteps; ++I) {
    const Stmt *P = Index.parent(Child);
    if (!P || !isa<Expr>(P))
      return;
    if (const auto *C = dyn_cast<CallExpr>(P)) {
      if (argumentIndex(*C, Child) >= 0 && isRegistration(C->getDirectCallee()))
        Registered = true;
      bool Through = isa<CXXOperatorCallExpr>(C) || C->isCallToStdMove();
      if (!Through)
        return;
    }
    Child = P;
  }
}

bool FieldFlow::argument(const CallExpr &C, unsigned I, const Mention &M) {
  const FunctionDecl *F = C.getDirectCallee();
  llvm::StringRef Name = nameOf(F);
  if (isRegistration(F)) {
    Registered = true;
    return false;
  }
  bool InStd = F && F->isInStdNamespace();
  if (InStd && llvm::StringSwitch<bool>(Name)
                   .Cases("move", "forward", "ref", "cref", "get", "as_const",
                          true)
                   .Cases("static_pointer_cast", "dynamic_pointer_cast",
                          "begin", "end", "cbegin", "cend", true)
                   .Cases("make_pair", "make_tuple", "next", "prev", true)
                   .Default(false))
    return true;
  if (InStd && (Name == "size" || Name == "empty" || Name == "distance"))
    return false;
  if (const auto *Member = dyn_cast<CXXMemberCallExpr>(&C);
      Member && methodKind(Name) == MethodKind::Adds) {
    addedTo(Member->getImplicitObjectArgument());
    return false;
  }
  if (Name == "save" || Name == "load") {
    ByHand = true;
    return false;
  }
  // Operators that are methods have their object in front.
  if (isa<CXXOperatorCallExpr>(C) && isa_and_nonnull<CXXMethodDecl>(F)) {
    if (I == 0)
      return true;
    --I;
  }
  if (F && Index.Unit.function(F) && I < F->getNumParams()) {
    addDownstream(Index.Unit.function(F)->Decl->getParamDecl(I));
    return false;
  }
  Unclear = true;
  return false;
}

/// What is carried goes into \p Container.
void FieldFlow::addedTo(const Expr *Container) {
  if (isa<CXXThisExpr>(Container->IgnoreParenImpCasts())) {
    Registered = true; // The class is a Sequential or a ModuleList itself.
    return;
  }
  flowInto(Container);
}

void FieldFlow::flowInto(const Expr *Place) {
  const Decl *D = Index.Unit.resolve(Place);
  if (const auto *F = dyn_cast_or_null<FieldDecl>(D)) {
    if (F->getCanonicalDecl() == Field.getCanonicalDecl())
      return;
    // Its own carriers, a local that it is made from, may be there too.
    if (Now->getCanonicalDecl() == Field.getCanonicalDecl())
      Contained = true;
    addDownstream(F);
  } else if (const auto *V = dyn_cast_or_null<VarDecl>(D)) {
    addDownstream(V);
  } else {
    Unclear = true;
  }
}

/// The class belongs to LibTorch or to the standard library.
static bool isForeign(const CXXRecordDecl &R) {
  std::string Name = qualifiedName(R);
  llvm::StringRef N(Name);
  return N.starts_with("torch::") || N.starts_with("std::") ||
         N.starts_with("c10::") || N.starts_with("__gnu");
}

bool FieldFlow::constructed(const CXXConstructExpr &C, const Stmt *Child) {
  const CXXConstructorDecl *K = C.getConstructor();
  if (K->isCopyOrMoveConstructor() || isForeign(*K->getParent()) ||
      isNNModule(C.getType())) {
    const auto *Facts = Index.Unit.function(K);
    if (!Facts || K->isCopyOrMoveConstructor())
      return true;
  }
  if (const FunctionFacts *Facts = Index.Unit.function(K))
    for (unsigned I = 0; I < C.getNumArgs() && I < K->getNumParams(); ++I)
      if (C.getArg(I) == Child) {
        addDownstream(Facts->Decl->getParamDecl(I));
        return false;
      }
  Unclear = true;
  return false;
}

void FieldFlow::declared(const DeclStmt &S, const Stmt *Child) {
  for (const Decl *D : S.decls()) {
    const auto *V = dyn_cast<VarDecl>(D);
    if (!V || V->getInit() != Child)
      continue;
    QualType T = V->getType().getNonReferenceType();
    if (T->isArithmeticType())
      return;
    addDownstream(V);
    if (const auto *Parts = dyn_cast<DecompositionDecl>(V))
      for (const BindingDecl *B : Parts->bindings())
        addDownstream(B);
    return;
  }
  Unclear = true;
}

} // namespace vramlint
