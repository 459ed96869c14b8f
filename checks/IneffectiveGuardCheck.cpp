//===- checks/IneffectiveGuardCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See IneffectiveGuardCheck.h.

#include "checks/IneffectiveGuardCheck.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringSwitch.h"
#include <set>

using namespace clang;

namespace vramlint {

static std::string textOf(const GuardMisuse &M) {
  llvm::StringRef Effect = M.OfGrad ? "gradients are recorded all the same"
                                    : "it has no effect on what follows";
  switch (M.Kind) {
  case GuardMisuse::Temporary:
    return ("'" + M.Type + "' without a name is destroyed at the end of this "
            "statement: " + Effect).str();
  case GuardMisuse::Owned:
    return ("the guard of '" + M.Type + "' is destroyed at the end of this "
            "statement: " + Effect).str();
  case GuardMisuse::Function:
    return ("this declares a function '" + M.Name + "' that returns '" + M.Type +
            "', not a guard: " + Effect).str();
  case GuardMisuse::Shadow:
    return "this declares a guard named '" + M.Name +
           "'; it does not read the variable '" + M.Name + "'";
  case GuardMisuse::LastInBlock:
    return ("guard '" + M.Name + "' ends with this block, before anything runs "
            "under it: " + Effect).str();
  case GuardMisuse::LastInFunction:
    return ("guard '" + M.Name + "' ends with this function, before anything "
            "runs under it: " + Effect).str();
  }
  return "";
}

/// A name for a guard that has none.
static llvm::StringRef nameFor(llvm::StringRef Type) {
  llvm::StringRef Last = Type.substr(Type.rfind(':') + 1);
  return llvm::StringSwitch<llvm::StringRef>(Last)
      .Case("NoGradGuard", " no_grad")
      .Case("AutoGradMode", " grad_mode")
      .Case("InferenceMode", " inference_guard")
      .Default(" guard");
}

static std::optional<FixItHint> fixOf(const GuardMisuse &M) {
  if (M.Replace.isInvalid() || M.Replace.getBegin().isMacroID())
    return std::nullopt;
  if (M.Kind != GuardMisuse::Temporary)
    return FixItHint::CreateReplacement(M.Replace, M.With);
  if (M.Replace.getBegin() == M.Replace.getEnd())
    return FixItHint::CreateInsertion(M.Replace.getBegin(), nameFor(M.Type));
  return FixItHint::CreateReplacement(M.Replace, nameFor(M.Type));
}

void IneffectiveGuardCheck::onAnalysis(const Analysis &A) {
  std::set<SourceLocation> Done; // Instantiations share their text.
  for (const GuardMisuse &M : A.unit().Misuses) {
    if (!Done.insert(M.Loc).second)
      continue;
    auto D = diag(M.Loc, "%0") << textOf(M);
    if (std::optional<FixItHint> Fix = fixOf(M))
      D << *Fix;
  }
}

} // namespace vramlint
