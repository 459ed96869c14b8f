//===- tool/vramlint/Output.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Where results go.

#include "tool/vramlint/Output.h"

#include "lib/report/Github.h"
#include "lib/report/Gitlab.h"
#include "lib/report/Json.h"
#include "lib/report/Sarif.h"
#include "lib/report/Text.h"
#include "tool/vramlint/Fixes.h"
#include "tool/vramlint/Lists.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"

namespace vramlint::tool {

using report::FileOutcome;

static bool wantColor(const CommandLine &C) {
  if (C.Color != ColorWhen::Auto)
    return C.Color == ColorWhen::Always;
  std::optional<std::string> No = llvm::sys::Process::GetEnv("NO_COLOR");
  return (!No || No->empty()) && C.OutputFile.empty() && llvm::outs().has_colors();
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
      Paths(workingDir(FS)), Prints(Sources, Paths), Color(wantColor(C)),
      Bar(0, false), Buffered(Buffer),
      OS(C.OutputFile.empty() ? llvm::outs() : static_cast<llvm::raw_ostream &>(Buffered)) {
  if (Color)
    OS.enable_colors(true);
}

llvm::Error Output::readFilters() {
  if (!C.Lines.empty())
    Lines.emplace();
  for (const std::string &Text : C.Lines)
    if (llvm::Error E = Lines->add(Text))
      return E;
  if (!C.DiffRev.empty()) {
    llvm::Expected<LineFilter> Changed = LineFilter::changedSince(C.DiffRev);
    if (!Changed)
      return Changed.takeError();
    Lines = std::move(*Changed);
  }
  if (C.Baseline.empty() || C.WriteBaseline)
    return llvm::Error::success();
  auto Text = llvm::MemoryBuffer::getFile(C.Baseline);
  if (!Text)
    return llvm::createStringError("--baseline " + C.Baseline + ": " +
                                   Text.getError().message() +
                                   "; --write-baseline makes it");
  llvm::Expected<report::Baseline> Read = report::Baseline::parse((*Text)->getBuffer());
  if (!Read)
    return llvm::createStringError("--baseline " + C.Baseline + ": " +
                                   llvm::toString(Read.takeError()));
  Known = std::move(*Read);
  return llvm::Error::success();
}

/// Whether to report \p F; counts it where not.
bool Output::wanted(const Finding &F) {
  if (Lines && !Lines->contains(F.Pos)) {
    ++Counted.OnOtherLines;
    return false;
  }
  if (C.Baseline.empty())
    return true;
  std::string Print = Prints.next(F);
  if (C.WriteBaseline)
    Known.add(F, Paths.file(F.Pos.File), std::move(Print));
  else if (!Known.knows(Print))
    return true;
  ++Counted.InBaseline;
  return false;
}

void Output::expect(size_t Files) {
  bool Wanted = Files > 1 && !C.Quiet && llvm::errs().is_displayed();
  Bar = Progress(Files, Wanted);
}

void Output::file(FileOutput O) {
  Bar.clear();
  report::FileOutcome &R = O.Outcome;
  // A header's finding comes from every unit that includes it.
  std::vector<Finding> New;
  for (Finding &F : report::sortedFindings(std::move(R.Findings)))
    if (Printed.insert(F.Check + '\0' + F.Pos.str() + '\0' + F.Message).second &&
        (R.Is != FileOutcome::State::Analysed || wanted(F)))
      New.push_back(std::move(F));
  R.Findings = std::move(New);
  Counted.add(R);
  Files.push_back(R.File);
  if (C.dumps())
    OS << O.Shown;
  if (C.Output == Format::Text) {
    text(O);
    OS.flush();
  }
  closing(O);
  All.push_back(std::move(O));
  Bar.done(Counted.Warnings + Counted.Remarks);
}

void Output::findings(const FileOutput &O) {
  for (const std::string &Text : O.CompilerText)
    OS << Paths.text(Text);
  if (O.Outcome.Is == FileOutcome::State::NotAnalysed)
    return;
  report::TextOptions Options;
  Options.Color = Color;
  Options.FixesApplied = C.Fix;
  report::TextPrinter Printer(OS, Sources, Paths, Options);
  for (const Finding &F : O.Outcome.Findings)
    Printer.print(F);
}

void Output::text(const FileOutput &O) {
  findings(O);
  if (C.dumps() || O.Outcome.Is != FileOutcome::State::Analysed)
    return;
  bool Table = C.What != Verb::Check;
  if (Table && Any)
    OS << '\n';
  Any |= Table;
  OS << O.Shown;
}

/// Of the closing lines, those on files that could not be analysed are shown
/// always: --quiet drops verdicts, never problems.
void Output::closing(const FileOutput &O) {
  const report::FileOutcome &R = O.Outcome;
  bool Problem = R.Is == FileOutcome::State::NotAnalysed;
  bool Wanted = !C.Quiet && C.Output == Format::Text && !C.dumps();
  if (!Problem && !Wanted)
    return;
  bool Spoke = !R.Findings.empty() || !O.CompilerText.empty();
  if (Spoke && Wanted && !Problem)
    llvm::errs() << '\n';
  if (Wanted && !O.FlagsNote.empty() && Notes.insert(O.FlagsNote).second)
    llvm::errs() << R.File << ": " << O.FlagsNote << '\n';
  llvm::errs() << O.Closing;
}

int Output::exitCode() const {
  return Counted.exitCode(C.RequireKnown);
}

int Output::applyFixes() {
  std::vector<Finding> Findings;
  for (const FileOutput &O : All)
    if (O.Outcome.Is == FileOutcome::State::Analysed)
      Findings.insert(Findings.end(), O.Outcome.Findings.begin(),
                      O.Outcome.Findings.end());
  llvm::Expected<unsigned> Applied = tool::applyFixes(Findings);
  if (!Applied)
    return complain(llvm::toString(Applied.takeError()));
  if (*Applied && !C.Quiet && C.Output == Format::Text)
    llvm::errs() << *Applied << (*Applied == 1 ? " fix" : " fixes")
                 << " applied\n";
  return 0;
}

/// All of it or nothing, also when we are stopped while at it.
static llvm::Error writeFile(const std::string &Path, llvm::StringRef Text) {
  llvm::Error E = llvm::writeToOutput(Path, [&](llvm::raw_ostream &OS) {
    OS << Text;
    return llvm::Error::success();
  });
  if (!E)
    return E;
  return llvm::createStringError(Path + ": " + llvm::toString(std::move(E)));
}

int Output::writeBaseline() {
  if (llvm::Error E = writeFile(C.Baseline, Known.text()))
    return complain("--baseline " + llvm::toString(std::move(E)));
  if (!C.Quiet)
    llvm::errs() << report::plural(Known.size(), "finding") << " written to "
                 << C.Baseline << '\n';
  return 0;
}

int Output::finish() {
  Bar.clear();
  int Error = C.Fix ? applyFixes() : 0;
  if (C.WriteBaseline)
    Error = std::max(Error, writeBaseline());
  int Code = std::max(Error, exitCode());
  printAll(Code);
  if (!C.OutputFile.empty())
    if (llvm::Error E = writeFile(C.OutputFile, Buffered.str()))
      Code = complain("--output " + llvm::toString(std::move(E)));
  return Code;
}

void Output::printAll(int Code) {
  std::vector<FileOutcome> Outcomes;
  for (const FileOutput &O : All)
    Outcomes.push_back(O.Outcome);
  switch (C.Output) {
  case Format::Text:
    if (!C.Quiet && !C.dumps() && C.What == Verb::Check)
      report::printTotals(Counted, Files, C.RequireKnown, llvm::errs());
    break;
  case Format::Github:
    report::printGithub(Outcomes, Paths, OS);
    break;
  case Format::Gitlab:
    report::printGitlab(Outcomes, Sources, Paths, OS);
    break;
  case Format::Sarif: {
    report::SarifReport S;
    S.Version = versionText().str();
    S.InformationUri = VRAMLINT_DOCS_URI;
    S.Rules = ruleInfos();
    S.Files = std::move(Outcomes);
    report::printSarif(S, Sources, Paths, OS);
    break;
  }
  case Format::Json:
    printJson(Code);
    break;
  case Format::Markdown: // Of `diff` alone.
    break;
  }
}

/// What render() wrote, as a value again.
static llvm::json::Value parsed(llvm::StringRef Text) {
  llvm::Expected<llvm::json::Value> V = llvm::json::parse(Text);
  if (V)
    return std::move(*V);
  llvm::consumeError(V.takeError());
  return nullptr;
}

void Output::printJson(int Code) {
  report::JsonReport J;
  J.Verb = verbName(C.What).str();
  J.Version = versionText().str();
  J.LlvmVersion = LLVM_VERSION_STRING;
  for (const FileOutput &O : All) {
    llvm::json::Value Facts = parsed(O.Json);
    llvm::json::Object *File = Facts.getAsObject();
    if (!File)
      continue;
    (*File)["findings"] = report::findingsJson(O.Outcome.Findings, Paths);
    J.Files.push_back(std::move(*File));
    llvm::json::Value Lines = parsed(O.Lines);
    if (llvm::json::Array *L = Lines.getAsArray())
      for (llvm::json::Value &Line : *L)
        J.Lines.push_back(std::move(Line));
  }
  J.Counted = Counted;
  J.ExitCode = Code;
  report::printJson(std::move(J), OS);
}

} // namespace vramlint::tool
