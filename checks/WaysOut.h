//===- checks/WaysOut.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What would make a program fit a GPU, each found by running the program again
// with one thing changed.

#pragma once

#include "checks/Analysis.h"
#include "checks/OversizedLinear.h"

namespace vramlint {

struct WayOut {
  std::string What;       ///< "SGD instead of Adam".
  bool Fits = false;      ///< Alone: expected need within usable memory.
  int64_t NeedBytes = 0;  ///< Expected, at driver level.
  int64_t LessBytes = 0;  ///< Of live bytes at the peak.
};

/// Those that apply to the program, the largest saving first.
std::vector<WayOut> findWaysOut(const Analysis &A, const Fit &F);

} // namespace vramlint
