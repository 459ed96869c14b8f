//===- lib/interp/stdlib/Numeric.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// <numeric>: sums and products over ranges, in the type of their initial value.

#include "lib/interp/stdlib/Native.h"
#include <numeric>

using namespace clang;

namespace vramlint::stdlib {

static Value ownValue(Machine &M, Operand Op) {
  return Op.Place ? M.copy(Op.Place->V) : std::move(Op.V);
}

/// a \p Op b for numbers and texts; the class's own operator for others.
static Value combine(Machine &M, char Op, Operand A, Operand B) {
  Value &X = A.value(), &Y = B.value();
  if (X.isUnknown() || Y.isUnknown())
    return Value((X.isUnknown() ? X : Y).unknown());
  if (X.isString() && Op == '+')
    if (std::optional<std::string> T =
            Y.isInt() ? std::string(1, (char)Y.asInt()) : textOf(Y))
      return Value(X.string() + *T);
  if (X.isInt() && Y.isInt()) {
    uint64_t P = X.asInt(), Q = Y.asInt();
    return Value::integer(Op == '+' ? P + Q : Op == '-' ? P - Q : P * Q);
  }
  if (X.isNumber() && Y.isNumber()) {
    double P = X.asNumber(), Q = Y.asNumber();
    return Value::real(Op == '+' ? P + Q : Op == '-' ? P - Q : P * Q);
  }
  if (A.Place && X.as<Record>()) {
    Operand Args[1] = {std::move(B)};
    return ownValue(
        M, M.callMethod(A.Place, std::string("operator") + Op, Args));
  }
  return M.unknown("sum or product of objects that are not followed");
}

/// \p SumType, \p Element: of the sum and the elements; may be null.
static Value apply(Machine &M, Value *Fn, char Op, Value &Sum, Operand Next,
                   QualType SumType = {}, QualType Element = {}) {
  CellRef Place = makeCell(std::move(Sum));
  if (Fn) {
    Operand Args[2] = {Place, std::move(Next)};
    QualType Types[2] = {SumType, Element};
    bool Typed = !SumType.isNull() && !Element.isNull();
    return ownValue(M, invoke(M, *Fn, Args,
                              Typed ? Types : ArrayRef<QualType>()));
  }
  return combine(M, Op, Place, std::move(Next));
}

static Operand unknownRange(Machine &M, CallSite &S) {
  return M.unknownFrom(S, "range of elements that is not known");
}

/// accumulate(first, last, init[, op]), reduce(first, last[, init[, op]])
static Operand accumulate(Machine &M, CallSite &S) {
  std::optional<Span> R = spanArg(M, S, 0);
  if (!R)
    return unknownRange(M, S);
  bool HasInit = hasArg(S, 2);
  QualType Type = HasInit ? paramType(S, 2) : QualType();
  Value Sum = HasInit ? M.take(S, 2) : Value::integer(0);
  Value *Fn = hasArg(S, 3) ? &argValue(S, 3) : nullptr;
  for (int64_t I = 0; I < R->Size && !M.stopped() && !M.unwinding(); ++I)
    Sum = fitted(M, Type, apply(M, Fn, '+', Sum, R->at(I).get(M), Type,
                                R->First.Type));
  return Sum;
}

/// inner_product and transform_reduce over two ranges.
static Operand innerProduct(Machine &M, CallSite &S) {
  std::optional<Span> R = spanArg(M, S, 0);
  std::optional<Cursor> B = cursorOf(argValue(S, 2));
  if (!R || !B)
    return unknownRange(M, S);
  QualType Type = paramType(S, 3);
  Value Sum = M.take(S, 3);
  Value *Add = hasArg(S, 4) ? &argValue(S, 4) : nullptr;
  Value *Multiply = hasArg(S, 5) ? &argValue(S, 5) : nullptr;
  for (int64_t I = 0; I < R->Size && !M.stopped() && !M.unwinding(); ++I) {
    Value Product = Multiply
                        ? ownValue(M, invokeOn(M, *Multiply, R->at(I), *B))
                        : combine(M, '*', R->at(I).get(M), B->get(M));
    Sum = fitted(M, Type, apply(M, Add, '+', Sum, std::move(Product)));
    B->advance(1);
  }
  return Sum;
}

static Operand iota(Machine &M, CallSite &S) {
  std::optional<Span> R = spanArg(M, S, 0);
  std::optional<double> From = numberArg(S, 2);
  if (!R)
    return unknownRange(M, S);
  bool Int = argValue(S, 2).isInt();
  for (int64_t I = 0; I < R->Size; ++I)
    R->at(I).set(M, !From ? M.copy(argValue(S, 2))
                    : Int ? Value::integer(argValue(S, 2).asInt() + I)
                          : Value::real(*From + I));
  return nothing();
}

/// partial_sum, inclusive_scan: running totals.
template <bool Differences>
static Operand running(Machine &M, CallSite &S) {
  std::optional<Span> R = spanArg(M, S, 0);
  Value Out = M.copy(argValue(S, 2));
  Value *Fn = hasArg(S, 3) ? &argValue(S, 3) : nullptr;
  if (!R)
    return unknownRange(M, S);
  Value Last;
  for (int64_t I = 0; I < R->Size && !M.stopped(); ++I) {
    Value Now = ownValue(M, R->at(I).get(M));
    Value Next = I == 0         ? cloned(Now)
                 : Differences ? combine(M, '-', cloned(Now), std::move(Last))
                               : apply(M, Fn, '+', Last, cloned(Now));
    Last = Differences ? std::move(Now) : cloned(Next);
    if (!writeOut(M, Out, std::move(Next)))
      return unknownRange(M, S);
  }
  return Out;
}

template <bool Least> static Operand divisor(Machine &M, CallSite &S) {
  auto A = intArg(S, 0), B = intArg(S, 1);
  if (!A || !B || *A == INT64_MIN || *B == INT64_MIN)
    return M.unknownFrom(S, "number that is not known");
  int64_t G = std::gcd(*A, *B);
  if (!Least)
    return integer(G);
  return integer(G ? std::abs((int64_t)((uint64_t)(*A / G) * (uint64_t)*B))
                   : 0);
}

static Operand midpoint(Machine &M, CallSite &S) {
  auto A = numberArg(S, 0), B = numberArg(S, 1);
  if (!A || !B)
    return M.unknownFrom(S, "number that is not known");
  if (intArg(S, 0) && intArg(S, 1))
    return integer(std::midpoint(*intArg(S, 0), *intArg(S, 1)));
  return real(std::midpoint(*A, *B));
}

static constexpr NativeEntry NumericEntries[] = {
    {"std::accumulate", accumulate},
    {"std::reduce", accumulate},
    {"std::inner_product", innerProduct},
    {"std::transform_reduce", innerProduct},
    {"std::iota", iota},
    {"std::partial_sum", running<false>},
    {"std::inclusive_scan", running<false>},
    {"std::adjacent_difference", running<true>},
    {"std::gcd", divisor<false>},
    {"std::lcm", divisor<true>},
    {"std::midpoint", midpoint},
};
const Table NumericTable = NumericEntries;

} // namespace vramlint::stdlib
