//===- checks/ModelLoadPerCallCheck.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch-model-load-per-call: finds models that are loaded from their files again
// and again.
//
// In a loop: the same file in each iteration. In a function: one that loads a
// model into a local variable, runs it, and is called in a loop, or takes a frame
// and is called by nobody in the file.

#pragma once

#include "checks/TorchCheck.h"

namespace vramlint {

class ModelLoadPerCallCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void onAnalysis(const Analysis &A) override;
};

} // namespace vramlint
