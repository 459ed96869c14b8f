//===- checks/InvalidOperationCheck.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch-invalid-operation: finds operations that LibTorch refuses: two devices, wrong types, undefined tensors.

#pragma once

#include "checks/TorchCheck.h"

namespace vramlint {

class InvalidOperationCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void onAnalysis(const Analysis &A) override;
};

} // namespace vramlint
