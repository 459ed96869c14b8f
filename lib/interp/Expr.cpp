//===- lib/interp/Expr.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Expressions: places, literals, members, temporaries, lambdas, new and delete.
// Operators.cpp has casts and arithmetic, Call.cpp calls, Construct.cpp
// constructors.

#include "lib/interp/Internal.h"

using namespace clang;

namespace vramlint {

Operand Machine::eval(const Expr *E) {
  if (!step() || Unwinding)
    return Operand(Value());
  return evalUncounted(E);
}

CellRef Machine::evalPlace(const Expr *E) {
  Operand O = eval(E);
  if (O.Place)
    return O.Place;
  // A prvalue where a place is wanted (or an Unknown): a temporary.
  CellRef C = makeCell(std::move(O.V));
  keepTemporary(C);
  return C;
}

Value Machine::evalValue(const Expr *E) {
  Operand O = eval(E);
  if (!O.Place)
    return std::move(O.V);
  return E->isXValue() ? moveOut(*O.Place) : copy(O.Place->V);
}

/// Evaluates \p E, an initializer, as the object in \p Dest: constructors run in
/// place, so that `this` stays good.
void Machine::evalInto(CellRef Dest, const Expr *E) {
  if (!step() || Unwinding)
    return;
  E = strip(E);
  if (auto *C = dyn_cast<CXXConstructExpr>(E))
    return evalConstruct(Dest, C);
  if (auto *L = dyn_cast<InitListExpr>(E))
    return evalInitList(Dest, L);
  if (auto *Cast = dyn_cast<CastExpr>(E))
    if (Cast->getCastKind() == CK_ConstructorConversion ||
        (Cast->getCastKind() == CK_NoOp && E->isPRValue() &&
         E->getType()->isRecordType()))
      return evalInto(Dest, Cast->getSubExpr());
  if (auto *D = dyn_cast<CXXDefaultInitExpr>(E))
    return evalInto(Dest, D->getExpr());
  if (auto *D = dyn_cast<CXXDefaultArgExpr>(E))
    return evalInto(Dest, D->getExpr());
  if (auto *Cond = dyn_cast<ConditionalOperator>(E); Cond && E->isPRValue()) {
    Operand O = evalConditional(Cond);
    Dest->set(O.Place ? copy(O.Place->V) : std::move(O.V));
    return;
  }
  Dest->set(evalValue(E));
}

void Machine::evalInitList(CellRef Dest, const InitListExpr *E) {
  if (E->isTransparent())
    return evalInto(Dest, E->getInit(0));
  QualType T = E->getType();
  if (T->isArrayType()) {
    auto List = std::make_unique<Sequence>(Sequence::CArray);
    uint64_t N = E->getNumInits();
    if (auto *CA = context().getAsConstantArrayType(T))
      N = CA->getSize().getLimitedValue();
    if (N > (uint64_t)Limits.MaxElements)
      return Dest->set(unknown("an array too large to follow"));
    const Expr *Filler = E->getArrayFiller();
    for (uint64_t I = 0; I < N && step(); ++I) {
      if (I >= E->getNumInits() && Filler && isa<ImplicitValueInitExpr>(Filler) &&
          Filler->getType()->isArithmeticType()) {
        List->Elements.append(N - I, defaultValue(Filler->getType()));
        break;
      }
      CellRef C = makeCell();
      if (I < E->getNumInits())
        evalInto(C, E->getInit(I));
      else if (Filler)
        evalInto(C, Filler);
      List->Elements.push_back(C);
    }
    return Dest->set(Value(std::move(List)));
  }
  const CXXRecordDecl *RD = T->getAsCXXRecordDecl();
  if (!RD) {
    if (E->getNumInits() == 0)
      return Dest->set(defaultValue(T));
    return Dest->set(evalValue(E->getInit(0)));
  }
  if (nameOf(*RD) == "std::array") { // std::array{{…}}: the inner list is it.
    CellRef Inner = makeCell();
    if (E->getNumInits())
      evalInto(Inner, E->getInit(0));
    if (auto *S = Inner->V.as<Sequence>())
      S->Tag = Sequence::Array;
    return Dest->set(Inner->take());
  }
  auto R = makeRecord(RD);
  unsigned I = 0;
  Record *Raw = R.get();
  Dest->set(Value(std::move(R)));
  for (CellRef &B : Raw->Bases)
    if (I < E->getNumInits())
      evalInto(B, E->getInit(I++));
  for (const FieldDecl *F : RD->fields()) {
    if (F->isUnnamedBitField() || I >= E->getNumInits())
      continue;
    const Expr *Init = E->getInit(I++);
    unsigned Index = F->getFieldIndex();
    // In-class initializers refer to the aggregate by `this`.
    CellRef SavedThis = Current ? Current->This : nullptr;
    if (Current && isa<CXXDefaultInitExpr>(Init))
      Current->This = Dest;
    if (F->getType()->isReferenceType())
      Raw->Fields[Index] = evalPlace(Init);
    else
      evalInto(Raw->Fields[Index], Init);
    if (Current)
      Current->This = SavedThis;
  }
}

Operand Machine::evalMaterialize(const MaterializeTemporaryExpr *E) {
  CellRef C = makeCell();
  const Expr *Sub = E->getSubExpr();
  evalInto(C, Sub);
  // Bound to a reference variable, it lives as long as the variable.
  if (E->getStorageDuration() != SD_FullExpression && Block)
    Block->Cells.push_back(C);
  else
    keepTemporary(C);
  return Operand(C);
}

CellRef Machine::globalCell(const VarDecl *D) {
  D = D->getDefinition() ? D->getDefinition() : D;
  auto [It, New] = Globals.try_emplace(D);
  if (!New)
    return It->second;
  CellRef C = makeCell();
  Globals[D] = C;
  llvm::StringRef Name = nameOf(*D);
  Operand FromDomain;
  if (Plugin.global(*this, Name, D->getType(), FromDomain)) {
    C = FromDomain.Place ? FromDomain.Place : makeCell(std::move(FromDomain.V));
    return Globals[D] = C;
  }
  NativeFn Fn = isExternal(D->getLocation()) ? NativesByName.lookup(Name) : nullptr;
  if (!Fn)
    Fn = libraryNative(Name, D->getLocation());
  if (Fn) {
    CallSite Site;
    Operand O = Fn(*this, Site);
    if (O.Place)
      return Globals[D] = O.Place;
    C->set(std::move(O.V));
    return C;
  }
  // A template's static member may have its initializer on the pattern only.
  const VarDecl *Constant = nullptr;
  if (const APValue *Val = D->getType()->isIntegralOrEnumerationType() &&
                                   D->getAnyInitializer(Constant) &&
                                   Constant->isUsableInConstantExpressions(context())
                               ? Constant->evaluateValue()
                               : nullptr;
      Val && Val->isInt()) {
    C->V = Value::integer(Val->getInt().extOrTrunc(64).getSExtValue());
    overrideVar(*D, *C);
    return C;
  }
  const VarDecl *Init = nullptr;
  if (!D->getAnyInitializer(Init)) {
    if (D->hasExternalStorage())
      C->V = unknown("no definition of " + Name + " in this file");
    else
      defaultInit(C, D->getType());
    return C;
  }
  FullExpression Full(*this);
  if (D->getType()->isReferenceType()) {
    C = evalPlace(Init->getInit());
    return Globals[D] = C;
  }
  evalInto(C, Init->getInit());
  overrideVar(*D, *C);
  return C;
}

/// --set NAME=VALUE: the value told by the user wins over the initializer.
void Machine::overrideVar(const VarDecl &D, Cell &C) {
  Plugin.initialized(*this, D, C);
  if (Overrides.empty())
    return;
  auto It = Overrides.find(D.getName().str());
  if (It == Overrides.end())
    It = Overrides.find(nameOf(D).str());
  if (It == Overrides.end())
    return;
  QualType T = D.getType().getNonReferenceType();
  const std::string &Text = It->second;
  if (T->isBooleanType())
    C.set(Value::integer(Text == "true" || Text == "1"));
  else if (T->isIntegralOrEnumerationType())
    C.set(Value::integer(std::strtoll(Text.c_str(), nullptr, 0)));
  else if (T->isFloatingType())
    C.set(Value::real(std::strtod(Text.c_str(), nullptr)));
  else if (C.V.isString() || C.V.isUnknown())
    C.set(Value(Text));
}

Operand Machine::evalDeclRef(const Expr *E, const ValueDecl *D) {
  if (auto *C = dyn_cast<EnumConstantDecl>(D))
    return Operand(Value::integer(C->getInitVal().extOrTrunc(64).getSExtValue()));
  if (auto *F = dyn_cast<FunctionDecl>(D))
    return Operand(Value(FunctionValue{F}));
  if (auto *B = dyn_cast<BindingDecl>(D)) {
    if (const VarDecl *Holding = B->getHoldingVar())
      return evalDeclRef(E, Holding);
    for (Frame *F = Current; F; F = nullptr) {
      if (auto It = F->Captures.find(D); It != F->Captures.end())
        return Operand(It->second);
      if (auto It = F->Vars.find(D); It != F->Vars.end())
        return Operand(It->second);
    }
    return Operand(makeCell(unknown("structured binding " + D->getName())));
  }
  auto *V = dyn_cast<VarDecl>(D);
  if (!V) {
    if (isa<TemplateParamObjectDecl>(D))
      return Operand(makeCell(unknown("template parameter object")));
    return Operand(makeCell(unknown("a name that is not a variable")));
  }
  if (Current) {
    if (auto It = Current->Captures.find(V); It != Current->Captures.end())
      return Operand(It->second);
    if (auto It = Current->Vars.find(V); It != Current->Vars.end())
      return Operand(It->second);
  }
  if (V->hasGlobalStorage())
    return Operand(globalCell(V));
  // A constant that a lambda uses without capturing it.
  if (const Expr *Init = V->getAnyInitializer()) {
    CellRef C = makeCell();
    evalInto(C, Init);
    return Operand(C);
  }
  return Operand(makeCell(unknown("variable " + V->getName() + " is not set")));
}

Operand Machine::evalMember(const MemberExpr *E) {
  const ValueDecl *D = E->getMemberDecl();
  if (auto *V = dyn_cast<VarDecl>(D)) { // A static member.
    eval(E->getBase());
    return evalDeclRef(E, V);
  }
  if (isa<EnumConstantDecl>(D))
    return evalDeclRef(E, D);
  if (auto *Fn = dyn_cast<FunctionDecl>(D))
    return Operand(Value(FunctionValue{Fn}));
  auto *F = dyn_cast<FieldDecl>(D);
  CellRef Base = calleeObject(E->getBase(), E->isArrow());
  if (!F || !Base)
    return Operand(makeCell(unknown("member " + D->getName())));
  return memberOf(Base, *F);
}

Operand Machine::memberOf(CellRef Base, const FieldDecl &F) {
  if (Base->V.isUnknown()) {
    Operand Result;
    if (Plugin.member(*this, Base, F.getName(), Result))
      return Result;
    return Operand(makeCell(unknown(Base->V.unknown())));
  }
  const auto *Parent = dyn_cast<CXXRecordDecl>(F.getParent());
  CellRef Sub = Parent ? subobject(Base, classId(*Parent)) : nullptr;
  if (!Sub && Base->Outer && Parent)
    Sub = subobject(CellRef(&Base->complete()), classId(*Parent));
  if (Sub) {
    auto *R = Sub->V.as<Record>();
    unsigned Index = F.getFieldIndex();
    if (Index < R->Fields.size() && R->Fields[Index])
      return Operand(R->Fields[Index]);
  }
  if (F.getParent()->isAnonymousStructOrUnion() || (Parent && Parent->isUnion()))
    return Operand(Base);
  if (auto *S = Base->V.as<Sequence>()) {
    unsigned Index = F.getName() == "first" ? 0 : F.getName() == "second" ? 1 : 2;
    if (Index < S->Elements.size() && Index < 2)
      return Operand(S->Elements[Index]);
  }
  Operand Result;
  if (Plugin.member(*this, Base, F.getName(), Result))
    return Result;
  return Operand(makeCell(unknown("member " + F.getName() + " of an object that is not modelled")));
}

Operand Machine::evalSubscript(const ArraySubscriptExpr *E) {
  Operand Base = eval(E->getBase());
  Value Index = evalValue(E->getIdx());
  Value &B = Base.value();
  if (B.isUnknown())
    return Operand(makeCell(unknown(B.unknown())));
  if (!Index.isInt())
    return Operand(makeCell(Index.isUnknown() ? unknown(Index.unknown())
                                              : unknown("array index")));
  int64_t I = Index.asInt();
  Sequence *S = B.as<Sequence>();
  if (B.isPointer()) {
    S = B.pointer().Array ? B.pointer().Array->V.as<Sequence>() : nullptr;
    I += B.pointer().Index;
    if (!S && Index.asInt() == 0 && B.pointer().Target)
      return Operand(B.pointer().Target);
  }
  if (S && I >= 0 && I < (int64_t)S->Elements.size()) {
    indexed(E, S->Elements, I);
    return Operand(S->Elements[I]);
  }
  if (B.isString() && I >= 0 && I <= (int64_t)B.string().size())
    return Operand(Value::integer(I == (int64_t)B.string().size() ? 0 : B.string()[I]));
  return Operand(makeCell(unknown("array element " + llvm::Twine(I))));
}

Operand Machine::evalConditional(const AbstractConditionalOperator *E) {
  Operand Cond = eval(E->getCond());
  std::optional<bool> Known = truth(Cond.value());
  bool Side = Known ? *Known : decide(Cond.value());
  const Expr *Chosen = Side ? E->getTrueExpr() : E->getFalseExpr();
  if (auto *B = dyn_cast<BinaryConditionalOperator>(E); B && Side)
    return Cond;
  if (E->isPRValue() && E->getType()->isRecordType()) {
    CellRef C = makeCell();
    evalInto(C, Chosen);
    return Operand(C->take());
  }
  return eval(Chosen);
}

Operand Machine::evalLambda(const LambdaExpr *E) {
  const CXXRecordDecl *D = E->getLambdaClass();
  auto R = makeRecord(D);
  auto Init = E->capture_init_begin();
  for (const FieldDecl *F : D->fields()) {
    if (Init == E->capture_init_end())
      break;
    const Expr *I = *Init++;
    unsigned Index = F->getFieldIndex();
    if (!I)
      continue;
    if (F->getType()->isReferenceType())
      R->Fields[Index] = evalPlace(I);
    else
      evalInto(R->Fields[Index], I);
  }
  return Operand(Value(std::move(R)));
}

Operand Machine::evalNew(const CXXNewExpr *E) {
  QualType T = E->getAllocatedType();
  if (E->isArray()) {
    Value Size = E->getArraySize() ? evalValue(*E->getArraySize())
                                   : Value::integer(0);
    if (!Size.isInt())
      return Operand(Size.isUnknown() ? unknown(Size.unknown())
                                      : unknown("size of new[]"));
    if (Size.asInt() < 0 || Size.asInt() > Limits.MaxElements)
      return Operand(unknown("an array too large to follow"));
    std::unique_ptr<Sequence> List = defaultArray(T, Size.asInt());
    CellRef First = List->Elements.empty() ? nullptr : List->Elements[0];
    CellRef Array = makeCell(Value(std::move(List)));
    return Operand(Value(PointerValue{First, Array, 0}));
  }
  CellRef C = makeCell();
  if (const Expr *Init = E->getInitializer())
    evalInto(C, Init);
  else
    defaultInit(C, T);
  Heap.push_back(C);
  return Operand(Value(PointerValue{C, nullptr, 0}));
}

Operand Machine::evalDelete(const CXXDeleteExpr *E) {
  Value P = evalValue(E->getArgument());
  if (P.isPointer()) {
    if (P.pointer().Array)
      destroyCell(*P.pointer().Array);
    else if (P.pointer().Target)
      destroyCell(P.pointer().Target->complete());
  }
  return Operand(Value());
}

/// Literals and the like: values without evaluation.
static std::optional<Value> literal(const Expr *E) {
  if (auto *I = dyn_cast<IntegerLiteral>(E))
    return Value::integer(I->getValue().getLimitedValue());
  if (auto *F = dyn_cast<FloatingLiteral>(E))
    return Value::real(F->getValueAsApproximateDouble());
  if (auto *B = dyn_cast<CXXBoolLiteralExpr>(E))
    return Value::integer(B->getValue());
  if (auto *C = dyn_cast<CharacterLiteral>(E))
    return Value::integer(C->getValue());
  if (auto *S = dyn_cast<StringLiteral>(E))
    return S->getCharByteWidth() == 1 ? Value(S->getString().str())
                                      : Value(std::string());
  if (isa<CXXNullPtrLiteralExpr, GNUNullExpr>(E))
    return Value(PointerValue{});
  if (auto *P = dyn_cast<PredefinedExpr>(E))
    return Value(P->getFunctionName() ? P->getFunctionName()->getString().str()
                                      : std::string());
  return std::nullopt;
}

/// Expressions whose value the compiler computed.
std::optional<Value> Machine::constant(const Expr *E) {
  if (auto *T = dyn_cast<TypeTraitExpr>(E))
    return Value::integer(!T->isValueDependent() && T->getValue());
  if (isa<UnaryExprOrTypeTraitExpr, SizeOfPackExpr, CXXNoexceptExpr,
          OffsetOfExpr, ConceptSpecializationExpr, RequiresExpr>(E)) {
    Expr::EvalResult R;
    if (!E->isValueDependent() && E->EvaluateAsRValue(R, context()) &&
        R.Val.isInt())
      return Value::integer(R.Val.getInt().extOrTrunc(64).getSExtValue());
    return unknown("a constant that Clang can't evaluate");
  }
  return std::nullopt;
}

Operand Machine::evalUncounted(const Expr *E) {
  E = strip(E);
  if (std::optional<Value> V = literal(E))
    return Operand(std::move(*V));
  switch (E->getStmtClass()) {
  case Stmt::DeclRefExprClass:
    return evalDeclRef(E, cast<DeclRefExpr>(E)->getDecl());
  case Stmt::MemberExprClass:
    return evalMember(cast<MemberExpr>(E));
  case Stmt::CXXThisExprClass:
    return Operand(Value(PointerValue{Current ? Current->This : nullptr, nullptr, 0}));
  case Stmt::CXXOperatorCallExprClass:
    return evalOperatorCall(cast<CXXOperatorCallExpr>(E));
  case Stmt::CallExprClass:
  case Stmt::CXXMemberCallExprClass:
  case Stmt::UserDefinedLiteralClass:
    return evalCall(cast<CallExpr>(E));
  case Stmt::MaterializeTemporaryExprClass:
    return evalMaterialize(cast<MaterializeTemporaryExpr>(E));
  case Stmt::UnaryOperatorClass:
    return evalUnary(cast<UnaryOperator>(E));
  case Stmt::BinaryOperatorClass:
  case Stmt::CompoundAssignOperatorClass:
    return evalBinary(cast<BinaryOperator>(E));
  case Stmt::ConditionalOperatorClass:
  case Stmt::BinaryConditionalOperatorClass:
    return evalConditional(cast<AbstractConditionalOperator>(E));
  case Stmt::ArraySubscriptExprClass:
    return evalSubscript(cast<ArraySubscriptExpr>(E));
  case Stmt::LambdaExprClass:
    return evalLambda(cast<LambdaExpr>(E));
  case Stmt::CXXNewExprClass:
    return evalNew(cast<CXXNewExpr>(E));
  case Stmt::CXXDeleteExprClass:
    return evalDelete(cast<CXXDeleteExpr>(E));
  case Stmt::CXXDefaultArgExprClass:
    return eval(cast<CXXDefaultArgExpr>(E)->getExpr());
  case Stmt::CXXDefaultInitExprClass:
    return eval(cast<CXXDefaultInitExpr>(E)->getExpr());
  case Stmt::CXXRewrittenBinaryOperatorClass:
    return eval(cast<CXXRewrittenBinaryOperator>(E)->getSemanticForm());
  case Stmt::GenericSelectionExprClass:
    return eval(cast<GenericSelectionExpr>(E)->getResultExpr());
  case Stmt::CXXScalarValueInitExprClass:
  case Stmt::ImplicitValueInitExprClass:
    return Operand(defaultValue(E->getType()));
  default:
    return evalRare(E);
  }
}

/// The kinds of expressions that are seen less often.
Operand Machine::evalRare(const Expr *E) {
  switch (E->getStmtClass()) {
  case Stmt::CXXConstructExprClass:
  case Stmt::CXXTemporaryObjectExprClass:
  case Stmt::InitListExprClass: {
    CellRef C = makeCell();
    evalInto(C, E);
    return Operand(C->take());
  }
  case Stmt::CXXStdInitializerListExprClass: {
    CellRef C = evalPlace(cast<CXXStdInitializerListExpr>(E)->getSubExpr());
    auto List = std::make_unique<Sequence>(Sequence::InitList);
    List->Owns = false;
    if (auto *S = C->V.as<Sequence>())
      List->Elements = S->Elements; // The array lives as a temporary; alias it.
    return Operand(Value(std::move(List)));
  }
  case Stmt::CXXThrowExprClass: {
    const Expr *Sub = cast<CXXThrowExpr>(E)->getSubExpr();
    Operand X = Sub ? eval(Sub) : Operand();
    throwException(X.value().isString() ? X.value().string() : "an exception");
    return Operand(Value());
  }
  case Stmt::OpaqueValueExprClass:
    if (auto It = Opaque.find(E); It != Opaque.end())
      return It->second->Place ? Operand(It->second->Place)
                               : Operand(std::move(It->second->V));
    if (const Expr *Source = cast<OpaqueValueExpr>(E)->getSourceExpr())
      return eval(Source);
    return Operand(unknown("an expression that is not modelled"));
  case Stmt::ArrayInitLoopExprClass:
    return Operand(copy(evalPlace(cast<ArrayInitLoopExpr>(E)->getCommonExpr())->V));
  case Stmt::CXXTypeidExprClass:
    return Operand(makeCell(Value(std::string("type"))));
  case Stmt::StmtExprClass:
    return evalStmtExpr(cast<StmtExpr>(E));
  default:
    break;
  }
  if (auto *C = dyn_cast<CastExpr>(E))
    return evalCast(C);
  if (std::optional<Value> V = constant(E))
    return Operand(std::move(*V));
  Value U = unknown(llvm::Twine("an expression that is not modelled (") +
                    E->getStmtClassName() + ")");
  return E->isGLValue() ? Operand(makeCell(std::move(U))) : Operand(std::move(U));
}

Operand Machine::evalStmtExpr(const StmtExpr *E) {
  Scope Inner(*this);
  const CompoundStmt *Body = E->getSubStmt();
  for (const Stmt *S : Body->body()) {
    if (S == Body->body_back())
      if (auto *Last = dyn_cast<Expr>(S))
        return Operand(evalValue(Last));
    if (exec(S) != Flow::Normal)
      break;
  }
  return Operand(Value());
}

} // namespace vramlint
