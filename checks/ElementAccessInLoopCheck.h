//===- checks/ElementAccessInLoopCheck.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch-element-access-in-loop: finds loops that read tensors one element at a time.

#pragma once

#include "checks/TorchCheck.h"

namespace vramlint {

class ElementAccessInLoopCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void onAnalysis(const Analysis &A) override;
};

} // namespace vramlint
