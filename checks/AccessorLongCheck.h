//===- checks/AccessorLongCheck.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch-accessor-long: finds element types that LibTorch does not have, or not on every platform.

#pragma once

#include "checks/TorchCheck.h"

namespace clang {
class VarDecl;
}

namespace vramlint {

struct ElementTypeUse;

/// Option Portable (true): also report `long`, which links on some platforms.
class AccessorLongCheck : public TorchCheck {
public:
  AccessorLongCheck(llvm::StringRef Name, clang::tidy::ClangTidyContext *Context)
      : TorchCheck(Name, Context), Portable(Options.get("Portable", true)) {}
  void storeOptions(clang::tidy::ClangTidyOptions::OptionMap &Opts) override;

protected:
  void onAnalysis(const Analysis &A) override;

private:
  void report(const Analysis &A, const ElementTypeUse &Use,
              const clang::VarDecl *Variable);
  const bool Portable;
};

} // namespace vramlint
