//===- test/cli/Inputs/cuda/c10/cuda/CUDACachingAllocator.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Stands in for LibTorch's allocator: 60 MiB reserved, of which 50 were allocated.

#pragma once

#include <array>
#include <cstdint>

namespace c10::cuda::CUDACachingAllocator {

struct Stat {
  int64_t current = 0, peak = 0;
};
struct DeviceStats {
  std::array<Stat, 3> allocated_bytes, reserved_bytes;
};

inline DeviceStats getDeviceStats(int) {
  DeviceStats S;
  S.allocated_bytes[0] = {20 << 20, 50 << 20};
  S.reserved_bytes[0] = {60 << 20, 60 << 20};
  return S;
}

} // namespace c10::cuda::CUDACachingAllocator
