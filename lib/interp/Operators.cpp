//===- lib/interp/Operators.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Casts, arithmetic, comparison and assignment of built-in types.

#include "lib/interp/Internal.h"

#include <cmath>

using namespace clang;

namespace vramlint {

/// \p N as an integer of type \p T holds it.
static int64_t wrap(const ASTContext &Ctx, __int128 N, QualType T) {
  if (T->isBooleanType())
    return N != 0;
  uint64_t Width = T->isIntegralOrEnumerationType() ? Ctx.getIntWidth(T) : 64;
  if (Width >= 64)
    return (int64_t)N;
  uint64_t Bits = (uint64_t)N & ((1ull << Width) - 1);
  if (T->isSignedIntegerOrEnumerationType() && (Bits >> (Width - 1)))
    Bits |= ~((1ull << Width) - 1);
  return (int64_t)Bits;
}

/// \p N, stored as 64 bits, as the number that type \p T means by it.
static __int128 widen(int64_t N, QualType T) {
  return T->isUnsignedIntegerType() ? (__int128)(uint64_t)N : (__int128)N;
}

Value Machine::convert(Value V, QualType To) {
  To = To.getNonReferenceType();
  if (V.isInt()) {
    if (To->isFloatingType())
      return Value::real((double)V.asInt());
    if (To->isIntegralOrEnumerationType())
      return Value::integer(wrap(context(), V.asInt(), To));
    return V;
  }
  if (V.isFloat()) {
    double D = V.asFloat();
    if (To->isBooleanType())
      return Value::integer(D != 0);
    if (To->isIntegralOrEnumerationType()) {
      if (!(std::fabs(D) < 9.2e18))
        return unknown("a conversion from a floating number out of range");
      return Value::integer(wrap(context(), (__int128)D, To));
    }
    if (To->isSpecificBuiltinType(BuiltinType::Float))
      return Value::real((float)D);
    return V;
  }
  if (V.isUnknown() && V.unknown()->AnyNatural)
    return V;
  if (auto Drawn = overDraw(&V, [&](llvm::MutableArrayRef<Value> Of) {
        return convert(std::move(Of[0]), To);
      }))
    return std::move(*Drawn);
  // A narrower number is another number.
  if (V.isUnknown() && V.unknownValue().Name &&
      !(To->isIntegerType() && context().getTypeSize(To) >= 32))
    return Value(V.unknown());
  return V;
}

static bool isIdentityCast(CastKind K) {
  switch (K) {
  case CK_NoOp:
  case CK_UserDefinedConversion:
  case CK_ConstructorConversion:
  case CK_FunctionToPointerDecay:
  case CK_BuiltinFnToFnPtr:
  case CK_AtomicToNonAtomic:
  case CK_NonAtomicToAtomic:
  case CK_BitCast:
  case CK_LValueBitCast:
  case CK_AddressSpaceConversion:
  case CK_MemberPointerToBoolean:
  case CK_DerivedToBaseMemberPointer:
  case CK_BaseToDerivedMemberPointer:
    return true;
  default:
    return false;
  }
}

/// The subobject of class \p To in (or around) the object in \p From.
CellRef Machine::castPlace(CellRef From, QualType To) {
  const CXXRecordDecl *D = To->getAsCXXRecordDecl();
  if (!D || !From)
    return From;
  ClassId Id = classId(*D);
  if (CellRef Sub = subobject(From, Id))
    return Sub;
  if (CellRef Sub = subobject(CellRef(&From->complete()), Id))
    return Sub;
  // A class of the domain or library: its object is the only one of its kind.
  llvm::StringRef Name = nameOf(*D);
  if (From->V.as<Record>() && !From->V.as<Record>()->Decl->isLambda())
    if (CellRef Sub = findSubobject(From, [&](const Value &V) {
          return V.isObject() && !V.as<Record>();
        }))
      if (!Name.starts_with("std::"))
        return Sub;
  return From;
}

/// The call of malloc() and the like that \p E is; null if it is none.
static const CallExpr *allocation(const Expr *E) {
  auto *Call = dyn_cast<CallExpr>(strip(E));
  const FunctionDecl *F = Call ? Call->getDirectCallee() : nullptr;
  if (!F || !F->getIdentifier() || Call->getNumArgs() == 0)
    return nullptr;
  llvm::StringRef Name = F->getName();
  return Name == "malloc" || Name == "calloc" ? Call : nullptr;
}

/// `(T *)malloc(bytes)`: as many T, without a constructor. Nothing if that isn't so,
/// or the size is not known.
std::optional<Operand> Machine::evalAllocation(const CastExpr *E) {
  const CallExpr *Call = allocation(E->getSubExpr());
  QualType T = Call ? E->getType()->getPointeeType() : QualType();
  if (T.isNull() || T->isVoidType() || T->isIncompleteType())
    return std::nullopt;
  Value Bytes = evalValue(Call->getArg(0));
  Value Times = Call->getNumArgs() > 1 ? evalValue(Call->getArg(1)) : Value::integer(1);
  int64_t Size = context().getTypeSizeInChars(T).getQuantity(), Count = 0;
  if (!Bytes.isInt() || !Times.isInt() || Size <= 0 ||
      __builtin_mul_overflow(Bytes.asInt(), Times.asInt(), &Count))
    return std::nullopt;
  Count /= Size;
  if (Count <= 0 || Count > Limits.MaxElements || !step(Count / 8 + 1))
    return std::nullopt;
  auto List = std::make_unique<Sequence>(Sequence::CArray);
  auto *Class = T->getAsCXXRecordDecl();
  for (int64_t I = 0; Class && I < Count && step(); ++I) {
    List->Elements.push_back(makeCell(Value(makeRecord(Class))));
    for (const FieldDecl *F : Class->fields())
      if (F->getType()->isConstantArrayType())
        defaultInit(List->Elements.back()->V.as<Record>()->Fields[F->getFieldIndex()],
                    F->getType());
  }
  if (!Class)
    List->Elements.append(Count, Call->getNumArgs() > 1 ? defaultValue(T) : Value());
  CellRef First = List->Elements[0], Array = makeCell(Value(std::move(List)));
  Heap.push_back(Array);
  return Operand(Value(PointerValue{First, Array, 0}));
}

Operand Machine::evalCast(const CastExpr *E) {
  const Expr *Sub = E->getSubExpr();
  switch (E->getCastKind()) {
  case CK_LValueToRValue: {
    Operand O = eval(Sub);
    return Operand(O.Place ? copy(O.Place->V) : std::move(O.V));
  }
  case CK_ArrayToPointerDecay: {
    CellRef C = evalPlace(Sub);
    if (auto *S = C->V.as<Sequence>())
      return Operand(Value(PointerValue{
          S->Elements.empty() ? nullptr : S->Elements[0], C, 0}));
    return Operand(copy(C->V)); // A string literal is its own pointer.
  }
  case CK_NullToPointer:
  case CK_NullToMemberPointer:
    return Operand(Value(PointerValue{}));
  case CK_UncheckedDerivedToBase:
  case CK_DerivedToBase:
  case CK_BaseToDerived:
  case CK_Dynamic:
    return evalClassCast(E);
  case CK_ToVoid:
    eval(Sub);
    return Operand(Value());
  case CK_ToUnion: {
    CellRef C = makeCell();
    evalInto(C, Sub);
    return Operand(C->take());
  }
  case CK_PointerToBoolean:
  case CK_IntegralToBoolean:
  case CK_FloatingToBoolean: {
    Value V = evalValue(Sub);
    if (std::optional<bool> B = truth(V))
      return Operand(Value::integer(*B));
    return Operand(V.isUnknown() ? unknown(V.unknown())
                                 : unknown("a condition"));
  }
  case CK_IntegralCast:
  case CK_IntegralToFloating:
  case CK_FloatingToIntegral:
  case CK_FloatingCast:
  case CK_BooleanToSignedIntegral:
    return Operand(convert(evalValue(Sub), E->getType()));
  case CK_PointerToIntegral:
  case CK_IntegralToPointer:
    eval(Sub);
    return Operand(unknown("a pointer cast to an integer or back"));
  default:
    break;
  }
  if (E->getCastKind() == CK_BitCast)
    if (std::optional<Operand> Made = evalAllocation(E))
      return std::move(*Made);
  if (isIdentityCast(E->getCastKind()))
    return eval(Sub);
  eval(Sub);
  return Operand(unknown(llvm::Twine("a cast that is not modelled (") +
                         E->getCastKindName() + ")"));
}

Operand Machine::evalClassCast(const CastExpr *E) {
  QualType To = E->getType();
  bool Pointer = To->isPointerType();
  QualType Class = Pointer ? To->getPointeeType() : To.getNonReferenceType();
  bool Dynamic = E->getCastKind() == CK_Dynamic;
  if (!Pointer) {
    if (E->isPRValue())
      return eval(E->getSubExpr()); // Slicing is done by the constructor.
    return Operand(castPlace(evalPlace(E->getSubExpr()), Class));
  }
  Value V = evalValue(E->getSubExpr());
  if (!V.isPointer() || V.pointer().isNull())
    return Operand(std::move(V));
  CellRef Target = V.pointer().Target;
  if (Dynamic && !isA(Target, Class))
    return Operand(Value(PointerValue{}));
  return Operand(Value(PointerValue{castPlace(Target, Class), nullptr, 0}));
}

/// Does the complete object around \p C have a part of class \p Class?
bool Machine::isA(CellRef C, QualType Class) {
  const CXXRecordDecl *D = Class->getAsCXXRecordDecl();
  if (!C || !D)
    return false;
  CellRef Whole(&C->complete());
  if (subobject(Whole, classId(*D)))
    return true;
  bool Is = false;
  return Plugin.isA(*this, Whole, nameOf(*D), Is) && Is;
}

/// Stores \p V in \p C, telling the loops that watch numbers change.
void Machine::store(Cell &C, Value V) {
  if (V.isNumber() || C.V.isNumber())
    for (LoopTracker *T : Trackers)
      T->written(C);
  C.set(std::move(V));
}

Operand Machine::evalUnary(const UnaryOperator *E) {
  const Expr *Sub = E->getSubExpr();
  switch (E->getOpcode()) {
  case UO_AddrOf: {
    if (auto *D = dyn_cast<DeclRefExpr>(strip(Sub)))
      if (auto *F = dyn_cast<FunctionDecl>(D->getDecl()))
        return Operand(Value(FunctionValue{F}));
    Operand O = eval(Sub);
    if (!O.Place)
      return O;
    return Operand(Value(PointerValue{O.Place, nullptr, 0}));
  }
  case UO_Deref: {
    Operand O = eval(Sub);
    Value &V = O.value();
    if (V.isFunction())
      return Operand(Value(V.function()));
    if (V.isPointer() && V.pointer().Target)
      return Operand(V.pointer().Target);
    if (V.isString())
      return Operand(Value::integer(V.string().empty() ? 0 : V.string()[0]));
    return Operand(makeCell(V.isUnknown() ? unknown(V.unknown())
                                          : unknown("a null pointer is followed")));
  }
  case UO_PreInc:
  case UO_PreDec:
  case UO_PostInc:
  case UO_PostDec: {
    CellRef C = evalPlace(Sub);
    Value Old = copy(C->V);
    Value New = arithmetic(E->isIncrementOp() ? BO_Add : BO_Sub, copy(Old),
                           Value::integer(1), Sub->getType(), Sub->getType());
    store(*C, std::move(New));
    return E->isPrefix() ? Operand(C) : Operand(std::move(Old));
  }
  case UO_LNot: {
    Operand O = eval(Sub);
    if (std::optional<bool> B = truth(O.value()))
      return Operand(Value::integer(!*B));
    return Operand(O.value().isUnknown() ? unknown(O.value().unknown())
                                         : unknown("a condition"));
  }
  default:
    break;
  }
  Value V = evalValue(Sub);
  if (E->getOpcode() == UO_Plus || E->getOpcode() == UO_Extension ||
      E->getOpcode() == UO_Real)
    return Operand(std::move(V));
  if (E->getOpcode() == UO_Minus && V.isFloat())
    return Operand(Value::real(-V.asFloat()));
  if (E->getOpcode() == UO_Minus && V.isInt())
    return Operand(Value::integer(
        wrap(context(), -widen(V.asInt(), Sub->getType()), E->getType())));
  if (E->getOpcode() == UO_Not && V.isInt())
    return Operand(Value::integer(wrap(context(), ~V.asInt(), E->getType())));
  if (E->getOpcode() == UO_Minus)
    if (auto Drawn = overDraw(&V, [&](llvm::MutableArrayRef<Value> Of) {
          return arithmetic(BO_Sub, Value::integer(0), std::move(Of[0]),
                            E->getType(), E->getType());
        }))
      return Operand(std::move(*Drawn));
  return Operand(V.isUnknown() ? unknown(V.unknown())
                               : unknown("an operator that is not modelled"));
}

Operand Machine::evalBinary(const BinaryOperator *E) {
  if (E->isLogicalOp())
    return evalLogical(E);
  if (E->isAssignmentOp())
    return evalAssign(E);
  if (E->getOpcode() == BO_Comma) {
    eval(E->getLHS());
    return eval(E->getRHS());
  }
  if (E->isPtrMemOp()) {
    CellRef Object = calleeObject(E->getLHS(), E->getOpcode() == BO_PtrMemI);
    Value Member = evalValue(E->getRHS());
    BoundObject = Object; // The call that follows needs it.
    return Operand(std::move(Member));
  }
  Value L, R;
  if (RightToLeft) {
    R = evalValue(E->getRHS());
    L = evalValue(E->getLHS());
  } else {
    L = evalValue(E->getLHS());
    R = evalValue(E->getRHS());
  }
  if (!Trackers.empty() && L.isInt() && R.isInt())
    watch(*E, L.asInt(), R.asInt());
  return Operand(arithmetic(E->getOpcode(), std::move(L), std::move(R),
                            E->getType(), E->getLHS()->getType()));
}

/// Tells the loops that run what \p E computes.
void Machine::watch(const BinaryOperator &E, int64_t L, int64_t R) {
  bool Remainder = E.getOpcode() == BO_Rem;
  if (Remainder)
    for (LoopTracker *T : Trackers)
      T->modulus(R);
  bool Division = (Remainder || E.getOpcode() == BO_Div) && R != 0;
  if (!Division && !E.isComparisonOp())
    return;
  if (!Division) {
    auto *Left = dyn_cast<BinaryOperator>(E.getLHS()->IgnoreParenImpCasts());
    compared(&E, E.getOpcode(), L, R,
             Left && Left->getOpcode() == BO_Rem ? Left : nullptr);
    return;
  }
  for (LoopTracker *T : Trackers)
    if (Turns *Watched = T->turns())
      Watched->divided(&E, Remainder, L, R, T->iteration());
}

/// Likewise for `L Op R`.
void Machine::compared(const void *E, BinaryOperatorKind Op, int64_t L, int64_t R,
                       const void *Remainder) {
  for (LoopTracker *T : Trackers)
    if (Turns *Watched = T->turns())
      Watched->compared(E, Op, L, R, T->iteration(), Remainder);
}

Operand Machine::evalLogical(const BinaryOperator *E) {
  bool And = E->getOpcode() == BO_LAnd;
  Operand L = eval(E->getLHS());
  std::optional<bool> Left = truth(L.value());
  if (Left && *Left != And)
    return Operand(Value::integer(*Left));
  Operand R = eval(E->getRHS());
  std::optional<bool> Right = truth(R.value());
  if (Right && *Right != And)
    return Operand(Value::integer(*Right)); // Whatever the left side is.
  if (Left && Right)
    return Operand(Value::integer(*Right));
  Value &U = Left ? R.value() : L.value();
  return Operand(U.isUnknown() ? unknown(U.unknown()) : unknown("a condition"));
}

Operand Machine::evalAssign(const BinaryOperator *E) {
  if (E->getOpcode() == BO_Assign) {
    Value R = evalValue(E->getRHS()); // Sequenced before the left side.
    CellRef C = evalPlace(E->getLHS());
    store(*C, std::move(R));
    return Operand(C);
  }
  auto *Compound = cast<CompoundAssignOperator>(E);
  Value R = evalValue(E->getRHS());
  CellRef C = evalPlace(E->getLHS());
  QualType Computed = Compound->getComputationLHSType();
  BinaryOperatorKind Op = BinaryOperator::getOpForCompoundAssignment(E->getOpcode());
  Value L = Computed.isNull() ? copy(C->V) : convert(copy(C->V), Computed);
  Value Result = arithmetic(Op, std::move(L), std::move(R),
                            Compound->getComputationResultType(), Computed);
  store(*C, convert(std::move(Result), E->getLHS()->getType()));
  return Operand(C);
}

Value Machine::pointerArithmetic(BinaryOperatorKind Op, Value L, Value R) {
  auto IsNull = [](const Value &V) { return V.isPointer() && V.pointer().isNull(); };
  if (Op == BO_EQ || Op == BO_NE) {
    std::optional<bool> Equal;
    if (L.isPointer() && R.isPointer())
      Equal = L.pointer().Target == R.pointer().Target &&
              (L.pointer().Target || L.pointer().Index == R.pointer().Index);
    else if (L.isFunction() && R.isFunction())
      Equal = L.function().Fn == R.function().Fn;
    else if (IsNull(L) || IsNull(R)) {
      const Value &Other = IsNull(L) ? R : L;
      if (std::optional<bool> NotNull = truth(Other))
        Equal = !*NotNull;
    }
    if (Equal)
      return Value::integer(*Equal == (Op == BO_EQ));
    return L.isUnknown()   ? unknown(L.unknown())
           : R.isUnknown() ? unknown(R.unknown())
                           : unknown("a comparison of pointers");
  }
  if (R.isPointer() && L.isInt() && Op == BO_Add)
    std::swap(L, R);
  if (L.isPointer() && R.isInt() && (Op == BO_Add || Op == BO_Sub)) {
    PointerValue P = L.pointer();
    P.Index += Op == BO_Add ? R.asInt() : -R.asInt();
    auto *S = P.Array ? P.Array->V.as<Sequence>() : nullptr;
    P.Target = S && P.Index >= 0 && P.Index < (int64_t)S->Elements.size()
                   ? S->Elements[P.Index]
                   : nullptr;
    return Value(std::move(P));
  }
  if (L.isPointer() && R.isPointer() && L.pointer().Array == R.pointer().Array) {
    int64_t D = L.pointer().Index - R.pointer().Index;
    switch (Op) {
    case BO_Sub: return Value::integer(D);
    case BO_LT: return Value::integer(D < 0);
    case BO_GT: return Value::integer(D > 0);
    case BO_LE: return Value::integer(D <= 0);
    case BO_GE: return Value::integer(D >= 0);
    default: break;
    }
  }
  if (L.isString() && R.isInt() && Op == BO_Add && R.asInt() >= 0 &&
      R.asInt() <= (int64_t)L.string().size())
    return Value(L.string().substr(R.asInt()));
  return L.isUnknown()   ? unknown(L.unknown())
         : R.isUnknown() ? unknown(R.unknown())
                         : unknown("pointer arithmetic");
}

static std::optional<Value> floatArithmetic(BinaryOperatorKind Op, double L,
                                            double R) {
  switch (Op) {
  case BO_Add: return Value::real(L + R);
  case BO_Sub: return Value::real(L - R);
  case BO_Mul: return Value::real(L * R);
  case BO_Div: return Value::real(L / R);
  case BO_LT: return Value::integer(L < R);
  case BO_GT: return Value::integer(L > R);
  case BO_LE: return Value::integer(L <= R);
  case BO_GE: return Value::integer(L >= R);
  case BO_EQ: return Value::integer(L == R);
  case BO_NE: return Value::integer(L != R);
  default: return std::nullopt;
  }
}

static std::optional<__int128> intArithmetic(BinaryOperatorKind Op, __int128 L,
                                             __int128 R) {
  switch (Op) {
  case BO_Add: return L + R;
  case BO_Sub: return L - R;
  case BO_Mul: return L * R;
  case BO_Div: return R ? std::optional<__int128>(L / R) : std::nullopt;
  case BO_Rem: return R ? std::optional<__int128>(L % R) : std::nullopt;
  case BO_Shl: return R >= 0 && R < 64 ? std::optional<__int128>((__int128)((unsigned __int128)L << R)) : std::nullopt;
  case BO_Shr: return R >= 0 && R < 64 ? std::optional<__int128>(L >> R) : std::nullopt;
  case BO_And: return L & R;
  case BO_Or: return L | R;
  case BO_Xor: return L ^ R;
  case BO_LT: return L < R;
  case BO_GT: return L > R;
  case BO_LE: return L <= R;
  case BO_GE: return L >= R;
  case BO_EQ: return L == R;
  case BO_NE: return L != R;
  case BO_Cmp: return L < R ? -1 : L > R;
  default: return std::nullopt;
  }
}

/// h + 32, 32 + h, h - 32 and the difference of two such, where h is unknown.
static std::optional<Value> namedArithmetic(BinaryOperatorKind Op, const Value &L,
                                            const Value &R) {
  auto Named = [](const Value &V) { return V.isUnknown() && V.unknownValue().Name; };
  if (Op == BO_Sub && Named(L) && Named(R) &&
      L.unknownValue().Name == R.unknownValue().Name)
    return Value::integer(L.unknownValue().Addend - R.unknownValue().Addend);
  const Value *Unknown = Named(L) ? &L : Op == BO_Add && Named(R) ? &R : nullptr;
  const Value &Other = Unknown == &L ? R : L;
  if (!Unknown || !Other.isInt() || (Op != BO_Add && Op != BO_Sub))
    return std::nullopt;
  UnknownValue U = Unknown->unknownValue();
  int64_t By = Other.asInt();
  if (Op == BO_Sub ? __builtin_sub_overflow(U.Addend, By, &U.Addend)
                   : __builtin_add_overflow(U.Addend, By, &U.Addend))
    return std::nullopt;
  return Value(std::move(U));
}

/// rand() % 10, rand() / (RAND_MAX + 1.0).
static std::optional<Value> naturalArithmetic(Machine &M, BinaryOperatorKind Op,
                                              const Value &L, const Value &R,
                                              QualType Type) {
  if (Op == BO_Rem && R.isInt() && R.asInt() > 0)
    return M.drawBetween(0, R.asInt() - 1);
  // As a share of the greatest: from 0 to a little less than 1.
  if (Op == BO_Div && Type->isFloatingType() && R.asNumber() >= INT32_MAX)
    return M.draw({0.0, std::nextafter(1.0f, 0.0f)}, /*EndsOnly=*/true);
  return std::nullopt;
}

Value Machine::arithmetic(BinaryOperatorKind Op, Value L, Value R,
                          QualType Type, QualType Operands) {
  if (L.isInt() && R.isInt()) {
    if (auto N = intArithmetic(Op, widen(L.asInt(), Operands),
                               widen(R.asInt(), Operands)))
      return Value::integer(wrap(context(), *N, Type));
    return unknown("a division by zero or a shift out of range");
  }
  if (L.isNumber() && R.isNumber()) {
    if (auto V = floatArithmetic(Op, L.asNumber(), R.asNumber()))
      return convert(std::move(*V), Type);
    return unknown("an operator that is not modelled");
  }
  // 0 * unknown and the like stay unknown: the unknown may be infinite.
  if (L.isPointer() || R.isPointer() || L.isFunction() || R.isFunction() ||
      L.isString() || R.isString())
    return pointerArithmetic(Op, std::move(L), std::move(R));
  if (L.isUnknown() && L.unknown()->AnyNatural && R.isNumber())
    if (auto V = naturalArithmetic(*this, Op, L, R, Type))
      return std::move(*V);
  if (auto V = overDraw({&L, &R}, [&](llvm::MutableArrayRef<Value> Of) {
        return arithmetic(Op, std::move(Of[0]), std::move(Of[1]), Type, Operands);
      }))
    return std::move(*V);
  if (Type->isIntegerType() && context().getTypeSize(Type) >= 32)
    if (auto V = namedArithmetic(Op, L, R))
      return std::move(*V);
  if (L.isUnknown())
    return unknown(L.unknown());
  if (R.isUnknown())
    return unknown(R.unknown());
  return unknown("an uninitialized or unmodelled operand");
}

} // namespace vramlint
