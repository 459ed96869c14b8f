//===- lib/report/ModelDiff.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What a change did to models.

#include "lib/report/ModelDiff.h"

#include "llvm/Support/Format.h"

namespace vramlint::report {

using Figure = std::optional<Quantity>;

/// A program that puts nothing on the GPU is measured on the CPU.
static Quantity peakOf(const FileReport &R) {
  if (R.Line->Highest.EventIndex != None || R.Line->Live.isUnknown())
    return R.Line->Live;
  return computeTimeline(R.Run, DeviceKind::CPU).Live;
}

FileFigures figuresOf(const FileReport &R) {
  FileFigures F;
  if (!R.Run)
    return F;
  auto Add = [&](const std::vector<ModelSummary> &Models) {
    for (const ModelSummary &S : Models)
      F.Models.push_back(
          {S.Which.Class.str(), S.Which.Parameters, S.KeptBytes});
  };
  Add(programModels(R));
  Add(classModels(R));
  if (R.Line && !R.Run->Entry.empty())
    F.Peak = peakOf(R);
  return F;
}

static bool same(const Figure &A, const Figure &B) {
  if (!A || !B)
    return !A && !B;
  return A->certainty() == B->certainty() && A->lower() == B->lower() &&
         A->expected() == B->expected();
}

bool FigureChange::isChange() const {
  return !same(Before.Parameters, After.Parameters) ||
         !same(Before.Kept, After.Kept) || !same(Before.Peak, After.Peak);
}

std::vector<FigureChange> changesOf(llvm::StringRef File,
                                    const FileFigures &Before,
                                    const FileFigures &After) {
  std::vector<FigureChange> Rows;
  std::vector<bool> Paired(Before.Models.size(), false);
  auto Fill = [](FigureChange::Side &S, const ModelFigures &M) {
    S.Parameters = M.Parameters;
    S.Kept = M.Kept;
  };
  for (const ModelFigures &M : After.Models) {
    FigureChange &Row = Rows.emplace_back();
    Row.Model = M.Class;
    Fill(Row.After, M);
    for (size_t I = 0; I < Before.Models.size(); ++I)
      if (!Paired[I] && Before.Models[I].Class == M.Class) {
        Paired[I] = true;
        Fill(Row.Before, Before.Models[I]);
        break;
      }
  }
  for (size_t I = 0; I < Before.Models.size(); ++I)
    if (!Paired[I]) {
      FigureChange &Row = Rows.emplace_back();
      Row.Model = Before.Models[I].Class;
      Fill(Row.Before, Before.Models[I]);
    }
  if (Rows.empty() && (Before.Peak || After.Peak))
    Rows.emplace_back();
  if (!Rows.empty()) {
    Rows.front().Before.Peak = Before.Peak;
    Rows.front().After.Peak = After.Peak;
  }
  for (FigureChange &Row : Rows)
    Row.File = File.str();
  return Rows;
}

using Printer = std::string (*)(const Quantity &);

static std::string bytesText(const Quantity &Q) { return formatBytes(Q); }

/// "21,840 → 43,680 (+100.0 %)", "3.04 MiB" of what is as before, "· → 5" for
/// what is new.
static std::string cell(const Figure &Before, const Figure &After,
                        Printer Print) {
  if (!Before && !After)
    return "·";
  if (same(Before, After))
    return Print(*After);
  std::string Text =
      (Before ? Print(*Before) : "·") + " → " + (After ? Print(*After) : "·");
  // Of an unknown there is no difference.
  if (!Before || !After || Before->isUnknown() || After->isUnknown() ||
      !Before->expected())
    return Text;
  double Percent = 100.0 *
                   (double(After->expected()) - double(Before->expected())) /
                   double(Before->expected());
  std::string Sign;
  llvm::raw_string_ostream OS(Sign);
  OS << llvm::format(" (%+.1f %%)", Percent);
  return Text + OS.str();
}

void printModelDiff(llvm::ArrayRef<FigureChange> Rows, bool Markdown,
                    llvm::raw_ostream &OS) {
  std::vector<std::vector<std::string>> Cells;
  for (const FigureChange &R : Rows)
    if (R.isChange())
      Cells.push_back({R.File + (R.Model.empty() ? "" : ": " + R.Model),
                       cell(R.Before.Parameters, R.After.Parameters, countText),
                       cell(R.Before.Kept, R.After.Kept, bytesText),
                       cell(R.Before.Peak, R.After.Peak, bytesText)});
  if (Cells.empty()) {
    OS << "No model changed.\n";
    return;
  }
  const std::vector<std::string> Head = {
      "model", "parameters", "kept for backward", "peak of the program"};
  if (!Markdown) {
    Table T({Table::Left, Table::Left, Table::Left, Table::Left});
    T.row(Head);
    for (auto &Row : Cells)
      T.row(std::move(Row));
    T.print(OS);
    return;
  }
  auto Line = [&](const std::vector<std::string> &Row) {
    for (const std::string &Cell : Row)
      OS << "| " << Cell << ' ';
    OS << "|\n";
  };
  Line(Head);
  OS << "|---|---|---|---|\n";
  for (const auto &Row : Cells)
    Line(Row);
}

} // namespace vramlint::report
