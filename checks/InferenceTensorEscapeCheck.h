//===- checks/InferenceTensorEscapeCheck.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch-inference-tensor-escape: finds tensors of InferenceMode that are trained or changed outside of it.

#pragma once

#include "checks/TorchCheck.h"

namespace vramlint {

class InferenceTensorEscapeCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void onAnalysis(const Analysis &A) override;
};

} // namespace vramlint
