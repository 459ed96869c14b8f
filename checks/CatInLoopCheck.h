//===- checks/CatInLoopCheck.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch-cat-in-loop: finds tensors that are copied whole to append to them in a loop.

#pragma once

#include "checks/TorchCheck.h"

namespace vramlint {

class CatInLoopCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void onAnalysis(const Analysis &A) override;
};

} // namespace vramlint
