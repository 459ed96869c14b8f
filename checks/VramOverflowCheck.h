//===- checks/VramOverflowCheck.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch-vram-overflow: finds programs that need more memory than the GPU has.

#pragma once

#include "checks/TorchCheck.h"

namespace vramlint {

class VramOverflowCheck : public TorchCheck {
public:
  VramOverflowCheck(llvm::StringRef Name,
                    clang::tidy::ClangTidyContext *Context);
  void storeOptions(clang::tidy::ClangTidyOptions::OptionMap &Opts) override;

protected:
  void onAnalysis(const Analysis &A) override;

private:
  void judgeHost(const Analysis &A);
  void report(const Analysis &A, const Fit &F);
  void noteBreakdown(const Analysis &A, const Fit &F, clang::SourceLocation At);
  void noteOwners(const Analysis &A);
  void noteBatch(const Analysis &A, const Fit &F);
  void noteWaysOut(const Analysis &A, const Fit &F, clang::SourceLocation At);

  /// The mildest verdict that is a warning; milder ones are remarks.
  Verdict WarnOn;
};

} // namespace vramlint
