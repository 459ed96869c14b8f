//===- lib/report/Summary.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The tables of `vramlint summary`: from the trace of a forward to rows.

#include "lib/report/Summary.h"

#include "lib/torch/Tensor.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <algorithm>

namespace vramlint::report {

namespace {

/// What the events between the first and the last op of a forward say.
struct ForwardReplay {
  llvm::DenseMap<OpId, OpId> Outermost;     ///< Op -> the op it runs inside of.
  llvm::DenseMap<StorageId, OpId> MadeBy;   ///< Storage -> its outermost op.
  llvm::DenseMap<StorageId, int64_t> Saves; ///< Graph nodes that hold it.
  llvm::DenseSet<OpId> Ended;
};

} // namespace

static ForwardReplay replay(const Trace &T, OpId First, OpId End) {
  ForwardReplay R;
  std::vector<OpId> Running;
  size_t Left = End - First;
  for (const Event &E : T.Events) {
    bool InRange = E.Id >= First && E.Id < End;
    if (E.Kind == EventKind::OpBegin && (InRange || !Running.empty())) {
      R.Outermost[E.Id] = Running.empty() ? E.Id : Running.front();
      Running.push_back(E.Id);
    } else if (E.Kind == EventKind::OpEnd && !Running.empty()) {
      Running.pop_back();
      if (InRange && R.Ended.insert(E.Id).second && --Left == 0)
        break; // From here on the forward is over.
    } else if (R.Outermost.empty()) {
      continue;
    } else if (E.Kind == EventKind::Alloc && !Running.empty()) {
      R.MadeBy[E.Id] = Running.front();
    } else if (E.Kind == EventKind::Save) {
      ++R.Saves[E.Id];
    } else if (E.Kind == EventKind::Unsave) {
      --R.Saves[E.Id];
    }
  }
  return R;
}

static Quantity sizeOfStorage(const Trace &T, StorageId Id) {
  const StorageInfo &S = T.Storages[Id];
  return S.SizeKnown ? Quantity::exact(S.SizeBytes)
                     : Quantity::unknown(S.Unknown.str(), S.SizeBytes);
}

static Quantity sizeOfTensor(const TensorDesc &D) {
  if (!D.ShapeKnown)
    return Quantity::unknown("a shape is not known");
  Bytes Size{itemSize(parseDType(D.DType).value_or(DType::Float32))};
  for (int64_t Dim : D.Shape) {
    if (Dim < 0)
      return Quantity::unknown("a shape is not known");
    Size = Size * Dim;
  }
  return Quantity::exact(Size.Count);
}

static Quantity ownElements(const ModuleInfo &M) {
  Quantity Sum;
  for (const ParameterInfo &P : M.Parameters)
    Sum += P.Elements >= 0
               ? Quantity::exact(P.Elements)
               : Quantity::unknown("size of '" + P.Name.str() + "' is not known");
  return Sum;
}

namespace {

/// Makes the rows of one forward.
class TableBuilder {
public:
  TableBuilder(const Trace &T, ModelSummary &S)
      : T(T), S(S), Paths(modulePaths(T, S.Which.Root)) {}
  void run(const ForwardCall &F);
  void addUnrun();

private:
  const std::string &pathOf(ModuleId Id) const;
  void addOp(OpId Id, const ForwardReplay &R);
  void nameParameters(SummaryRow &Row, ModuleId Id);

