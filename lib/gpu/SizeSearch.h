//===- lib/gpu/SizeSearch.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The largest images that fit at the program's own batch.
//
// Sides are tried in steps that the strides of networks divide (32 where the program's
// own side is a multiple of it). On such a grid the bytes of a storage are a polynomial
// of second degree in the side: three runs that differ in sizes only give it, a fourth
// proves it, and the answers for many GPUs follow without running the program for each.
// Where they don't agree, each size that is tried is a run.

#pragma once

#include "lib/gpu/Fit.h"
#include <functional>
#include <map>
#include <optional>
#include <tuple>

namespace vramlint {

struct SizeLimit {
  int64_t Sure = 0;     ///< Largest side whose upper figure fits; 0: none found.
  int64_t Possible = 0; ///< Largest side whose lower figure fits.
  int64_t Height = 0, Width = 0; ///< The program's own: the width keeps their ratio.
  bool Known = false;
  bool Verified = false; ///< By runs, not only by the polynomials.
  std::string Why; ///< If not Known.

  int64_t widthFor(int64_t Side) const { return (Width * Side + Height / 2) / Height; }
};

class SizeSearch {
public:
  /// The timeline of the program with images of this height; null if it can't be run.
  using RunFn = std::function<std::shared_ptr<const Timeline>(int64_t Side)>;

  /// \p First: the timeline of the program's own images, \p Height by \p Width.
  SizeSearch(RunFn Run, int64_t Height, int64_t Width,
             std::shared_ptr<const Timeline> First, FitOptions Options = {},
             unsigned MaxRuns = 14);

  /// \p Verify: confirm both answers by runs (as MaxRuns allows); else the grid gets
  /// coarser as the sides grow.
  SizeLimit largest(const GpuSpec &Gpu, bool Verify = true);
  /// Null if images of that size can't be run, or the runs are used up.
  std::shared_ptr<const Timeline> run(int64_t Side);

private:
  void prepare();
  bool fitPolynomials();
  /// The sizes of all storages with images of that side.
  std::vector<int64_t> sizesAt(int64_t Side) const;
  /// Nothing if images of that size can't be run.
  std::optional<ReservedNeed> need(int64_t Side, const CardTerms &Card, bool Upper,
                                   bool ByRun);
  std::optional<bool> fits(const GpuSpec &Gpu, int64_t Side, bool Upper, bool ByRun);
  std::optional<int64_t> search(const GpuSpec &Gpu, bool Upper, bool Coarsely);
  std::vector<int64_t> grid(bool Coarsely) const;
  std::optional<int64_t> verified(const GpuSpec &Gpu, int64_t Side, bool Upper);

  RunFn RunProgram;
  int64_t Base, Width, Step;
  FitOptions Options;
  unsigned MaxRuns;
  bool Prepared = false, Polynomial = false;
  std::string Trouble; ///< Why no size can be told.
  std::map<int64_t, std::shared_ptr<const Timeline>> Real;
  std::map<std::tuple<int64_t, CardTerms, bool, bool>, ReservedNeed> Needs;
};

} // namespace vramlint
