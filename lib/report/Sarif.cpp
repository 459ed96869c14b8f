//===- lib/report/Sarif.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Findings as SARIF 2.1.0.

#include "lib/report/Sarif.h"

#include "lib/report/Fingerprint.h"
#include "lib/report/Text.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include <map>

namespace vramlint::report {

using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

static std::string utf8(llvm::StringRef Text) {
  return llvm::json::isUTF8(Text) ? Text.str() : llvm::json::fixUTF8(Text);
}

std::string fileUri(llvm::StringRef Path) {
  std::string Uri = llvm::sys::path::is_absolute(Path) ? "file://" : "";
  for (unsigned char C : Path) {
    if (llvm::isAlnum(C) || llvm::StringRef("/-._~+@=,").contains(C))
      Uri += C;
    else
      Uri += "%" + llvm::utohexstr(C, false, 2);
  }
  return Uri;
}

namespace {

class SarifWriter {
public:
  SarifWriter(const SarifReport &R, SourceText &Sources,
              const PathPrinter &Paths)
      : R(R), Sources(Sources), Paths(Paths), Prints(Sources, Paths) {}
  Object log();

private:
  Array rules() const;
  Object result(const Finding &F);
  Object location(const SourcePos &P) const;
  Array fixes(const Finding &F) const;
  Object region(const FixEdit &E) const;
  unsigned characterColumn(llvm::StringRef File, unsigned Line,
                           unsigned ByteColumn) const;
  Object invocation(size_t Dropped) const;