  const Trace &T;
  ModelSummary &S;
  std::vector<std::pair<ModuleId, std::string>> Paths;
  llvm::DenseSet<ModuleId> Named; ///< Modules whose parameters have a row.
  llvm::DenseMap<OpId, size_t> RowOf;
  ModuleId LastModule = None;
};

} // namespace

const std::string &TableBuilder::pathOf(ModuleId Id) const {
  static const std::string Nothing;
  for (const auto &[Other, Path] : Paths)
    if (Other == Id)
      return Path;
  return Nothing;
}

void TableBuilder::nameParameters(SummaryRow &Row, ModuleId Id) {
  if (Id >= T.Modules.size() || T.Modules[Id].Parameters.empty())
    return;
  Row.HasParameters = true;
  Row.Repeated = !Named.insert(Id).second;
  if (!Row.Repeated)
    Row.Parameters = T.Modules[Id].WeightsRead ? S.Which.Parameters
                                               : ownElements(T.Modules[Id]);
}

void TableBuilder::addOp(OpId Id, const ForwardReplay &R) {
  const OpRecord &Op = T.Ops[Id];
  bool Joins = Op.BuiltinModule && Op.Module != None && Op.Module == LastModule;
  if (!Joins) {
    // A user's class with parameters of its own has no op to show them at.
    if (!Op.BuiltinModule && Op.Module < T.Modules.size() &&
        !T.Modules[Op.Module].Parameters.empty() && !Named.count(Op.Module)) {
      SummaryRow Own;
      Own.Module = Op.ModulePath.str();
      Own.Op = Op.ModuleClass.str();
      nameParameters(Own, Op.Module);
      S.Rows.push_back(std::move(Own));
    }
    SummaryRow Row;
    Row.Module = Op.ModulePath.str();
    Row.Op = (Op.BuiltinModule ? Op.ModuleClass : Op.Name).str();
    Row.Pos = T.posOf(Op.Stack);
    if (Op.BuiltinModule)
      nameParameters(Row, Op.Module);
    S.Rows.push_back(std::move(Row));
  }
  LastModule = Op.BuiltinModule ? Op.Module : None;
  SummaryRow &Row = S.Rows.back();
  RowOf[Id] = S.Rows.size() - 1;
  if (!Op.Outputs.empty()) {
    Row.HasOutput = true;
    Row.Output = Op.Outputs.front();
    Row.OutputBytes = sizeOfTensor(Row.Output);
  }
}

void TableBuilder::run(const ForwardCall &F) {
  if (F.FirstOp == None || F.EndOp > T.Ops.size() || F.FirstOp >= F.EndOp)
    return;
  ForwardReplay R = replay(T, F.FirstOp, F.EndOp);
  for (OpId Id = F.FirstOp; Id < F.EndOp; ++Id) {
    const OpRecord &Op = T.Ops[Id];
    auto It = R.Outermost.find(Id);
    bool Outer = It == R.Outermost.end() || It->second == Id;
    bool JoinsModule = Op.BuiltinModule && Op.Module != None;
    if (Outer && Op.In == Phase::Forward && (!Op.ResultIsView || JoinsModule))
      addOp(Id, R);
    // Nested ops are part of the outer one, which counts their FLOPs itself.
    auto Row = RowOf.find(Outer ? Id : It->second);
    // By custom only what multiplies and adds counts, not the pointwise rest.
    bool Multiplies = isConvolutionOp(Op.Name) || isMatrixProductOp(Op.Name);
    if (Outer && Multiplies && Row != RowOf.end())
      S.Rows[Row->second].Flops += Op.Flops;
  }
  // In order of storages, so that causes come out in the same order always.
  std::vector<StorageId> Kept;
  for (const auto &[Id, Count] : R.Saves)
    if (Count > 0 && R.MadeBy.count(Id))
      Kept.push_back(Id);
  std::sort(Kept.begin(), Kept.end());
  for (StorageId Id : Kept) {
    Quantity Size = sizeOfStorage(T, Id);
    S.KeptBytes += Size;
    auto Row = RowOf.find(R.MadeBy[Id]);
    if (Row != RowOf.end())
      S.Rows[Row->second].KeptBytes += Size;
  }
}

void TableBuilder::addUnrun() {
  for (const auto &[Id, Path] : Paths) {
    const ModuleInfo &M = T.Modules[Id];
    if (M.Parameters.empty() || Named.count(Id))
      continue;
    SummaryRow Row;
    Row.Module = Path;
    Row.Op = M.Class.str();
    nameParameters(Row, Id);
    S.Rows.push_back(std::move(Row));
  }
}

ModelSummary summarize(const Trace &T, const Model &M) {
  ModelSummary S;
  S.Which = M;
  TableBuilder Builder(T, S);
  if (M.Forward != None) {
    const ForwardCall &F = T.Forwards[M.Forward];
    S.Training = isTraining(F);
    S.CallPos = T.posOf(F.Stack);
    S.Inputs.assign(F.Inputs.begin(), F.Inputs.end());
    Builder.run(F);
  }
  Builder.addUnrun();
  for (const SummaryRow &Row : S.Rows) {
    S.Flops += Row.Flops;
    if (Row.HasOutput)
      S.FeatureMapBytes += Row.OutputBytes;
  }
  return S;
}

std::vector<ModelSummary> summarizeAll(const Trace &T) {
  std::vector<ModelSummary> All;
  for (const Model &M : findModels(T))
    All.push_back(summarize(T, M));
  return All;
}

RuleOfThumb ruleOfThumb(const Trace &T,
                        const std::vector<ModelSummary> &Models) {
  Quantity ParameterBytes, MapBytes;
  bool Training = false;
  for (const ModelSummary &S : Models) {
    if (S.Which.Forward == None)
      continue;
    ParameterBytes += S.Which.ParameterBytes;
    MapBytes += S.FeatureMapBytes;
    Training |= S.Training;
  }
  const Assumption *Optimizer = findAssumption(T, "optimizer");
  return ruleOfThumb(ParameterBytes, MapBytes, Training,
                     Optimizer ? llvm::StringRef(Optimizer->Value) : "");
}

const Assumption *inputAssumption(const Trace &T, const ModelSummary &S) {
  if (S.Inputs.empty())
    return nullptr;
  // Of the program's own, the first is known only.
  const Assumption *First = findAssumption(T, "input");
  for (const Assumption &A : T.Assumptions)
    if (A.What == "input" && A.Value == tensorText(S.Inputs.front()) &&
        (A.Pos == S.Which.Pos || &A == First))
      return &A;
  return nullptr;
}

static bool holdsClass(const Trace &T, const SourcePos &Pos) {
  return llvm::any_of(T.Modules,
                      [&](const ModuleInfo &M) { return M.ClassPos == Pos; });
}

std::vector<ClassRow> classRows(const FileReport &R) {
  std::vector<ClassRow> Rows;
  if (!R.Classes)
    return Rows;
  for (const ClassNote &Note : R.Classes->Classes) {
    ClassRow Row{&Note, 0, {}, {}, false};
    const Trace *T = R.Classes->Run.get();
    if (R.Run && holdsClass(*R.Run, Note.Pos))
      T = R.Run.get(); // What the program builds goes before.
    Row.ByItself = T != R.Run.get();
    for (ModuleId Id = 0; Id < T->Modules.size(); ++Id) {
      if (T->Modules[Id].ClassPos != Note.Pos)
        continue;
      Quantity Size = sizeOf(*T, Id).Elements;
      if (Row.Built == 0 || Size.expected() < Row.Smallest.expected())
        Row.Smallest = Size;
      if (Row.Built == 0 || Size.expected() > Row.Largest.expected())
        Row.Largest = Size;
      ++Row.Built;
    }
    Rows.push_back(std::move(Row));
  }
  return Rows;
}

std::vector<ModelSummary> programModels(const FileReport &R) {
  std::vector<ModelSummary> Models;
  if (!R.Run)
    return Models;
  for (ModelSummary &S : summarizeAll(*R.Run))
    if (S.Which.Forward != None || R.Run->Entry == "main" || !R.Classes ||
        !holdsClass(*R.Classes->Run, S.Which.Pos))
      Models.push_back(std::move(S));
  return Models;
}

std::vector<ModelSummary> classModels(const FileReport &R) {
  std::vector<ModelSummary> Models;
  if (!R.Classes)
    return Models;
  for (ModelSummary &S : summarizeAll(*R.Classes->Run))
    if (llvm::any_of(R.Classes->Classes,
                     [&](const ClassNote &N) { return N.Pos == S.Which.Pos; }))
      Models.push_back(std::move(S));
  return Models;
}

} // namespace vramlint::report
