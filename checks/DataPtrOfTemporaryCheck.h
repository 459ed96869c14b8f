//===- checks/DataPtrOfTemporaryCheck.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch-data-ptr-of-temporary: finds pointers into tensors that are destroyed at the end of the statement.

#pragma once

#include "checks/TorchCheck.h"

namespace clang {
class DeclStmt;
}

namespace vramlint {

class BodyView;
struct TemporaryPointer;

class DataPtrOfTemporaryCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void onAnalysis(const Analysis &A) override;

private:
  void report(const TemporaryPointer &P, clang::SourceLocation Loc,
              llvm::StringRef Kept, const clang::DeclStmt *Statement,
              const BodyView &View);
};

} // namespace vramlint
