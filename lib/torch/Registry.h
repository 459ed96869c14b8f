//===- lib/torch/Registry.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Joins all op tables: name -> row; nothing else.

#pragma once

#include "lib/torch/OpEntry.h"

namespace vramlint {

/// The row called \p Name, or null. In-place forms ("relu_") have rows of their
/// own.
const OpEntry *findOp(llvm::StringRef Name);

/// All rows, sorted by name.
std::vector<const OpEntry *> allOps();

} // namespace vramlint
