//===- checks/ViewRebindCheck.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch-view-rebind: finds views that are replaced where their values were meant to be set.

#pragma once

#include "checks/TorchCheck.h"

namespace vramlint {

class ViewRebindCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void onAnalysis(const Analysis &A) override;
};

} // namespace vramlint
