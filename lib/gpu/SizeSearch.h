//===- lib/gpu/SizeSearch.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The largest images that fit at the program's own batch. Bytes grow with the area, but no
// formula tells how they round: each size that is tried is a run of the program.

#pragma once

#include "lib/gpu/Fit.h"
#include <functional>
#include <map>
#include <optional>

namespace vramlint {

struct SizeLimit {
  int64_t Sure = 0;     ///< Largest side whose upper figure fits; 0: none found.
  int64_t Possible = 0; ///< Largest side whose lower figure fits.
  bool Known = false;
  std::string Why; ///< If not Known.
};

class SizeSearch {
public:
  /// The timeline of the program with images of this height; null if it can't be run.
  using RunFn = std::function<std::shared_ptr<const Timeline>(int64_t Side)>;

  /// \p First: the timeline at \p Side, the program's own. Sides are multiples of
  /// 32 where the program's own is one, as strides of networks ask for, else of an
  /// eighth of it.
  SizeSearch(RunFn Run, int64_t Side, std::shared_ptr<const Timeline> First,
             FitOptions Options = {}, unsigned MaxRuns = 14);

  SizeLimit largest(const GpuSpec &Gpu);
  /// Null if images of that size can't be run, or the runs are used up.
  std::shared_ptr<const Timeline> run(int64_t Side);

private:
  /// Nothing if images of that size can't be run.
  std::optional<bool> fits(const GpuSpec &Gpu, int64_t Side, bool Upper);
  std::optional<int64_t> search(const GpuSpec &Gpu, bool Upper);

  RunFn RunProgram;
  int64_t Base, Step;
  FitOptions Options;
  unsigned MaxRuns;
  std::map<int64_t, std::shared_ptr<const Timeline>> Real;
};

} // namespace vramlint
