//===- lib/interp/Turns.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// When the conditions of a loop will turn.
//
// `if (epoch == 50) size = 608;` does nothing for fifty iterations, which all do the
// same: a loop that is cut short must stop there. So each comparison, division and
// subscript of whole numbers that a loop runs is watched: from two iterations one
// sees how its operands move, and from that when its result is another one.

#pragma once

#include "clang/AST/OperationKinds.h"
#include "llvm/ADT/DenseMap.h"
#include <cstdint>
#include <optional>

namespace vramlint {

class Places;

class Turns {
public:
  /// The expression that is watched: comparison, `%`, `/`, case or subscript.
  using Key = const void *;

  /// `L Op R` was computed in \p Iteration of the loop. \p Remainder: the `%` that
  /// L is the result of, or null.
  void compared(Key E, clang::BinaryOperatorKind Op, int64_t L, int64_t R,
                int64_t Iteration, Key Remainder = nullptr);
  /// `N / K` or `N % K`; \p K is not 0.
  void divided(Key E, bool Remainder, int64_t N, int64_t K, int64_t Iteration);
  /// Element \p Index of \p Elements was asked for.
  void indexed(Key E, const Places &Elements, int64_t Index, int64_t Iteration);

  /// The first iteration after \p Now in which something turns that did not turn
  /// before, or whose turns still brought something new; nothing if there is none
  /// or too many were run.
  std::optional<int64_t> next(int64_t Now);
  /// The iterations up to \p Now, run for a turn, did what was done before, or not.
  void ran(bool New);

private:
  enum class What { Comparison, Remainder, Quotient, Element };
  struct Watch {
    What Kind = What::Comparison;
    clang::BinaryOperatorKind Op = clang::BO_EQ;
    /// The first time in each of the last two iterations that had one.
    int64_t At[2] = {-1, -1};
    int64_t L[2] = {0, 0}, R[2] = {0, 0};
    Key Dividend = nullptr; ///< The watch of the `%` on the left.
    bool Seen[2] = {false, false}; ///< False, true: in an iteration like the rest.
    int64_t TurnsAt = -1; ///< Element: found when it was asked for.
    unsigned Vain = 0;    ///< Turns in a row that brought nothing new.
  };
  Watch &note(Key E, What Kind, int64_t L, int64_t R, int64_t Iteration);
  std::optional<int64_t> turnOf(const Watch &W, int64_t Now) const;
  std::optional<int64_t> remainderTurn(const Watch &Dividend, const Watch &W,
                                       int64_t Now) const;

  llvm::DenseMap<Key, Watch> Watches;
  llvm::SmallVector<Key, 4> Due; ///< What the iteration that next() gave is run for.
  unsigned Run = 0;
};

} // namespace vramlint
