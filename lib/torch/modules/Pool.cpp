//===- lib/torch/modules/Pool.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Rows: pooling layers. Where no stride is given, the op takes the kernel's size.

#include "lib/torch/modules/ModuleRow.h"

namespace vramlint {

llvm::ArrayRef<ModuleRow> poolModules() {
  static const ModuleRow Rows[] = {
      {.Class = "AdaptiveAvgPool1d", .Op = "adaptive_avg_pool1d", .Shown = "output_size"},
      {.Class = "AdaptiveAvgPool2d", .Op = "adaptive_avg_pool2d", .Shown = "output_size"},
      {.Class = "AdaptiveAvgPool3d", .Op = "adaptive_avg_pool3d", .Shown = "output_size"},
      {.Class = "AdaptiveMaxPool1d", .Op = "adaptive_max_pool1d", .Shown = "output_size"},
      {.Class = "AdaptiveMaxPool2d", .Op = "adaptive_max_pool2d", .Shown = "output_size"},
      {.Class = "AdaptiveMaxPool3d", .Op = "adaptive_max_pool3d", .Shown = "output_size"},
      {.Class = "AvgPool1d", .Op = "avg_pool1d", .Shown = "kernel_size"},
      {.Class = "AvgPool2d", .Op = "avg_pool2d", .Shown = "kernel_size"},
      {.Class = "AvgPool3d", .Op = "avg_pool3d", .Shown = "kernel_size"},
      {.Class = "FractionalMaxPool2d", .Op = "fractional_max_pool2d", .Shown = "kernel_size"},
      {.Class = "FractionalMaxPool3d", .Op = "fractional_max_pool3d", .Shown = "kernel_size"},
      {.Class = "LPPool1d", .Op = "lp_pool1d", .Shown = "norm_type,kernel_size"},
      {.Class = "LPPool2d", .Op = "lp_pool2d", .Shown = "norm_type,kernel_size"},
      {.Class = "MaxPool1d", .Op = "max_pool1d", .Shown = "kernel_size"},
      {.Class = "MaxPool2d", .Op = "max_pool2d", .Shown = "kernel_size"},
      {.Class = "MaxPool3d", .Op = "max_pool3d", .Shown = "kernel_size"},
      {.Class = "MaxUnpool1d", .Op = "max_unpool1d", .Inputs = "input,indices", .Shown = "kernel_size"},
      {.Class = "MaxUnpool2d", .Op = "max_unpool2d", .Inputs = "input,indices", .Shown = "kernel_size"},
      {.Class = "MaxUnpool3d", .Op = "max_unpool3d", .Inputs = "input,indices", .Shown = "kernel_size"},
  };
  return Rows;
}

} // namespace vramlint
