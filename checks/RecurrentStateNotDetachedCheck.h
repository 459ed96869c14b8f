//===- checks/RecurrentStateNotDetachedCheck.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch-recurrent-state-not-detached: finds recurrent states that carry one training
// step's graph into the next.
//
// Without retain_graph LibTorch throws in the second iteration; that exception has
// this cause, so torch-invalid-operation leaves it to this check.

#pragma once

#include "checks/TorchCheck.h"

namespace vramlint {

class RecurrentStateNotDetachedCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void onAnalysis(const Analysis &A) override;
};

} // namespace vramlint
