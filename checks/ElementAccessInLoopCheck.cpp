//===- checks/ElementAccessInLoopCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See ElementAccessInLoopCheck.h.

#include "checks/ElementAccessInLoopCheck.h"
#include "checks/ElementAccess.h"
#include <set>

using namespace clang;

namespace vramlint {

void ElementAccessInLoopCheck::onAnalysis(const Analysis &A) {
  std::set<SourceLocation> Done; // Instantiations share their text.
  for (const FunctionFacts &F : A.unit().Functions) {
    if (F.InTest || !F.Body)
      continue;
    for (const ElementAccess &E : elementAccesses(F, A.context())) {
      SourceLocation Loc = E.At->getExprLoc();
      if (A.unit().isInMacroBody(Loc) || !Done.insert(E.Loop->getBeginLoc()).second)
        continue;
      diag(Loc, "each access makes a tensor for one element of '%0', and item() reads it "
                "through the dispatcher")
          << E.Tensor;
      note(E.Loop->getBeginLoc(),
           "in this loop; before it, name a tensor on the CPU and take its accessor: "
           "accessor<type, dimensions>()");
    }
  }
}

} // namespace vramlint
