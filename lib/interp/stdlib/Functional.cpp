//===- lib/interp/stdlib/Functional.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// <functional>: function, bind, references, and the operator objects (plus,
// less …), which the machine sees as empty objects and we by name.

#include "lib/interp/stdlib/Native.h"
#include <cmath>

using namespace clang;

namespace vramlint::stdlib {

//===-- function ----------------------------------------------------------===//

static std::unique_ptr<Object> functionOf(Value Callable) {
  if (Callable.as<FunctionObject>())
    return Callable.takeObject();
  auto F = std::make_unique<FunctionObject>();
  bool Null = (Callable.isPointer() && Callable.pointer().isNull()) ||
              (Callable.isFunction() && !Callable.function().Fn);
  if (!Null)
    F->Callable = std::move(Callable);
  return F;
}

static Operand construct(Machine &M, CallSite &S) {
  if (S.Args.empty())
    return Value(functionOf(Value()));
  if (argValue(S, 0).isUnknown())
    return M.unknownFrom(S, "function that is not known");
  return Value(functionOf(M.take(S, 0)));
}

static Operand assign(Machine &M, CallSite &S) {
  Operand New = construct(M, S);
  if (S.Object)
    S.Object->set(std::move(New.V));
  return self(S);
}

static SmallVector<Operand, 6> argsFrom(CallSite &S, unsigned From) {
  SmallVector<Operand, 6> Args;
  for (unsigned I = From; I < S.Args.size(); ++I)
    Args.push_back(std::move(S.Args[I]));
  return Args;
}

static Operand call(Machine &M, CallSite &S) {
  if (!S.Object || S.Object->V.isUnknown())
    return M.unknownFrom(S, "call of a function that is not known");
  SmallVector<Operand, 6> Args = argsFrom(S, 0);
  // A std::function's signature says what its callable is called with.
  SmallVector<QualType, 4> Types;
  if (QualType Signature = classTypeArg(S, 0); !Signature.isNull())
    if (auto *P = Signature->getAs<FunctionProtoType>())
      for (QualType T : P->param_types())
        Types.push_back(T->isReferenceType()
                            ? T
                            : M.context().getRValueReferenceType(T));
  return invoke(M, S.Object->V, Args, Types);
}

static Operand isSet(Machine &M, CallSite &S, FunctionObject &F) {
  return integer(!F.Callable.isVoid());
}

static Operand swap(Machine &M, CallSite &S) {
  CellRef Other = placeOf(S, 0);
  if (S.Object && S.Object != Other)
    std::swap(S.Object->V, Other->V);
  return nothing();
}

//===-- bind, mem_fn, invoke ----------------------------------------------===//

static void bindArg(Machine &M, CallSite &S, FunctionObject &F, unsigned I) {
  FunctionObject::BoundArg A;
  QualType Type = paramType(S, I);
  if (isClass(Type, "_Placeholder")) {
    auto Args = templateArgsOf(Type);
    if (!Args.empty())
      A.Placeholder = Args[0].getAsIntegral().getExtValue();
  } else if (isClass(Type, "reference_wrapper") && argValue(S, I).isPointer()) {
    A.Arg = argValue(S, I).pointer().Target;
    A.IsReference = true;
  } else {
    A.Arg = makeCell(M.take(S, I));
  }
  F.Bound.push_back(std::move(A));
}

/// bind; bind_front also passes the arguments of the call, after the bound ones.
static Operand bind(Machine &M, CallSite &S) {
  auto F = std::make_unique<FunctionObject>();
  F->IsBind = true;
  F->Callable = M.take(S, 0);
  for (unsigned I = 1; I < S.Args.size(); ++I)
    bindArg(M, S, *F, I);
  return Value(std::move(F));
}

static Operand bindFront(Machine &M, CallSite &S) {
  constexpr unsigned MostArgs = 8;
  Operand R = bind(M, S);
  for (unsigned I = 1; I <= MostArgs; ++I)
    R.V.as<FunctionObject>()->Bound.push_back({I, nullptr, true});
  return R;
}

static Operand memFn(Machine &M, CallSite &S) {
  return Value(functionOf(M.take(S, 0)));
}

static Operand invokeFunction(Machine &M, CallSite &S) {
  Operand Callable = std::move(S.Args[0]);
  SmallVector<QualType, 4> Types = paramTypes(S, 1);
  SmallVector<Operand, 6> Args = argsFrom(S, 1);
  return invoke(M, Callable.value(), Args, Types);
}

//===-- References --------------------------------------------------------===//

static Operand reference(Machine &M, CallSite &S) {
  Value &V = argValue(S, 0);
  PointerValue P;
  if (isClass(paramType(S, 0), "reference_wrapper") && V.isPointer())
    P = V.pointer();
  else
    P.Target = placeOf(S, 0);
  return Value(std::move(P));
}

static Operand referred(Machine &M, CallSite &S) {
  if (S.Object && S.Object->V.isPointer() && S.Object->V.pointer().Target)
    return S.Object->V.pointer().Target;
  return unknownPlace(M.unknownFrom(S, "reference to something not known"));
}

//===-- Operator objects --------------------------------------------------===//

/// The two operands of `op(a, b)`: as integers if both are.
template <char Op> static Operand arithmetic(Machine &M, CallSite &S) {
  Value &A = argValue(S, 0), &B = argValue(S, 1);
  if (A.isString() && B.isString() && Op == '+')
    return text(A.string() + B.string());
  if (!A.isNumber() || !B.isNumber())
    return M.unknownFrom(S, "operands that are not known");
  if (A.isInt() && B.isInt()) {
    // Unsigned: overflow wraps here, whatever it is in the program.
    uint64_t X = A.asInt(), Y = B.asInt();
    switch (Op) {
    case '+': return integer(X + Y);
    case '-': return integer(X - Y);
    case '*': return integer(X * Y);
    case '&': return integer(X & Y);
    case '|': return integer(X | Y);
    case '^': return integer(X ^ Y);
    case '/':
    case '%':
      if (!Y || (A.asInt() == INT64_MIN && B.asInt() == -1))
        return M.unknown("division by zero");
      return integer(Op == '/' ? A.asInt() / B.asInt()
                               : A.asInt() % B.asInt());
    default: break;
    }
  }
  double X = A.asNumber(), Y = B.asNumber();
  switch (Op) {
  case '+': return real(X + Y);
  case '-': return real(X - Y);
  case '*': return real(X * Y);
  case '/': return real(X / Y);
  default: break;
  }
  return M.unknownFrom(S, "operands that are not known");
}

enum Relation { Less, LessEqual, Greater, GreaterEqual, Equal, NotEqual };
template <Relation R> static Operand relation(Machine &M, CallSite &S) {
  Operand A = placeOf(S, 0), B = placeOf(S, 1);
  switch (R) {
  case Less:
    return boolean(M, S, lessThan(M, nullptr, std::move(A), std::move(B)));
  case LessEqual:
    return boolean(M, S, lessThan(M, nullptr, std::move(B), std::move(A)),
                   true);
  case Greater:
    return boolean(M, S, lessThan(M, nullptr, std::move(B), std::move(A)));
  case GreaterEqual:
    return boolean(M, S, lessThan(M, nullptr, std::move(A), std::move(B)),
                   true);
  case Equal:
    return boolean(M, S, equal(M, nullptr, std::move(A), std::move(B)));
  case NotEqual:
    return boolean(M, S, equal(M, nullptr, std::move(A), std::move(B)), true);
  }
}

template <bool And> static Operand logical(Machine &M, CallSite &S) {
  auto A = M.truth(argValue(S, 0)), B = M.truth(argValue(S, 1));
  if (!A || !B)
    return boolean(M, S, std::nullopt);
  return integer(And ? *A && *B : *A || *B);
}
static Operand logicalNot(Machine &M, CallSite &S) {
  return boolean(M, S, M.truth(argValue(S, 0)), true);
}
static Operand negate(Machine &M, CallSite &S) {
  Value &A = argValue(S, 0);
  if (A.isInt())
    return integer(-(uint64_t)A.asInt());
  if (A.isFloat())
    return real(-A.asFloat());
  return M.unknownFrom(S, "operand that is not known");
}
static Operand identity(Machine &M, CallSite &S) { return placeOf(S, 0); }
static Operand hash(Machine &M, CallSite &S) {
  return quietUnknown(M, "hash of a value");
}

/// The object itself: its class says which operation it is.
static Operand functor(Machine &M, CallSite &S) {
  QualType T = S.Type;
  const CXXRecordDecl *D = T.isNull() ? nullptr : T->getAsCXXRecordDecl();
  if (!D)
    return M.unknown("object of an unknown class");
  return M.defaultRecord(*D);
}

#define OPERATION(Name, ...)                                                   \
  {"std::" Name "::" Name, functor}, {                                         \
    "std::" Name "::operator()", __VA_ARGS__                                   \
  }

static constexpr NativeEntry FunctionalEntries[] = {
    {"std::function::function", construct},
    {"std::function::operator=", assign},
    {"std::function::operator()", call},
    {"std::function::operator bool", on<FunctionObject, isSet>},
    {"std::function::swap", swap},
    {"std::move_only_function::move_only_function", construct},
    {"std::move_only_function::operator=", assign},
    {"std::move_only_function::operator()", call},
    {"std::move_only_function::operator bool", on<FunctionObject, isSet>},
    {"std::bind", bind},
    {"std::bind_front", bindFront},
    {"std::_Bind::operator()", call},
    {"std::_Bind_result::operator()", call},
    {"std::_Bind_front::operator()", call},
    {"std::mem_fn", memFn},
    {"std::_Mem_fn_base::operator()", call},
    {"std::invoke", invokeFunction},
    {"std::invoke_r", invokeFunction},
    {"std::ref", reference},
    {"std::cref", reference},
    {"std::reference_wrapper::reference_wrapper", reference},
    {"std::reference_wrapper::get", referred},
    {"std::reference_wrapper::operator T", referred},
    {"std::reference_wrapper::operator()", call},
    OPERATION("plus", arithmetic<'+'>),
    OPERATION("minus", arithmetic<'-'>),
    OPERATION("multiplies", arithmetic<'*'>),
    OPERATION("divides", arithmetic<'/'>),
    OPERATION("modulus", arithmetic<'%'>),
    OPERATION("bit_and", arithmetic<'&'>),
    OPERATION("bit_or", arithmetic<'|'>),
    OPERATION("bit_xor", arithmetic<'^'>),
    OPERATION("less", relation<Less>),
    OPERATION("less_equal", relation<LessEqual>),
    OPERATION("greater", relation<Greater>),
    OPERATION("greater_equal", relation<GreaterEqual>),
    OPERATION("equal_to", relation<Equal>),
    OPERATION("not_equal_to", relation<NotEqual>),
    OPERATION("logical_and", logical<true>),
    OPERATION("logical_or", logical<false>),
    OPERATION("logical_not", logicalNot),
    OPERATION("negate", negate),
    OPERATION("identity", identity),
    OPERATION("hash", hash),
};
const Table FunctionalTable = FunctionalEntries;

} // namespace vramlint::stdlib
