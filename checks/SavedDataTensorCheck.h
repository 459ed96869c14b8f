//===- checks/SavedDataTensorCheck.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch-saved-data-tensor: finds tensors that a custom autograd function saves past the engine.

#pragma once

#include "checks/TorchCheck.h"

namespace vramlint {

class SavedDataTensorCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void onAnalysis(const Analysis &A) override;
};

} // namespace vramlint
