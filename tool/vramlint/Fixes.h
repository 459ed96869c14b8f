//===- tool/vramlint/Fixes.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Applies the fixes of findings to the files, as --fix asks.

#pragma once

#include "lib/support/Finding.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace vramlint::tool {

/// \p Text with \p Edits applied; an edit that overlaps an earlier one, or lies
/// outside, is left out. \p Applied: how many were made.
std::string applyEdits(const std::string &Text, std::vector<FixEdit> Edits,
                       unsigned &Applied);

/// Applies all fixes of \p Findings, each file in one write. Returns the number
/// of edits made; fails on the first file that can't be read or written.
llvm::Expected<unsigned> applyFixes(const std::vector<Finding> &Findings);

} // namespace vramlint::tool
