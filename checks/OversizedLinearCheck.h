//===- checks/OversizedLinearCheck.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch-oversized-linear: finds a fully connected layer that holds most of a
// model's parameters.

#pragma once

#include "checks/OversizedLinear.h"
#include "checks/TorchCheck.h"

namespace vramlint {

class OversizedLinearCheck : public TorchCheck {
public:
  OversizedLinearCheck(llvm::StringRef Name,
                       clang::tidy::ClangTidyContext *Context);
  void storeOptions(clang::tidy::ClangTidyOptions::OptionMap &Opts) override;

protected:
  void onAnalysis(const Analysis &A) override;

private:
  const OversizedLimits Limits;
};

} // namespace vramlint
