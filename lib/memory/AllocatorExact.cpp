//===- lib/memory/AllocatorExact.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A counter.

#include "lib/memory/AllocatorExact.h"

namespace vramlint {

void AllocatorExact::allocate(uint32_t Key, int64_t SizeBytes) {
  Blocks[Key] = SizeBytes;
  Allocated += SizeBytes;
  Peak = std::max(Peak, Allocated);
}

void AllocatorExact::release(uint32_t Key) {
  auto It = Blocks.find(Key);
  if (It == Blocks.end())
    return;
  Allocated -= It->second;
  Blocks.erase(It);
}

} // namespace vramlint
