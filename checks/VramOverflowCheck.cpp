//===- checks/VramOverflowCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See VramOverflowCheck.h.

#include "checks/VramOverflowCheck.h"

namespace vramlint {

void VramOverflowCheck::onAnalysis(const Analysis &) {}

} // namespace vramlint
