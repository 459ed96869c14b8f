//===- checks/FromBlobDtypeMismatchCheck.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch-from-blob-dtype-mismatch: finds tensors made from memory whose elements have another type.

#pragma once

#include "checks/TorchCheck.h"

namespace vramlint {

class FromBlobDtypeMismatchCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void onAnalysis(const Analysis &A) override;
};

} // namespace vramlint
