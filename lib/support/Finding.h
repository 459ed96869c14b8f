//===- lib/support/Finding.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What a check says, as plain data: made by checks/, printed by lib/report.

#pragma once

#include "lib/support/SourcePos.h"
#include <string>
#include <vector>

namespace vramlint {

/// How loud a finding is. Remarks never change the exit code. Error is a warning
/// raised by WarningsAsErrors, or the compiler's own.
enum class Severity { Remark, Warning, Error };

/// One replacement of a fix: \p Length bytes at \p Offset of \p File (interned)
/// become \p Replacement. Pos is the same place as line and column.
struct FixEdit {
  llvm::StringRef File;
  unsigned Offset = 0;
  unsigned Length = 0;
  std::string Replacement;
  SourcePos Pos;
};

/// A note below a finding; it has its own place and may carry the fix.
struct FindingNote {
  SourcePos Pos;
  std::string Message;
  std::vector<FixEdit> Fixes;
  bool Suggestion = false; ///< Its fixes are for a person to take: --fix leaves them.
};

struct Finding {
  std::string Check; ///< "torch-vram-overflow"; "clang-diagnostic-…" or empty
                     ///< for the compiler's own.
  Severity Level = Severity::Warning;
  SourcePos Pos;     ///< May be invalid: a finding on the whole file.
  std::string Message;
  std::vector<FindingNote> Notes;
  std::vector<FixEdit> Fixes; ///< Of the finding itself; notes have theirs.

  /// --fix does something.
  bool isFixable() const {
    if (!Fixes.empty())
      return true;
    for (const FindingNote &N : Notes)
      if (!N.Fixes.empty() && !N.Suggestion)
        return true;
    return false;
  }
};

} // namespace vramlint
