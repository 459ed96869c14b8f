//===- lib/gpu/NativeGpu.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// This machine's own GPU, asked of the driver; only ever by `--gpu native`.

#pragma once

#include "lib/gpu/GpuCatalog.h"

namespace vramlint {

/// Runs `nvidia-smi --query-gpu=name,memory.total` and finds the first GPU in
/// \p Catalog; its usable memory is what the driver reports. Errors: no
/// nvidia-smi, no GPU, one that is not in the catalog.
llvm::Expected<GpuSpec> findNativeGpu(const GpuCatalog &Catalog);

/// The same from \p Output, a line "NAME, MIB MiB" per GPU.
llvm::Expected<GpuSpec> parseNativeGpu(llvm::StringRef Output,
                                       const GpuCatalog &Catalog);

} // namespace vramlint
