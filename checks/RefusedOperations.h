//===- checks/RefusedOperations.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What LibTorch refused when the program ran, and where its tensors came from.

#pragma once

#include "checks/Analysis.h"
#include <string>
#include <vector>

namespace vramlint {

/// A step in a tensor's history.
struct ShapeStep {
  clang::SourceLocation Loc;
  std::string Text; ///< "64×500 comes from view".
};

/// An operation that throws in every run that was tried.
struct RefusedOperation {
  clang::SourceLocation Loc;
  const Failure *What = nullptr;
  std::vector<ShapeStep> History; ///< Of each input, the latest step first.
};

/// Those of \p Kind. Silent where a size that takes part is not known.
std::vector<RefusedOperation> refusedOperations(const Analysis &A, FailureKind Kind);

/// "64×500 float32", "a scalar".
std::string shapeOf(const TensorDesc &D);

/// Where \p D, an input of op \p Before, got its shape: up to \p Max steps back.
std::vector<ShapeStep> historyOf(const Analysis &A, const TensorDesc &D, OpId Before,
                                 unsigned Max);

/// Is \p F that a loss refuses the type of its target? torch-loss-target-dtype's.
bool isTargetType(const Failure &F);

} // namespace vramlint
