//===- lib/report/Text.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Findings as the compiler prints its own.

#include "lib/report/Text.h"

#include "llvm/Support/Format.h"
#include <algorithm>
#include <tuple>

namespace vramlint::report {

static auto sortKey(const Finding &F) {
  return std::tie(F.Pos.File, F.Pos.Line, F.Pos.Column, F.Check, F.Message);
}

std::vector<Finding> sortedFindings(std::vector<Finding> Findings) {
  std::sort(Findings.begin(), Findings.end(),
                   [](const Finding &A, const Finding &B) {
                     return sortKey(A) < sortKey(B);
                   });
  Findings.erase(std::unique(Findings.begin(), Findings.end(),
                             [](const Finding &A, const Finding &B) {
                               return sortKey(A) == sortKey(B);
                             }),
                 Findings.end());
  return Findings;
}

static std::string severityText(Severity S) {
  switch (S) {
  case Severity::Remark:
    return "remark";
  case Severity::Warning:
    return "warning";
  case Severity::Error:
    return "error";
  }
  return "warning";
}

void TextPrinter::head(const SourcePos &Pos, llvm::StringRef Kind,
                       llvm::raw_ostream::Colors KindColor,
                       llvm::StringRef Message, llvm::StringRef Check) {
  auto Set = [&](llvm::raw_ostream::Colors C) {
    if (Options.Color)
      OS.changeColor(C, true);
  };
  auto Reset = [&] {
    if (Options.Color)
      OS.resetColor();
  };
  Set(llvm::raw_ostream::SAVEDCOLOR);
  if (Pos.isValid())
    OS << Paths.place(Pos) << ": ";
  else if (!Pos.File.empty())
    OS << Paths.file(Pos.File) << ": ";
  else
    OS << "vramlint: ";
  Reset();
  Set(KindColor);
  OS << Kind << ": ";
  Reset();
  // A note's text is plain, as the compiler prints it.
  if (Kind != "note")
    Set(llvm::raw_ostream::SAVEDCOLOR);
  OS << Message;
  if (!Check.empty())
    OS << " [" << Check << "]";
  Reset();
  OS << '\n';
}

/// The spaces (tabs kept) that stand before column \p Column of \p Line, which
/// counts bytes, so that what follows stands under that place on a terminal.
static std::string padTo(llvm::StringRef Line, unsigned Column) {
  std::string Pad;
  llvm::StringRef Before = Line.substr(0, Column ? Column - 1 : 0);
  for (size_t I = 0; I < Before.size();) {
    if (Before[I] == '\t') {
      Pad += '\t';
      ++I;
      continue;
    }
    size_t Next = I + 1;
    while (Next < Before.size() && (Before[Next] & 0xC0) == 0x80)
      ++Next;
    Pad.append(displayWidth(Before.substr(I, Next - I)), ' ');
    I = Next;
  }
  // A caret past the end of the line: an insertion behind its last character.
  if (Column > Line.size() + 1)
    Pad.append(Column - Line.size() - 1, ' ');
  return Pad;
}

void TextPrinter::snippet(const SourcePos &Pos,
                          const std::vector<FixEdit> &Fixes) {
  std::optional<llvm::StringRef> Line = Sources.line(Pos.File, Pos.Line);
  if (!Pos.isValid() || !Line)
    return;
  // Lines of machine-made sources are not worth a screenful.
  static constexpr size_t MaxLineBytes = 4096;
  if (Line->size() > MaxLineBytes)
    return;
  OS << llvm::format("%5u", Pos.Line) << " | " << *Line << '\n';
  OS << "      | " << padTo(*Line, Pos.Column);
  if (Options.Color)
    OS.changeColor(llvm::raw_ostream::GREEN, true);
  OS << '^';
  if (Options.Color)
    OS.resetColor();
  OS << '\n';
  for (const FixEdit &Fix : Fixes) {
    if (Fix.Pos.Line != Pos.Line || Fix.Pos.File != Pos.File)
      continue;
    llvm::StringRef New = Fix.Replacement;
    // New lines are shown beside the place, not across the screen.
    unsigned Column = Fix.Pos.Column;
    if (New.starts_with("\n"))
      ++Column;
    else
      Column += New.size() - New.ltrim(' ').size();
    New = New.trim();
    if (New.empty())
      continue;
    OS << "      | " << padTo(*Line, Column);
    if (Options.Color)
      OS.changeColor(llvm::raw_ostream::GREEN, false);
    OS << New.take_until([](char C) { return C == '\n'; });
    if (Options.Color)
      OS.resetColor();
    OS << '\n';
  }
}

/// \p Message with what its fixes mean for the user. In some hosts a check says
/// itself that there is one.
static std::string withFixText(llvm::StringRef Message,
                               const std::vector<FixEdit> &Fixes,
                               bool Applied) {
  Message.consume_back(" (fix available: --fix)");
  if (Fixes.empty())
    return Message.str();
  return Message.str() + (Applied ? " (fixed)" : " (fix available: --fix)");
}

void TextPrinter::print(const Finding &F) {
  llvm::raw_ostream::Colors Color = F.Level == Severity::Error
                                        ? llvm::raw_ostream::RED
                                    : F.Level == Severity::Warning
                                        ? llvm::raw_ostream::MAGENTA
                                        : llvm::raw_ostream::BLUE;
  bool Applied = Options.FixesApplied;
  head(F.Pos, severityText(F.Level), Color,
       withFixText(F.Message, F.Fixes, Applied), F.Check);
  snippet(F.Pos, F.Fixes);
  for (const FindingNote &N : F.Notes) {
    head(N.Pos, "note", llvm::raw_ostream::CYAN,
         N.Suggestion ? N.Message : withFixText(N.Message, N.Fixes, Applied), "");
    if (!N.Fixes.empty())
      snippet(N.Pos, N.Fixes);
  }
}

} // namespace vramlint::report
