//===- checks/UnregisteredSubmoduleCheck.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch-unregistered-submodule: finds layers and weights in a module's fields that
// no registry of it has.

#pragma once

#include "checks/FieldFlow.h"
#include "checks/TorchCheck.h"

namespace vramlint {

class UnregisteredSubmoduleCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void onAnalysis(const Analysis &A) override;

private:
  struct Finding {
    std::string Call;   ///< What would register it.
    std::string Misses; ///< What doesn't reach it.
    clang::SourceLocation Use;
    std::vector<Origin> Origins;
    bool CanWrap = false;
    bool InFiles = false; ///< Registered, it is part of saved files.
  };
  void checkModules(const Analysis &A, const Mentions &Index,
                    const clang::FieldDecl &F);
  void checkTensor(const Analysis &A, const Mentions &Index,
                   const clang::FieldDecl &F);
  void report(const Mentions &Index, const clang::FieldDecl &F, Finding What);
};

} // namespace vramlint
