//===- lib/report/Json.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Reports as JSON. llvm::json sorts keys, so the output is the same always.

#include "lib/report/Json.h"

namespace vramlint::report {

using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

static llvm::StringRef kindName(Certainty C) {
  switch (C) {
  case Certainty::Exact:
    return "exact";
  case Certainty::Estimate:
    return "estimate";
  case Certainty::Unknown:
    return "unknown";
  }
  return "unknown";
}

/// JSON is UTF-8; paths and messages may quote sources that are not.
static std::string utf8(llvm::StringRef Text) {
  return llvm::json::isUTF8(Text) ? Text.str() : llvm::json::fixUTF8(Text);
}

Object toJson(const Quantity &Q) {
  Object O;
  O["kind"] = kindName(Q.certainty());
  O["value"] = Q.isUnknown() ? Value(nullptr) : Value(Q.expected());
  O["lower"] = Q.lower();
  O["upper"] = Q.upper() == Bytes::Max ? Value(nullptr) : Value(Q.upper());
  Array Causes;
  for (const std::string &Cause : Q.causes())
    Causes.push_back(utf8(Cause));
  O["causes"] = std::move(Causes);
  return O;
}

/// Adds file, line and column of \p P, null where there is no place.
static void putPlace(Object &O, const SourcePos &P, const PathPrinter &Paths) {
  bool Valid = P.isValid();
  O["file"] = P.File.empty() ? Value(nullptr) : Value(utf8(Paths.file(P.File)));
  O["line"] = Valid ? Value(P.Line) : Value(nullptr);
  O["column"] = Valid ? Value(P.Column) : Value(nullptr);
}

static Array fixes(const std::vector<FixEdit> &Fixes, const PathPrinter &Paths) {
  Array All;
  for (const FixEdit &F : Fixes) {
    Object O;
    SourcePos Pos = F.Pos;
    Pos.File = F.File;
    putPlace(O, Pos, Paths);
    O["offset"] = F.Offset;
    O["length"] = F.Length;
    O["replacement"] = utf8(F.Replacement);
    All.push_back(std::move(O));
  }
  return All;
}

static llvm::StringRef severityName(Severity S) {
  return S == Severity::Remark    ? "remark"
         : S == Severity::Warning ? "warning"
                                  : "error";
}

Object toJson(const Finding &F, const PathPrinter &Paths) {
  Object O;
  O["check"] = F.Check;
  O["severity"] = severityName(F.Level);
  O["message"] = utf8(F.Message);
  putPlace(O, F.Pos, Paths);
  Array Notes;
  for (const FindingNote &N : F.Notes) {
    Object Note;
    Note["message"] = utf8(N.Message);
    putPlace(Note, N.Pos, Paths);
    Note["fixes"] = fixes(N.Fixes, Paths);
    Note["suggestion"] = N.Suggestion;
    Notes.push_back(std::move(Note));
  }
  O["notes"] = std::move(Notes);
  O["fixes"] = fixes(F.Fixes, Paths);
  return O;
}

static std::string verdictName(Verdict V) {
  std::string Name = verdictText(V).str();
  std::replace(Name.begin(), Name.end(), ' ', '_');
  return Name;
}

Object toJson(const FitRow &Row, llvm::StringRef From) {
  const Fit &F = Row.Result;
  Object O;
  O["gpu"] = F.Gpu.Id;
  O["name"] = F.Gpu.Name;
  O["from"] = From.empty() ? Value(nullptr) : Value(utf8(From));
  O["verdict"] = verdictName(F.Is);
  O["usable_bytes"] = F.Usable.Count;
  O["usable_is_nominal"] = F.UsableIsNominal;
  O["need_bytes"] = toJson(F.Need);
  O["live_bytes"] = toJson(F.Parts.Live);
  O["reserved_bytes"] = toJson(F.Parts.Reserved);
  O["context_bytes"] = toJson(F.Parts.Context);
  O["cublas_workspace_bytes"] = toJson(F.Parts.CublasWorkspace);
  O["cudnn_workspace_bytes"] = toJson(F.Parts.CudnnWorkspace);
  O["host_bytes"] = toJson(F.Parts.Host);
  O["needs_cache_release"] = F.NeedsCacheRelease;
  Object Batch;
  Batch["known"] = Row.Batch.Known;
  Batch["certain"] = Row.Batch.Known ? Value(Row.Batch.Sure) : Value(nullptr);
  Batch["possible"] =
      Row.Batch.Known ? Value(Row.Batch.Possible) : Value(nullptr);
  Batch["at_limit"] = Row.Batch.AtLimit;
  Batch["verified"] = Row.Batch.Verified;
  Batch["why"] = Row.Batch.Known ? Value(nullptr) : Value(utf8(Row.Batch.Why));
  O["largest_batch"] = std::move(Batch);
  Object Image;
  const SizeLimit &L = Row.Image;
  auto Size = [&](int64_t Side) {
    return L.Known ? Value(Array{Side, L.widthFor(Side)}) : Value(nullptr);
  };
  Image["known"] = L.Known;
  Image["certain"] = Size(L.Sure);
  Image["possible"] = Size(L.Possible);
  Image["verified"] = L.Verified;
  Image["why"] = L.Known || L.Why.empty() ? Value(nullptr) : Value(utf8(L.Why));
  O["largest_image"] = std::move(Image);
  return O;
}

static Object toJson(const TensorDesc &D) {
  Object O;
  if (D.ShapeKnown) {
    Array Shape;
    for (int64_t Dim : D.Shape)
      Shape.push_back(Dim < 0 ? Value(nullptr) : Value(Dim));
    O["shape"] = std::move(Shape);
  } else {
    O["shape"] = nullptr;
  }
  O["dtype"] = D.DType.empty() ? Value(nullptr) : Value(D.DType);
  O["device"] = D.Device == DeviceKind::CPU ? "cpu" : "cuda";
  return O;
}

static Object toJson(const SummaryRow &Row, const PathPrinter &Paths) {
  Object O;
  O["module"] = Row.Module;
  O["op"] = Row.Op;
  O["output"] = Row.HasOutput ? Value(toJson(Row.Output)) : Value(nullptr);
  O["parameters"] = Row.HasParameters && !Row.Repeated
                        ? Value(toJson(Row.Parameters))
                        : Value(nullptr);
  O["parameters_above"] = Row.Repeated;
  O["output_bytes"] = toJson(Row.OutputBytes);
  O["kept_bytes"] = toJson(Row.KeptBytes);
  O["flops"] = toJson(Row.Flops);
  putPlace(O, Row.Pos, Paths);
  return O;
}

/// A table of \p T, the trace of the program or of the classes by themselves.
static Object toJson(const Trace &T, const ModelSummary &S, bool ByItself,
                     bool WithRows, const PathPrinter &Paths) {
  Object O;
  O["class"] = S.Which.Class;
  putPlace(O, S.Which.Pos, Paths);
  O["torchscript"] = S.Which.Jit;
  O["parameters"] = toJson(S.Which.Parameters);
  O["parameter_bytes"] = toJson(S.Which.ParameterBytes);
  O["buffer_bytes"] = toJson(S.Which.BufferBytes);
  bool Ran = S.Which.Forward != None;
  O["mode"] = !Ran ? Value(nullptr)
                   : Value(S.Training ? "training" : "inference");
  if (!WithRows)
    return O;
  O["by_itself"] = ByItself;
  const Assumption *From = inputAssumption(T, S);
  O["input_from"] = From ? Value(utf8(From->From)) : Value(nullptr);
  Array Inputs, Rows;
  for (const TensorDesc &D : S.Inputs)
    Inputs.push_back(toJson(D));
  for (const SummaryRow &Row : S.Rows)
    Rows.push_back(toJson(Row, Paths));
  O["inputs"] = std::move(Inputs);
  O["rows"] = std::move(Rows);
  O["kept_bytes"] = toJson(S.KeptBytes);
  O["flops"] = toJson(S.Flops);
  O["feature_map_bytes"] = toJson(S.FeatureMapBytes);
  return O;
}

static Object thumbJson(const RuleOfThumb &Rule) {
  Object O;
  O["parameter_factor"] = Rule.ParameterFactor;
  O["parameter_why"] = Rule.ParameterWhy;
  O["parameter_bytes"] = toJson(Rule.ParameterBytes);
  O["feature_map_factor"] = Rule.MapFactor;
  O["feature_map_bytes"] = toJson(Rule.MapBytes);
  O["peak_bytes"] = toJson(Rule.PeakBytes);
  return O;
}

static Object peakJson(const FileReport &R, const PathPrinter &Paths) {
  const Peak &P = R.Line->Highest;
  Object O;
  O["live_bytes"] = toJson(R.Line->Live);
  O["states_bytes"] = toJson(largestStates(*R.Run, R.On.Device));
  putPlace(O, R.Run->posOf(P.Stack), Paths);
  Object By;
  for (unsigned H = 0; H < HoldingCount; ++H) {
    std::string Name = holdingName(static_cast<Holding>(H)).str();
    std::replace(Name.begin(), Name.end(), ' ', '_');
    By[Name + "_bytes"] = P.By[H];
  }
  O["by"] = std::move(By);
  return O;
}

static void putRun(Object &O, const FileReport &R, bool WithSummary,
                   const PathPrinter &Paths) {
  const Trace &T = *R.Run;
  Array Assumptions, Unknowns, Models;
  for (const Assumption &A : T.Assumptions) {
    Object One;
    One["what"] = A.What;
    One["value"] = utf8(A.Value);
    One["from"] = utf8(A.From);
    putPlace(One, A.Pos, Paths);
    Assumptions.push_back(std::move(One));
  }
  for (const UnknownNote &N : T.Unknowns) {
    Object One;
    One["what"] = utf8(N.What);
    One["why"] = utf8(N.Why);
    One["tell"] = N.Tell.empty() ? Value(nullptr) : Value(utf8(N.Tell));
    putPlace(One, N.Pos, Paths);
    Unknowns.push_back(std::move(One));
  }
  std::vector<ModelSummary> Summaries = programModels(R);
  for (const ModelSummary &S : Summaries)
    Models.push_back(toJson(T, S, /*ByItself=*/false, WithSummary, Paths));
  for (const ModelSummary &S : classModels(R))
    Models.push_back(
        toJson(*R.Classes->Run, S, /*ByItself=*/true, WithSummary, Paths));
  O["assumptions"] = std::move(Assumptions);
  O["unknowns"] = std::move(Unknowns);
  O["models"] = std::move(Models);
  O["complete"] = T.Complete;
  if (R.Line)
    O["peak"] = peakJson(R, Paths);
  if (WithSummary)
    O["rule_of_thumb"] = thumbJson(ruleOfThumb(T, Summaries));
}

static Array classesJson(const FileReport &R, const PathPrinter &Paths) {
  Array Classes;
  for (const ClassRow &C : classRows(R)) {
    Object One;
    One["class"] = C.Note->Class;
    putPlace(One, C.Note->Pos, Paths);
    One["built"] = static_cast<int64_t>(C.Built);
    One["by_itself"] = C.ByItself;
    One["parameters_smallest"] = C.Built ? Value(toJson(C.Smallest)) : Value(nullptr);
    One["parameters_largest"] = C.Built ? Value(toJson(C.Largest)) : Value(nullptr);
    One["problem"] = C.Built ? Value(nullptr) : Value(utf8(C.Note->Problem));
    One["tell"] = C.Built ? Value(nullptr) : Value(utf8(C.Note->Tell));
    Classes.push_back(std::move(One));
  }
  return Classes;
}

Array findingsJson(const std::vector<Finding> &Findings, const PathPrinter &Paths) {
  Array All;
  for (const Finding &F : Findings)
    All.push_back(toJson(F, Paths));
  return All;
}

Object fileJson(const FileReport &R, bool WithSummary,
                const std::vector<FitRow> *Rows, const PathPrinter &Paths) {
  Object O;
  O["file"] = utf8(R.File);
  O["state"] = R.Is == FileReport::State::Analysed  ? "analysed"
               : R.Is == FileReport::State::NoTorch ? "no_libtorch"
                                                    : "not_analysed";
  O["problem"] = R.Problem.empty() ? Value(nullptr) : Value(utf8(R.Problem));
  Object On;
  On["device"] = R.On.Device == DeviceKind::CPU ? "cpu" : "cuda";
  On["libtorch"] =
      R.On.TorchVersion.empty() ? Value(nullptr) : Value(R.On.TorchVersion);
  On["onednn"] = R.On.OneDNN;
  O["platform"] = std::move(On);
  Array Fits;
  for (const GpuVerdict &G : R.Gpus)
    if (!Rows)
      Fits.push_back(toJson(FitRow{G.Result, G.Batch, {}}, G.From));
  if (Rows)
    for (const FitRow &Row : *Rows)
      Fits.push_back(toJson(Row, ""));
  if (R.Host)
    O["host"] = Object{{"memory_bytes", R.Host->MemoryBytes},
                       {"live_bytes", toJson(R.Host->Live)}};
  O["fits"] = std::move(Fits);
  if (R.Run)
    putRun(O, R, WithSummary, Paths);
  if (R.Classes)
    O["classes"] = classesJson(R, Paths);
  return O;
}

Array linesJson(const LineTable &Table, const PathPrinter &Paths) {
  Array Lines;
  for (const LineRow &Row : Table.Rows) {
    Object O;
    O["file"] = utf8(Paths.file(Row.Pos.File));
    O["line"] = Row.Pos.Line;
    O["function"] = utf8(Row.Function);
    O["allocated_bytes"] = Row.Use.AllocatedBytes;
    O["freed_bytes"] = Row.Use.FreedBytes;
    O["alive_after_bytes"] = Row.Use.AliveAfterBytes;
    O["peak_bytes"] = Row.Use.PeakBytes;
    O["holds_peak"] = Row.HoldsPeak;
    O["iteration"] = Row.InLoop ? Value(Row.Iteration) : Value(nullptr);
    Lines.push_back(std::move(O));
  }
  return Lines;
}

void printJson(JsonReport R, llvm::raw_ostream &OS) {
  Object Tool;
  Tool["name"] = "vramlint";
  Tool["version"] = R.Version;
  Tool["llvm"] = R.LlvmVersion;
  Array Files;
  for (Object &File : R.Files)
    Files.push_back(std::move(File));
  Object Totals;
  Totals["warnings"] = R.Counted.Warnings;
  Totals["remarks"] = R.Counted.Remarks;
  Totals["fixable"] = R.Counted.Fixable;
  Totals["in_baseline"] = R.Counted.InBaseline;
  Totals["on_other_lines"] = R.Counted.OnOtherLines;
  Totals["files_analysed"] = R.Counted.Analysed;
  Totals["files_without_libtorch"] = R.Counted.WithoutTorch;
  Totals["files_not_analysed"] = R.Counted.NotAnalysed;
  Totals["fits_not_judged"] = R.Counted.NotJudged;
  Object Root;
  Root["schema_version"] = JsonSchemaVersion;
  Root["tool"] = std::move(Tool);
  Root["verb"] = R.Verb;
  Root["files"] = std::move(Files);
  Root["totals"] = std::move(Totals);
  Root["exit_code"] = R.ExitCode;
  if (R.Verb == "annotate")
    Root["lines"] = std::move(R.Lines);
  OS << llvm::formatv("{0:2}", Value(std::move(Root))) << '\n';
}

} // namespace vramlint::report
