//===- lib/torch/modules/Vision.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Rows: resampling, unfolding and distances.

#include "lib/torch/modules/ModuleRow.h"

namespace vramlint {

llvm::ArrayRef<ModuleRow> visionModules() {
  static const ModuleRow Rows[] = {
      {.Class = "CosineSimilarity", .Op = "cosine_similarity", .Inputs = "x1,x2"},
      {.Class = "Fold", .Op = "fold", .Shown = "output_size,kernel_size"},
      {.Class = "PairwiseDistance", .Op = "pairwise_distance", .Inputs = "x1,x2"},
      {.Class = "PixelShuffle", .Op = "pixel_shuffle", .Shown = "upscale_factor"},
      {.Class = "PixelUnshuffle", .Op = "pixel_unshuffle", .Shown = "downscale_factor"},
      {.Class = "Unfold", .Op = "functional_unfold", .Shown = "kernel_size"},
      {.Class = "Upsample", .Op = "interpolate"},
  };
  return Rows;
}

} // namespace vramlint
