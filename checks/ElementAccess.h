//===- checks/ElementAccess.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Loops that read a tensor one element at a time: t[i][j].item<float>().

#pragma once

#include "checks/BodyView.h"
#include <string>
#include <vector>

namespace vramlint {

struct ElementAccess {
  const clang::CallExpr *At = nullptr; ///< The call of item().
  const clang::Stmt *Loop = nullptr;   ///< The innermost around it.
  std::string Tensor;                  ///< As spelled.
};

/// In the order of the text; loops of a few iterations are left out.
std::vector<ElementAccess> elementAccesses(const FunctionFacts &F,
                                           const clang::ASTContext &Context);

/// Does the text say that \p Loop runs a few times only: for (int i = 0; i < 4; ++i)?
bool isFewTimes(const clang::Stmt *Loop, const clang::ASTContext &Context);

} // namespace vramlint
