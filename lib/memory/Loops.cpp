//===- lib/memory/Loops.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Follows the loop events of a trace.

#include "lib/memory/Loops.h"

namespace vramlint {

int LoopRun::representative() const {
  int Best = -1;
  for (size_t I = 0; I < Iterations.size(); ++I)
    if (Iterations[I].Skipped > 0 &&
        (Best < 0 || Iterations[I].Skipped > Iterations[Best].Skipped))
      Best = static_cast<int>(I);
  if (Best < 0)
    Best = largestSteady();
  // The first of those that are alike: "iteration 2, as all after it".
  auto Alike = [&](const LoopIter &A, const LoopIter &B) {
    return A.LiveAtStart == B.LiveAtStart && A.LiveAtEnd == B.LiveAtEnd &&
           A.AllocatedBytes == B.AllocatedBytes;
  };
  while (Best > 0 && Alike(Iterations[Best - 1], Iterations[Best]))
    --Best;
  return Best;
}

int LoopRun::largestSteady() const {
  int Best = -1;
  for (size_t I = 1; I < Iterations.size(); ++I) {
    if (Iterations[I].LiveAtEnd != Iterations[I].LiveAtStart)
      return -1;
    if (Best < 0 ||
        Iterations[I].AllocatedBytes >= Iterations[Best].AllocatedBytes)
      Best = static_cast<int>(I);
  }
  return Best >= 0 && Iterations[Best].AllocatedBytes ? Best : -1;
}

namespace {

class Follower {
public:
  Follower(LoopTree &Tree) : Tree(Tree) {}

  void begin(const Event &E, int64_t Live) {
    size_t At = find(E.Id);
    bool Next = At < Active.size() && !last(At).Iterations.empty() &&
                E.Value > last(At).Iterations.back().Number;
    endFrom(Next ? At + 1 : At, Live);
    if (!Next) {
      Active.push_back({static_cast<uint32_t>(Tree.Runs.size()), 0});
      Tree.Runs.push_back({E.Id, E.Stack, {}});
    } else {
      last(At).Iterations.back().LiveAtEnd = Live;
    }
    LoopRun &Run = Tree.Runs[Active.back().Run];
    Active.back().Iteration = Run.Iterations.size();
    Run.Iterations.push_back({E.Value, Live, Live, 0, 0});
    Changed = true;
  }

  void jump(const Event &E) {
    size_t At = find(E.Id);
    if (At < Active.size() && !last(At).Iterations.empty())
      last(At).Iterations.back().Skipped += E.Value;
  }

  void end(const Event &E, int64_t Live) {
    if (size_t At = find(E.Id); At < Active.size())
      endFrom(At, Live);
  }

  void endFrom(size_t At, int64_t Live) {
    for (size_t I = At; I < Active.size(); ++I)
      last(I).Iterations.back().LiveAtEnd = Live;
    Changed |= At < Active.size();
    Active.truncate(std::min(At, Active.size()));
  }

  void allocated(int64_t N) {
    for (const LoopPlace &P : Active)
      Tree.Runs[P.Run].Iterations.back().AllocatedBytes += N;
  }

  uint32_t nest() {
    if (Changed) {
      Tree.Nests.push_back(Active);
      Changed = false;
    }
    return Tree.Nests.size() - 1;
  }

private:
  size_t find(uint32_t Loop) const {
    size_t At = Active.size();
    while (At > 0 && Tree.Runs[Active[At - 1].Run].Loop != Loop)
      --At;
    return At > 0 ? At - 1 : Active.size();
  }
  LoopRun &last(size_t At) { return Tree.Runs[Active[At].Run]; }

  LoopTree &Tree;
  LoopNest Active;
  bool Changed = false;
};

} // namespace

LoopTree computeLoops(const Trace &T, const std::vector<int64_t> &LiveAfter,
                      DeviceKind Device) {
  LoopTree Tree;
  Tree.NestOf.reserve(T.Events.size());
  Follower F(Tree);
  for (size_t I = 0; I < T.Events.size(); ++I) {
    const Event &E = T.Events[I];
    int64_t Live = LiveAfter[I];
    switch (E.Kind) {
    case EventKind::LoopIteration:
      F.begin(E, Live);
      break;
    case EventKind::LoopJump:
      F.jump(E);
      break;
    case EventKind::LoopEnd:
      F.end(E, Live);
      break;
    case EventKind::Alloc:
      if (E.Id < T.Storages.size() && T.Storages[E.Id].Device == Device)
        F.allocated(T.Storages[E.Id].SizeBytes);
      break;
    default:
      break;
    }
    Tree.NestOf.push_back(F.nest());
  }
  F.endFrom(0, LiveAfter.empty() ? 0 : LiveAfter.back());
  return Tree;
}

} // namespace vramlint
