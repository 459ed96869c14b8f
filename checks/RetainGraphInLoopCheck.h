//===- checks/RetainGraphInLoopCheck.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch-retain-graph-in-loop: finds backward passes that keep a graph which nothing uses again.

#pragma once

#include "checks/TorchCheck.h"
#include "clang/AST/ExprCXX.h"

namespace vramlint {

class RetainGraphInLoopCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void onAnalysis(const Analysis &A) override;

private:
  void report(const clang::CXXMemberCallExpr &C, const clang::Stmt &Loop,
              const clang::ASTContext &Context);
};

} // namespace vramlint
