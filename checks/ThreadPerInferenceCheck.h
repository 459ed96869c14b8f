//===- checks/ThreadPerInferenceCheck.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch-thread-per-inference: finds threads that are started for each inference.

#pragma once

#include "checks/TorchCheck.h"

namespace vramlint {

class ThreadPerInferenceCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void onAnalysis(const Analysis &A) override;
};

} // namespace vramlint
