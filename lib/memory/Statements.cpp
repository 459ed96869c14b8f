//===- lib/memory/Statements.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A stack of counters, one per function that runs: an event counts for all of
// them, the end of a statement closes the innermost.

#include "lib/memory/Statements.h"
#include "llvm/Support/Format.h"
#include <map>

namespace vramlint {

namespace {

class Counting {
public:
  explicit Counting(const Timeline &L) : L(L), T(*L.Of) {}

  std::vector<StatementUse> run() {
    int64_t Before = 0;
    for (uint32_t I = 0; I < T.Events.size(); ++I) {
      add(T.Events[I], Before, L.LiveAfter[I]);
      Before = L.LiveAfter[I];
    }
    return std::move(Out);
  }

private:
  /// Of one loop's iterations that were not run, so many are shown.
  static constexpr int64_t RepeatedMax = 100;

  struct Counter {
    StatementUse Use;
    StackId Ended = None; ///< Where the function's last statement ended.
  };

  void add(const Event &E, int64_t Before, int64_t After) {
    bool Here = E.Id < T.Storages.size() && T.Storages[E.Id].Device == L.Device;
    bool Alloc = E.Kind == EventKind::Alloc && Here;
    bool Free = E.Kind == EventKind::Free && Here;
    if (E.Kind == EventKind::LoopJump)
      return repeat(E, After);
    bool Start = E.Kind == EventKind::LoopIteration;
    if (Start)
      Iterations[E.Id] = {Out.size(), After};
    bool End = E.Kind == EventKind::StatementEnd;
    if ((!Alloc && !Free && !Start && !End) || E.Stack >= T.Stacks.size() ||
        T.Stacks[E.Stack].empty())
      return;
    size_t Depth = T.Stacks[E.Stack].size();
    Counter Fresh;
    Fresh.Use.PeakBytes = Before;
    Counters.resize(Depth, Fresh);
    Counter &Inner = Counters.back();
    if (Start)
      return restart(Inner, None, After);
    if (End) {
      Inner.Use.Pos = T.Stacks[E.Stack].back().Pos;
      Inner.Use.AliveAfterBytes = After;
      if (Inner.Use.AllocatedBytes || Inner.Use.FreedBytes)
        Out.push_back(Inner.Use);
      return restart(Inner, E.Stack, After);
    }
    for (Counter &C : Counters) {
      (Alloc ? C.Use.AllocatedBytes : C.Use.FreedBytes) +=
          Alloc ? After - Before : Before - After;
      C.Use.PeakBytes = std::max(C.Use.PeakBytes, After);
    }
    // A release where the last statement ended is the end of a scope.
    if (Free && Inner.Ended == E.Stack && !Inner.Use.AllocatedBytes)
      restart(Inner, E.Stack, After);
  }

  /// Iterations that were not run are like the one before, and grow as it did.
  void repeat(const Event &Jump, int64_t Live) {
    auto [First, Before] = Iterations[Jump.Id];
    size_t End = Out.size();
    for (int64_t I = 1; I <= std::min(Jump.Value, RepeatedMax); ++I)
      for (size_t S = First; S < End; ++S) {
        StatementUse Again = Out[S];
        Again.AliveAfterBytes += I * (Live - Before);
        Again.PeakBytes += I * (Live - Before);
        Out.push_back(Again);
      }
  }

  static void restart(Counter &C, StackId Ended, int64_t Live) {
    C = {};
    C.Ended = Ended;
    C.Use.PeakBytes = Live;
  }

  const Timeline &L;
  const Trace &T;
  std::vector<Counter> Counters; ///< Outermost first.
  /// Per loop: the first statement of its last iteration, and what was alive then.
  std::map<uint32_t, std::pair<size_t, int64_t>> Iterations;
  std::vector<StatementUse> Out;
};

} // namespace

std::vector<StatementUse> computeStatements(const Timeline &T) {
  return Counting(T).run();
}

void printStatements(const Timeline &T, llvm::raw_ostream &OS) {
  OS << "statements on " << (T.Device == DeviceKind::CUDA ? "cuda" : "cpu")
     << ": allocated, freed, alive after, peak inside; bytes\n";
  for (const StatementUse &S : computeStatements(T))
    OS << llvm::format("+%-12lld -%-12lld %12lld %12lld ",
                       (long long)S.AllocatedBytes, (long long)S.FreedBytes,
                       (long long)S.AliveAfterBytes, (long long)S.PeakBytes)
       << S.Pos.str() << '\n';
}

} // namespace vramlint
