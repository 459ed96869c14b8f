//===- checks/ParameterReassignedCheck.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch-parameter-reassigned: finds layers whose registered weight is replaced by another tensor.

#pragma once

#include "checks/TorchCheck.h"

namespace vramlint {

class ParameterReassignedCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void onAnalysis(const Analysis &A) override;
};

} // namespace vramlint
