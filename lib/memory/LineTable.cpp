//===- lib/memory/LineTable.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Adds up events per line and loop iteration, then picks which to show.

#include "lib/memory/LineTable.h"

#include "lib/memory/Loops.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

namespace vramlint {

namespace {

/// Iterations that add up are the same moment; those of a steady loop are not.
struct Moment {
  LoopNest Nest;      ///< Only steady loops' places.
  bool Steady = true; ///< Each is its loop's representative.
  bool First = true;  ///< Each is its loop's first.
};

struct LineSums {
  llvm::StringRef Function;
  size_t Depth = 0; ///< Frames down to this line, itself included.
  std::vector<std::pair<uint32_t, LineUse>> ByMoment; ///< In order of time.
  std::vector<uint32_t> LastEvent;                    ///< Of each moment.

  LineUse &at(uint32_t Moment, uint32_t Event) {
    for (size_t I = ByMoment.size(); I--;)
      if (ByMoment[I].first == Moment) {
        LastEvent[I] = Event;
        return ByMoment[I].second;
      }
    ByMoment.push_back({Moment, {}});
    LastEvent.push_back(Event);
    return ByMoment.back().second;
  }
};

class Builder {
public:
  explicit Builder(const Timeline &L)
      : L(L), T(*L.Of), Loops(computeLoops(T, L.LiveAfter, L.Device)) {
    for (const LoopRun &Run : Loops.Runs)
      Representative.push_back(Run.representative());
    for (const LoopNest &Nest : Loops.Nests)
      MomentOf.push_back(momentOf(Nest));
  }

  LineTable build() {
    int64_t Before = 0;
    for (uint32_t I = 0; I < T.Events.size(); ++I) {
      addEvent(I, Before);
      Before = L.LiveAfter[I];
    }
    LineTable Table;
    for (auto &[Key, Sums] : Lines)
      Table.Rows.push_back(row(Key, Sums));
    markPeak(Table);
    noteSteadyLoop(Table);
    return Table;
  }

private:
  using Key = std::pair<llvm::StringRef, unsigned>;

  uint32_t momentOf(const LoopNest &Nest) {
    Moment M;
    for (const LoopPlace &P : Nest) {
      if (Representative[P.Run] < 0)
        continue;
      M.Nest.push_back(P);
      M.Steady &= static_cast<int>(P.Iteration) == Representative[P.Run];
      M.First &= P.Iteration == 0;
    }
    for (uint32_t I = 0; I < Moments.size(); ++I)
      if (Moments[I].Nest == M.Nest)
        return I;
    Moments.push_back(std::move(M));
    return Moments.size() - 1;
  }

  void addEvent(uint32_t Index, int64_t Before) {
    const Event &E = T.Events[Index];
    bool Here = E.Id < T.Storages.size() && T.Storages[E.Id].Device == L.Device;
    bool Alloc = E.Kind == EventKind::Alloc && Here;
    bool Free = E.Kind == EventKind::Free && Here;
    if ((!Alloc && !Free && E.Kind != EventKind::StatementEnd) ||
        E.Stack >= T.Stacks.size())
      return;
    int64_t After = L.LiveAfter[Index];
    const std::vector<Frame> &Frames = T.Stacks[E.Stack];
    for (size_t I = 0; I < Frames.size(); ++I) {
      const SourcePos &Pos = Frames[I].Pos;
      // A recursive call's line counts once.
      if (!Pos.isValid() ||
          llvm::any_of(
              llvm::ArrayRef<Frame>(Frames).take_front(I), [&](const Frame &F) {
                return F.Pos.File == Pos.File && F.Pos.Line == Pos.Line;
              }))
        continue;
      LineSums &Sums = Lines[{Pos.File, Pos.Line}];
      Sums.Function = Frames[I].Function;
      Sums.Depth = I + 1;
      LineUse &Use = Sums.at(MomentOf[Loops.NestOf[Index]], Index);
      if (Alloc)
        Use.AllocatedBytes += After - Before;
      if (Free)
        Use.FreedBytes += Before - After;
      Use.AliveAfterBytes = After;
      Use.PeakBytes = std::max({Use.PeakBytes, Before, After});
    }
  }

