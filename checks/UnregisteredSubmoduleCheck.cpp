//===- checks/UnregisteredSubmoduleCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See UnregisteredSubmoduleCheck.h.

#include "checks/UnregisteredSubmoduleCheck.h"
#include "checks/ModuleFields.h"
#include "checks/TorchNames.h"
#include "clang/Basic/SourceManager.h"
#include <set>

using namespace clang;

namespace vramlint {

/// "NetImpl" is what users call "Net".
static std::string className(const FieldDecl &F) {
  llvm::StringRef Name = cast<CXXRecordDecl>(F.getParent())->getName();
  Name.consume_back("Impl");
  return Name.str();
}

/// "its 5,020 parameters", or without the number.
static std::string weightsText(const SeenModules &Seen) {
  return Seen.Elements > 0 ? "its " + formatCount(Seen.Elements) + " parameters"
                           : "its parameters";
}

/// Wrapping is a fix where the field is made in one place; where it gets one
/// module after the other, a suggestion: it gives them names.
void UnregisteredSubmoduleCheck::report(const Mentions &Index,
                                        const FieldDecl &F, Finding What) {
  std::optional<FixItHint> Fix;
  bool Suggest = false;
  if (What.Origins.size() == 1 && What.CanWrap) {
    Fix = registrationFix(Index, F, What.Origins[0], What.Call);
    Suggest = What.Origins[0].Kind == Origin::Added;
  }
  {
    auto D = diag(F.getLocation(), "'%0' isn't registered in '%1': %2")
             << F.getNameAsString() << className(F) << What.Misses;
    if (Fix && !Suggest)
      D << *Fix;
  }
  note(What.Use, "used here");
  SourceLocation Made = What.Origins[0].E ? What.Origins[0].E->getExprLoc()
                                          : SourceLocation();
  if (Fix && Suggest)
    diag(Made, "register each where it is made", DiagnosticIDs::Note) << *Fix;
  else if (!Fix && Made.isValid())
    note(Made, "made here: pass it to " + What.Call + "()");
  if (What.InFiles)
    note(F.getLocation(), "registered, it is part of what torch::save() writes: "
                          "files saved before lack it");
}

void UnregisteredSubmoduleCheck::checkModules(const Analysis &A,
                                              const Mentions &Index,
                                              const FieldDecl &F) {
  FieldFlow Flow(Index, F);
  if (!Flow.unregistered())
    return;
  ModuleState State = stateOf(F, Flow, A.context());
  if (State == ModuleState::None || State == ModuleState::Unknown)
    return;
  SeenModules Seen = seenModules(A, F, Flow.Origins);
  if (Seen.Registered)
    return;
  Finding What;
  What.Call = "register_module";
  What.InFiles = State == ModuleState::Weights;
  What.Misses = What.InFiles
                    ? "parameters(), to() and torch::save() miss " +
                          weightsText(Seen)
                    : "train() and eval() don't reach it";
  What.Use = firstUse(Flow.Uses, A.context().getSourceManager());
  What.Origins = Flow.Origins;
  // A module by value can't be registered, it has no shared_ptr; neither can what
  // an AnyModule or unique_ptr holds.
  const CXXRecordDecl *R = F.getType()->getAsCXXRecordDecl();
  What.CanWrap = R && !isOrDerivesFrom(R, "torch::nn::Module") &&
                 R->getIdentifier() && R->getName() != "AnyModule" &&
                 R->getName() != "unique_ptr";
  report(Index, F, std::move(What));
}

void UnregisteredSubmoduleCheck::checkTensor(const Analysis &A,
                                             const Mentions &Index,
                                             const FieldDecl &F) {
  TensorField Field = tensorField(Index, F);
  if (!Field.unregistered() || !Field.Learned)
    return;
  Finding What;
  What.Call = "register_parameter";
  What.InFiles = true;
  What.Misses = "parameters(), to() and torch::save() miss it";
  What.Use = Field.Use->getExprLoc();
  What.Origins = Field.Origins;
  What.CanWrap = true;
  report(Index, F, std::move(What));
}

void UnregisteredSubmoduleCheck::onAnalysis(const Analysis &A) {
  Mentions Index(A.unit());
  std::set<SourceLocation> Done; // Instantiations share their fields' places.
  for (const CXXRecordDecl *R : judgeableClasses(Index))
    for (const FieldDecl *F : R->fields()) {
      HeldTypes Held = heldTypes(F->getType());
      if ((Held.Modules.empty() && !Held.Tensors) ||
          Index.Unit.isInMacroBody(F->getLocation()) ||
          !Done.insert(F->getLocation()).second)
        continue;
      if (!Held.Modules.empty())
        checkModules(A, Index, *F);
      else if (isOrDerivesFrom(F->getType()->getAsCXXRecordDecl(), "at::Tensor"))
        checkTensor(A, Index, *F);
    }
}

} // namespace vramlint
