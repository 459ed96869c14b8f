//===- lib/gpu/FitTable.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The rows of `vramlint fit`: one program against many GPUs.

#pragma once

#include "lib/gpu/BatchSearch.h"
#include "lib/gpu/SizeSearch.h"

namespace vramlint {

/// One row of `vramlint fit`.
struct FitRow {
  Fit Result;
  BatchLimit Batch;
  SizeLimit Image;
};
/// \p Gpus against \p T, sorted by usable memory, then name. \p Batches and
/// \p Sizes may be null: none are looked for.
std::vector<FitRow> fitTable(const Timeline &T,
                             llvm::ArrayRef<const GpuSpec *> Gpus,
                             const FitOptions &Options,
                             BatchSearch *Batches, SizeSearch *Sizes);

} // namespace vramlint
