//===- checks/FactoryThenToCheck.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch-factory-then-to: finds tensors that are made on the CPU only to be moved.

#pragma once

#include "checks/BodyView.h"
#include "checks/TorchCheck.h"

namespace vramlint {

class FactoryThenToCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void onAnalysis(const Analysis &A) override;

private:
  struct Moved;
  static std::optional<Moved> movedFactory(const clang::CallExpr &C,
                                           const BodyView &View);
  void report(const Moved &M, const clang::ASTContext &Context);
};

} // namespace vramlint
