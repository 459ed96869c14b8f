//===- checks/ShapeMismatchCheck.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch-shape-mismatch: finds operations on tensors whose shapes do not fit.

#pragma once

#include "checks/TorchCheck.h"
#include <set>

namespace vramlint {

class ShapeMismatchCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void onAnalysis(const Analysis &A) override;

private:
  void reportView(const Analysis &A, const OpRecord &Op, OpId Id,
                  std::set<clang::SourceLocation> &Done);
};

} // namespace vramlint
