//===- checks/GrowingMemory.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See GrowingMemory.h.

#include "checks/GrowingMemory.h"
#include "lib/support/Bytes.h"

using namespace clang;

namespace vramlint {

bool onSameLine(const Analysis &A, SourceLocation X, SourceLocation Y) {
  if (X.isInvalid() || Y.isInvalid())
    return false;
  SourcePos P = A.posOf(X), Q = A.posOf(Y);
  return P.File == Q.File && P.Line == Q.Line;
}

/// Does a backward pass free what \p G keeps, once its loop has ended?
static bool freedByBackward(const Trace &T, const LoopGrowth &G) {
  bool Ended = false;
  std::vector<Phase> Phases;
  for (const Event &E : T.Events) {
    if (E.Kind == EventKind::LoopEnd && E.Id == G.Loop)
      Ended = true;
    else if (E.Kind == EventKind::LoopIteration && E.Id == G.Loop)
      Ended = false;
    else if (E.Kind == EventKind::PhaseBegin)
      Phases.push_back(static_cast<Phase>(E.Value));
    else if (E.Kind == EventKind::PhaseEnd && !Phases.empty())
      Phases.pop_back();
    else if ((E.Kind == EventKind::Free || E.Kind == EventKind::Unsave) && Ended &&
             E.Id == G.Largest && llvm::is_contained(Phases, Phase::Backward))
      return true;
  }
  return false;
}

static void addGrowing(const Analysis &A, std::shared_ptr<const Timeline> Line,
                       std::vector<Growing> &Out) {
  const Trace &T = *Line->Of;
  for (const LoopGrowth &G : Line->Growth) {
    Growing New{Line, &G, A.ownLocation(T, G.Stack), {}, freedByBackward(T, G)};
    if (G.KeptBy != None)
      New.Op = A.ownLocation(T, T.Ops[G.KeptBy].Stack);
    Out.push_back(New);
  }
}

std::vector<Growing> findGrowingLoops(const Analysis &A) {
  std::vector<Growing> Found;
  addGrowing(A, A.timeline(), Found);
  if (Found.empty())
    addGrowing(A, A.hostTimeline(), Found);
  return Found;
}

std::string growthText(const Analysis &A, const Growing &G) {
  bool OnGpu = G.Line->Device == DeviceKind::CUDA;
  std::string Text = "each iteration keeps " +
                     formatBytes(Bytes{G.Is->BytesPerIteration}) + " more of " +
                     (OnGpu ? "GPU" : "CPU") + " memory";
  for (const GpuSpec &Gpu : A.gpus()) {
    if (!OnGpu)
      break;
    int64_t Full = iterationsUntilFull(A.fit(Gpu), *G.Line, *G.Is);
    if (Full < G.Is->Skipped)
      Text += "; " + std::string(Gpu.Name) + " is full after about " + formatCount(Full) +
              " iterations";
  }
  return Text;
}

} // namespace vramlint
