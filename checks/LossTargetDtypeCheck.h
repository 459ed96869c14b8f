//===- checks/LossTargetDtypeCheck.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch-loss-target-dtype: finds class targets of losses that are not integers.

#pragma once

#include "checks/TorchCheck.h"

namespace vramlint {

class LossTargetDtypeCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void onAnalysis(const Analysis &A) override;
};

} // namespace vramlint
