//===- checks/FunctionalDropoutTrainingCheck.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch-functional-dropout-training: finds functional dropout whose mode does not
// follow the module's.
//
// The options of F::dropout, dropout2d and dropout3d have training(true) by
// default, those of F::alpha_dropout and F::feature_alpha_dropout have
// training(false) (torch/nn/options/dropout.h, from 1.5 on): left out, the first
// drop values in inference too, the others never.

#pragma once

#include "checks/TorchCheck.h"

namespace vramlint {

class FunctionalDropoutTrainingCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void onAnalysis(const Analysis &A) override;
};

} // namespace vramlint
