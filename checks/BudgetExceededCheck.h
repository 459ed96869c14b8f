//===- checks/BudgetExceededCheck.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch-budget-exceeded: finds models and programs that take more than the
// project allows.

#pragma once

#include "checks/Budget.h"
#include "checks/TorchCheck.h"

namespace vramlint {

class BudgetExceededCheck : public TorchCheck {
public:
  BudgetExceededCheck(llvm::StringRef Name,
                      clang::tidy::ClangTidyContext *Context);
  void storeOptions(clang::tidy::ClangTidyOptions::OptionMap &Opts) override;

protected:
  void onAnalysis(const Analysis &A) override;

private:
  using ListParser = llvm::Expected<std::vector<Budget>> (*)(llvm::StringRef);
  std::vector<Budget> read(llvm::StringRef Option, ListParser Parse);
  void judgeModels(const Analysis &A);
  void judgePeak(const Analysis &A, const Budget &B);
  struct Subject;
  void compare(clang::SourceLocation At, const Subject &S, int64_t Limit);

  const std::string ParametersText, TrainingText, InferenceText;
  std::vector<Budget> Parameters, Training, Inference;
};

} // namespace vramlint
