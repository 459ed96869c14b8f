//===- checks/OptimizerBeforeRegistrationCheck.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch-optimizer-before-registration: finds optimizers that miss parameters registered after them.

#pragma once

#include "checks/TorchCheck.h"

namespace vramlint {

class OptimizerBeforeRegistrationCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void onAnalysis(const Analysis &A) override;
};

} // namespace vramlint
