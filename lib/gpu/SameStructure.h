//===- lib/gpu/SameStructure.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Traces of one program with other sizes: where they differ in nothing else, the size of
// each storage can be interpolated.

#pragma once

#include "lib/torch/Trace.h"

namespace vramlint {

/// Do two runs differ in sizes only?
bool sameStructure(const Trace &A, const Trace &B);

} // namespace vramlint
