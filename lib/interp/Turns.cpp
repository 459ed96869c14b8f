//===- lib/interp/Turns.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Where affine operands cross, remainders come round and elements differ.

#include "lib/interp/Turns.h"

#include "lib/interp/Value.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace clang;

namespace vramlint {

/// The first iterations of a loop allocate what later ones find: what they did says
/// little about those.
static constexpr int64_t FirstSteady = 2;
/// So many turns in a row that bring nothing new, and a quotient or an element is
/// watched no longer.
static constexpr unsigned VainMax = 16;
/// So many turns of one loop are run.
static constexpr unsigned RunsMax = 64;
/// How far a turn of a remainder or of an element is looked for.
static constexpr int64_t SearchMax = 1 << 16;

using Wide = __int128;

static bool holds(BinaryOperatorKind Op, Wide L, Wide R) {
  switch (Op) {
  case BO_LT: return L < R;
  case BO_LE: return L <= R;
  case BO_GT: return L > R;
  case BO_GE: return L >= R;
  case BO_NE: return L != R;
  default:    return L == R;
  }
}

/// The smallest N > 0 for which `Gap + N * Step Op 0` is not what `Gap Op 0` is. For
/// an equation: the last N before Gap + N * Step passes 0.
static std::optional<Wide> turn(BinaryOperatorKind Op, Wide Gap, Wide Step) {
  if (Step == 0)
    return std::nullopt;
  if (Step < 0) { // Mirrored.
    Gap = -Gap;
    Step = -Step;
    Op = Op == BO_LT   ? BO_GT
         : Op == BO_GT ? BO_LT
         : Op == BO_LE ? BO_GE
         : Op == BO_GE ? BO_LE
                       : Op;
  }
  if (Gap > 0 || (Gap == 0 && Op != BO_LE && Op != BO_GT))
    return std::nullopt; // It only moves away.
  Wide N = -Gap / Step;
  if (Op == BO_EQ || Op == BO_NE)
    return std::max<Wide>(N, 1);
  // < and >= turn when 0 is reached, <= and > when it is passed.
  return Op == BO_LT || Op == BO_GE ? (-Gap + Step - 1) / Step : N + 1;
}

/// The change of V per iteration; nothing if it is not a whole number.
static std::optional<Wide> step(const int64_t (&V)[2], const int64_t (&At)[2]) {
  if (At[0] < 0)
    return std::nullopt;
  Wide Change = Wide(V[1]) - V[0], Iterations = At[1] - At[0];
  if (Change % Iterations != 0)
    return std::nullopt;
  return Change / Iterations;
}

Turns::Watch &Turns::note(Key E, What Kind, int64_t L, int64_t R, int64_t Iteration) {
  Watch &W = Watches[E];
  W.Kind = Kind;
  if (W.At[1] == Iteration)
    return W;
  auto push = [](int64_t(&Of)[2], int64_t New) {
    Of[0] = Of[1];
    Of[1] = New;
  };
  push(W.At, Iteration);
  push(W.L, L);
  push(W.R, R);
  return W;
}

void Turns::compared(Key E, BinaryOperatorKind Op, int64_t L, int64_t R,
                     int64_t Iteration, Key Remainder) {
  Watch &W = note(E, What::Comparison, L, R, Iteration);
  W.Op = Op;
  W.Dividend = Remainder;
  if (Iteration >= FirstSteady)
    W.Seen[holds(Op, L, R)] = true;
}

void Turns::divided(Key E, bool Remainder, int64_t N, int64_t K, int64_t Iteration) {
  Watch &W =
      note(E, Remainder ? What::Remainder : What::Quotient, N, K, Iteration);
  // A remainder is a condition by itself: `if (i % 10)`.
  if (Remainder && Iteration >= FirstSteady)
    W.Seen[Wide(N) % K != 0] = true;
}

void Turns::indexed(Key E, const Places &Elements, int64_t Index, int64_t Iteration) {
  Watch &W = note(E, What::Element, Index, 0, Iteration);
  if (W.At[1] != Iteration || W.L[1] != Index)
    return; // Not the first time in this iteration.
  W.TurnsAt = -1;
  std::optional<Wide> Step = step(W.L, W.At);
  const Value &Now = Elements[Index]->V;
  if (!Step || *Step == 0 || !Now.isInt())
    return;
  for (int64_t N = 1; N < SearchMax; ++N) {
    Wide I = Index + N * *Step;
    if (I < 0 || I >= Wide(Elements.size()))
      return;
    const Value &V = Elements[I]->V;
    if (V.isInt() && V.asInt() == Now.asInt())
      continue;
    W.TurnsAt = Iteration + N;
    return;
  }
}

/// When `(N + i * S) % K Op R` turns, where \p Dividend watches the `%`.
std::optional<int64_t> Turns::remainderTurn(const Watch &Dividend, const Watch &W,
                                            int64_t Now) const {
  std::optional<Wide> S = step(Dividend.L, Dividend.At);
  Wide N = Dividend.L[1], K = Dividend.R[1];
  if (!S || *S == 0 || K == 0)
    return std::nullopt;
  bool Comparison = W.Kind == What::Comparison;
  BinaryOperatorKind Op = Comparison ? W.Op : BO_NE;
  Wide R = Comparison ? W.R[1] : 0;
  bool Holds = holds(Op, N % K, R);
  for (int64_t I = 1; I <= SearchMax; ++I)
    if (int64_t At = Dividend.At[1] + I;
        At > Now && holds(Op, (N + I * *S) % K, R) != Holds)
      return At;
  return std::nullopt;
}

std::optional<int64_t> Turns::turnOf(const Watch &W, int64_t Now) const {
  auto At = [&](std::optional<Wide> N, Wide Step) -> std::optional<int64_t> {
    if (!N || *N > INT64_MAX / 2)
      return std::nullopt;
    // Inside an iteration that counts further than one, or between two.
    int64_t Turn = W.At[1] + int64_t(*N) - (Step > 1 || Step < -1);
    if (Turn + 1 <= Now)
      return std::nullopt;
    return std::max(Turn, Now + 1);
  };
  switch (W.Kind) {
  case What::Comparison: {
    if (W.Seen[!holds(W.Op, W.L[1], W.R[1])])
      return std::nullopt;
    if (auto D = Watches.find(W.Dividend); W.Dividend && D != Watches.end())
      return remainderTurn(D->second, W, Now);
    std::optional<Wide> DL = step(W.L, W.At), DR = step(W.R, W.At);
    if (!DL || !DR)
      return std::nullopt;
    return At(turn(W.Op, Wide(W.L[1]) - W.R[1], *DL - *DR), *DL - *DR);
  }
  case What::Remainder:
    if (W.R[1] == 0 || W.Seen[W.L[1] % W.R[1] == 0])
      return std::nullopt;
    return remainderTurn(W, W, Now);
  case What::Quotient: {
    std::optional<Wide> S = step(W.L, W.At);
    Wide N = W.L[1], K = W.R[1];
    if (W.Vain >= VainMax || !S || N < 0 || K <= 0)
      return std::nullopt;
    Wide Below = N / K * K; // The quotient is the same down to here.
    return At(*S > 0 ? turn(BO_LT, N - (Below + K), *S) : turn(BO_GE, N - Below, *S), 1);
  }
  case What::Element:
    if (W.Vain >= VainMax || W.TurnsAt <= Now)
      return std::nullopt;
    return W.TurnsAt;
  }
  return std::nullopt;
}

std::optional<int64_t> Turns::next(int64_t Now) {
  Due.clear();
  if (Run >= RunsMax)
    return std::nullopt;
  std::optional<int64_t> First;
  for (auto &[E, W] : Watches) {
    std::optional<int64_t> Turn = turnOf(W, Now);
    if (!Turn || (First && *Turn > *First))
      continue;
    if (First && *Turn < *First)
      Due.clear();
    First = Turn;
    Due.push_back(E);
  }
  Run += First.has_value();
  return First;
}

void Turns::ran(bool New) {
  for (Key E : Due)
    if (auto It = Watches.find(E); It != Watches.end())
      It->second.Vain = New ? 0 : It->second.Vain + 1;
  Due.clear();
  if (!New)
    return;
  // From here on the loop does something else: what was seen before says little.
  for (auto &[E, W] : Watches)
    W.Seen[0] = W.Seen[1] = false;
}

} // namespace vramlint