  LineRow row(const Key &Line, const LineSums &Sums) const {
    // The steady moment (of several, as a function called from two loops has,
    // the highest); where there is none, as under `if (i == 5)`, the last.
    const std::pair<uint32_t, LineUse> *Shown = nullptr;
    for (const auto &Entry : Sums.ByMoment)
      if (Moments[Entry.first].Steady &&
          (!Shown || Entry.second.PeakBytes >= Shown->second.PeakBytes))
        Shown = &Entry;
    if (!Shown)
      Shown = &Sums.ByMoment.back();
    LineRow R;
    R.Pos = {Line.first, Line.second, 0};
    R.Function = Sums.Function;
    R.Use = Shown->second;
    endAfterInnerLoops(Sums, *Shown, R.Use);
    const Moment &M = Moments[Shown->first];
    if (M.Nest.empty())
      return R;
    R.InLoop = true;
    const LoopPlace &Inner = M.Nest.back();
    R.Iteration = 1 + Loops.Runs[Inner.Run].Iterations[Inner.Iteration].Number;
    for (const auto &[Id, Use] : Sums.ByMoment) {
      const Moment &Other = Moments[Id];
      if (Id == Shown->first || !Other.First || Other.Nest.empty() ||
          Other.Nest.front().Run != M.Nest.front().Run)
        continue;
      if (Use.AllocatedBytes != R.Use.AllocatedBytes ||
          Use.FreedBytes != R.Use.FreedBytes)
        R.First = Use;
      break;
    }
    return R;
  }

  /// The loops of \p M that the line itself is in, not those of its callees.
  LoopNest own(const Moment &M, size_t Depth) const {
    LoopNest Own;
    for (const LoopPlace &P : M.Nest)
      if (T.Stacks[Loops.Runs[P.Run].Stack].size() <= Depth)
        Own.push_back(P);
    return Own;
  }

  /// A call whose callee loops ends after that loop: what is alive then counts,
  /// not what is alive in the loop's steady iteration.
  void endAfterInnerLoops(const LineSums &Sums,
                          const std::pair<uint32_t, LineUse> &Shown,
                          LineUse &Use) const {
    LoopNest Own = own(Moments[Shown.first], Sums.Depth);
    uint32_t Last = 0;
    for (size_t I = 0; I < Sums.ByMoment.size(); ++I) {
      const auto &[Id, Other] = Sums.ByMoment[I];
      if (own(Moments[Id], Sums.Depth) != Own)
        continue;
      Use.PeakBytes = std::max(Use.PeakBytes, Other.PeakBytes);
      if (Sums.LastEvent[I] >= Last) {
        Last = Sums.LastEvent[I];
        Use.AliveAfterBytes = Other.AliveAfterBytes;
      }
    }
  }

  void markPeak(LineTable &Table) const {
    if (L.Highest.Stack >= T.Stacks.size())
      return;
    const std::vector<Frame> &Frames = T.Stacks[L.Highest.Stack];
    for (LineRow &R : Table.Rows)
      for (const Frame &F : Frames)
        if (F.Pos.isValid() && F.Pos.File == R.Pos.File &&
            F.Pos.Line == R.Pos.Line) {
          R.HoldsPeak = true;
          R.InnermostPeak |= &F == &Frames.back();
        }
  }

  static void noteSteadyLoop(LineTable &Table) {
    std::map<unsigned, unsigned> Count;
    for (const LineRow &R : Table.Rows)
      if (R.InLoop)
        ++Count[R.Iteration];
    unsigned Most = 0;
    for (auto [Iteration, Lines] : Count)
      if (Lines > Most) {
        Most = Lines;
        Table.HasSteadyLoop = true;
        Table.SteadyIteration = Iteration;
      }
  }

  const Timeline &L;
  const Trace &T;
  LoopTree Loops;
  std::vector<int> Representative; ///< One per run.
  std::vector<Moment> Moments;
  std::vector<uint32_t> MomentOf; ///< One per nest.
  std::map<Key, LineSums> Lines;
};

} // namespace

LineTable computeLineTable(const Timeline &L) { return Builder(L).build(); }

const LineRow *LineTable::find(llvm::StringRef File, unsigned Line) const {
  for (const LineRow &R : Rows)
    if (R.Pos.File == File && R.Pos.Line == Line)
      return &R;
  return nullptr;
}

std::vector<const LineRow *> LineTable::of(llvm::StringRef File) const {
  std::vector<const LineRow *> Result;
  for (const LineRow &R : Rows)
    if (R.Pos.File == File)
      Result.push_back(&R);
  return Result;
}

} // namespace vramlint
