//===- lib/report/SummaryText.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Prints the tables of `vramlint summary`.

#include "lib/report/Summary.h"

#include "llvm/Support/FormatVariadic.h"
#include <set>

namespace vramlint::report {

static const char *const Dot = "·";

std::string statementText(SourceText &Sources, const SourcePos &P) {
  static constexpr size_t MaxLength = 60;
  std::optional<llvm::StringRef> Line = Sources.line(P.File, P.Line);
  if (!Line)
    return "";
  llvm::StringRef Text = Line->split("//").first.trim().rtrim(';').rtrim();
  return Text.size() <= MaxLength ? Text.str() : "";
}

static std::string whereFrom(const Assumption &A, const PathPrinter &Paths) {
  std::string From = A.From;
  if (A.Pos.isValid())
    From += (From.empty() ? "" : ", ") + Paths.line(A.Pos);
  return From.empty() ? "" : " (" + From + ")";
}

/// "Net (train.cpp:9)   training   input 64×1×28×28 float32 (…)   …"
static std::string headline(const Trace &T, const Platform &On,
                            const ModelSummary &S, const PathPrinter &Paths) {
  std::string Text = S.Which.Class.str();
  if (S.Which.Pos.isValid())
    Text += " (" + Paths.line(S.Which.Pos) + ")";
  if (S.Which.Forward == None)
    return Text + "   not run   " + On.text();
  Text += S.Training ? "   training" : "   inference";
  if (!S.Inputs.empty()) {
    std::string Inputs;
    for (const TensorDesc &D : S.Inputs)
      Inputs += (Inputs.empty() ? "" : ", ") + tensorText(D);
    Text += "   input " + Inputs;
    if (const Assumption *From = inputAssumption(T, S))
      Text += whereFrom(*From, Paths);
    else if (size_t Sizes = inputSizes(T, S.Which); Sizes > 1)
      Text += " (the largest of " + std::to_string(Sizes) + " sizes)";
  }
  const Assumption *Optimizer = findAssumption(T, "optimizer");
  if (S.Training && Optimizer)
    Text += "   " + Optimizer->Value;
  return Text + "   " + On.text();
}

static std::string flopsText(const Quantity &Q, double Unit) {
  if (Q.isUnknown())
    return "?";
  std::string Text = llvm::formatv("{0:F1}", Q.expected() / Unit).str();
  if (Text == "0.0")
    return Dot;
  return (Q.isExact() ? "" : "~") + Text;
}

static std::string keptText(const Quantity &Q) {
  return Q.isExact() && Q.expected() == 0 ? Dot : tableBytes(Q);
}

static void printTable(const ModelSummary &S, llvm::raw_ostream &OS) {
  bool Ran = S.Which.Forward != None;
  // From 100 GFLOP on the column would be all digits.
  bool Giga = S.Flops.expected() >= 100'000'000'000;
  double Unit = Giga ? 1e9 : 1e6;
  using A = Table::Align;
  Table Rows(Ran ? std::vector<A>{A::Left, A::Left, A::Left, A::Right, A::Right,
                                  A::Right}
                 : std::vector<A>{A::Left, A::Left, A::Right});
  if (Ran)
    Rows.row({"module", "op", "output", "parameters", "kept for backward",
              Giga ? "GFLOP" : "MFLOP"});
  else
    Rows.row({"module", "class", "parameters"});
  for (const SummaryRow &Row : S.Rows) {
    std::string Parameters = !Row.HasParameters ? Dot
                             : Row.Repeated     ? "(above)"
                                                : countText(Row.Parameters);
    if (!Ran) {
      Rows.row({Row.Module, Row.Op, Parameters});
      continue;
    }
    Rows.row({Row.Module, Row.Op,
              Row.HasOutput
                  ? shapeText(Row.Output.Shape, Row.Output.ShapeKnown)
                  : Dot,
              Parameters, keptText(Row.KeptBytes), flopsText(Row.Flops, Unit)});
  }
  if (Ran)
    Rows.row({"total", "", "", countText(S.Which.Parameters),
              keptText(S.KeptBytes), flopsText(S.Flops, Unit)});
  else
    Rows.row({"total", "", countText(S.Which.Parameters)});
  Rows.print(OS);
}

/// "in loss.backward(), train.cpp:52 (temporaries 3.5 MiB)"
static std::string peakPlace(const FileReport &R, SourceText &Sources,
                             const PathPrinter &Paths) {
  const Peak &P = R.Line->Highest;
  SourcePos Pos = R.Run->posOf(P.Stack);
  if (P.EventIndex == None || !Pos.isValid())
    return "";
  std::string Statement = statementText(Sources, Pos);
  std::string Text = Statement.empty() ? "at " : "in " + Statement + ", ";
  Text += Paths.line(Pos);
  int64_t Scratch = P.of(Holding::Temporaries) + P.of(Holding::Workspaces);
  if (Scratch * 5 > P.SizeBytes)
    Text += " (temporaries " + formatBytes(Bytes{Scratch}) + ")";
  return Text;
}

static void printThumb(const FileReport &R,
                       const std::vector<ModelSummary> &Models,
                       SourceText &Sources, const PathPrinter &Paths,
                       llvm::raw_ostream &OS) {
  const Trace &T = *R.Run;
  RuleOfThumb Rule = ruleOfThumb(T, Models);
  bool Training = Rule.MapFactor > 1;
  Quantity Kept;
  for (const ModelSummary &S : Models)
    Kept += S.KeptBytes;
  using A = Table::Align;
  Table Rows({A::Left, A::Right, A::Right});
  Rows.row({"", "rule of thumb", "this program"});
  Rows.row({"parameters × " + std::to_string(Rule.ParameterFactor) + " (" +
                Rule.ParameterWhy + ")",
            tableBytes(Rule.ParameterBytes),
            tableBytes(largestStates(T, R.On.Device))});
  Rows.row({"feature maps × " + std::to_string(Rule.MapFactor) +
                (Training ? " (training)" : " (inference)"),
            tableBytes(Rule.MapBytes), tableBytes(Kept),
            "kept for backward"});
  if (R.Line)
    Rows.row({"peak", tableBytes(Rule.PeakBytes), tableBytes(R.Line->Live),
              peakPlace(R, Sources, Paths)});
  for (const GpuVerdict &G : R.Gpus)
    Rows.row({"nvidia-smi, " + G.Result.Gpu.Name.str(), Dot,
              tableBytes(G.Result.Need),
              "of " + formatBytes(G.Result.Usable) + ": " +
                  verdictText(G.Result.Is).str()});
  Rows.print(OS);
}

static void printUnknowns(llvm::ArrayRef<UnknownNote> Unknowns,
                          const PathPrinter &Paths, llvm::raw_ostream &OS) {
  OS << "Not understood: ";
  if (Unknowns.empty()) {
    OS << "nothing.\n";
    return;
  }
  // A line of the program that runs for each of many objects says it once.
  std::vector<std::string> Lines;
  std::set<std::string> Seen;
  for (const UnknownNote &N : Unknowns) {
    std::string Text = N.Pos.isValid() ? Paths.line(N.Pos) + ": " : "";
    Text += N.What;
    if (!N.Why.empty())
      Text += ": " + N.Why;
    if (!N.Tell.empty())
      Text += "; tell: " + N.Tell;
    if (Seen.insert(Text).second)
      Lines.push_back(std::move(Text));
  }
  OS << Lines.size() << ".\n";
  for (const std::string &Line : Lines)
    OS << "  " << Line << '\n';
}

/// A table, and where else the model runs.
static void printModel(const Trace &T, const Platform &On, const ModelSummary &S,
                       const PathPrinter &Paths, llvm::raw_ostream &OS) {
  OS << headline(T, On, S, Paths) << "\n\n";
  printTable(S, OS);
  OS << '\n';
  if (S.Which.Inference == None || S.Which.Inference == S.Which.Forward)
    return;
  const ForwardCall &F = T.Forwards[S.Which.Inference];
  OS << "Also run for inference at " << Paths.line(T.posOf(F.Stack));
  if (!F.Inputs.empty())
    OS << ", input " << tensorText(F.Inputs.front());
  OS << ": nothing kept for backward.\n\n";
}

/// A row per module class of the file: how many were built, and their size.
static void printClasses(const std::vector<ClassRow> &Classes,
                         const PathPrinter &Paths, llvm::raw_ostream &OS) {
  using A = Table::Align;
  Table Rows({A::Left, A::Left, A::Right, A::Left});
  Rows.row({"module class", "", "built", "parameters"});
  for (const ClassRow &C : Classes) {
    std::string Size = countText(C.Smallest);
    if (C.Smallest.expected() != C.Largest.expected())
      Size += " to " + countText(C.Largest);
    Rows.row({C.Note->Class.str(), Paths.line(C.Note->Pos), std::to_string(C.Built),
              C.Built ? Size : C.Note->Problem + "; tell: " + C.Note->Tell});
  }
  Rows.print(OS);
  OS << '\n';
}

void printSummary(const FileReport &R, SourceText &Sources,
                  const PathPrinter &Paths, llvm::raw_ostream &OS) {
  std::vector<UnknownNote> Unknowns;
  std::vector<ModelSummary> Models = programModels(R);
  bool AnyRun = false;
  for (const ModelSummary &S : Models) {
    printModel(*R.Run, R.On, S, Paths, OS);
    AnyRun |= S.Which.Forward != None;
  }
  if (R.Run)
    Unknowns = R.Run->Unknowns;
  std::vector<ModelSummary> Others = classModels(R);
  for (const ModelSummary &S : Others)
    printModel(*R.Classes->Run, R.On, S, Paths, OS);
  std::vector<ClassRow> Classes = classRows(R);
  bool NotBuilt =
      llvm::any_of(Classes, [](const ClassRow &C) { return C.Built == 0; });
  if (Classes.size() > 1 || NotBuilt)
    printClasses(Classes, Paths, OS);
  if (R.Classes)
    for (const UnknownNote &N : R.Classes->Run->Unknowns)
      Unknowns.push_back(N);
  // What the table of the classes says already.
  llvm::erase_if(Unknowns, [&](const UnknownNote &N) {
    return llvm::any_of(Classes, [&](const ClassRow &C) {
      return C.Note->Pos == N.Pos && C.Note->Problem == N.Why;
    });
  });
  if (!R.Run && Classes.empty())
    return;
  if (Models.empty() && Others.empty())
    OS << R.File << ": no module is constructed\n";
  if (AnyRun)
    printThumb(R, Models, Sources, Paths, OS);
  if (AnyRun || !Others.empty())
    OS << (AnyRun ? "\n" : "")
       << "Kept counts each storage once, at the op whose result it is. "
          "MFLOP: forward, whole batch, 1 multiply-add = 2. ";
  printUnknowns(Unknowns, Paths, OS);
}

} // namespace vramlint::report
