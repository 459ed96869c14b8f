//===- checks/UnregisteredBufferCheck.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch-unregistered-buffer: finds constant tensors in a module's fields that to()
// and torch::save() don't reach.

#pragma once

#include "checks/TorchCheck.h"

namespace vramlint {

class UnregisteredBufferCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void onAnalysis(const Analysis &A) override;
};

} // namespace vramlint
