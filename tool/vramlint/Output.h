//===- tool/vramlint/Output.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Where results go: findings to stdout as they come (text) or all at the end
// (JSON, SARIF); closing lines to stderr.

#pragma once

#include "lib/report/Closing.h"
#include "lib/report/SourceText.h"
#include "tool/vramlint/Analyser.h"
#include "llvm/ADT/StringSet.h"

namespace vramlint::tool {

class Output {
public:
  Output(const CommandLine &C, llvm::vfs::FileSystem &FS);

  /// Whether to colour: on a terminal, unless NO_COLOR is set or --color tells.
  bool color() const { return Color; }
  /// Takes one file's result and prints what can be printed now.
  void file(FileResult R);
  /// Applies fixes, prints what is left; returns the exit code.
  int finish();

private:
  void text(const FileResult &R);
  void findings(const FileResult &R);
  void closing(const FileResult &R);
  int applyFixes();
  int exitCode() const;

  const CommandLine &C;
  report::SourceText Sources;
  report::PathPrinter Paths;
  bool Color;
  report::Totals Counted;
  std::vector<FileResult> All;
  std::vector<std::string> Files;
  llvm::StringSet<> Printed, Notes; ///< Said once, however many units see it.
  bool Any = false;
};

} // namespace vramlint::tool
