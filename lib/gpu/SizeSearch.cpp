//===- lib/gpu/SizeSearch.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See SizeSearch.h.

#include "lib/gpu/SizeSearch.h"

#include "lib/gpu/SameStructure.h"
#include <algorithm>
#include <cmath>

namespace vramlint {

static constexpr int64_t MaxSide = 1 << 15;

/// 32, or the largest power of two that divides the side; an eighth of it where that
/// would make too fine a grid.
static int64_t stepFor(int64_t Side) {
  constexpr int64_t Coarsest = 32, Finest = 4;
  int64_t Power = std::min(Side & -Side, Coarsest);
  return Power >= Finest ? Power : std::max<int64_t>(1, Side / 8);
}

SizeSearch::SizeSearch(RunFn Run, int64_t Height, int64_t Width,
                       std::shared_ptr<const Timeline> First, FitOptions Options,
                       unsigned MaxRuns)
    : RunProgram(std::move(Run)), Base(Height), Width(Width), Step(stepFor(Height)),
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

void SizeSearch::prepare() {
  if (std::exchange(Prepared, true))
    return;
  std::shared_ptr<const Timeline> First = Real[Base];
  if (!First || First->Live.isUnknown()) {
    Trouble = "the program's own need is not known";
    return;
  }
  std::shared_ptr<const Timeline> Other = run(Base * 2);
  if (!Other)
    Trouble = "the layers fix the size of the images";
  else if (Other->Highest.SizeBytes == First->Highest.SizeBytes)
    Trouble = "images of another size change nothing";
  else
    Polynomial = fitPolynomials();
}

bool SizeSearch::fitPolynomials() {
  constexpr int64_t Tolerance = 200; // A half per cent.
  std::shared_ptr<const Timeline> A = Real[Base], B = run(Base * 2), C = run(Base * 3);
  if (Base % Step || !B || !C || !sameStructure(*A->Of, *B->Of) ||
      !sameStructure(*A->Of, *C->Of))
    return false;
  int64_t Side = Base + Step;
  std::shared_ptr<const Timeline> D = run(Side);
  if (!D)
    return false;
  int64_t Is = computeReserved(*D, CardTerms(), Options).AllocatedBytes;
  int64_t Said = computeReserved(*A, CardTerms(), Options, sizesAt(Side)).AllocatedBytes;
  return std::abs(Is - Said) <= Is / Tolerance;
}

std::vector<int64_t> SizeSearch::sizesAt(int64_t Side) const {
  const Trace &A = *Real.at(Base)->Of, &B = *Real.at(Base * 2)->Of,
              &C = *Real.at(Base * 3)->Of;
  // Newton's form through 1, 2 and 3 times the program's own side.
  double X = static_cast<double>(Side) / static_cast<double>(Base);
  std::vector<int64_t> Sizes;
  Sizes.reserve(A.Storages.size());
  for (size_t I = 0; I < A.Storages.size(); ++I) {
    auto Y1 = static_cast<double>(A.Storages[I].SizeBytes);
    auto Y2 = static_cast<double>(B.Storages[I].SizeBytes);
    auto Y3 = static_cast<double>(C.Storages[I].SizeBytes);
    double Y = Y1 + (Y2 - Y1) * (X - 1) + (Y3 - 2 * Y2 + Y1) * (X - 1) * (X - 2) / 2;
    Sizes.push_back(Bytes::rounded(Y).Count);
  }
  return Sizes;
}

std::optional<ReservedNeed> SizeSearch::need(int64_t Side, const CardTerms &Card,
                                             bool Upper, bool ByRun) {
  auto Known = Real.find(Side);
  ByRun |= !Polynomial || (Known != Real.end() && Known->second);
  auto Key = std::make_tuple(Side, Upper ? Card : CardTerms(), Upper, ByRun);
  if (auto It = Needs.find(Key); It != Needs.end())
    return It->second;
  NeedOf Which = Upper ? NeedOf::Upper : NeedOf::Lower;
  if (!ByRun)
    return Needs[Key] = computeReserved(*Real[Base], Card, Options, sizesAt(Side), Which);
  std::shared_ptr<const Timeline> T = run(Side);
  if (!T)
    return std::nullopt;
  return Needs[Key] = computeReserved(*T, Card, Options, {}, Which);
}

std::optional<bool> SizeSearch::fits(const GpuSpec &Gpu, int64_t Side, bool Upper,
                                     bool ByRun) {
  std::optional<ReservedNeed> N = need(Side, cardTerms(Gpu, Options), Upper, ByRun);
  if (!N)
    return std::nullopt;
  return (Upper ? N->upperOn(Gpu) : N->lowerOn(Gpu)) <= roomBytes(Gpu, Options, Upper);
}

/// The sides that are tried, from 0 on.
std::vector<int64_t> SizeSearch::grid(bool Coarsely) const {
  constexpr int64_t Finer = 16; // Steps of about 6 %.
  std::vector<int64_t> Sides{0};
  for (int64_t Side = Step; Side <= MaxSide;
       Side += Coarsely ? std::max(Step, Side / Finer / Step * Step) : Step)
    Sides.push_back(Side);
  return Sides;
}

std::optional<int64_t> SizeSearch::search(const GpuSpec &Gpu, bool Upper, bool Coarsely) {
  std::vector<int64_t> Sides = grid(Coarsely);
  size_t Low = 0, High = Sides.size();
  size_t Next = std::lower_bound(Sides.begin() + 1, Sides.end(), Base) - Sides.begin();
  while (High - Low > 1) {
    Next = std::clamp(Next, Low + 1, High - 1);
    std::optional<bool> Fits = fits(Gpu, Sides[Next], Upper, false);
    if (!Fits)
      return std::nullopt;
    (*Fits ? Low : High) = Next;
    // Doubled or halved until enclosed, then by halves.
    if (Low && High < Sides.size())
      Next = Low + (High - Low) / 2;
    else
      Next = *Fits ? Low * 2 : High / 2;
  }
  return Sides[Low];
}

/// The side, moved down by as many steps as runs contradict; nothing if it can't be run.
std::optional<int64_t> SizeSearch::verified(const GpuSpec &Gpu, int64_t Side,
                                            bool Upper) {
  while (Side > 0) {
    std::optional<bool> Fits = fits(Gpu, Side, Upper, true);
    if (!Fits)
      return std::nullopt;
    if (*Fits)
      break;
    Side -= Step;
  }
  return Side;
}

SizeLimit SizeSearch::largest(const GpuSpec &Gpu, bool Verify) {
  SizeLimit Limit;
  Limit.Height = Base;
  Limit.Width = Width;
  prepare();
  if (!Trouble.empty()) {
    Limit.Why = Trouble;
    return Limit;
  }
  Limit.Verified = Verify || !Polynomial;
  for (bool Upper : {true, false}) {
    std::optional<int64_t> Found = search(Gpu, Upper, /*Coarsely=*/!Verify && Polynomial);
    if (!Found) {
      Limit.Why = "not every size could be run";
      return Limit;
    }
    if (Verify && Polynomial) {
      std::optional<int64_t> Real = verified(Gpu, *Found, Upper);
      Limit.Verified &= Real.has_value();
      Found = Real.value_or(*Found);
    }
    (Upper ? Limit.Sure : Limit.Possible) = *Found;
  }
  Limit.Possible = std::max(Limit.Sure, Limit.Possible);
  Limit.Known = true;
  return Limit;
}

} // namespace vramlint
