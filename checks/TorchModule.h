//===- checks/TorchModule.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The list of checks, for hosts and reports; asking for it links them in.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace vramlint {

/// From the smallest set to the largest: each profile turns on those before it too.
enum class Profile {
  Strict,  ///< The program is wrong: it throws, reads freed memory, doesn't fit …
  Default, ///< On without any configuration.
  Hint,    ///< Advice, and what public code does not yet show to be right.
};

struct CheckInfo {
  llvm::StringLiteral Name;     ///< "torch-vram-overflow".
  llvm::StringLiteral Category; ///< "memory".
  Profile In;
  llvm::StringLiteral Summary;
};

/// Every check, sorted by name.
llvm::ArrayRef<CheckInfo> allChecks();

} // namespace vramlint
