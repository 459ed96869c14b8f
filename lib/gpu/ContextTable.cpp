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
//   five cards    0.9–1.8 GiB fitted to training runs, so with the kernels of
//                           cuDNN and cuBLAS (SchedTune, GPUMemNet data)
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
    {89, 100, 1300, 1800, 400, 1000, "as RTX 3090, 1.7.1 cu110"},
    {87, 50, 600, 1500, 350, 1000, "Jetson, not measured"},
    {86, 100, 1300, 1800, 400, 1000, "RTX 3090, 1.7.1 cu110: 1486 MiB"},
    {80, 150, 1400, 1900, 500, 1100, "A100: fits up to 1.8 GiB"},
    {75, 100, 1000, 1500, 350, 900, "2080 Ti, 1.6 cu101: 877 MiB"},
    {72, 50, 600, 1500, 350, 1000, "Jetson, not measured"},
    {70, 150, 1281, 1600, 450, 1000, "V100, CUDA 11.2: 1,343 MB"},
    {60, 100, 650, 1000, 300, 800, "GTX 1080 Ti, CUDA 10.2: 653 MiB"},
    {10, 60, 500, 900, 300, 800, "Maxwell and older: K40 700 MB"},
    {0, 50, 600, 1800, 500, 1800, "no CUDA context: not measured"},
};

const ContextRow &contextRow(unsigned Capability) {
  for (const ContextRow &Row : Rows)
    if (Capability >= Row.MinCapability)
      return Row;
  return *std::prev(std::end(Rows));
}

} // namespace vramlint
