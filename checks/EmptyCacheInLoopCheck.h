//===- checks/EmptyCacheInLoopCheck.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch-empty-cache-in-loop: finds loops and inference functions that empty the
// CUDA cache each time.
//
// What is silent: handlers and functions that clean up, loops that make or drop
// models, calls under a condition that changes from iteration to iteration, and
// loops over epochs, where it costs nothing that one would notice.

#pragma once

#include "checks/TorchCheck.h"

namespace vramlint {

class EmptyCacheInLoopCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void onAnalysis(const Analysis &A) override;
};

} // namespace vramlint
