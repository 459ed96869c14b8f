//===- checks/OversizedLinearCheck.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch-oversized-linear: finds a fully connected layer that holds most of a model's
// parameters.

#pragma once

#include "checks/TorchCheck.h"

namespace vramlint {

class OversizedLinearCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void onAnalysis(const Analysis &A) override;
};

} // namespace vramlint
