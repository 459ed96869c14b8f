//===- checks/Budget.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The limits that a project sets itself.

#include "checks/Budget.h"

#include "lib/support/Sizes.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace vramlint {

using Parser = llvm::function_ref<llvm::Expected<int64_t>(llvm::StringRef)>;

static llvm::Expected<std::vector<Budget>> parse(llvm::StringRef Text,
                                                 bool WithGpu, Parser Limit) {
  std::vector<Budget> All;
  llvm::SmallVector<llvm::StringRef> Parts;
  Text.split(Parts, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef Part : Parts) {
    Budget B;
    llvm::StringRef Rest = Part.trim();
    if (Rest.contains(':')) {
      auto [Scope, After] = Rest.split(':');
      B.Scope = Scope.trim().str();
      Rest = After.trim();
    }
    if (WithGpu && Rest.contains('=')) {
      auto [Gpu, After] = Rest.split('=');
      B.Gpu = Gpu.trim().str();
      Rest = After.trim();
    }
    llvm::Expected<int64_t> N = Limit(Rest);
    if (!N)
      return N.takeError();
    B.Limit = *N;
    All.push_back(std::move(B));
  }
  return All;
}

llvm::Expected<std::vector<Budget>> parseByteBudgets(llvm::StringRef Text) {
  return parse(Text, /*WithGpu=*/true, parseBytes);
}

llvm::Expected<std::vector<Budget>> parseCountBudgets(llvm::StringRef Text) {
  return parse(Text, /*WithGpu=*/false, parseCount);
}

bool Budget::coversFile(llvm::StringRef Path) const {
  if (Scope.empty() || Path == Scope)
    return true;
  return Path.ends_with(Scope) && Path[Path.size() - Scope.size() - 1] == '/';
}

BudgetVerdict judge(const Quantity &Need, int64_t Limit) {
  if (Need.lower() > Limit)
    return BudgetVerdict::Exceeded;
  return Need.isUnknown() || Need.upper() > Limit ? BudgetVerdict::NotShown
                                                  : BudgetVerdict::Met;
}

} // namespace vramlint
