//===- lib/gpu/FitTable.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See FitTable.h.

#include "lib/gpu/FitTable.h"

#include "llvm/ADT/STLExtras.h"

namespace vramlint {

std::vector<FitRow> fitTable(const Timeline &T,
                             llvm::ArrayRef<const GpuSpec *> Gpus,
                             const FitOptions &Options,
                             BatchSearch *Batches, SizeSearch *Sizes) {
  std::vector<Fit> Fits = computeFits(T, Gpus, Options);
  std::vector<FitRow> Rows;
  for (Fit &F : Fits) {
    FitRow Row;
    Row.Result = std::move(F);
    // Of many rows only a handful can be verified by runs.
    bool Verify = Gpus.size() <= 3;
    if (Batches)
      Row.Batch = Batches->largest(Row.Result.Gpu, Verify);
    if (Sizes)
      Row.Image = Sizes->largest(Row.Result.Gpu, Verify);
    Rows.push_back(std::move(Row));
  }
  llvm::sort(Rows, [](const FitRow &A, const FitRow &B) {
    return std::make_tuple(A.Result.Usable.Count, A.Result.Gpu.Name) <
           std::make_tuple(B.Result.Usable.Count, B.Result.Gpu.Name);
  });
  return Rows;
}

} // namespace vramlint
