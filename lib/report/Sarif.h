//===- lib/report/Sarif.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Findings as SARIF 2.1.0: exactly one run however many files, since code hosts
// refuse logs of several. Results are sorted, each once, with fingerprints that
// outlive a move of the line.

#pragma once

#include "lib/report/Closing.h"
#include "lib/report/SourceText.h"

namespace vramlint::report {

/// One check, as SARIF's rules name it.
struct RuleInfo {
  std::string Name;    ///< "torch-vram-overflow"
  std::string Summary; ///< "finds programs that …"
  std::string Category;
  std::string HelpUri;
};

struct SarifReport {
  std::string Version; ///< vramlint's own.
  std::string InformationUri;
  std::vector<RuleInfo> Rules;
  std::vector<FileOutcome> Files;
  /// Code hosts show 5,000 results of a run; the loudest are kept.
  size_t MaxResults = 5000;
};

void printSarif(const SarifReport &R, SourceText &Sources,
                const PathPrinter &Paths, llvm::raw_ostream &OS);

/// "src/a%20b.cpp", or "file:///abs/a.cpp" for an absolute path.
std::string fileUri(llvm::StringRef Path);

} // namespace vramlint::report
