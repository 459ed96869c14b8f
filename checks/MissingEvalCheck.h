//===- checks/MissingEvalCheck.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch-missing-eval: finds loaded models that are run without being put in
// evaluation mode, and trained ones that are evaluated in training mode.

#pragma once

#include "checks/TorchCheck.h"

namespace vramlint {

class MissingEvalCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void onAnalysis(const Analysis &A) override;

private:
  void reportLoaded(const Analysis &A, const ForwardSite &S, const ObjectFacts &O);
  /// \p By: another file that trains and calls the function; empty: this one.
  void reportTrained(const Analysis &A, const ForwardSite &S, llvm::StringRef By);
};

} // namespace vramlint
