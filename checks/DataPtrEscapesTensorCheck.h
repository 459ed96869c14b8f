//===- checks/DataPtrEscapesTensorCheck.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch-data-ptr-escapes-tensor: finds pointers into a local tensor that leave its function.

#pragma once

#include "checks/TorchCheck.h"

namespace vramlint {

class DataPtrEscapesTensorCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void onAnalysis(const Analysis &A) override;
};

} // namespace vramlint
