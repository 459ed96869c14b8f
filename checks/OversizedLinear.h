//===- checks/OversizedLinear.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Fully connected layers that hold most of a model: found in a trace, without
// Clang. Two checks use this: torch-oversized-linear reports them, and
// torch-vram-overflow counts pooling before them as a way out.

#pragma once

#include "lib/torch/Trace.h"
#include <string>
#include <vector>

namespace vramlint {

struct OversizedLimits {
  unsigned MinSharePercent = 50;
  int64_t MinBytes = 64 << 20;
};

struct OversizedLinear {
  ModuleId Module = None;
  std::string Name;             ///< "Linear(25088, 4096)".
  int64_t Elements = 0, SizeBytes = 0;
  int64_t ModelElements = 0;    ///< Of the whole model, each tensor once.
  bool FromFile = false;        ///< Weights are loaded into the model.
  int64_t InFeatures = 0, OutFeatures = 0;
  /// The feature map that is flattened into it, C×H×W; 0: none was seen.
  int64_t Channels = 0, Positions = 0;
  int64_t PooledBytes = 0;      ///< Its size after global average pooling.
};

/// Those above both limits, in order of construction. A projection to more
/// features than come in (a vocabulary, a decoder) is none.
std::vector<OversizedLinear> findOversizedLinears(const Trace &T,
                                                  const OversizedLimits &Limits);

/// What training keeps for each byte of parameters.
struct TrainingMultiple {
  bool Trains = false;
  std::string Optimizer;        ///< "Adam"; empty if there is none.
  int64_t StateCopies = 0;      ///< Optimizer state, in copies of a parameter.
  int64_t factor() const { return Trains ? 2 + StateCopies : 1; }
};
TrainingMultiple trainingMultiple(const Trace &T);

} // namespace vramlint
