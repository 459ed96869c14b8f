//===- lib/memory/Statements.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Each statement of the user's code as it ran, with what was alive after it and
// the peak inside it: what test/oracle/matrix.py compares with real LibTorch.
// LineTable sums the same events by line, for readers.

#pragma once

#include "lib/memory/Timeline.h"

namespace vramlint {

struct StatementUse {
  SourcePos Pos;
  int64_t AllocatedBytes = 0;
  int64_t FreedBytes = 0;
  int64_t AliveAfterBytes = 0;
  int64_t PeakBytes = 0; ///< Highest inside it and what it calls, its start included.
  friend bool operator==(const StatementUse &, const StatementUse &) = default;
};

/// The statements of \p T that changed bytes, in the order in which they ended.
/// What dies between two statements, as locals at the end of their scope do,
/// counts for neither; for a call's statement all counts that the callee did.
/// Iterations that the machine did not run stand as the one before them.
std::vector<StatementUse> computeStatements(const Timeline &T);

/// Prints \p T's statements, one a line; what --dump-statements shows.
void printStatements(const Timeline &T, llvm::raw_ostream &OS);

} // namespace vramlint
