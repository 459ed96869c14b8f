//===- lib/report/Gitlab.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Findings as GitLab's code quality report.

#include "lib/report/Gitlab.h"

#include "llvm/Support/JSON.h"

namespace vramlint::report {

using llvm::json::Array;
using llvm::json::Object;

static std::string utf8(llvm::StringRef Text) {
  return llvm::json::isUTF8(Text) ? Text.str() : llvm::json::fixUTF8(Text);
}

/// GitLab's words, of which "blocker" is left for people.
static llvm::StringRef severityName(Severity S) {
  return S == Severity::Remark    ? "info"
         : S == Severity::Warning ? "major"
                                  : "critical";
}

void printGitlab(llvm::ArrayRef<FileOutcome> Files, SourceText &Sources,
                 const PathPrinter &Paths, llvm::raw_ostream &OS) {
  Fingerprinter Prints(Sources, Paths);
  Array Issues;
  for (const Finding &F : allFindings(Files)) {
    // A finding on the whole file is shown at its first line: GitLab wants one.
    unsigned Line = F.Pos.isValid() ? F.Pos.Line : 1;
    Issues.push_back(
        Object{{"description", utf8(F.Message)},
               {"check_name", F.Check},
               {"fingerprint", Prints.next(F)},
               {"severity", severityName(F.Level)},
               {"location", Object{{"path", utf8(Paths.file(F.Pos.File))},
                                   {"lines", Object{{"begin", Line}}}}}});
  }
  OS << llvm::formatv("{0:2}", llvm::json::Value(std::move(Issues))) << '\n';
}

} // namespace vramlint::report
