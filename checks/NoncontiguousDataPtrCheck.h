//===- checks/NoncontiguousDataPtrCheck.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch-noncontiguous-data-ptr: finds raw pointers to views whose elements are not in order.

#pragma once

#include "checks/TorchCheck.h"

namespace vramlint {

class NoncontiguousDataPtrCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void onAnalysis(const Analysis &A) override;
};

} // namespace vramlint
