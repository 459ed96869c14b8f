//===- checks/OversizedLinearCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See OversizedLinearCheck.h.

#include "checks/OversizedLinearCheck.h"

namespace vramlint {

void OversizedLinearCheck::onAnalysis(const Analysis &) {}

} // namespace vramlint
