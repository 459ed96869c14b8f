//===- lib/report/Annotate.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Prints what `vramlint annotate` shows: each source line with its bytes.

#include "lib/report/Annotate.h"

#include <algorithm>
#include <map>

namespace vramlint::report {

std::vector<AnnotatedSection> sectionsOf(const LineTable &Lines,
                                         llvm::StringRef MainFile) {
  std::map<std::pair<std::string, std::string>, AnnotatedSection> ByFunction;
  for (const LineRow &Row : Lines.Rows) {
    AnnotatedSection &S =
        ByFunction[{Row.Pos.File.str(), Row.Function.str()}];
    if (S.FirstLine == 0)
      S = {Row.Pos.File, Row.Function, Row.Pos.Line, Row.Pos.Line};
    S.FirstLine = std::min(S.FirstLine, Row.Pos.Line);
    S.LastLine = std::max(S.LastLine, Row.Pos.Line);
  }
  std::vector<AnnotatedSection> Sections;
  for (const auto &[Key, S] : ByFunction)
    Sections.push_back(S);
  auto Before = [&](const AnnotatedSection &A, const AnnotatedSection &B) {
    if (A.File != B.File) {
      if ((A.File == MainFile) != (B.File == MainFile))
        return A.File == MainFile;
      return A.File < B.File;
    }
    return A.FirstLine != B.FirstLine ? A.FirstLine < B.FirstLine
                                      : A.LastLine > B.LastLine;
  };
  std::sort(Sections.begin(), Sections.end(), Before);
  // A lambda's lines lie inside the function around it: shown once.
  std::vector<AnnotatedSection> Merged;
  for (const AnnotatedSection &S : Sections) {
    if (!Merged.empty() && Merged.back().File == S.File &&
        S.FirstLine <= Merged.back().LastLine)
      Merged.back().LastLine = std::max(Merged.back().LastLine, S.LastLine);
    else
      Merged.push_back(S);
  }
  return Merged;
}

namespace {

class Annotator {
public:
  Annotator(const FileReport &R, const LineTable &Lines, SourceText &Sources,
            const PathPrinter &Paths, llvm::raw_ostream &OS)
      : R(R), Lines(Lines), Sources(Sources), Paths(Paths), OS(OS),
        Unit(commonUnit(R.Line ? R.Line->Highest.SizeBytes : 0)) {}
  void section(const AnnotatedSection &S, bool First);
  void footer();

private:
  std::string bytes(int64_t N, bool DotIfZero) const;
  void loopLine(const AnnotatedSection &S);
  void peak();

