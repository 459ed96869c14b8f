//===- tool/vramlint/FileOutput.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What is printed of one file, and its form as bytes.

#include "tool/vramlint/FileOutput.h"

#include "lib/report/Annotate.h"
#include "lib/report/Closing.h"
#include "lib/report/FitText.h"
#include "lib/report/Json.h"
#include "lib/report/Summary.h"
#include "llvm/Support/xxhash.h"
#include <cstring>

namespace vramlint::tool {

using report::FileOutcome;

static void show(const FileResult &R, const CommandLine &C,
                 report::SourceText &Sources, const report::PathPrinter &Paths,
                 llvm::raw_ostream &OS) {
  if (C.dumps() || C.What == Verb::Calibrate)
    OS << R.Dump;
  else if (C.What == Verb::Summary)
    report::printSummary(R.Report, Sources, Paths, OS);
  else if (C.What == Verb::Annotate && R.Report.Run && R.Report.Line)
    report::printAnnotated(R.Report, R.Lines, Sources, Paths, OS);
  else if (C.What == Verb::Fit && !R.Rows.empty())
    report::printFitTable(R.Report, R.Rows, OS);
}

static std::string jsonText(llvm::json::Value V) {
  return llvm::formatv("{0}", V).str();
}

FileOutput render(const FileResult &R, const CommandLine &C,
                  report::SourceText &Sources,
                  const report::PathPrinter &Paths) {
  FileOutput O;
  O.Outcome = R.Report;
  // Only `check` reports findings; the others show figures.
  if (C.What != Verb::Check && R.Report.Is == FileOutcome::State::Analysed)
    O.Outcome.Findings.clear();
  O.CompilerText = R.CompilerText;
  O.FlagsNote = R.FlagsNote;
  bool Text = C.Output == Format::Text || C.dumps();
  if (R.Report.Is == FileOutcome::State::Analysed && Text) {
    llvm::raw_string_ostream OS(O.Shown);
    show(R, C, Sources, Paths, OS);
  }
  // Of a table the closing lines would say nothing new.
  bool Figures = C.What == Verb::Summary || C.What == Verb::Annotate;
  if (!Figures || R.Report.Is != FileOutcome::State::Analysed) {
    llvm::raw_string_ostream OS(O.Closing);
    report::printFileClosing(R.Report, Paths, OS,
                             /*Verdicts=*/C.What == Verb::Check);
  }
  if (C.Output == Format::Json) {
    bool Fit = C.What == Verb::Fit;
    O.Json = jsonText(report::fileJson(R.Report, C.What == Verb::Summary,
                                       Fit ? &R.Rows : nullptr, Paths));
    O.Lines = jsonText(report::linesJson(R.Lines, Paths));
  }
  return O;
}

namespace {

/// Appends values to a text.
class Writer {
public:
  explicit Writer(std::string &Out) : Out(Out) {}
  void number(uint64_t N) {
    char Bytes[sizeof N];
    std::memcpy(Bytes, &N, sizeof N);
    Out.append(Bytes, sizeof N);
  }
  template <typename T> void value(const T &V) {
    number(static_cast<uint64_t>(V));
  }
  void value(const std::string &S) {
    number(S.size());
    Out += S;
  }
  void value(const llvm::StringRef &S) { value(S.str()); }
  template <typename T, typename Fn>
  void list(const std::vector<T> &V, Fn Each) {
    number(V.size());
    for (const T &One : V)
      Each(One);
  }

private:
  std::string &Out;
};

/// Takes them off again. Torn bytes leave Good false and values empty.
class Reader {
public:
  explicit Reader(llvm::StringRef Rest) : Rest(Rest) {}
  uint64_t number() {
    uint64_t N = 0;
    if (Rest.size() < sizeof N) {
      Good = false;
      return 0;
    }
    std::memcpy(&N, Rest.data(), sizeof N);
    Rest = Rest.drop_front(sizeof N);
    return N;
  }
  template <typename T> void value(T &V) { V = static_cast<T>(number()); }
  void value(std::string &S) { S = text().str(); }
  void value(llvm::StringRef &S) { S = intern(text()); }
  template <typename T, typename Fn> void list(std::vector<T> &V, Fn Each) {
    // Each element takes a byte at least, so a damaged count ends soon.
    uint64_t N = number();
    Good &= N <= Rest.size();
    for (uint64_t I = 0; Good && I < N; ++I)
      Each(V.emplace_back());
  }
  bool atEnd() const { return Good && Rest.empty(); }

private:
  llvm::StringRef text() {
    uint64_t N = number();
    Good &= N <= Rest.size();
    llvm::StringRef S = Rest.take_front(Good ? N : 0);
    Rest = Rest.drop_front(S.size());
    return S;
  }
  llvm::StringRef Rest;
  bool Good = true;
};

} // namespace

// One description of the fields serves both ways: \p S is a Writer with
// constant values or a Reader with others.

template <typename Stream, typename Pos>
static void walkPos(Stream &S, Pos &P) {
  S.value(P.File);
  S.value(P.Line);
  S.value(P.Column);
}

template <typename Stream, typename List>
static void walkFixes(Stream &S, List &L) {
  S.list(L, [&](auto &E) {
    S.value(E.File);
    S.value(E.Offset);
    S.value(E.Length);
    S.value(E.Replacement);
    walkPos(S, E.Pos);
  });
}

template <typename Stream, typename Output>
static void walk(Stream &S, Output &O) {
  S.value(O.Outcome.File);
  S.value(O.Outcome.Is);
  S.value(O.Outcome.Problem);
  S.value(O.Outcome.FitNotJudged);
  S.list(O.Outcome.Findings, [&](auto &F) {
    S.value(F.Check);
    S.value(F.Level);
    walkPos(S, F.Pos);
    S.value(F.Message);
    S.list(F.Notes, [&](auto &N) {
      walkPos(S, N.Pos);
      S.value(N.Message);
      walkFixes(S, N.Fixes);
      S.value(N.Suggestion);
    });
    walkFixes(S, F.Fixes);
  });
  S.list(O.CompilerText, [&](auto &Text) { S.value(Text); });
  for (auto *Text : {&O.FlagsNote, &O.Shown, &O.Closing, &O.Json, &O.Lines})
    S.value(*Text);
}

std::string pack(const FileOutput &O) {
  std::string Fields, Bytes;
  Writer W(Fields);
  walk(W, O);
  Writer(Bytes).number(llvm::xxh3_64bits(Fields));
  return Bytes + Fields;
}

std::optional<FileOutput> unpack(llvm::StringRef Bytes) {
  Reader R(Bytes);
  uint64_t Hash = R.number();
  if (Bytes.size() < sizeof Hash ||
      Hash != llvm::xxh3_64bits(Bytes.drop_front(sizeof Hash)))
    return std::nullopt;
  FileOutput O;
  walk(R, O);
  return R.atEnd() ? std::optional(std::move(O)) : std::nullopt;
}

} // namespace vramlint::tool
