//===- lib/report/Closing.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The closing lines: what was read, on which assumptions, and the verdict. They
// go to stderr, so that stdout holds findings only.

#pragma once

#include "lib/report/Format.h"
#include "lib/report/RunFacts.h"

namespace vramlint::report {

/// Findings and files of a whole run, counted.
struct Totals {
  unsigned Warnings = 0; ///< Errors of checks too (WarningsAsErrors).
  unsigned Remarks = 0;
  unsigned Fixable = 0;
  unsigned Analysed = 0, WithoutTorch = 0, NotAnalysed = 0;
  unsigned NotJudged = 0; ///< Files whose fit on a named GPU is not known.
  /// Findings that were not asked for: known ones (--baseline), and those on lines
  /// that --lines or --diff leave out. They count nowhere else.
  unsigned InBaseline = 0, OnOtherLines = 0;
  unsigned BudgetsNotShown = 0; ///< Among the remarks: budgets that may not hold.
  bool Overflow = false;  ///< torch-vram-overflow is among the warnings.

  void add(const FileOutcome &R);
  /// 0 nothing at warning level, 1 warnings (or with \p RequireKnown a fit that
  /// could not be judged), 2 some file could not be analysed.
  int exitCode(bool RequireKnown) const;
};

/// The lines of one file: "train.cpp: VGG (vgg.h:12), …" and a verdict per GPU;
/// of one that was not analysed, why. Without \p Verdicts only what was read.
void printFileClosing(const FileReport &R, const PathPrinter &Paths,
                      llvm::raw_ostream &OS, bool Verdicts = true);

/// "2 warnings. Other cards: …", "Nothing found.": the last line. Nothing where
/// nothing was analysed.
void printTotals(const Totals &T, llvm::ArrayRef<std::string> Files,
                 bool RequireKnown, llvm::raw_ostream &OS);

/// "live 19.9, reserved 20.5, nvidia-smi ~21.0 GiB (lower 20.7, upper 21.6) of
/// 14.8": the three levels in the unit of the last where it is theirs too.
std::string levelsText(const Fit &F);

} // namespace vramlint::report
