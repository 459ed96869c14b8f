//===- lib/report/Text.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Findings as the compiler prints its own: place, caret, notes, fix-it lines.

#pragma once

#include "lib/report/Format.h"
#include "lib/report/SourceText.h"
#include "lib/support/Finding.h"
#include "llvm/Support/raw_ostream.h"

namespace vramlint::report {

struct TextOptions {
  bool Color = false;
  bool FixesApplied = false; ///< --fix: notes say so instead of offering it.
};

/// Sorted by place, then check; the same finding (check, place, message) once.
std::vector<Finding> sortedFindings(std::vector<Finding> Findings);

/// Prints findings in clang's form:
///   train.cpp:58:12: warning: message [check]
///      58 |       loss.backward();
///         |            ^
/// A note shows its line only where it carries a fix.
class TextPrinter {
public:
  TextPrinter(llvm::raw_ostream &OS, SourceText &Sources,
              const PathPrinter &Paths, TextOptions Options)
      : OS(OS), Sources(Sources), Paths(Paths), Options(Options) {
    if (Options.Color)
      OS.enable_colors(true);
  }
  void print(const Finding &F);

private:
  void head(const SourcePos &Pos, llvm::StringRef Kind,
            llvm::raw_ostream::Colors KindColor, llvm::StringRef Message,
            llvm::StringRef Check);
  void snippet(const SourcePos &Pos, const std::vector<FixEdit> &Fixes);

  llvm::raw_ostream &OS;
  SourceText &Sources;
  const PathPrinter &Paths;
  TextOptions Options;
};

} // namespace vramlint::report
