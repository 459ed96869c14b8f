//===- lib/report/FitText.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Prints the table of `vramlint fit`.

#include "lib/report/FitText.h"

namespace vramlint::report {

static std::string limitText(int64_t Batch, bool AtLimit) {
  return (AtLimit ? "≥ " : "") + formatCount(Batch);
}

std::string batchText(const BatchLimit &B) {
  if (!B.Known)
    return "?";
  if (B.Possible == 0)
    return "not even 1";
  if (B.Sure == B.Possible)
    return limitText(B.Sure, B.AtLimit) + " for certain";
  if (B.Sure == 0)
    return "up to " + limitText(B.Possible, B.AtLimit) + " may fit";
  return formatCount(B.Sure) + " for certain, up to " +
         limitText(B.Possible, B.AtLimit) + " may fit";
}

/// A bound that does not exist is "?".
static std::string boundText(int64_t N) {
  return N == Bytes::Max ? "?" : tableBytes(N);
}

/// "640" or "512–640": heights; "?" if not known.
static std::string imageText(const SizeLimit &L) {
  if (!L.Known)
    return "?";
  std::string Possible = L.Possible ? std::to_string(L.Possible) : "none";
  if (L.Sure == L.Possible)
    return Possible;
  return (L.Sure ? std::to_string(L.Sure) : "none") + "–" + Possible;
}

/// The first row that knows the images' size; null if none does.
static const FitRow *findImages(llvm::ArrayRef<FitRow> Rows) {
  for (const FitRow &Row : Rows)
    if (Row.Image.Known)
      return &Row;
  return nullptr;
}

void printFitTable(const FileReport &R, llvm::ArrayRef<FitRow> Rows,
                   llvm::raw_ostream &OS) {
  using A = Table::Align;
  // Without images there is no such column.
  const FitRow *Sized = findImages(Rows);
  std::vector<A> Columns(9, A::Right);
  Columns[0] = Columns[2] = A::Left;
  std::vector<std::string> Head{"GPU", "usable", "verdict", "live", "needs: lower",
                                "expected", "upper", "batch for certain", "may fit"};
  if (Sized) {
    Columns.push_back(A::Right);
    Head.push_back("largest image");
  }
  Table Text(Columns);
  Text.row(Head);
  bool AnyNominal = false, AnyShared = false;
  std::string Why;
  for (const FitRow &Row : Rows) {
    const Fit &F = Row.Result;
    AnyNominal |= F.UsableIsNominal;
    if (!Row.Batch.Known && Why.empty())
      Why = Row.Batch.Why;
    AnyShared |= F.Gpu.UnifiedMemory;
    std::vector<std::string> Cells{F.Gpu.Name.str(),
              tableBytes(F.Usable.Count) + (F.UsableIsNominal ? "*" : " "),
              verdictText(F.Is).str(), tableBytes(F.Parts.Live),
              tableBytes(F.Need.lower()),
              F.Need.isUnknown() ? "?" : tableBytes(F.Need.expected()),
              F.Need.isUnknown() ? "?" : boundText(F.Need.upper()),
              Row.Batch.Known ? limitText(Row.Batch.Sure, Row.Batch.AtLimit)
                              : "?",
              Row.Batch.Known ? limitText(Row.Batch.Possible, Row.Batch.AtLimit)
                              : "?"};
    if (Sized)
      Cells.push_back(imageText(Row.Image));
    Text.row(Cells);
  }
  Text.print(OS);
  if (AnyNominal)
    OS << "* nominal: what CUDA leaves usable on this card is not known\n";
  if (!Why.empty())
    OS << "Largest batch not known: " << Why << '\n';
  if (Sized)
    OS << "Largest image: its height at the program's batch, for certain–may fit; the "
          "program's images are "
       << Sized->Image.Height << "×" << Sized->Image.Width << '\n';
  if (AnyShared)
    OS << "Where CPU and GPU share their memory, tensors on the CPU are counted too; the "
          "process itself and the operating system are not\n";
}

} // namespace vramlint::report
