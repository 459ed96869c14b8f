//===- lib/memory/Loops.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The loops of a trace as a tree of runs: which iterations each run of a loop
// made, and in which of them every event lies.

#pragma once

#include "lib/torch/Trace.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace vramlint {

struct LoopIter {
  int64_t Number = 0; ///< From 0, as the program counts.
  int64_t LiveAtStart = 0, LiveAtEnd = 0;
  int64_t AllocatedBytes = 0;
  int64_t Skipped = 0; ///< Iterations skipped after it, all like it.
};

/// One run of a loop, from its first iteration to its end.
struct LoopRun {
  uint32_t Loop = None;
  StackId Stack = 0;
  std::vector<LoopIter> Iterations;

  /// The iteration that stands for all, or -1: they add up, so none does.
  int representative() const;

private:
  /// Without skipped ones: the largest, if all from the second on leave as much
  /// behind as they found.
  int largestSteady() const;
};

/// Where an event lies: a run and an iteration of it (index), outermost first.
struct LoopPlace {
  uint32_t Run;
  uint32_t Iteration;
  friend bool operator==(const LoopPlace &, const LoopPlace &) = default;
};
using LoopNest = llvm::SmallVector<LoopPlace, 3>;

struct LoopTree {
  std::vector<LoopRun> Runs;
  std::vector<LoopNest> Nests = {{}}; ///< 0: in no loop.
  std::vector<uint32_t> NestOf;       ///< One per event: index into Nests.
};

/// \p LiveAfter has one entry per event of \p T; allocations are those of
/// \p Device. A loop that is never ended (a break that was not written down)
/// ends with the one around it.
LoopTree computeLoops(const Trace &T, const std::vector<int64_t> &LiveAfter,
                      DeviceKind Device);

} // namespace vramlint
