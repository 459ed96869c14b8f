//===- checks/TensorOutlivesUseCheck.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch-tensor-outlives-use: finds large tensors that stay alive at the peak after their last use.

#pragma once

#include "checks/TorchCheck.h"

namespace vramlint {

class TensorOutlivesUseCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void onAnalysis(const Analysis &A) override;
};

} // namespace vramlint
