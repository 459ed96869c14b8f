//===- checks/GradGuardThreadCheck.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch-grad-guard-thread: finds guards that another thread, which runs the
// model, does not have.
//
// Which threads are started where, and what they run, is found in ThreadFacts.cpp.

#pragma once

#include "checks/TorchCheck.h"

namespace vramlint {

class GradGuardThreadCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void onAnalysis(const Analysis &A) override;
};

} // namespace vramlint
