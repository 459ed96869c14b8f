//===- lib/report/Format.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// How reports print sizes, shapes, places and tables.

#include "lib/report/Format.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Unicode.h"
#include <algorithm>

namespace vramlint::report {

static std::string fixed(double N, unsigned Decimals) {
  std::string Text;
  llvm::raw_string_ostream(Text) << llvm::format("%.*f", Decimals, N);
  return Text;
}

std::string tableBytes(int64_t SizeBytes) {
  static const struct {
    const char *Name;
    unsigned Decimals;
  } Units[] = {{"KiB", 1}, {"MiB", 2}, {"GiB", 2}, {"TiB", 2}, {"PiB", 2},
               {"EiB", 2}};
  double N = static_cast<double>(SizeBytes);
  if (N > -1024 && N < 1024)
    return std::to_string(SizeBytes) + " B";
  unsigned Unit = 0;
  N /= 1024;
  // What would be rounded up to 1024.0 goes to the next unit.
  while (Unit + 1 < std::size(Units) &&
         std::abs(N) >= (Unit == 0 ? 1023.95 : 1023.995)) {
    N /= 1024;
    ++Unit;
  }
  return fixed(N, Units[Unit].Decimals) + " " + Units[Unit].Name;
}

std::string tableBytes(const Quantity &Q) {
  if (Q.isUnknown())
    return "?";
  return (Q.isExact() ? "" : "~") + tableBytes(Q.expected());
}

std::string countText(const Quantity &Q) {
  if (Q.isUnknown())
    return "?";
  return (Q.isExact() ? "" : "~") + formatCount(Q.expected());
}

std::string shapeText(llvm::ArrayRef<int64_t> Shape, bool RankKnown) {
  if (!RankKnown)
    return "?";
  if (Shape.empty())
    return "scalar";
  std::string Text;
  for (int64_t Dim : Shape) {
    if (!Text.empty())
      Text += "×";
    Text += Dim < 0 ? "?" : std::to_string(Dim);
  }
  return Text;
}

std::string plural(size_t N, llvm::StringRef Word) {
  return std::to_string(N) + " " + Word.str() + (N == 1 ? "" : "s");
}

ByteUnit commonUnit(int64_t LargestBytes) {
  static const ByteUnit Units[] = {{1, "B", 0},
                                   {int64_t(1) << 10, "KiB", 1},
                                   {int64_t(1) << 20, "MiB", 1},
                                   {int64_t(1) << 30, "GiB", 2},
                                   {int64_t(1) << 40, "TiB", 2}};
  for (const ByteUnit &U : Units)
    if (LargestBytes / U.Size < 10000)
      return U;
  return Units[std::size(Units) - 1];
}

std::string inUnit(int64_t SizeBytes, const ByteUnit &Unit) {
  return fixed(static_cast<double>(SizeBytes) / Unit.Size, Unit.Decimals);
}

PathPrinter::PathPrinter(std::string Dir) : WorkingDir(std::move(Dir)) {
  if (!WorkingDir.empty() && !llvm::sys::path::is_separator(WorkingDir.back()))
    WorkingDir += llvm::sys::path::get_separator();
}

std::string PathPrinter::file(llvm::StringRef File) const {
  llvm::StringRef Name = File;
  if (!WorkingDir.empty())
    Name.consume_front(WorkingDir);
  while (Name.consume_front("./"))
    ;
  return Name.str();
}

std::string PathPrinter::line(const SourcePos &P) const {
  return P.isValid() ? file(P.File) + ":" + std::to_string(P.Line)
                     : "<unknown>";
}

std::string PathPrinter::place(const SourcePos &P) const {
  return P.isValid() ? line(P) + ":" + std::to_string(P.Column) : "<unknown>";
}

std::string PathPrinter::text(llvm::StringRef CompilerText) const {
  std::string Text;
  while (!WorkingDir.empty()) {
    auto [Before, After] = CompilerText.split(WorkingDir);
    // A longer path that only contains it, as "/mnt/work/" with "/work/".
    bool Starts = Before.empty() || !llvm::isAlnum(Before.back());
    bool Found = Before.size() != CompilerText.size();
    Text += Before;
    if (!Found)
      return Text;
    if (!Starts)
      Text += WorkingDir;
    CompilerText = After;
  }
  return CompilerText.str();
}

unsigned displayWidth(llvm::StringRef Text) {
  int Width = llvm::sys::unicode::columnWidthUTF8(Text);
  return Width < 0 ? Text.size() : Width;
}

void Table::print(llvm::raw_ostream &OS, llvm::StringRef Indent) const {
  std::vector<unsigned> Widths(Aligns.size(), 0);
  for (const auto &Row : Rows)
    for (size_t I = 0; I < Row.size() && I < Widths.size(); ++I)
      Widths[I] = std::max(Widths[I], displayWidth(Row[I]));
  for (const auto &Row : Rows) {
    std::string Line = Indent.str();
    for (size_t I = 0; I < Row.size() && I < Widths.size(); ++I) {
      std::string Pad(Widths[I] - displayWidth(Row[I]), ' ');
      if (I)
        Line.append(Gap, ' ');
      Line += Aligns[I] == Left ? Row[I] + Pad : Pad + Row[I];
    }
    for (size_t I = Widths.size(); I < Row.size(); ++I)
      if (!Row[I].empty())
        Line += " " + Row[I];
    OS << llvm::StringRef(Line).rtrim(' ') << '\n';
  }
}

} // namespace vramlint::report
