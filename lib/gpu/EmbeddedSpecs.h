//===- lib/gpu/EmbeddedSpecs.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The specs of gpu-specs/ as compiled in; defined in a file that the build
// makes.

#pragma once

#include "lib/gpu/GpuSpec.h"

namespace vramlint {

llvm::ArrayRef<GpuSpec> embeddedGpus();
llvm::ArrayRef<GpuSystem> embeddedSystems();

} // namespace vramlint
