//===- checks/GradGuardThreadCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See GradGuardThreadCheck.h.

#include "checks/GradGuardThreadCheck.h"
#include "checks/Insertion.h"
#include <set>

using namespace clang;

namespace vramlint {

void GradGuardThreadCheck::onAnalysis(const Analysis &A) {
  const UnitFacts &U = A.unit();
  std::set<SourceLocation> Done; // Instantiations share their text.
  for (const UnguardedThread &T : U.UnguardedThreads) {
    const FunctionFacts *Runs = U.function(T.Start->Runs);
    if (!Runs || U.isInMacroBody(T.Start->Loc) ||
        !Done.insert(T.Start->Loc).second)
      continue;
    std::optional<FixItHint> Fix;
    const auto *Body = dyn_cast<CompoundStmt>(Runs->Body);
    if (Body) {
      std::string Guard =
          T.Guard.Inference ? "c10::InferenceMode " : "torch::NoGradGuard ";
      Fix = insertAtStart(
          *Body,
          Guard + freshName(*Body, "no_grad", A.context().getSourceManager()) + ";",
          A.context());
    }
    {
      auto D = diag(T.Start->Loc, "the guard does not hold on the thread that %0 "
                                  "starts: gradients are recorded there")
               << T.Start->By;
      if (Fix)
        D << *Fix;
    }
    note(T.Guard.Loc, "this guard is for its own thread only");
    const ForwardSite &S = *T.Forwards.front();
    note(S.Loc, "the thread runs " +
                    (S.ObjectName.empty() ? "a model" : "'" + S.ObjectName + "'") +
                    " here");
    if (Body)
      note(Body->getLBracLoc().getLocWithOffset(1),
           "put a guard at the start of what the thread runs");
  }
}

} // namespace vramlint
