//===- lib/report/FitText.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The table of `vramlint fit`: a row per GPU.

#pragma once

#include "lib/gpu/FitTable.h"
#include "lib/report/Format.h"
#include "lib/report/RunFacts.h"

namespace vramlint::report {

/// "128 for certain, up to 140 may fit", "not even 1", "?".
std::string batchText(const BatchLimit &B);

void printFitTable(const FileReport &R, llvm::ArrayRef<FitRow> Rows,
                   llvm::raw_ostream &OS);

} // namespace vramlint::report
