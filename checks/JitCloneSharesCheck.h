//===- checks/JitCloneSharesCheck.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch-jit-clone-shares: finds copies of TorchScript modules that share their weights by mistake.

#pragma once

#include "checks/TorchCheck.h"

namespace vramlint {

class JitCloneSharesCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void onAnalysis(const Analysis &A) override;
};

} // namespace vramlint
