//===- checks/GraphAccumulationCheck.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch-graph-accumulation: finds sums and lists that keep the autograd graph of
// every iteration.
//
// Two ways lead to a finding. The text: a loss that backward() goes through in the
// loop is added to a tensor, or pushed into a list, that outlives the iteration and
// is only printed later. And the run: memory that grows at the head of a loop,
// because an op joins each iteration's graph to the one before, and no backward
// pass frees it afterwards.

#pragma once

#include "checks/TorchCheck.h"
#include <set>

namespace vramlint {

class GraphAccumulationCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void onAnalysis(const Analysis &A) override;

private:
  void reportText(const Analysis &A, const FunctionFacts &F,
                  std::set<clang::SourceLocation> &Done);
  void reportRun(const Analysis &A, std::set<clang::SourceLocation> &Done);
};

} // namespace vramlint
