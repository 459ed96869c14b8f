//===- checks/GrowingMemory.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Loops whose memory grows, as the program's run saw them: by how much, through
// which op, and whether a backward pass frees it all after the loop. For checks
// that say why.

#pragma once

#include "checks/Analysis.h"
#include <string>
#include <vector>

namespace vramlint {

struct Growing {
  std::shared_ptr<const Timeline> Line; ///< Keeps Is alive.
  const LoopGrowth *Is = nullptr;
  clang::SourceLocation Loop; ///< May be invalid: not in this unit.
  clang::SourceLocation Op;   ///< Of LoopGrowth::KeptBy; invalid: none.
  bool Freed = false;         ///< By a backward pass after the loop.
};

/// What Analysis::growingLoops() holds.
std::vector<Growing> findGrowingLoops(const Analysis &A);

/// "each iteration keeps 250 KiB more of GPU memory; NVIDIA T4 is full after about
/// 58,000 iterations".
std::string growthText(const Analysis &A, const Growing &G);

/// True if both are in the same line.
bool onSameLine(const Analysis &A, clang::SourceLocation X, clang::SourceLocation Y);

} // namespace vramlint
