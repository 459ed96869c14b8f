//===- checks/ForeignFreeCheck.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch-foreign-free: finds memory shared with a tensor that the wrong party frees.

#pragma once

#include "checks/TorchCheck.h"
#include "clang/Basic/SourceLocation.h"
#include <set>

namespace vramlint {

class BodyView;
struct Freed;
struct FromBlob;

class ForeignFreeCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void onAnalysis(const Analysis &A) override;

private:
  void tensorMemory(const Freed &F, const BodyView &View, bool AnyFromBlob);
  void buffer(const FromBlob &Blob, llvm::ArrayRef<Freed> All,
              const BodyView &View);
  void deleter(const FromBlob &Blob, const BodyView &View);
  std::set<clang::SourceLocation> Done; ///< Instantiations share their text.
};

} // namespace vramlint
