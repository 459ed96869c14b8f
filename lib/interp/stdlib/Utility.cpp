//===- lib/interp/stdlib/Utility.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// <utility>: move, forward, swap, exchange; and the free operators, which share
// their names across headers and are told apart by their operands' values.

#include "lib/interp/stdlib/Native.h"

namespace vramlint::stdlib {

//===-- Comparison --------------------------------------------------------===//

static Sequence *optionalIn(Operand &Op) {
  auto *S = Op.value().as<Sequence>();
  return S && S->Tag == Sequence::Optional ? S : nullptr;
}

/// An optional compared with a value is its element; empty ones sort first.
static std::optional<int> compareOptional(Machine &M, Operand &A, Operand &B) {
  Sequence *O = optionalIn(A), *P = optionalIn(B);
  Sequence *One = O ? O : P;
  Operand &Other = O ? B : A;
  if (One->Elements.empty())
    return O ? -1 : 1;
  std::optional<int> C = compareValues(One->Elements[0]->V, Other.value());
  if (C && !O)
    *C = -*C;
  return C;
}

/// -1, 0, 1; nothing if unknown. Iterators are brought up to date first.
static std::optional<int> compare(Machine &M, CallSite &S) {
  if (S.Args.size() + (S.Object ? 1 : 0) < 2)
    return std::nullopt;
  Operand A = S.Object ? Operand(S.Object) : Operand(placeOf(S, 0));
  Operand B = placeOf(S, S.Object ? 0 : 1);
  // (a <=> b) < 0: the second operand is an object that stands for 0.
  if (isClass(paramType(S, 1), "__unspec") && A.value().isInt())
    return A.value().asInt() < 0 ? -1 : A.value().asInt() > 0;
  if (isClass(paramType(S, 0), "__unspec") && B.value().isInt())
    return B.value().asInt() < 0 ? 1 : B.value().asInt() > 0 ? -1 : 0;
  if (A.value().as<Iterator>() && B.value().as<Iterator>()) {
    auto X = cursorOf(A.value()), Y = cursorOf(B.value());
    if (!X || !Y || X->Container != Y->Container)
      return std::nullopt;
    auto *Q = X->Container->V.as<Sequence>();
    if (Q && Q->Open && X->Index == Y->Index &&
        X->Index >= (int64_t)Q->Elements.size())
      return std::nullopt; // Where it ends is not known.
    int64_t D = X->Reverse ? Y->Index - X->Index : X->Index - Y->Index;
    return D < 0 ? -1 : D > 0;
  }
  if (bool(optionalIn(A)) != bool(optionalIn(B)))
    return compareOptional(M, A, B);
  if (auto C = compareValues(A.value(), B.value()))
    return C;
  auto X = textOf(A.value()), Y = textOf(B.value());
  if (X && Y)
    return X->compare(*Y) < 0 ? -1 : X->compare(*Y) > 0;
  return std::nullopt;
}

/// For elements of user classes, == and < come from their operators.
static std::optional<bool> elementwiseEqual(Machine &M, CallSite &S) {
  auto *A = argValue(S, 0).as<Sequence>(), *B = argValue(S, 1).as<Sequence>();
  if (!A || !B || A->Open || B->Open)
    return std::nullopt;
  if (A->Elements.size() != B->Elements.size())
    return false;
  for (size_t I = 0; I < A->Elements.size(); ++I) {
    std::optional<bool> E = equal(M, nullptr, A->Elements[I], B->Elements[I]);
    if (!E || !*E)
      return E;
  }
  return true;
}

template <bool Negate> static Operand equalTo(Machine &M, CallSite &S) {
  std::optional<int> C = compare(M, S);
  std::optional<bool> B;
  if (C)
    B = *C == 0;
  else if (S.Args.size() == 2)
    B = elementwiseEqual(M, S);
  return boolean(M, S, B, Negate);
}

enum Relation { Less, LessEqual, Greater, GreaterEqual };
template <Relation R> static Operand related(Machine &M, CallSite &S) {
  std::optional<int> C = compare(M, S);
  if (!C)
    return boolean(M, S, std::nullopt);
  bool B = R == Less        ? *C < 0
           : R == LessEqual ? *C <= 0
           : R == Greater   ? *C > 0
                            : *C >= 0;
  return integer(B);
}

static Operand spaceship(Machine &M, CallSite &S) {
  if (std::optional<int> C = compare(M, S))
    return integer(*C);
  return M.unknownFrom(S, "comparison of values that are not known");
}

static Operand zero(Machine &M, CallSite &S) { return integer(0); }

//===-- Arithmetic --------------------------------------------------------===//

static std::optional<std::string> pieceOf(const Value &V) {
  if (V.isInt())
    return std::string(1, static_cast<char>(V.asInt()));
  return textOf(V);
}

/// Strings are joined, iterators moved.
static Operand plus(Machine &M, CallSite &S) {
  if (S.Args.size() < 2)
    return M.unknownFrom(S, "operator+ of objects that are not known");
  Value &A = argValue(S, 0), &B = argValue(S, 1);
  bool Forward = A.as<Iterator>();
  if (Forward || B.as<Iterator>()) {
    std::optional<Cursor> C = cursorOf(Forward ? A : B);
    std::optional<int64_t> N = intArg(S, Forward ? 1 : 0);
    if (!C || !N)
      return M.unknownFrom(S, "iterator in an unknown place");
    C->advance(*N);
    return C->iterator();
  }
  auto X = pieceOf(A), Y = pieceOf(B);
  if (!X || !Y)
    return M.unknownFrom(S, "text that is not known");
  if ((int64_t)(X->size() + Y->size()) > M.limits().MaxElements ||
      !M.step(1 + (X->size() + Y->size()) / 64))
    return M.unknown("text too large to follow");
  return text(*X + *Y);
}

static Operand minus(Machine &M, CallSite &S) {
  if (S.Args.size() < 2)
    return M.unknownFrom(S, "operator- of objects that are not known");
  auto A = cursorOf(argValue(S, 0)), B = cursorOf(argValue(S, 1));
  if (A && B && A->Container == B->Container)
    return integer(A->Reverse ? B->Index - A->Index : A->Index - B->Index);
  if (std::optional<int64_t> N = intArg(S, 1); A && N) {
    A->advance(-*N);
    return A->iterator();
  }
  return M.unknownFrom(S, "operator- of objects that are not known");
}

/// Flags: open modes, format flags, launch policies.
template <char Op> static Operand bits(Machine &M, CallSite &S) {
  auto A = intArg(S, 0), B = intArg(S, 1);
  if (!A || (Op != '~' && !B))
    return M.unknownFrom(S, "flags that are not known");
  switch (Op) {
  case '|': return integer(*A | *B);
  case '&': return integer(*A & *B);
  case '^': return integer(*A ^ *B);
  default: return integer(~*A);
  }
}

/// complex numbers and other arithmetic types that are not followed.
static Operand notFollowed(Machine &M, CallSite &S) {
  return M.unknownFrom(S, "arithmetic of a class type that is not followed");
}

//===-- <utility> ---------------------------------------------------------===//

/// The argument's own place (move, forward, as_const): a cast, nothing moves.
static Operand samePlace(Machine &M, CallSite &S) { return placeOf(S, 0); }

/// std::move(value) is a cast; std::move(first, last, out) moves elements.
static Operand moveOrCast(Machine &M, CallSite &S) {
  if (S.Args.size() == 1)
    return samePlace(M, S);
  std::optional<Span> From = spanArg(M, S, 0);
  Value Out = M.copy(argValue(S, 2));
  for (int64_t I = 0; From && I < From->Size && !M.stopped(); ++I) {
    Operand Op = From->at(I).get(M);
    if (!writeOut(M, Out, Op.Place ? M.moveOut(*Op.Place) : std::move(Op.V)))
      From.reset();
  }
  if (!From)
    return M.unknownFrom(S, "std::move of an unknown range");
  return Out;
}

static Operand swapPlaces(Machine &M, CallSite &S) {
  CellRef A = placeOf(S, 0), B = placeOf(S, 1);
  if (A == B)
    return nothing();
  Value Old = A->take();
  A->set(B->take());
  B->set(std::move(Old));
  return nothing();
}

static Operand exchange(Machine &M, CallSite &S) {
  CellRef Place = placeOf(S, 0);
  Value Old = M.moveOut(*Place);
  Value New = fitted(M, paramType(S, 0), M.take(S, 1));
  Place->set(std::move(New));
  return Old;
}

template <Relation R> static Operand safeCompare(Machine &M, CallSite &S) {
  return related<R>(M, S);
}

static Operand emptyObject(Machine &M, CallSite &S) { return integer(0); }

#define OPERATORS(NS)                                                          \
  {NS "::operator==", equalTo<false>}, {NS "::operator!=", equalTo<true>},     \
      {NS "::operator<", related<Less>},                                       \
      {NS "::operator<=", related<LessEqual>},                                 \
      {NS "::operator>", related<Greater>},                                    \
      {NS "::operator>=", related<GreaterEqual>},                              \
      {NS "::operator<=>", spaceship}, {NS "::operator+", plus},               \
      {NS "::operator-", minus}

static constexpr NativeEntry UtilityEntries[] = {
    OPERATORS("std"),
    OPERATORS("__gnu_cxx"),
    OPERATORS("std::__detail"),
    OPERATORS("std::rel_ops"),
    OPERATORS("std::filesystem"),
    {"std::operator|", bits<'|'>},
    {"std::operator&", bits<'&'>},
    {"std::operator^", bits<'^'>},
    {"std::operator~", bits<'~'>},
    {"std::operator*", notFollowed},
    {"std::operator/", notFollowed},
    {"std::__cmp_cat::__unspec::__unspec", zero},
    {"std::move", moveOrCast},
    {"std::forward", samePlace},
    {"std::move_if_noexcept", samePlace},
    {"std::as_const", samePlace},
    {"std::swap", swapPlaces},
    {"std::exchange", exchange},
    {"std::cmp_less", safeCompare<Less>},
    {"std::cmp_less_equal", safeCompare<LessEqual>},
    {"std::cmp_greater", safeCompare<Greater>},
    {"std::cmp_greater_equal", safeCompare<GreaterEqual>},
    {"std::cmp_equal", equalTo<false>},
    {"std::cmp_not_equal", equalTo<true>},
    {"std::allocator::allocator", emptyObject},
    {"std::integer_sequence::integer_sequence", emptyObject},
};
const Table UtilityTable = UtilityEntries;

} // namespace vramlint::stdlib
