//===- tool/vramlint/Calibrate.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The C++ program that `vramlint calibrate` prints: the user's own, with a witness beside
// it that notes what the allocator and the driver say of memory.

#pragma once

#include "lib/gpu/Fit.h"
#include <string>

namespace vramlint::tool {

/// The program for \p File. What it finds of the workspaces is measured against the need
/// of \p Line, if that is known.
std::string calibrationProgram(llvm::StringRef File, const Timeline &Line,
                               const FitOptions &Options);

} // namespace vramlint::tool
