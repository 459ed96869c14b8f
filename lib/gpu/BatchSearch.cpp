//===- lib/gpu/BatchSearch.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Finds the largest batch by a guess on a line, doubling and bisection.

#include "lib/gpu/BatchSearch.h"

#include "lib/gpu/SameStructure.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>

namespace vramlint {

namespace {

int64_t onLineThrough(int64_t X0, int64_t Y0, int64_t X1, int64_t Y1,
                      int64_t X) {
  double Slope = static_cast<double>(Y1 - Y0) / static_cast<double>(X1 - X0);
  double Y = static_cast<double>(Y0) + Slope * static_cast<double>(X - X0);
  return Bytes::rounded(Y).Count;
}

} // namespace

BatchSearch::BatchSearch(RunFn Run, int64_t Batch,
                         std::shared_ptr<const Timeline> First,
                         FitOptions Options, unsigned MaxRuns)
    : RunProgram(std::move(Run)), Base(Batch), Options(std::move(Options)),
      MaxRuns(MaxRuns) {
  if (First)
    Real[Batch] = std::move(First);
}

std::shared_ptr<const Timeline> BatchSearch::run(int64_t Batch) {
  auto It = Real.find(Batch);
  if (It != Real.end())
    return It->second;
  if (Runs >= MaxRuns || !RunProgram)
    return nullptr;
  ++Runs;
  std::shared_ptr<const Timeline> T = RunProgram(Batch);
  if (T && T->Live.isUnknown())
    T = nullptr;
  // With a batch larger than its data set a program does nothing: that it
  // "fits" then tells nothing.
  const std::shared_ptr<const Timeline> &First = Real[Base];
  if (T && First && Batch > Base &&
      T->Highest.SizeBytes < First->Highest.SizeBytes) {
    Idle = std::min(Idle, Batch);
    T = nullptr;
  }
  Real[Batch] = T;
  return T;
}

void BatchSearch::prepare() {
  if (Prepared)
    return;
  Prepared = true;
  auto First = Real.find(Base);
  if (Base < 1 || First == Real.end() || !First->second) {
    Trouble = "the program's own batch is not known";
    return;
  }
  if (First->second->Live.isUnknown()) {
    Trouble = First->second->Live.causes().front();
    return;
  }
  // Something else may hold the peak up to a batch, a larger one for evaluation
  // say: then further off.
  std::shared_ptr<const Timeline> T;
  for (int64_t Other : {Base * 2, Base > 1 ? Base / 2 : 3, Base * 16, Base * 128}) {
    std::shared_ptr<const Timeline> Run = run(Other);
    if (!Run)
      continue;
    T = Run;
    Second = Other;
    if (T->Highest.SizeBytes != First->second->Highest.SizeBytes)
      break;
  }
  if (!T) {
    Trouble = "the program cannot be run with another batch";
    return;
  }
  if (T->Highest.SizeBytes == First->second->Highest.SizeBytes) {
    Trouble = "another batch changes nothing";
    return;
  }
  Affine = sameStructure(*First->second->Of, *T->Of) && agreesElsewhere();
}

/// Does what the two runs say of a third batch hold? A data set's last batch, smaller
/// than the others, may have one size in both.
bool BatchSearch::agreesElsewhere() {
  constexpr int64_t Third = 4, Tolerance = 200; // A half per cent.
  int64_t Batch = Base >= Third ? Base / Third : Base * Third + 1;
  std::shared_ptr<const Timeline> T = run(Batch);
  if (!T)
    return true; // Nothing speaks against it.
  int64_t Is = fromTimeline(*T, CardTerms()).Is.AllocatedBytes;
  int64_t Said = interpolated(Batch, CardTerms()).Is.AllocatedBytes;
  return std::abs(Is - Said) <= Is / Tolerance;
}

BatchSearch::Need BatchSearch::interpolated(int64_t Batch, const CardTerms &Card) {
  const Timeline &A = *Real[Base], &B = *Real[Second];
  std::vector<int64_t> Sizes;
  Sizes.reserve(A.Of->Storages.size());
  for (size_t I = 0; I < A.Of->Storages.size(); ++I)
    Sizes.push_back(onLineThrough(Base, A.Of->Storages[I].SizeBytes, Second,
                                  B.Of->Storages[I].SizeBytes, Batch));
  return fromTimeline(A, Card, Sizes);
}

BatchSearch::Need
BatchSearch::fromTimeline(const Timeline &T, const CardTerms &Card,
                          llvm::ArrayRef<int64_t> Sizes) const {
  return {computeReserved(T, Card, Options, Sizes), Sizes.empty()};
}

BatchSearch::Need BatchSearch::blend(int64_t X0, const Need &A, int64_t X1,
                                     const Need &B, int64_t Batch) {
  Need N;
  for (auto Field : {&ReservedNeed::AllocatedBytes, &ReservedNeed::UpperBytes,
                     &ReservedNeed::HostBytes, &ReservedNeed::TogetherBytes})
    N.Is.*Field = onLineThrough(X0, A.Is.*Field, X1, B.Is.*Field, Batch);
  return N;
}

/// A replay for each batch that a search for each of many GPUs asks for would take
/// seconds.
BatchSearch::Need BatchSearch::betweenMarks(int64_t Batch, const CardTerms &Card) {
  int64_t Low = 1, High = 2;
  while (High <= Batch) {
    Low = High;
    High += std::max<int64_t>(1, High / 4);
  }
  auto At = [&](int64_t Mark) {
    auto [It, New] = Marks.try_emplace({Mark, Card});
    if (New)
      It->second = interpolated(Mark, Card);
    return It->second;
  };
  return Low == Batch ? At(Low) : blend(Low, At(Low), High, At(High), Batch);
}

std::optional<BatchSearch::Need> BatchSearch::onLine(int64_t Batch,
                                                     const CardTerms &Card) {
  // Through the two runs nearest to it.
  std::vector<int64_t> Known;
  for (const auto &[B, T] : Real)
    if (T)
      Known.push_back(B);
  if (Known.size() < 2)
    return std::nullopt;
  llvm::sort(Known, [&](int64_t A, int64_t B) {
    return std::make_pair(std::abs(A - Batch), A) <
           std::make_pair(std::abs(B - Batch), B);
  });
  std::optional<Need> A = need(Known[0], Card, true);
  std::optional<Need> B = need(Known[1], Card, true);
  if (!A || !B)
    return std::nullopt;
  return blend(Known[0], *A, Known[1], *B, Batch);
}

std::optional<BatchSearch::Need> BatchSearch::need(int64_t Batch,
                                                   const CardTerms &Card, bool ByRun) {
  auto Key = std::make_pair(Batch, Card);
  auto It = Needs.find(Key);
  if (It != Needs.end() && (It->second.ByRun || !ByRun))
    return It->second;
  auto Known = Real.find(Batch);
  std::shared_ptr<const Timeline> T =
      Known != Real.end() ? Known->second : nullptr;
  if (!T && (ByRun || !Affine))
    T = run(Batch);
  if (T)
    return Needs[Key] = fromTimeline(*T, Card);
  if (It != Needs.end())
    return It->second;
  if (!Affine)
    return onLine(Batch, Card);
  if (Coarsely)
    return betweenMarks(Batch, Card);
  return Needs[Key] = interpolated(Batch, Card);
}

std::optional<bool> BatchSearch::fits(const Goal &G, int64_t Batch,
                                      bool ByRun) {
  std::optional<Need> N = need(Batch, G.Card, ByRun);
  if (!Affine && Batch >= Idle)
    return false;
  if (!N)
    return std::nullopt;
  return G.of(*N) <= G.RoomBytes;
}

int64_t BatchSearch::guess(const Goal &G) {
  std::optional<Need> A = need(Base, G.Card, false);
  std::optional<Need> B = need(Second, G.Card, false);
  if (!A || !B)
    return Base;
  int64_t Y0 = G.of(*A), Y1 = G.of(*B);
  if (Y0 == Y1)
    return Base;
  int64_t X = onLineThrough(Y0, Base, Y1, Second, G.RoomBytes);
  return std::clamp<int64_t>(X, 1, MaxBatch);
}

/// The largest batch that fits; 0 if not even one does. Nothing if unknown.
std::optional<int64_t> BatchSearch::search(const Goal &G, bool ByRun,
                                           int64_t Guess) {
  int64_t Low = 0, High = MaxBatch + 1; // Low fits, High does not.
  int64_t Step = std::max<int64_t>(1, Guess / 64);
  int64_t Next = Guess;
  while (High - Low > 1) {
    Next = std::clamp(Next, Low + 1, High - 1);
    std::optional<bool> Fits = fits(G, Next, ByRun);
    if (!Fits)
      return std::nullopt;
    (*Fits ? Low : High) = Next;
    // Away from the guess in growing steps until it is enclosed, then halve.
    if (High > MaxBatch && *Fits) {
      Next = Low + Step;
    } else if (Low == 0 && !*Fits) {
      Next = High - Step;
    } else {
      Next = Low + (High - Low) / 2;
      continue;
    }
    Step *= 2;
  }
  return Low;
}

BatchLimit BatchSearch::largest(const GpuSpec &Gpu, bool Verify) {
  BatchLimit Limit;
  prepare();
  if (!Trouble.empty()) {
    Limit.Why = Trouble;
    return Limit;
  }
  Limit.Verified = true;
  Coarsely = !Verify;
  for (bool Upper : {true, false}) {
    Goal G{Gpu, cardTerms(Gpu, Options), roomBytes(Gpu, Options, Upper), Upper};
    std::optional<int64_t> Found = search(G, false, guess(G));
    if (!Found) {
      Limit.Why = "the program cannot be run with other batches";
      return Limit;
    }
    // A run that contradicts the line moves the answer; each costs one.
    while (Verify && *Found > 0 && *Found <= MaxBatch) {
      std::shared_ptr<const Timeline> T = run(*Found);
      if (!T) {
        Limit.Verified = false;
        break;
      }
      if (fits(G, *Found, true).value_or(false))
        break;
      --*Found;
    }
    if (!Verify)
      if (std::optional<Need> N = need(*Found, G.Card, false))
        Limit.Verified &= *Found == 0 || N->ByRun;
    Limit.AtLimit |= *Found >= MaxBatch;
    (Upper ? Limit.Sure : Limit.Possible) = *Found;
  }
  Limit.Possible = std::max(Limit.Possible, Limit.Sure);
  Limit.Known = true;
  return Limit;
}

BatchCost BatchSearch::cost() {
  BatchCost Cost;
  prepare();
  if (!Trouble.empty())
    return Cost;
  // Both runs must be where the batch holds the peak.
  int64_t X0 = Base, X1 = Second;
  if (Second > 2 * Base) {
    X0 = Second;
    X1 = Second + Second / 2;
  }
  std::shared_ptr<const Timeline> A = run(X0), B = run(X1);
  if (!A || !B)
    return Cost;
  int64_t Y0 = A->Highest.SizeBytes, Y1 = B->Highest.SizeBytes;
  Cost.Known = true;
  Cost.PerSampleBytes = (Y1 - Y0) / (X1 - X0);
  Cost.RestBytes = Y0 - Cost.PerSampleBytes * X0;
  return Cost;
}

} // namespace vramlint
