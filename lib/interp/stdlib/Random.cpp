//===- lib/interp/stdlib/Random.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// <random> and rand(). What is drawn is not known; uniform draws are carried on as
// what they may be (Draw.cpp). An engine is any number; a distribution holds its
// bounds.

#include "lib/interp/stdlib/Native.h"
#include <cmath>

using namespace clang;

namespace vramlint::stdlib {

static Operand quiet(Machine &M, CallSite &S) {
  return quietUnknown(M, "random number");
}
static Operand ignored(Machine &M, CallSite &S) { return nothing(); }

static Operand natural(Machine &M, CallSite &S) {
  Value V = quietUnknown(M, "random number");
  V.unknown()->AnyNatural = true;
  return V;
}

static Operand share(Machine &M, CallSite &S) {
  return M.draw({0.0, std::nextafter(1.0, 0.0)}, /*EndsOnly=*/true);
}

/// The bounds that a distribution is made with: the first and last value of
/// integers, what reals lie between.
template <bool Integers> static Operand uniform(Machine &M, CallSite &S) {
  if (S.Args.size() == 1 && argValue(S, 0).as<Sequence>())
    return M.take(S, 0);
  auto Bounds = makeSequence(Sequence::Tuple);
  for (unsigned I = 0; I < 2; ++I) {
    if (!hasArg(S, I))
      Bounds->Elements.push_back(makeCell(
          Integers ? Value::integer(I ? INT32_MAX : 0) : Value::real(I)));
    else if (argValue(S, I).isNumber())
      Bounds->Elements.push_back(makeCell(M.copy(argValue(S, I))));
    else
      return quiet(M, S);
  }
  return Value(std::move(Bounds));
}

template <bool Integers> static Operand drawUniform(Machine &M, CallSite &S) {
  Value *Self = selfOf(S);
  auto *Bounds = Self ? Self->as<Sequence>() : nullptr;
  if (!Bounds || Bounds->Elements.size() != 2)
    return quiet(M, S);
  const Value &First = Bounds->Elements[0]->V, &Last = Bounds->Elements[1]->V;
  if (!First.isNumber() || !Last.isNumber())
    return quiet(M, S);
  if (Integers)
    return M.drawBetween(First.asNumber(), Last.asNumber());
  return M.draw({First.asNumber(), std::nextafter(Last.asNumber(), First.asNumber())},
                /*EndsOnly=*/true);
}

#define COMMON(C)                                                              \
  {"std::" C "::seed", ignored}, {"std::" C "::reset", ignored},               \
      {"std::" C "::discard", ignored}, {"std::" C "::min", quiet},            \
      {"std::" C "::max", quiet}, {"std::" C "::param", quiet},                \
      {"std::" C "::entropy", quiet}, {"std::" C "::param_type::param_type", quiet}
#define ENGINE(C)                                                              \
  {"std::" C "::" C, quiet}, {"std::" C "::operator()", natural}, COMMON(C)
#define DISTRIBUTION(C)                                                        \
  {"std::" C "::" C, quiet}, {"std::" C "::operator()", quiet}, COMMON(C)

static constexpr NativeEntry RandomEntries[] = {
    {"rand", natural},
    {"random", natural},
    {"drand48", share},
    {"srand", ignored},
    {"srandom", ignored},
    ENGINE("random_device"),
    ENGINE("mersenne_twister_engine"),
    ENGINE("linear_congruential_engine"),
    ENGINE("subtract_with_carry_engine"),
    ENGINE("discard_block_engine"),
    ENGINE("shuffle_order_engine"),
    DISTRIBUTION("seed_seq"),
    {"std::uniform_int_distribution::uniform_int_distribution", uniform<true>},
    {"std::uniform_int_distribution::operator()", drawUniform<true>},
    COMMON("uniform_int_distribution"),
    {"std::uniform_real_distribution::uniform_real_distribution", uniform<false>},
    {"std::uniform_real_distribution::operator()", drawUniform<false>},
    COMMON("uniform_real_distribution"),
    DISTRIBUTION("normal_distribution"),
    DISTRIBUTION("lognormal_distribution"),
    DISTRIBUTION("bernoulli_distribution"),
    DISTRIBUTION("binomial_distribution"),
    DISTRIBUTION("geometric_distribution"),
    DISTRIBUTION("poisson_distribution"),
    DISTRIBUTION("exponential_distribution"),
    DISTRIBUTION("gamma_distribution"),
    DISTRIBUTION("cauchy_distribution"),
    DISTRIBUTION("chi_squared_distribution"),
    DISTRIBUTION("student_t_distribution"),
    DISTRIBUTION("weibull_distribution"),
    DISTRIBUTION("discrete_distribution"),
    DISTRIBUTION("piecewise_constant_distribution"),
    {"std::generate_canonical", share},
};
const Table RandomTable = RandomEntries;

} // namespace vramlint::stdlib
