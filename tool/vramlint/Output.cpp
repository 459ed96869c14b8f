//===- tool/vramlint/Output.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Where results go.

#include "tool/vramlint/Output.h"

#include "lib/report/Annotate.h"
#include "lib/report/FitText.h"
#include "lib/report/Github.h"
#include "lib/report/Gitlab.h"
#include "lib/report/Json.h"
#include "lib/report/Sarif.h"
#include "lib/report/Summary.h"
#include "lib/report/Text.h"
#include "tool/vramlint/Fixes.h"
#include "tool/vramlint/Lists.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"

namespace vramlint::tool {

using report::FileReport;

static bool wantColor(const CommandLine &C) {
  if (C.Color != ColorWhen::Auto)
    return C.Color == ColorWhen::Always;
  std::optional<std::string> No = llvm::sys::Process::GetEnv("NO_COLOR");
  return (!No || No->empty()) && llvm::outs().has_colors();
}

static std::string workingDir(llvm::vfs::FileSystem &FS) {
  llvm::ErrorOr<std::string> Dir = FS.getCurrentWorkingDirectory();
  return Dir ? *Dir : "";
}

Output::Output(const CommandLine &C, llvm::vfs::FileSystem &FS)
    : C(C), Sources([&FS](llvm::StringRef File) -> std::optional<std::string> {
        auto Buffer = FS.getBufferForFile(File);
        if (!Buffer)
          return std::nullopt;
        return (*Buffer)->getBuffer().str();
      }),
      Paths(workingDir(FS)), Color(wantColor(C)) {
  if (Color)
    llvm::outs().enable_colors(true);
}

void Output::file(FileResult R) {
  R.Report.Findings = report::sortedFindings(std::move(R.Report.Findings));
  // A header's finding comes from every unit that includes it.
  std::vector<Finding> New;
  for (Finding &F : R.Report.Findings)
    if (Printed
            .insert(F.Check + '\0' + F.Pos.str() + '\0' + F.Message)
            .second)
      New.push_back(std::move(F));
  R.Report.Findings = std::move(New);
  // Only `check` reports findings; the others show figures.
  if (C.What != Verb::Check &&
      R.Report.Is == FileReport::State::Analysed)
    R.Report.Findings.clear();
  Counted.add(R.Report);
  Files.push_back(R.Report.File);
  if (C.dumps())
    llvm::outs() << R.Dump;
  if (C.Output == Format::Text) {
    text(R);
    llvm::outs().flush();
  }
  closing(R);
  All.push_back(std::move(R));
}

void Output::findings(const FileResult &R) {
  for (const std::string &Text : R.CompilerText)
    llvm::outs() << Paths.text(Text);
  if (R.Report.Is == FileReport::State::NotAnalysed)
    return;
  report::TextOptions Options;
  Options.Color = Color;
  Options.FixesApplied = C.Fix;
  report::TextPrinter Printer(llvm::outs(), Sources, Paths, Options);
  for (const Finding &F : R.Report.Findings)
    Printer.print(F);
}

void Output::text(const FileResult &R) {
  findings(R);
  if (C.dumps() || R.Report.Is != FileReport::State::Analysed)
    return;
  bool Shown = C.What != Verb::Check;
  if (Shown && Any)
    llvm::outs() << '\n';
  Any |= Shown;
  switch (C.What) {
  case Verb::Summary:
    report::printSummary(R.Report, Sources, Paths, llvm::outs());
    break;
  case Verb::Annotate:
    if (R.Report.Run && R.Report.Line)
      report::printAnnotated(R.Report, R.Lines, Sources, Paths, llvm::outs());
    break;
  case Verb::Calibrate:
    llvm::outs() << R.Dump;
    break;
  case Verb::Fit:
    if (!R.Rows.empty())
      report::printFitTable(R.Report, R.Rows, llvm::outs());
    break;
  default:
    break;
  }
}

/// Of the closing lines, those on files that could not be analysed are shown
/// always: --quiet drops verdicts, never problems.
void Output::closing(const FileResult &R) {
  bool Problem = R.Report.Is == FileReport::State::NotAnalysed;
  bool Wanted = !C.Quiet && C.Output == Format::Text && !C.dumps();
  if (!Problem && !Wanted)
    return;
  bool Spoke = !R.Report.Findings.empty() || !R.CompilerText.empty();
  if (Spoke && Wanted && !Problem)
    llvm::errs() << '\n';
  if (Wanted && !R.FlagsNote.empty() && Notes.insert(R.FlagsNote).second)
    llvm::errs() << R.Report.File << ": " << R.FlagsNote << '\n';
  bool Figures = C.What == Verb::Summary || C.What == Verb::Annotate;
  if (Figures && R.Report.Is == FileReport::State::Analysed)
    return; // The tables say it.
  report::printFileClosing(R.Report, Paths, llvm::errs(),
                           /*Verdicts=*/C.What == Verb::Check);
}

int Output::exitCode() const {
  return Counted.exitCode(C.RequireKnown);
}

int Output::applyFixes() {
  std::vector<Finding> Findings;
  for (const FileResult &R : All)
    if (R.Report.Is == FileReport::State::Analysed)
      Findings.insert(Findings.end(), R.Report.Findings.begin(),
                      R.Report.Findings.end());
  llvm::Expected<unsigned> Applied = tool::applyFixes(Findings);
  if (!Applied)
    return complain(llvm::toString(Applied.takeError()));
  if (*Applied && !C.Quiet && C.Output == Format::Text)
    llvm::errs() << *Applied << (*Applied == 1 ? " fix" : " fixes")
                 << " applied\n";
  return 0;
}

int Output::finish() {
  int FixError = C.Fix ? applyFixes() : 0;
  int Code = std::max(FixError, exitCode());
  if (C.Output == Format::Text) {
    if (!C.Quiet && !C.dumps() && C.What == Verb::Check)
      report::printTotals(Counted, Files, C.RequireKnown, llvm::errs());
    return Code;
  }
  std::vector<FileReport> Reports;
  for (const FileResult &R : All)
    Reports.push_back(R.Report);
  if (C.Output == Format::Sarif) {
    report::SarifReport S;
    S.Version = versionText().str();
    S.InformationUri = VRAMLINT_DOCS_URI;
    S.Rules = ruleInfos();
    S.Files = std::move(Reports);
    report::printSarif(S, Sources, Paths, llvm::outs());
    return Code;
  }
  if (C.Output == Format::Github) {
    report::printGithub(Reports, Paths, llvm::outs());
    return Code;
  }
  if (C.Output == Format::Gitlab) {
    report::printGitlab(Reports, Sources, Paths, llvm::outs());
    return Code;
  }
  report::JsonReport J;
  J.Verb = verbName(C.What).str();
  J.Version = versionText().str();
  J.LlvmVersion = LLVM_VERSION_STRING;
  J.Files = std::move(Reports);
  J.WithSummary = C.What == Verb::Summary;
  for (const FileResult &R : All) {
    if (C.What == Verb::Fit)
      J.FitRows.push_back(R.Rows);
    J.Lines.push_back(R.Lines);
  }
  J.Counted = Counted;
  J.ExitCode = Code;
  report::printJson(J, Paths, llvm::outs());
  return Code;
}

} // namespace vramlint::tool
