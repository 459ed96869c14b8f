//===- checks/InferenceWithoutNoGradCheck.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch-inference-without-no-grad: finds forward calls used for inference that
// record an autograd graph.
//
// A call is taken for inference by what the code says (loaded, put in evaluation
// mode, a function called predict …) and never where the function trains, where
// every caller holds a guard, or where the trace shows that a backward pass went
// through the result. Where the program could be run, its trace decides.

#pragma once

#include "checks/TorchCheck.h"

namespace vramlint {

class InferenceWithoutNoGradCheck : public TorchCheck {
public:
  InferenceWithoutNoGradCheck(llvm::StringRef Name,
                              clang::tidy::ClangTidyContext *Context);
  void storeOptions(clang::tidy::ClangTidyOptions::OptionMap &Opts) override;

protected:
  void onAnalysis(const Analysis &A) override;

private:
  struct Candidate {
    const ForwardSite *Site = nullptr;
    std::string Reason; ///< Why it is taken for inference.
    clang::SourceLocation ReasonLoc;
    const CallSite *UnguardedCaller = nullptr;
    /// What the trace knows of the call; null: it did not run.
    const ForwardCall *Run = nullptr;
  };
  std::optional<Candidate> judge(const Analysis &A, const ForwardSite &S) const;
  void report(const Analysis &A, const Candidate &C,
              const clang::CompoundStmt *Block, unsigned Others);
  void noteCost(const Analysis &A, const Candidate &C);

  const bool IgnoreTests;
  const std::string Guard;
};

} // namespace vramlint
