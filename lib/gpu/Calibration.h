//===- lib/gpu/Calibration.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What a user's own card was measured to take beside the program's tensors: the file that
// the program of `vramlint calibrate` writes.

#pragma once

#include "lib/gpu/Fit.h"
#include "lib/gpu/GpuCatalog.h"

namespace vramlint {

inline constexpr int64_t CalibrationVersion = 1;

/// Reads the file's text. Errors name \p File, line and key: unknown or missing keys, a
/// GPU that is not in \p Catalog, another version.
llvm::Expected<Calibration> parseCalibration(llvm::StringRef Text, llvm::StringRef File,
                                             const GpuCatalog &Catalog);

} // namespace vramlint
