//===- checks/Budget.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The limits that a project sets itself, and what of them holds.

#pragma once

#include "lib/support/Bytes.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace vramlint {

/// One limit: "[SCOPE:][GPU=]LIMIT".
struct Budget {
  std::string Scope; ///< A file's name or a model's class; empty: each.
  std::string Gpu;   ///< Empty: tensors alone.
  int64_t Limit = 0;

  /// True where \p Path, the file of an entry point, is the scope's.
  bool coversFile(llvm::StringRef Path) const;
};

/// "8GiB", "t4=12GiB, train.cpp:t4=14GiB" as budgets of bytes.
llvm::Expected<std::vector<Budget>> parseByteBudgets(llvm::StringRef Text);
/// "25M", "Net:25M, Decoder:1M" as budgets of parameters.
llvm::Expected<std::vector<Budget>> parseCountBudgets(llvm::StringRef Text);

/// Met only where the upper bound is: with something unknown it never is.
enum class BudgetVerdict { Met, NotShown, Exceeded };
BudgetVerdict judge(const Quantity &Need, int64_t Limit);

} // namespace vramlint