  const SarifReport &R;
  SourceText &Sources;
  const PathPrinter &Paths;
  Fingerprinter Prints;
};

} // namespace

/// Columns are bytes with us, code points in SARIF.
unsigned SarifWriter::characterColumn(llvm::StringRef File, unsigned Line,
                                      unsigned ByteColumn) const {
  std::optional<llvm::StringRef> Text = Sources.line(File, Line);
  if (!Text)
    return ByteColumn;
  unsigned Column = 1;
  for (size_t I = 0; I + 1 < ByteColumn; ++I)
    if (I >= Text->size() || ((*Text)[I] & 0xC0) != 0x80)
      ++Column;
  return Column;
}

Object SarifWriter::location(const SourcePos &P) const {
  Object Physical{{"artifactLocation", Object{{"uri", fileUri(utf8(Paths.file(P.File)))}}}};
  if (P.isValid())
    Physical["region"] =
        Object{{"startLine", P.Line},
               {"startColumn", characterColumn(P.File, P.Line, P.Column)}};
  return Object{{"physicalLocation", std::move(Physical)}};
}

Object SarifWriter::region(const FixEdit &E) const {
  unsigned Line = E.Pos.Line, Column = E.Pos.Column;
  unsigned EndLine = Line, EndColumn = Column + E.Length;
  // A deletion across lines ends where the text says.
  if (const std::string *Text = Sources.text(E.File))
    if (E.Offset + E.Length <= Text->size()) {
      llvm::StringRef Deleted =
          llvm::StringRef(*Text).substr(E.Offset, E.Length);
      EndLine = Line + Deleted.count('\n');
      if (EndLine != Line)
        EndColumn = Deleted.size() - Deleted.rfind('\n');
    }
  return Object{{"startLine", Line},
                {"startColumn", characterColumn(E.File, Line, Column)},
                {"endLine", EndLine},
                {"endColumn", characterColumn(E.File, EndLine, EndColumn)}};
}

Array SarifWriter::fixes(const Finding &F) const {
  Array All;
  auto Add = [&](const std::vector<FixEdit> &Edits, llvm::StringRef Text) {
    if (Edits.empty())
      return;
    std::map<std::string, Array> ByFile;
    for (const FixEdit &E : Edits)
      ByFile[Paths.file(E.File)].push_back(
          Object{{"deletedRegion", region(E)},
                 {"insertedContent", Object{{"text", utf8(E.Replacement)}}}});
    Array Changes;
    for (auto &[File, Replacements] : ByFile)
      Changes.push_back(
          Object{{"artifactLocation", Object{{"uri", fileUri(utf8(File))}}},
                 {"replacements", std::move(Replacements)}});
    All.push_back(Object{{"description", Object{{"text", utf8(Text)}}},
                         {"artifactChanges", std::move(Changes)}});
  };
  Add(F.Fixes, F.Message);
  for (const FindingNote &N : F.Notes)
    Add(N.Fixes, N.Message);
  return All;
}

Object SarifWriter::result(const Finding &F) {
  std::string Print = Prints.next(F);
  Object O;
  O["ruleId"] = F.Check;
  for (size_t I = 0; I < R.Rules.size(); ++I)
    if (R.Rules[I].Name == F.Check)
      O["ruleIndex"] = static_cast<int64_t>(I);
  O["level"] = F.Level == Severity::Remark    ? "note"
               : F.Level == Severity::Warning ? "warning"
                                              : "error";
  std::string Message = F.Message;
  for (const FindingNote &N : F.Notes)
    Message += "\n" + N.Message;
  O["message"] = Object{{"text", utf8(Message)}};
  O["locations"] = Array{location(F.Pos)};
  Array Related;
  for (const FindingNote &N : F.Notes) {
    if (!N.Pos.isValid())
      continue;
    Object L = location(N.Pos);
    L["id"] = static_cast<int64_t>(Related.size());
    L["message"] = Object{{"text", utf8(N.Message)}};
    Related.push_back(std::move(L));
  }
  if (!Related.empty())
    O["relatedLocations"] = std::move(Related);
  Array Fixes = fixes(F);
  if (!Fixes.empty())
    O["fixes"] = std::move(Fixes);
  O["partialFingerprints"] =
      Object{{"primaryLocationLineHash", Print}, {"vramlint/v1", Print}};
  return O;
}

Array SarifWriter::rules() const {
  Array All;
  for (const RuleInfo &Rule : R.Rules)
    All.push_back(Object{
        {"id", Rule.Name},
        {"name", Rule.Name},
        {"shortDescription", Object{{"text", Rule.Summary}}},
        {"helpUri", Rule.HelpUri},
        {"help", Object{{"text", Rule.Summary + "; see " + Rule.HelpUri}}},
        {"defaultConfiguration", Object{{"level", "warning"}}},
        {"properties", Object{{"category", Rule.Category}}}});
  return All;
}

Object SarifWriter::invocation(size_t Dropped) const {
  bool AllRead = true;
  Array Notifications;
  auto Say = [&](const std::string &Text, llvm::StringRef Level) {
    Notifications.push_back(
        Object{{"level", Level}, {"message", Object{{"text", utf8(Text)}}}});
  };
  for (const FileOutcome &File : R.Files) {
    if (File.Is != FileOutcome::State::NotAnalysed)
      continue;
    AllRead = false;
    Say(File.File + ": not analysed" +
            (File.Problem.empty() ? "" : ": " + File.Problem),
        "error");
  }
  if (Dropped)
    Say(std::to_string(Dropped) + " quieter results were left out", "warning");
  Object O{{"executionSuccessful", AllRead}};
  if (!Notifications.empty())
    O["toolExecutionNotifications"] = std::move(Notifications);
  return O;
}

Object SarifWriter::log() {
  std::vector<Finding> Findings = allFindings(R.Files);
  size_t Dropped = 0;
  if (Findings.size() > R.MaxResults) {
    std::vector<Finding> ByLoudness;
    for (Severity Level :
         {Severity::Error, Severity::Warning, Severity::Remark})
      for (const Finding &F : Findings)
        if (F.Level == Level)
          ByLoudness.push_back(F);
    Findings = std::move(ByLoudness);
    Dropped = Findings.size() - R.MaxResults;
    Findings.resize(R.MaxResults);
    Findings = sortedFindings(std::move(Findings));
  }
  Array Results;
  for (const Finding &F : Findings)
    Results.push_back(result(F));
  Object Driver{{"name", "vramlint"},
                {"version", R.Version},
                {"semanticVersion", R.Version},
                {"informationUri", R.InformationUri},
                {"rules", rules()}};
  Object Run{{"tool", Object{{"driver", std::move(Driver)}}},
             {"columnKind", "unicodeCodePoints"},
             {"invocations", Array{invocation(Dropped)}},
             {"results", std::move(Results)}};
  return Object{
      {"$schema", "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/"
                  "schemas/sarif-schema-2.1.0.json"},
      {"version", "2.1.0"},
      {"runs", Array{std::move(Run)}}};
}

void printSarif(const SarifReport &R, SourceText &Sources,
                const PathPrinter &Paths, llvm::raw_ostream &OS) {
  Value Log = SarifWriter(R, Sources, Paths).log();
  OS << llvm::formatv("{0:2}", Log) << '\n';
}

} // namespace vramlint::report
