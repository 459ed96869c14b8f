//===- checks/SyncInLoopCheck.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch-sync-in-loop: finds loops that wait for the GPU with each element.

#pragma once

#include "checks/TorchCheck.h"

namespace vramlint {

class SyncInLoopCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void onAnalysis(const Analysis &A) override;
};

} // namespace vramlint
