//===- checks/MissingZeroGradCheck.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch-missing-zero-grad: finds training loops that never set the gradients back.

#pragma once

#include "checks/TorchCheck.h"

namespace vramlint {

class MissingZeroGradCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void onAnalysis(const Analysis &A) override;
};

} // namespace vramlint
