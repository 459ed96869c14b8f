//===- tool/vramlint/FileOutput.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What is printed of one file, as plain data: it crosses from the process that
// analysed the file to the one that prints, and lies in the cache of results.

#pragma once

#include "lib/report/Format.h"
#include "lib/report/SourceText.h"
#include "tool/vramlint/Analyser.h"
#include <optional>

namespace vramlint::tool {

struct FileOutput {
  report::FileOutcome Outcome;
  std::vector<std::string>
      CompilerText; ///< The compiler's errors, with carets.
  std::string FlagsNote;
  std::string Shown;   ///< The verb's table, a program or a dump: for stdout.
  std::string Closing; ///< Lines for stderr.
  std::string Json,
      Lines; ///< With --format json: the file, and `annotate`'s lines.
};

/// Writes down what \p R comes to; from here on the analysis is not needed.
FileOutput render(const FileResult &R, const CommandLine &C,
                  report::SourceText &Sources,
                  const report::PathPrinter &Paths);

/// \p O as bytes, and back; nothing where they are torn or damaged.
std::string pack(const FileOutput &O);
std::optional<FileOutput> unpack(llvm::StringRef Bytes);

} // namespace vramlint::tool
