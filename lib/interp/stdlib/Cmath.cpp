//===- lib/interp/stdlib/Cmath.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// <cmath> and <limits>. A function of floats gives the float's precision.

#include "lib/interp/stdlib/Native.h"
#include <cmath>
#include <limits>

using namespace clang;

namespace vramlint::stdlib {

/// \p D in the precision, or as the integer, that the callee returns.
static Operand result(Machine &M, CallSite &S, double D) {
  QualType T = S.Callee ? S.Callee->getReturnType().getCanonicalType()
                        : QualType();
  if (T.isNull())
    return real(D);
  if (T->isIntegralOrEnumerationType()) {
    if (!(D > -9.3e18 && D < 9.3e18))
      return M.unknown("number that does not fit its type");
    return integer(static_cast<int64_t>(D));
  }
  if (T->isSpecificBuiltinType(BuiltinType::Float))
    return real(static_cast<float>(D));
  return real(D);
}

template <double (*Fn)(double)> static Operand unary(Machine &M, CallSite &S) {
  std::optional<double> X = numberArg(S, 0);
  if (!X)
    return M.unknownFrom(S, "number that is not known");
  return result(M, S, Fn(*X));
}

template <double (*Fn)(double, double)>
static Operand binary(Machine &M, CallSite &S) {
  std::optional<double> X = numberArg(S, 0), Y = numberArg(S, 1);
  if (!X || !Y)
    return M.unknownFrom(S, "number that is not known");
  return result(M, S, Fn(*X, *Y));
}

static Operand absolute(Machine &M, CallSite &S) {
  if (std::optional<int64_t> N = intArg(S, 0)) {
    int64_t A = *N < 0 ? -(uint64_t)*N : *N;
    bool Float = S.Callee && S.Callee->getReturnType()->isFloatingType();
    return Float ? real(A) : integer(A);
  }
  return unary<std::fabs>(M, S);
}

static Operand fused(Machine &M, CallSite &S) {
  auto A = numberArg(S, 0), B = numberArg(S, 1), C = numberArg(S, 2);
  if (!A || !B || !C)
    return M.unknownFrom(S, "number that is not known");
  return result(M, S, std::fma(*A, *B, *C));
}

static Operand interpolate(Machine &M, CallSite &S) {
  auto A = numberArg(S, 0), B = numberArg(S, 1), T = numberArg(S, 2);
  if (!A || !B || !T)
    return M.unknownFrom(S, "number that is not known");
  return result(M, S, *A + *T * (*B - *A));
}

template <typename T> static void store(CallSite &S, unsigned I, T V) {
  if (!hasArg(S, I) || !argValue(S, I).isPointer())
    return;
  if (CellRef C = argValue(S, I).pointer().Target)
    C->set(std::is_integral_v<T> ? Value::integer(V) : Value::real(V));
}

static Operand fraction(Machine &M, CallSite &S) {
  std::optional<double> X = numberArg(S, 0);
  if (!X)
    return M.unknownFrom(S, "number that is not known");
  double Whole;
  double F = std::modf(*X, &Whole);
  store(S, 1, Whole);
  return result(M, S, F);
}
static Operand mantissa(Machine &M, CallSite &S) {
  std::optional<double> X = numberArg(S, 0);
  if (!X)
    return M.unknownFrom(S, "number that is not known");
  int Exponent;
  double F = std::frexp(*X, &Exponent);
  store(S, 1, Exponent);
  return result(M, S, F);
}

//===-- <limits> ----------------------------------------------------------===//

enum Limit { Max, Min, Lowest, Epsilon, Infinity, QuietNan, Denormal };

template <typename T> static double floatLimit(Limit L) {
  using N = std::numeric_limits<T>;
  switch (L) {
  case Max: return N::max();
  case Min: return N::min();
  case Lowest: return N::lowest();
  case Epsilon: return N::epsilon();
  case Infinity: return N::infinity();
  case QuietNan: return N::quiet_NaN();
  case Denormal: return N::denorm_min();
  }
  return 0;
}

template <Limit L> static Operand limit(Machine &M, CallSite &S) {
  QualType T = classTypeArg(S, 0);
  if (T.isNull())
    return M.unknown("limit of an unknown type");
  T = T.getCanonicalType();
  if (T->isSpecificBuiltinType(BuiltinType::Float))
    return real(floatLimit<float>(L));
  if (T->isRealFloatingType())
    return real(floatLimit<double>(L));
  if (!T->isIntegralOrEnumerationType())
    return M.unknown("limit of a type that is not a number");
  if (L != Max && L != Min && L != Lowest)
    return integer(0);
  unsigned Bits = T->isBooleanType() ? 1 : M.context().getTypeSize(T);
  bool Signed = T->isSignedIntegerOrEnumerationType();
  unsigned Value = Bits - (Signed ? 1 : 0);
  if (L == Max)
    return integer(Value >= 64 ? -1 : (int64_t)((uint64_t(1) << Value) - 1));
  return integer(Signed ? (int64_t)(~uint64_t(0) << Value) : 0);
}

/// INFINITY, HUGE_VAL and NAN are calls of builtins.
template <Limit L> static Operand constant(Machine &M, CallSite &S) {
  return result(M, S, floatLimit<double>(L));
}

//===-- Table -------------------------------------------------------------===//

#define NAMES(Name, Fn)                                                        \
  {Name, Fn}, {Name "f", Fn}, {Name "l", Fn}, {"std::" Name, Fn},              \
      {"std::" Name "f", Fn}
#define ONE(Name, Fn) NAMES(Name, unary<[](double X) -> double { return Fn; }>)
#define TWO(Name, Fn)                                                          \
  NAMES(Name, binary<[](double X, double Y) -> double { return Fn; }>)

static constexpr NativeEntry CmathEntries[] = {
    NAMES("fabs", absolute),
    {"abs", absolute},
    {"labs", absolute},
    {"llabs", absolute},
    {"std::abs", absolute},
    ONE("sqrt", std::sqrt(X)),
    ONE("cbrt", std::cbrt(X)),
    ONE("exp", std::exp(X)),
    ONE("exp2", std::exp2(X)),
    ONE("expm1", std::expm1(X)),
    ONE("log", std::log(X)),
    ONE("log2", std::log2(X)),
    ONE("log10", std::log10(X)),
    ONE("log1p", std::log1p(X)),
    ONE("logb", std::logb(X)),
    ONE("ilogb", std::ilogb(X)),
    ONE("sin", std::sin(X)),
    ONE("cos", std::cos(X)),
    ONE("tan", std::tan(X)),
    ONE("asin", std::asin(X)),
    ONE("acos", std::acos(X)),
    ONE("atan", std::atan(X)),
    ONE("sinh", std::sinh(X)),
    ONE("cosh", std::cosh(X)),
    ONE("tanh", std::tanh(X)),
    ONE("asinh", std::asinh(X)),
    ONE("acosh", std::acosh(X)),
    ONE("atanh", std::atanh(X)),
    ONE("erf", std::erf(X)),
    ONE("erfc", std::erfc(X)),
    ONE("tgamma", std::tgamma(X)),
    ONE("lgamma", std::lgamma(X)),
    ONE("ceil", std::ceil(X)),
    ONE("floor", std::floor(X)),
    ONE("round", std::round(X)),
    ONE("lround", std::round(X)),
    ONE("llround", std::round(X)),
    ONE("trunc", std::trunc(X)),
    ONE("rint", std::rint(X)),
    ONE("lrint", std::rint(X)),
    ONE("llrint", std::rint(X)),
    ONE("nearbyint", std::nearbyint(X)),
    ONE("isnan", std::isnan(X)),
    ONE("isinf", std::isinf(X)),
    ONE("isfinite", std::isfinite(X)),
    ONE("isnormal", std::isnormal(X)),
    ONE("signbit", std::signbit(X)),
    TWO("pow", std::pow(X, Y)),
    TWO("fmod", std::fmod(X, Y)),
    TWO("remainder", std::remainder(X, Y)),
    TWO("atan2", std::atan2(X, Y)),
    TWO("hypot", std::hypot(X, Y)),
    TWO("fmax", std::fmax(X, Y)),
    TWO("fmin", std::fmin(X, Y)),
    TWO("fdim", std::fdim(X, Y)),
    TWO("copysign", std::copysign(X, Y)),
    TWO("nextafter", std::nextafter(X, Y)),
    TWO("ldexp", std::ldexp(X, (int)Y)),
    TWO("scalbn", std::scalbn(X, (int)Y)),
    NAMES("fma", fused),
    NAMES("lerp", interpolate),
    NAMES("inf", constant<Infinity>),
    NAMES("huge_val", constant<Infinity>),
    NAMES("nan", constant<QuietNan>),
    NAMES("modf", fraction),
    NAMES("frexp", mantissa),
    {"std::numeric_limits::max", limit<Max>},
    {"std::numeric_limits::min", limit<Min>},
    {"std::numeric_limits::lowest", limit<Lowest>},
    {"std::numeric_limits::epsilon", limit<Epsilon>},
    {"std::numeric_limits::infinity", limit<Infinity>},
    {"std::numeric_limits::quiet_NaN", limit<QuietNan>},
    {"std::numeric_limits::signaling_NaN", limit<QuietNan>},
    {"std::numeric_limits::denorm_min", limit<Denormal>},
};
const Table CmathTable = CmathEntries;

} // namespace vramlint::stdlib
