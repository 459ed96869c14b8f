//===- lib/gpu/BatchSearch.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The largest batch that fits a GPU, from few runs of the program.
//
// Two runs (batch b and 2b) whose traces have the same events give every
// storage's size as an affine function of the batch; the trace of any other batch
// follows without running it, is replayed through the allocator, and the answer
// is verified by a run. Where the traces differ in structure, each step of the
// search is a run.

#pragma once

#include "lib/gpu/Fit.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <functional>
#include <map>

namespace vramlint {

struct BatchLimit {
  /// Largest batch whose upper figure fits; 0: not even 1.
  int64_t Sure = 0;
  /// Largest batch whose lower figure fits.
  int64_t Possible = 0;
  bool Known = false;    ///< False: sizes unknown, or the batch changes nothing.
  bool AtLimit = false;  ///< The search ended at MaxBatch, not at the memory.
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

  /// \p First: the timeline at \p Batch, the program's own. \p MaxRuns bounds the
  /// calls of \p Run over the life of this object.
  BatchSearch(RunFn Run, int64_t Batch, std::shared_ptr<const Timeline> First,
              FitOptions Options = {}, unsigned MaxRuns = 12);

  /// \p Verify: confirm both answers by runs (as MaxRuns allows).
  BatchLimit largest(const GpuSpec &Gpu, bool Verify = true);
  BatchCost cost();
  unsigned runs() const { return Runs; }

private:
  struct Need { ///< At one batch, all but the GPU's own terms.
    bool Known = false;
    int64_t AllocatedBytes = 0;
    int64_t ReservedLow = 0, ReservedHigh = 0; ///< By cuBLAS workspace and cuDNN.
  };
  std::shared_ptr<const Timeline> run(int64_t Batch);
  bool sameStructure(const Timeline &A, const Timeline &B) const;
  std::shared_ptr<const Timeline> at(int64_t Batch, bool ForReal);
  bool fits(const GpuSpec &Gpu, int64_t Batch, bool Upper, bool ForReal);

  RunFn RunProgram;
  int64_t Base;
  FitOptions Options;
  unsigned MaxRuns, Runs = 0;
  bool Prepared = false, Affine = false;
  int64_t SecondBatch = 0;
  std::map<int64_t, std::shared_ptr<const Timeline>> Real;
};

/// One row of `vramlint fit`.
struct FitRow {
  Fit Result;
  BatchLimit Batch;
};
/// \p Gpus against \p T, sorted by usable memory, then name. \p Search may be
/// null: no batches.
std::vector<FitRow> fitTable(const Timeline &T,
                             llvm::ArrayRef<const GpuSpec *> Gpus,
                             const FitOptions &Options, BatchSearch *Search);

} // namespace vramlint
