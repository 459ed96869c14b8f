//===- lib/interp/Budget.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The limits of one run. Each has a name; running out is written down.

#pragma once

#include <cstdint>

namespace vramlint {

struct Budget {
  int64_t MaxSteps = 50'000'000;   ///< Statements, expressions and native work.
  unsigned MaxCallDepth = 400;     ///< The run's thread has a large stack.
  int64_t MaxElements = 4'000'000; ///< Of one container or string.
  double MaxSeconds = 8;           ///< The thread's computing time; parsing not counted.
  int64_t MaxIterations = 20'000;  ///< Of one loop whose state does not repeat.
};

} // namespace vramlint
