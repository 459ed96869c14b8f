//===- lib/report/Github.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Findings as GitHub's workflow commands.

#include "lib/report/Github.h"

namespace vramlint::report {

/// The characters that end a command, or one of its properties, are written as
/// GitHub's runner reads them back.
static std::string escaped(llvm::StringRef Text, bool Property) {
  std::string Out;
  for (char C : Text) {
    if (C == '%')
      Out += "%25";
    else if (C == '\r')
      Out += "%0D";
    else if (C == '\n')
      Out += "%0A";
    else if (Property && C == ':')
      Out += "%3A";
    else if (Property && C == ',')
      Out += "%2C";
    else
      Out += C;
  }
  return Out;
}

static llvm::StringRef commandName(Severity S) {
  return S == Severity::Remark    ? "notice"
         : S == Severity::Warning ? "warning"
                                  : "error";
}

static void printFinding(const Finding &F, const PathPrinter &Paths,
                         llvm::raw_ostream &OS) {
  std::string Text = F.Message;
  for (const FindingNote &N : F.Notes)
    Text +=
        "\n" + (N.Pos.isValid() ? Paths.place(N.Pos) + ": " : "") + N.Message;
  OS << "::" << commandName(F.Level) << ' ';
  if (!F.Pos.File.empty())
    OS << "file=" << escaped(Paths.file(F.Pos.File), true) << ',';
  if (F.Pos.isValid())
    OS << "line=" << F.Pos.Line << ",col=" << F.Pos.Column << ',';
  OS << "title=" << escaped(F.Check, true) << "::" << escaped(Text, false)
     << '\n';
}

void printGithub(llvm::ArrayRef<FileOutcome> Files, const PathPrinter &Paths,
                 llvm::raw_ostream &OS) {
  for (const Finding &F : allFindings(Files))
    printFinding(F, Paths, OS);
  for (const FileOutcome &File : Files) {
    if (File.Is != FileOutcome::State::NotAnalysed)
      continue;
    OS << "::error file=" << escaped(Paths.file(File.File), true)
       << ",title=vramlint::not analysed"
       << escaped(File.Problem.empty() ? "" : ": " + File.Problem, false)
       << '\n';
  }
}

} // namespace vramlint::report
