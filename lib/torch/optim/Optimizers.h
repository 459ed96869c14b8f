//===- lib/torch/optim/Optimizers.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Shared by the files of optimizers; not for others.

#pragma once

#include "lib/torch/Optim.h"
#include "lib/torch/Rules.h"
#include <map>

namespace vramlint {

std::shared_ptr<Optimizer> makeAdagrad();
std::shared_ptr<Optimizer> makeAdam();
std::shared_ptr<Optimizer> makeAdamW();
std::shared_ptr<Optimizer> makeLBFGS();
std::shared_ptr<Optimizer> makeRMSprop();
std::shared_ptr<Optimizer> makeSGD();

/// A step runs: its phase is on, nothing records a graph.
class StepScope {
public:
  explicit StepScope(Runtime &R) : R(R), Before(R.In) {
    R.In = Phase::OptimizerStep;
    ++R.Below;
    R.event(EventKind::PhaseBegin, None, int64_t(Phase::OptimizerStep));
  }
  ~StepScope() {
    R.event(EventKind::PhaseEnd, None, int64_t(Phase::OptimizerStep));
    --R.Below;
    R.In = Before;
  }
  StepScope(const StepScope &) = delete;

private:
  Runtime &R;
  Phase Before;
};

/// A state tensor of a parameter: torch::zeros_like or a clone.
inline TensorRef makeState(Runtime &R, const TensorRef &Like) {
  TensorRef T = aten::emptyLike(R, Like);
  R.recategorize(T, Category::OptimizerState);
  return T;
}

} // namespace vramlint
