//===- checks/RecurrentStateNotDetachedCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See RecurrentStateNotDetachedCheck.h.

#include "checks/RecurrentStateNotDetachedCheck.h"
#include "checks/BodyView.h"
#include "checks/GrowingMemory.h"
#include "checks/Insertion.h"
#include "checks/RecurrentState.h"
#include "checks/TensorOps.h"
#include "clang/AST/DeclTemplate.h"
#include <set>

using namespace clang;

namespace vramlint {

/// "h = h.detach();", of a tuple each part; empty where we don't know how.
static std::string detachLine(const VarDecl &State) {
  std::string Name = State.getNameAsString();
  if (isTensor(State.getType()))
    return Name + " = " + Name + ".detach();";
  const auto *S = dyn_cast_or_null<ClassTemplateSpecializationDecl>(
      State.getType().getCanonicalType()->getAsCXXRecordDecl());
  if (!S || (nameOf(S) != "tuple" && nameOf(S) != "pair") || !S->isInStdNamespace())
    return "";
  llvm::SmallVector<TemplateArgument, 4> Parts;
  for (const TemplateArgument &A : S->getTemplateArgs().asArray())
    if (A.getKind() == TemplateArgument::Pack)
      Parts.append(A.pack_begin(), A.pack_end());
    else
      Parts.push_back(A);
  std::string Text;
  for (size_t I = 0; I < Parts.size(); ++I) {
    if (Parts[I].getKind() != TemplateArgument::Type || !isTensor(Parts[I].getAsType()))
      return "";
    Text += (I ? ", " : "") + ("std::get<" + std::to_string(I) + ">(" + Name) +
            ").detach()";
  }
  return Name + " = std::make_" + nameOf(S).str() + "(" + Text + ");";
}

void RecurrentStateNotDetachedCheck::onAnalysis(const Analysis &A) {
  std::set<SourceLocation> Done; // Instantiations share their text.
  for (const CarriedState &S : A.carriedStates()) {
    SourceLocation Loc = S.Assigned->getBeginLoc();
    if (A.unit().isInMacroBody(Loc) || !Done.insert(Loc).second)
      continue;
    std::string Name = S.State->getNameAsString(), Line = detachLine(*S.State);
    {
      auto D = diag(Loc, "the state '%0' carries the autograd graph of each iteration "
                         "into the next: %select{the second backward() throws|all of "
                         "them stay in memory}1")
               << Name << S.KeepsGraph;
      // With retain_graph the program runs, and detaching would change its results.
      if (!Line.empty() && !S.KeepsGraph)
        if (auto Fix = insertAfter(S.Assigned->getBeginLoc(), S.Assigned->getEndLoc(),
                                   Line, A.context()))
          D << *Fix;
    }
    note(S.Backward->getExprLoc(),
         "backward() goes through all iterations so far" +
             std::string(S.KeepsGraph ? ", since retain_graph keeps them"
                                      : ", and frees what the next one needs again"));
    for (const Growing &G : A.growingLoops())
      if (S.KeepsGraph && onSameLine(A, G.Loop, S.Loop->getBeginLoc()))
        note(G.Loop, growthText(A, G));
    note(S.Forward->Loc, "detach '" + Name + "' before it is given back to '" +
                             S.Forward->ObjectName + "'");
  }
}

} // namespace vramlint
