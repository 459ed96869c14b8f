//===- lib/support/Sizes.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Sizes and counts as people write them.

#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace vramlint {

/// "512", "1.5GiB", "800 MB" as bytes; an error names what is wrong.
llvm::Expected<int64_t> parseBytes(llvm::StringRef Text);
/// "25000000", "25M", "1.5 G": a number of things.
llvm::Expected<int64_t> parseCount(llvm::StringRef Text);

} // namespace vramlint