  const FileReport &R;
  const LineTable &Lines;
  SourceText &Sources;
  const PathPrinter &Paths;
  llvm::raw_ostream &OS;
  ByteUnit Unit;
};

} // namespace

std::string Annotator::bytes(int64_t N, bool DotIfZero) const {
  if (N == 0 && DotIfZero)
    return "·";
  std::string Text = inUnit(N, Unit);
  // A few bytes are not nothing.
  if (N != 0 && Text.find_first_of("123456789") == std::string::npos)
    return formatBytes(Bytes{N});
  return Text + " " + Unit.Name.str();
}

void Annotator::loopLine(const AnnotatedSection &S) {
  unsigned Iteration = 0;
  std::string Differing;
  unsigned Count = 0;
  for (const LineRow *Row : Lines.of(S.File)) {
    if (Row->Pos.Line < S.FirstLine || Row->Pos.Line > S.LastLine)
      continue;
    if (Row->InLoop)
      Iteration = std::max(Iteration, Row->Iteration);
    if (Row->First) {
      Differing += (Count ? ", " : "") + std::to_string(Row->Pos.Line);
      ++Count;
    }
  }
  if (Iteration == 0)
    return;
  OS << " In the loop: iteration " << Iteration << ", as all after it";
  if (Count)
    OS << "; iteration 1 differs at line" << (Count > 1 ? "s " : " ")
       << Differing;
  OS << '.';
}

void Annotator::section(const AnnotatedSection &S, bool First) {
  if (!First)
    OS << '\n';
  OS << Paths.file(S.File) << ": " << S.Function << ", lines " << S.FirstLine
     << '-' << S.LastLine << "; " << R.On.text() << '.';
  loopLine(S);
  OS << "\n\n";
  std::vector<std::array<std::string, 4>> Cells;
  unsigned Width = displayWidth("+alloc");
  for (unsigned L = S.FirstLine; L <= S.LastLine; ++L) {
    const LineRow *Row = Lines.find(S.File, L);
    if (Row)
      Cells.push_back({bytes(Row->Use.AllocatedBytes, true),
                       bytes(Row->Use.FreedBytes, true),
                       bytes(Row->Use.AliveAfterBytes, true),
                       bytes(Row->Use.PeakBytes, true)});
    else
      Cells.push_back({"·", "·", "·", "·"});
    for (const std::string &Cell : Cells.back())
      Width = std::max(Width, displayWidth(Cell));
  }
  unsigned NumberWidth =
      std::max<size_t>(2, std::to_string(S.LastLine).size());
  auto Put = [&](llvm::StringRef Text, unsigned To) {
    OS.indent(To - std::min(To, displayWidth(Text))) << Text;
  };
  OS.indent(NumberWidth);
  for (const char *Head : {"+alloc", "-freed", "alive", "peak"}) {
    OS << "   ";
    Put(Head, Width);
  }
  OS << '\n';
  for (unsigned L = S.FirstLine; L <= S.LastLine; ++L) {
    Put(std::to_string(L), NumberWidth);
    for (const std::string &Cell : Cells[L - S.FirstLine]) {
      OS << "   ";
      Put(Cell, Width);
    }
    const LineRow *Row = Lines.find(S.File, L);
    OS << (Row && Row->HoldsPeak ? " ◄│" : "  │");
    llvm::StringRef Source = Sources.line(S.File, L).value_or("").rtrim();
    if (!Source.empty())
      OS << ' ' << Source;
    OS << '\n';
  }
}

void Annotator::peak() {
  const Peak &P = R.Line->Highest;
  OS << "Peak " << (R.Line->Live.isUnknown() ? "at least " : "")
     << bytes(P.SizeBytes, false) << " (" << formatCount(P.SizeBytes) << " B)";
  SourcePos Pos = R.Run->posOf(P.Stack);
  if (Pos.isValid())
    OS << " inside "
       << (Paths.file(Pos.File) == R.File ? "line " + std::to_string(Pos.Line)
                                          : Paths.line(Pos));
  const char *Separator = ": ";
  for (unsigned H = 0; H < HoldingCount; ++H) {
    if (P.By[H] == 0)
      continue;
    OS << Separator << holdingName(static_cast<Holding>(H)) << ' ';
    std::string Text = inUnit(P.By[H], Unit);
    OS << (Text.find_first_of("123456789") == std::string::npos
               ? formatBytes(Bytes{P.By[H]})
               : Text);
    Separator = ", ";
  }
  OS << '\n';
  if (R.Line->Live.isUnknown())
    for (const std::string &Cause : R.Line->Live.causes())
      OS << "Not known: " << Cause << '\n';
}

void Annotator::footer() {
  OS << '\n';
  if (R.Line && R.Line->Highest.EventIndex != None)
    peak();
  for (const LineRow &Row : Lines.Rows) {
    if (!Row.First)
      continue;
    int64_t More = (Row.First->AllocatedBytes - Row.First->FreedBytes) -
                   (Row.Use.AllocatedBytes - Row.Use.FreedBytes);
    OS << (Paths.file(Row.Pos.File) == R.File
               ? "Line " + std::to_string(Row.Pos.Line)
               : Paths.line(Row.Pos))
       << ", iteration 1: allocates " << bytes(Row.First->AllocatedBytes, false)
       << ", frees " << bytes(Row.First->FreedBytes, false);
    if (More > 0)
      OS << "; " << bytes(More, false) << " more stays than later";
    OS << ".\n";
  }
}

void printAnnotated(const FileReport &R, const LineTable &Lines,
                    SourceText &Sources, const PathPrinter &Paths,
                    llvm::raw_ostream &OS) {
  // The trace names files as the compiler opened them, the user as typed.
  llvm::StringRef Main;
  for (const LineRow &Row : Lines.Rows)
    if (Paths.file(Row.Pos.File) == R.File || Row.Pos.File == R.File)
      Main = Row.Pos.File;
  Annotator A(R, Lines, Sources, Paths, OS);
  bool First = true;
  for (const AnnotatedSection &S : sectionsOf(Lines, Main)) {
    A.section(S, First);
    First = false;
  }
  if (First)
    OS << R.File << ": nothing is allocated\n";
  else
    A.footer();
}

} // namespace vramlint::report
