//===- checks/InvalidOperationCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See InvalidOperationCheck.h.

#include "checks/InvalidOperationCheck.h"
#include "checks/RecurrentState.h"
#include "checks/RefusedOperations.h"

using namespace clang;

namespace vramlint {

void InvalidOperationCheck::onAnalysis(const Analysis &A) {
  const std::vector<CarriedState> &States = A.carriedStates();
  for (const RefusedOperation &R : refusedOperations(A, FailureKind::Other)) {
    // One cause, one finding: checks of their own tell of these.
    if (isBackwardOf(States, R.Loc, A) || isTargetType(*R.What))
      continue;
    diag(R.Loc, "LibTorch throws here: %0") << R.What->Message;
    for (const ShapeStep &S : R.History)
      note(S.Loc, S.Text);
  }
}

} // namespace vramlint
