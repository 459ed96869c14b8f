//===- checks/FromBlobDanglingCheck.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch-from-blob-dangling: finds tensors that outlive the memory they were made from.

#pragma once

#include "checks/TorchCheck.h"

namespace vramlint {

class BodyView;
struct Dangling;

class FromBlobDanglingCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void onAnalysis(const Analysis &A) override;

private:
  void report(const Dangling &D, const BodyView &View);
};

} // namespace vramlint
