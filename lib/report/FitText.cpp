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

void printFitTable(const FileReport &R, llvm::ArrayRef<FitRow> Rows,
                   llvm::raw_ostream &OS) {
  using A = Table::Align;
  Table Text({A::Left, A::Right, A::Left, A::Right, A::Right, A::Right, A::Right,
              A::Right, A::Right});
  Text.row({"GPU", "usable", "verdict", "live", "needs: lower", "expected",
            "upper", "batch for certain", "may fit"});
  bool AnyNominal = false;
  std::string Why;
  for (const FitRow &Row : Rows) {
    const Fit &F = Row.Result;
    AnyNominal |= F.UsableIsNominal;
    if (!Row.Batch.Known && Why.empty())
      Why = Row.Batch.Why;
    Text.row({F.Gpu.Name.str(),
              tableBytes(F.Usable.Count) + (F.UsableIsNominal ? "*" : " "),
              verdictText(F.Is).str(), tableBytes(F.Parts.Live),
              tableBytes(F.Need.lower()),
              F.Need.isUnknown() ? "?" : tableBytes(F.Need.expected()),
              F.Need.isUnknown() ? "?" : boundText(F.Need.upper()),
              Row.Batch.Known ? limitText(Row.Batch.Sure, Row.Batch.AtLimit)
                              : "?",
              Row.Batch.Known ? limitText(Row.Batch.Possible, Row.Batch.AtLimit)
                              : "?"});
  }
  Text.print(OS);
  if (AnyNominal)
    OS << "* nominal: what CUDA leaves usable on this card is not known\n";
  if (!Why.empty())
    OS << "Largest batch not known: " << Why << '\n';
}

} // namespace vramlint::report
