//===- lib/gpu/SizeSearch.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See SizeSearch.h.

#include "lib/gpu/SizeSearch.h"
#include <algorithm>
#include <cmath>

namespace vramlint {

static constexpr int64_t MaxSide = 1 << 15;

SizeSearch::SizeSearch(RunFn Run, int64_t Side, std::shared_ptr<const Timeline> First,
                       FitOptions Options, unsigned MaxRuns)
    : RunProgram(std::move(Run)), Base(Side),
      Step(Side % 32 == 0 ? 32 : std::max<int64_t>(1, Side / 8)),
      Options(std::move(Options)), MaxRuns(MaxRuns) {
  Real[Base] = std::move(First);
}

std::shared_ptr<const Timeline> SizeSearch::run(int64_t Side) {
  auto It = Real.find(Side);
  if (It != Real.end())
    return It->second;
  if (Real.size() > MaxRuns)
    return nullptr;
  std::shared_ptr<const Timeline> T = RunProgram(Side);
  if (T && T->Live.isUnknown())
    T = nullptr;
  return Real[Side] = T;
}

std::optional<bool> SizeSearch::fits(const GpuSpec &Gpu, int64_t Side, bool Upper) {
  std::shared_ptr<const Timeline> T = run(Side);
  if (!T)
    return std::nullopt;
  Fit F = computeFit(*T, Gpu, Options);
  return (Upper ? F.Need.upper() : F.Need.lower()) <= F.Usable.Count;
}

std::optional<int64_t> SizeSearch::search(const GpuSpec &Gpu, bool Upper) {
  int64_t Low = 0, High = MaxSide / Step + 1, Own = std::max<int64_t>(Base / Step, 1);
  int64_t Next = Own;
  while (High - Low > 1) {
    std::optional<bool> Fits = fits(Gpu, Next * Step, Upper);
    if (!Fits)
      return std::nullopt;
    (*Fits ? Low : High) = Next;
    // Doubled or halved until enclosed, then by halves.
    if (Low && High <= MaxSide / Step)
      Next = Low + (High - Low) / 2;
    else
      Next = *Fits ? Low * 2 : std::max<int64_t>(High / 2, 1);
    Next = std::clamp(Next, Low + 1, High - 1);
  }
  return Low * Step;
}

SizeLimit SizeSearch::largest(const GpuSpec &Gpu) {
  SizeLimit Limit;
  std::shared_ptr<const Timeline> First = Real[Base];
  if (!First || First->Live.isUnknown()) {
    Limit.Why = "the program's own need is not known";
    return Limit;
  }
  std::shared_ptr<const Timeline> Other = run(Base * 2);
  if (!Other) {
    Limit.Why = "the layers fix the size of the images";
    return Limit;
  }
  if (Other->Highest.SizeBytes == First->Highest.SizeBytes) {
    Limit.Why = "images of another size change nothing";
    return Limit;
  }
  std::optional<int64_t> Sure = search(Gpu, true), Possible = search(Gpu, false);
  if (!Sure || !Possible) {
    Limit.Why = "not every size could be run";
    return Limit;
  }
  Limit.Sure = *Sure;
  Limit.Possible = std::max(*Sure, *Possible);
  Limit.Known = true;
  return Limit;
}

} // namespace vramlint
