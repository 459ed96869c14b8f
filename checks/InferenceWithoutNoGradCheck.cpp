//===- checks/InferenceWithoutNoGradCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See InferenceWithoutNoGradCheck.h.

#include "checks/InferenceWithoutNoGradCheck.h"
#include "checks/Insertion.h"
#include "checks/Surroundings.h"
#include "checks/TorchNames.h"
#include "lib/torch/plugin/ArchiveStore.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringExtras.h"
#include <map>
#include <set>

using namespace clang;

namespace vramlint {

InferenceWithoutNoGradCheck::InferenceWithoutNoGradCheck(
    llvm::StringRef Name, tidy::ClangTidyContext *Context)
    : TorchCheck(Name, Context), IgnoreTests(Options.get("IgnoreTests", true)),
      Guard(Options.get("Guard", "torch::NoGradGuard").str()) {}

void InferenceWithoutNoGradCheck::storeOptions(
    tidy::ClangTidyOptions::OptionMap &Opts) {
  TorchCheck::storeOptions(Opts);
  Options.store(Opts, "IgnoreTests", IgnoreTests);
  Options.store(Opts, "Guard", Guard);
}

/// Does a word of \p Name say "inference": predictFrame, run_inference, test? Not
/// contest or latest.
static bool namesInference(llvm::StringRef Name) {
  return hasWord(Name, {"infer", "predict", "detect", "eval", "test", "valid"});
}

/// Only "evaluate" and the like: PPO's evaluate_actions() gives what a loss is made
/// of, in another file.
static bool mayServeTraining(const FunctionDecl &F) {
  return mayHoldTensor(F.getReturnType()) &&
         !hasWord(plainName(F), {"infer", "predict", "detect"});
}

/// Is it unclear whether backward() goes through \p S's result? It is called later
/// in the same block, and the run follows neither objects that hold tensors nor
/// what comes of unknown ones.
static bool mayReachBackward(const ForwardSite &S, const SourceManager &SM) {
  if (S.Blocks.empty())
    return false;
  for (SourceLocation L : S.In->TrainingLocs)
    if (S.Loc < L && within(L, S.Blocks.back()->getSourceRange(), SM))
      return true;
  return false;
}

/// Does \p S stand after an eval() of its object, with no train() between, in a
/// block that goes on to no training? Then it is how a program that trains
/// evaluates, before the next epoch or at the end.
static bool inEvaluationPhase(const UnitFacts &U, const ForwardSite &S) {
  const SourceManager &SM = U.Context.getSourceManager();
  const ModeCall *Last = nullptr;
  for (const ModeCall &M : S.In->ModeCalls)
    if (M.Loc < S.Loc && U.object(M.Object) == U.object(S.Object))
      Last = &M;
  if (!Last || !Last->Evaluates)
    return false;
  const CompoundStmt *Around = nullptr; // The innermost that holds both.
  for (const CompoundStmt *B : S.Blocks)
    if (within(Last->Loc, B->getSourceRange(), SM))
      Around = B;
  return Around && llvm::none_of(S.In->TrainingLocs, [&](SourceLocation L) {
    return Last->Loc < L && within(L, Around->getSourceRange(), SM);
  });
}

/// What happened at \p S when the program ran, over all its calls.
static const ForwardCall *runAt(const Analysis &A, const ForwardSite &S,
                                bool &AllGuarded, bool &AnyBackward) {
  const ForwardCall *Found = nullptr;
  AllGuarded = true;
  AnyBackward = false;
  for (const ForwardCall *F : A.forwardsOf(S)) {
    AllGuarded &= !F->GradMode;
    AnyBackward |= F->ReachedBackward;
    if (!Found || F->SavedBytes > Found->SavedBytes)
      Found = F;
  }
  return Found;
}

/// After an exception, what would have called backward() did not run.
static bool endsInException(const Trace &T) {
  return llvm::any_of(T.Unknowns, [](const UnknownNote &U) {
    return U.What == "an exception ends the program";
  });
}

std::optional<InferenceWithoutNoGradCheck::Candidate>
InferenceWithoutNoGradCheck::judge(const Analysis &A,
                                   const ForwardSite &S) const {
  const UnitFacts &U = A.unit();
  const FunctionFacts &F = *S.In;
  llvm::StringRef Function =
      F.Decl->getIdentifier() ? F.Decl->getName() : llvm::StringRef();
  if (S.Guarded || (IgnoreTests && F.InTest) || !mayHoldParameters(S) ||
      U.isInMacroBody(S.Loc) || (F.InModule && !namesInference(Function)))
    return std::nullopt;
  if (F.InModule && mayServeTraining(*F.Decl))
    return std::nullopt;
  if (U.onUnguardedThread(S)) // torch-grad-guard-thread's.
    return std::nullopt;
  if (S.Through && namesInference(plainName(*S.Through)) &&
      U.function(S.Through)) // Reported in its body.
    return std::nullopt;
  Candidate C;
  C.Site = &S;
  if (U.guardedByCallers(F, &C.UnguardedCaller))
    return std::nullopt;
  const ObjectFacts *O = U.object(S.Object);
  if (O && (O->Frozen || (O->ParametersTaken && U.AnyOptimizer && S.Jit)))
    return std::nullopt;

  bool AllGuarded = false, AnyBackward = false;
  C.Run = runAt(A, S, AllGuarded, AnyBackward);
  if (C.Run && (AllGuarded || AnyBackward))
    return std::nullopt;
  bool Sure = C.Run && !S.Jit && A.trace()->Complete && !endsInException(*A.trace());
  bool MayTrain = (F.Trains && !(O && inEvaluationPhase(U, S))) ||
                  (U.callersTrain(F) && mayHoldTensor(F.Decl->getReturnType()));
  if (MayTrain && (!Sure || S.Detached ||
                   mayReachBackward(S, U.Context.getSourceManager())))
    return std::nullopt;
  if (S.Jit && O && O->InTraining)
    return std::nullopt;

  std::string Never = U.AnyTraining ? "nothing calls backward() on its result"
                                    : "the program calls no backward()";
  if (O && O->LoadLoc.isValid()) {
    C.ReasonLoc = O->LoadLoc;
    C.Reason = "'" + S.ObjectName + "' comes from " + O->LoadedBy + ", and " +
               Never;
  } else if (O && O->EvalLoc.isValid()) {
    C.ReasonLoc = O->EvalLoc;
    C.Reason = "'" + S.ObjectName + "' is in evaluation mode, and " + Never;
  } else if (namesInference(Function)) {
    C.ReasonLoc = F.Decl->getLocation();
    C.Reason = ("the function is called '" + Function + "', and " + Never).str();
  } else if (S.Jit && (O || !U.AnyTraining)) {
    C.ReasonLoc = S.Loc;
    C.Reason = "it runs a TorchScript module, and " + Never;
  } else if (Sure && U.AnyTraining) {
    C.ReasonLoc = S.Loc;
    C.Reason = Never + ", although the program trains elsewhere";
  } else {
    return std::nullopt;
  }
  return C;
}

static const CompoundStmt *innermost(const ForwardSite &S) {
  return S.Blocks.empty() ? nullptr : S.Blocks.back();
}

/// The innermost block around both, or null if training goes on in it.
static const CompoundStmt *commonBlock(const CompoundStmt *Block,
                                       const ForwardSite &S) {
  // Blocks are listed from the outside: the last one that holds Block's start.
  if (!Block)
    return nullptr;
  const CompoundStmt *Common = nullptr;
  for (const CompoundStmt *B : S.Blocks)
    if (B == Block || (B->getLBracLoc() < Block->getLBracLoc() &&
                       Block->getRBracLoc() < B->getRBracLoc()))
      Common = B;
  if (!Common)
    return nullptr;
  for (SourceLocation L : S.In->TrainingLocs)
    if (Common->getLBracLoc() < L && L < Common->getRBracLoc())
      return nullptr;
  return Common;
}

void InferenceWithoutNoGradCheck::onAnalysis(const Analysis &A) {
  std::set<SourceLocation> Done; // Instantiations share their text.
  for (const FunctionFacts &F : A.unit().Functions) {
    struct Group {
      Candidate First;
      const CompoundStmt *Block;
      unsigned Others = 0;
    };
    std::vector<Group> Groups;
    for (const ForwardSite &S : F.Forwards) {
      std::optional<Candidate> C = judge(A, S);
      if (!C || !Done.insert(S.Loc).second)
        continue;
      // One guard, one finding: join the group whose block can hold both.
      bool Joined = false;
      for (Group &G : Groups)
        if (const CompoundStmt *B = commonBlock(G.Block, S); B && !Joined) {
          G.Block = B;
          ++G.Others;
          Joined = true;
        }
      if (!Joined)
        Groups.push_back({*C, innermost(S)});
    }
    for (const Group &G : Groups)
      report(A, G.First, G.Block, G.Others);
  }
}

void InferenceWithoutNoGradCheck::report(const Analysis &A, const Candidate &C,
                                         const CompoundStmt *Block,
                                         unsigned Others) {
  const ForwardSite &S = *C.Site;
  SourceManager &SM = A.context().getSourceManager();
  std::string What = S.ObjectName.empty() ? "this model" : "'" + S.ObjectName + "'";
  std::optional<FixItHint> Fix;
  if (Block)
    Fix = insertAtStart(*Block, Guard + " " + freshName(*Block, "no_grad", SM) + ";",
                        A.context());
  {
    auto D = diag(S.Loc, "%0 of %1 records an autograd graph: no NoGradGuard or "
                         "InferenceMode is active on this thread")
             << S.Method << What;
    if (Fix)
      D << *Fix;
  }
  if (Block) {
    std::string Text = "put a guard at the start of this block";
    if (Others)
      Text += ", it covers " + std::to_string(Others + 1) + " such calls";
    note(Block->getLBracLoc().getLocWithOffset(1), Text);
  }
  note(C.ReasonLoc, "taken for inference: " + C.Reason);
  if (C.UnguardedCaller)
    note(C.UnguardedCaller->Loc, "called from here without a guard");
  else if (!S.In->Outer && !S.In->Decl->isMain() && S.In->Decl->isGlobal())
    note(S.In->Decl->getLocation(),
         "no caller in this file; a guard in every caller would do too");
  noteCost(A, C);
}

/// Says what the graph costs, or why that is not known.
void InferenceWithoutNoGradCheck::noteCost(const Analysis &A,
                                           const Candidate &C) {
  const ForwardSite &S = *C.Site;
  const SourceManager &SM = A.context().getSourceManager();
  std::string Until = "until the end of this statement";
  if (S.Result && !S.Blocks.empty())
    Until = "until '" + S.Result->getNameAsString() + "' dies (line " +
            std::to_string(
                SM.getExpansionLineNumber(S.Blocks.back()->getRBracLoc())) +
            ")";
  if (C.Run && !S.Jit && !S.Through && C.Run->SavedKnown) {
    std::string Text = "the graph keeps " +
                       formatBytes(Bytes{C.Run->SavedBytes}) + " " + Until;
    ProgramOptions P = A.options().Program;
    P.NoGrad = true;
    if (!A.unit().AnyTraining && A.trace()->Complete)
      if (std::shared_ptr<const Timeline> With = A.rerun(P);
          With && With->Live.isExact() && A.timeline()->Live.isExact() &&
          With->Highest.SizeBytes < A.timeline()->Highest.SizeBytes)
        Text += "; with a guard the peak falls from " +
                formatBytes(Bytes{A.timeline()->Highest.SizeBytes}) + " to " +
                formatBytes(Bytes{With->Highest.SizeBytes});
    note(S.Loc, Text);
    return;
  }
  std::string Text = "what the graph keeps stays " + Until +
                     ": a higher peak, not a leak";
  const ObjectFacts *O = A.unit().object(S.Object);
  if (S.Jit) {
    std::string Name = O ? O->LoadedFrom : "";
    if (Name.empty() && C.Run && C.Run->Module < A.trace()->Modules.size())
      Name = A.trace()->Modules[C.Run->Module].Options;
    std::string Why = A.archives().whyUnknown(Name);
    Text += "; its size is unknown, " +
            (Why.empty() ? "of '" + Name + "' only the weights are read" : Why);
  }
  note(S.Loc, Text);
}

} // namespace vramlint
