//===- lib/memory/LineTable.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What each line of the user's source allocates and frees: the table behind
// `vramlint annotate`, in the sense of Python's memory_profiler: what a callee
// does counts for the caller's line too.
//
// Lines in a loop show its steady iteration: the one that skipped iterations
// resemble, else, where every iteration from the second on leaves as much
// behind as it found, the last. A loop whose iterations add up (layers pushed
// back in a constructor) shows their sum.

#pragma once

#include "lib/memory/Timeline.h"

namespace vramlint {

struct LineUse {
  int64_t AllocatedBytes = 0;
  int64_t FreedBytes = 0;
  int64_t AliveAfterBytes = 0; ///< After the line's last event.
  int64_t PeakBytes = 0;       ///< Highest inside it, its start included.
  friend bool operator==(const LineUse &, const LineUse &) = default;
};

struct LineRow {
  SourcePos Pos;            ///< File and line; column 0.
  llvm::StringRef Function; ///< Whose line it is.
  LineUse Use;
  bool InLoop = false;    ///< Use is one iteration's, the steady one's.
  unsigned Iteration = 0; ///< Which one, from 1, of the innermost such loop.
  /// The first iteration, if it allocates or frees another amount.
  std::optional<LineUse> First;
  bool HoldsPeak = false;     ///< The timeline's peak is reached on this line …
  bool InnermostPeak = false; ///< … itself, not in a function it calls.
};

struct LineTable {
  std::vector<LineRow> Rows; ///< By file, then line.
  bool HasSteadyLoop = false;
  unsigned SteadyIteration = 0; ///< From 1, of the loop most lines are in.

  /// The row of a line, or null.
  const LineRow *find(llvm::StringRef File, unsigned Line) const;
  /// The rows of one file, in order.
  std::vector<const LineRow *> of(llvm::StringRef File) const;
};

LineTable computeLineTable(const Timeline &T);

} // namespace vramlint
