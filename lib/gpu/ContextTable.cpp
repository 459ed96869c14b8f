//===- lib/gpu/ContextTable.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The table of context sizes. Measured, with what was read where:
//
//   GTX 1080 Ti   653 MiB   one 1×1 tensor, CUDA 10.2 (tch-rs issue 81)
//   Titan V      1005 MiB   first tensor, PyTorch 1.3; bare context 319 MiB
//                           (pytorch issue 28394)
//   V100         1281 MiB   first tensor, CUDA 11.2 (1,343 MB)
//   2080 Ti       877 MiB   first tensor, 1.6 cu101 (pytorch issue 49877)
//   RTX 3090     1486 MiB   first tensor, 1.7.1 cu110 (the same)
//   not named     616 MiB   eager, 254 MiB lazy: first tensor, 1.13
//                           (pytorch pull request 86509, less a 20 MiB segment)
//   not named     300–400 MB lazy (pytorch issues 107667, 109888)
//   fitted        driver-level peaks of training runs less what our allocator
//                 replay reserves, median: 450 MiB on 13 SMs (a K80 by its
//                 count and memory), 1190 RTX 2070 Super, 1280 RTX 3070, 1320
//                 on 80 SMs (a V100), 1390 RTX 3090 (SchedTune, eager loading),
//                 1760 to 2100 on an A100 of 40 GB (GPUMemNet, with cuDNN
//                 benchmarking)
//
// The lower figure of each row is the bare context, kept below every one seen:
// warnings rest on it. Rows without an own measurement take their neighbour's.

#include "lib/gpu/ContextTable.h"

#include <iterator>

namespace vramlint {

static constexpr ContextRow Rows[] = {
    // Capability, lower, eager expected and upper, lazy expected and upper.
    {100, 150, 1400, 1900, 600, 1200, "as Hopper, not measured"},
    {90, 150, 1400, 1900, 550, 1200,
     "as Ampere, not measured; lazy 300-400 MB plus libraries"},
    {89, 100, 1330, 1800, 400, 1000, "as RTX 3090, not measured"},
    {87, 50, 600, 1500, 350, 1000, "Jetson, not measured"},
    {86, 100, 1330, 1800, 400, 1000,
     "RTX 3070 and 3090, fitted: 1280-1390 MiB eager"},
    {80, 150, 1750, 2100, 500, 1200, "A100 40 GB, fitted: 1.7-2.1 GiB eager"},
    {75, 100, 1150, 1500, 350, 900, "RTX 2070 Super, fitted: 1190 MiB eager"},
    {72, 50, 600, 1500, 350, 1000, "Jetson, not measured"},
    {70, 150, 1281, 1600, 450, 1000, "V100, CUDA 11.2: 1281 MiB"},
    {60, 100, 650, 1000, 300, 800, "GTX 1080 Ti, CUDA 10.2: 653 MiB"},
    {10, 60, 450, 900, 300, 800, "K80, fitted: 450 MiB"},
    {0, 50, 600, 1800, 500, 1800, "no CUDA context: not measured"},
};

const ContextRow &contextRow(unsigned Capability) {
  for (const ContextRow &Row : Rows)
    if (Capability >= Row.MinCapability)
      return Row;
  return *std::prev(std::end(Rows));
}

} // namespace vramlint
