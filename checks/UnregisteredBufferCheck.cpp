//===- checks/UnregisteredBufferCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See UnregisteredBufferCheck.h.

#include "checks/UnregisteredBufferCheck.h"
#include "checks/ModuleFields.h"
#include "checks/TorchNames.h"
#include <set>

using namespace clang;

namespace vramlint {

/// Names of what a module keeps for itself from call to call.
static bool isPassingState(llvm::StringRef Name) {
  for (llvm::StringRef Word : {"cache", "state", "mask", "hidden", "last", "prev",
                               "memory", "temp", "tmp", "loss", "log", "input",
                               "output", "grad", "history"})
    if (Name.contains_insensitive(Word))
      return true;
  return false;
}

void UnregisteredBufferCheck::onAnalysis(const Analysis &A) {
  Mentions Index(A.unit());
  std::set<SourceLocation> Done;
  for (const CXXRecordDecl *R : judgeableClasses(Index))
    for (const FieldDecl *F : R->fields()) {
      if (!isOrDerivesFrom(F->getType()->getAsCXXRecordDecl(), "at::Tensor") ||
          isPassingState(F->getName()) ||
          Index.Unit.isInMacroBody(F->getLocation()) ||
          !Done.insert(F->getLocation()).second)
        continue;
      TensorField Field = tensorField(Index, *F);
      if (!Field.unregistered() || Field.Learned)
        continue;
      std::optional<FixItHint> Fix;
      if (Field.Origins.size() == 1)
        Fix = registrationFix(Index, *F, Field.Origins[0], "register_buffer");
      llvm::StringRef Class = R->getName();
      Class.consume_back("Impl");
      {
        auto D = diag(F->getLocation(), "'%0' is no buffer of '%1': to() leaves it "
                                        "where it is, and torch::save() misses it")
                 << F->getNameAsString() << Class;
        if (Fix)
          D << *Fix;
      }
      note(Field.Use->getExprLoc(), "used here");
    }
}

} // namespace vramlint
