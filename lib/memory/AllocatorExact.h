//===- lib/memory/AllocatorExact.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The allocator of the CPU oracle: bytes as asked for, nothing cached.

#pragma once

#include "llvm/ADT/DenseMap.h"
#include <algorithm>
#include <cstdint>

namespace vramlint {

class AllocatorExact {
public:
  /// \p Key names the block until its release.
  void allocate(uint32_t Key, int64_t SizeBytes);
  /// Unknown keys are ignored.
  void release(uint32_t Key);

  int64_t allocatedBytes() const { return Allocated; }
  int64_t peakAllocatedBytes() const { return Peak; }

private:
  llvm::DenseMap<uint32_t, int64_t> Blocks;
  int64_t Allocated = 0, Peak = 0;
};

} // namespace vramlint
