//===- lib/gpu/BatchSearch.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The largest batch that fits a GPU, from few runs of the program.
//
// Two runs (batch b and 2b) whose traces have the same events give every
// storage's size as an affine function of the batch; the trace of any other
// batch follows without running it, is replayed through the allocator, and the
// answer is verified by a run. Where the traces differ in structure, each step
// of the search is a run.

#pragma once

#include "lib/gpu/Fit.h"
#include <functional>
#include <map>
#include <optional>

namespace vramlint {

struct BatchLimit {
  /// Largest batch whose upper figure fits; 0: not even 1.
  int64_t Sure = 0;
  /// Largest batch whose lower figure fits.
  int64_t Possible = 0;
  bool Known = false;   ///< False: sizes unknown, or the batch changes nothing.
  bool AtLimit = false; ///< The search ended at MaxBatch, not at the memory.
  bool Verified = false; ///< By runs, not only by interpolation.
  std::string Why;       ///< If not Known.
};

/// Bytes at the peak as a function of the batch, around the program's own.
struct BatchCost {
  bool Known = false;
  int64_t PerSampleBytes = 0;
  int64_t RestBytes = 0;
};

class BatchSearch {
public:
  /// The timeline of the program with another batch; null if it can't be run.
  using RunFn = std::function<std::shared_ptr<const Timeline>(int64_t Batch)>;
  static constexpr int64_t MaxBatch = 1 << 20;

  /// \p First: the timeline at \p Batch, the program's own. \p MaxRuns bounds
  /// the calls of \p Run over the life of this object.
  BatchSearch(RunFn Run, int64_t Batch, std::shared_ptr<const Timeline> First,
              FitOptions Options = {}, unsigned MaxRuns = 12);

  /// \p Verify: confirm both answers by runs (as MaxRuns allows); else needs are taken
  /// from lines between batches that are a quarter apart.
  BatchLimit largest(const GpuSpec &Gpu, bool Verify = true);
  BatchCost cost();
  unsigned runs() const { return Runs; }

private:
  struct Need {
    ReservedNeed Is;
    bool ByRun = false; ///< Else by the sizes' affine functions or a line.
  };
  /// A GPU, and which figure is to fit: the room is without the context.
  struct Goal {
    const GpuSpec &Gpu;
    CardTerms Card;
    int64_t RoomBytes;
    bool Upper;

    int64_t of(const Need &N) const {
      return Upper ? N.Is.upperOn(Gpu) : N.Is.lowerOn(Gpu);
    }
  };

  void prepare();
  std::shared_ptr<const Timeline> run(int64_t Batch);
  /// Nothing if the batch cannot be run and nothing tells its need.
  std::optional<Need> need(int64_t Batch, const CardTerms &Card, bool ByRun);
  bool agreesElsewhere();
  /// By the sizes' affine functions.
  Need interpolated(int64_t Batch, const CardTerms &Card);
  Need fromTimeline(const Timeline &T, const CardTerms &Card,
                    llvm::ArrayRef<int64_t> Sizes = {}) const;
  std::optional<Need> onLine(int64_t Batch, const CardTerms &Card);
  static Need blend(int64_t X0, const Need &A, int64_t X1, const Need &B, int64_t Batch);
  Need betweenMarks(int64_t Batch, const CardTerms &Card);
  std::optional<bool> fits(const Goal &G, int64_t Batch, bool ByRun);
  std::optional<int64_t> search(const Goal &G, bool ByRun, int64_t Guess);
  int64_t guess(const Goal &G);

  RunFn RunProgram;
  int64_t Base, Second = 0;
  FitOptions Options;
  unsigned MaxRuns, Runs = 0;
  int64_t Idle = Bytes::Max; ///< From here on the program does less.
  bool Prepared = false, Affine = false;
  bool Coarsely = false; ///< largest() without verifying.
  std::string Trouble; ///< Why no batch can be told.
  std::map<int64_t, std::shared_ptr<const Timeline>> Real;
  std::map<std::pair<int64_t, CardTerms>, Need> Needs, Marks;
};

} // namespace vramlint
