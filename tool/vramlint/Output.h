//===- tool/vramlint/Output.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Where results go: findings to stdout as they come (text) or all at the end
// (JSON, SARIF …); closing lines to stderr.

#pragma once

#include "lib/report/Baseline.h"
#include "lib/report/Closing.h"
#include "lib/report/Fingerprint.h"
#include "lib/report/SourceText.h"
#include "tool/vramlint/FileOutput.h"
#include "tool/vramlint/LineFilter.h"
#include "tool/vramlint/Progress.h"
#include "llvm/ADT/StringSet.h"

namespace vramlint::tool {

class Output {
public:
  Output(const CommandLine &C, llvm::vfs::FileSystem &FS);

  /// Reads what says which findings are wanted: --baseline, --lines, --diff.
  llvm::Error readFilters();

  /// Whether to colour: on a terminal, unless NO_COLOR is set or --color tells.
  bool color() const { return Color; }
  /// For render().
  report::SourceText &sources() { return Sources; }
  const report::PathPrinter &paths() const { return Paths; }
  /// There are \p Files files to come; shows how far we are, on a terminal.
  void expect(size_t Files);
  void started(llvm::StringRef File) { Bar.started(File); }
  /// Takes what there is of one file and prints what can be printed now.
  void file(FileOutput O);
  /// Applies fixes, prints what is left; returns the exit code.
  int finish();

private:
  bool wanted(const Finding &F);
  void text(const FileOutput &O);
  void findings(const FileOutput &O);
  void closing(const FileOutput &O);
  void printAll(int Code);
  void printJson(int Code);
  int applyFixes();
  int writeBaseline();
  int exitCode() const;

  const CommandLine &C;
  report::SourceText Sources;
  report::PathPrinter Paths;
  report::Fingerprinter Prints;
  report::Baseline Known;
  std::optional<LineFilter> Lines;
  bool Color;
  report::Totals Counted;
  Progress Bar;
  std::vector<FileOutput> All;
  std::string Buffer; ///< For --output.
  llvm::raw_string_ostream Buffered;
  llvm::raw_ostream &OS;
  std::vector<std::string> Files;
  llvm::StringSet<> Printed, Notes; ///< Said once, however many units see it.
  bool Any = false;
};

} // namespace vramlint::tool
