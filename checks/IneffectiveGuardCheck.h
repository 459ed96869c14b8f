//===- checks/IneffectiveGuardCheck.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch-ineffective-guard: finds guards that end before they can have any effect.

#pragma once

#include "checks/TorchCheck.h"

namespace vramlint {

class IneffectiveGuardCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void onAnalysis(const Analysis &A) override;
};

} // namespace vramlint
