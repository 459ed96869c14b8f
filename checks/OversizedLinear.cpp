//===- checks/OversizedLinear.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See OversizedLinear.h.

#include "checks/OversizedLinear.h"
#include "llvm/ADT/DenseSet.h"

namespace vramlint {

namespace {
/// Adds up the parameters of a module and all below it.
struct Counter {
  const Trace &T;
  llvm::DenseSet<ModuleId> Modules;
  llvm::DenseSet<StorageId> Storages;
  int64_t Elements = 0;
  bool Known = true, FromFile = false;

  void add(ModuleId Id) {
    if (Id >= T.Modules.size() || !Modules.insert(Id).second)
      return;
    const ModuleInfo &M = T.Modules[Id];
    FromFile |= M.FromFile;
    for (const ParameterInfo &P : M.Parameters) {
      if (P.Tensor.Storage != None && !Storages.insert(P.Tensor.Storage).second)
        continue; // Tied weights count once.
      if (P.Elements < 0)
        Known = false;
      else
        Elements += P.Elements;
    }
    for (const ModuleInfo::Child &C : M.Children)
      add(C.Id);
  }
};
} // namespace

static bool isRoot(const Trace &T, ModuleId Id) {
  const ModuleInfo &M = T.Modules[Id];
  return !M.HasParent && !M.Children.empty();
}

/// The last feature map before \p Op whose values, flattened, are its input.
static void findFeatureMap(const Trace &T, OpId Op, OversizedLinear &L) {
  const OpRecord &Linear = T.Ops[Op];
  if (Linear.Inputs.empty() || Linear.Inputs[0].Shape.size() < 2)
    return;
  int64_t Samples = Linear.Inputs[0].Shape.front();
  constexpr unsigned MaxSteps = 16; // Flatten, dropout, activations …
  for (OpId I = Op; I-- > 0 && Op - I <= MaxSteps;) {
    for (const TensorDesc &Out : T.Ops[I].Outputs) {
      if (!Out.ShapeKnown || Out.Shape.size() < 3 || Out.Shape[0] != Samples)
        continue;
      int64_t Positions = 1;
      for (size_t D = 2; D < Out.Shape.size(); ++D)
        Positions *= Out.Shape[D];
      if (Positions > 1 && Out.Shape[1] * Positions == L.InFeatures) {
        L.Channels = Out.Shape[1];
        L.Positions = Positions;
        return;
      }
    }
  }
}

static void addPooling(const Trace &T, OversizedLinear &L) {
  for (OpId I = 0; I < T.Ops.size() && !L.Channels; ++I)
    if (T.Ops[I].Module == L.Module && T.Ops[I].In == Phase::Forward &&
        T.Ops[I].Name.contains("linear"))
      findFeatureMap(T, I, L);
  if (!L.Channels)
    return;
  int64_t ItemBytes = L.SizeBytes / std::max<int64_t>(L.Elements, 1);
  int64_t WeightLess = (L.InFeatures - L.Channels) * L.OutFeatures;
  L.PooledBytes = L.SizeBytes - WeightLess * ItemBytes;
}

std::vector<OversizedLinear>
findOversizedLinears(const Trace &T, const OversizedLimits &Limits) {
  std::vector<OversizedLinear> Found;
  for (ModuleId Root = 0; Root < T.Modules.size(); ++Root) {
    if (!isRoot(T, Root))
      continue;
    Counter Count{T, {}, {}};
    Count.add(Root);
    if (!Count.Known || !Count.Elements)
      continue;
    std::vector<ModuleId> Inside(Count.Modules.begin(), Count.Modules.end());
    llvm::sort(Inside);
    for (ModuleId Id : Inside) {
      const ModuleInfo &M = T.Modules[Id];
      if (!M.Builtin || M.Class != "Linear" || M.Parameters.empty())
        continue;
      OversizedLinear L;
      L.Module = Id;
      L.ModelElements = Count.Elements;
      L.FromFile = Count.FromFile;
      for (const ParameterInfo &P : M.Parameters) {
        L.Elements += P.Elements;
        L.SizeBytes += P.SizeBytes;
        if (P.Name == "weight" && P.Tensor.Shape.size() == 2) {
          L.OutFeatures = P.Tensor.Shape[0];
          L.InFeatures = P.Tensor.Shape[1];
        }
      }
      if (L.SizeBytes < Limits.MinBytes || L.OutFeatures > L.InFeatures ||
          static_cast<__int128>(L.Elements) * 100 <
              static_cast<__int128>(Count.Elements) * Limits.MinSharePercent)
        continue;
      L.Name = M.Options.empty()
                   ? "Linear(" + std::to_string(L.InFeatures) + ", " +
                         std::to_string(L.OutFeatures) + ")"
                   : M.Options;
      addPooling(T, L);
      Found.push_back(std::move(L));
    }
  }
  return Found;
}

/// The most optimizer state that is alive at once, bytes.
static int64_t largestOptimizerState(const Trace &T) {
  llvm::DenseSet<StorageId> Alive;
  int64_t Now = 0, Most = 0;
  for (const Event &E : T.Events) {
    bool Is = E.Kind == EventKind::Alloc
                  ? T.Storages[E.Id].Cat == Category::OptimizerState
                  : E.Kind == EventKind::Recategorize &&
                        static_cast<Category>(E.Value) == Category::OptimizerState;
    bool Leaves = E.Kind == EventKind::Free || (E.Kind == EventKind::Recategorize && !Is);
    if (Is && Alive.insert(E.Id).second)
      Now += T.Storages[E.Id].SizeBytes;
    else if (Leaves && Alive.erase(E.Id))
      Now -= T.Storages[E.Id].SizeBytes;
    Most = std::max(Most, Now);
  }
  return Most;
}

TrainingMultiple trainingMultiple(const Trace &T) {
  TrainingMultiple M;
  for (const Event &E : T.Events)
    M.Trains |= E.Kind == EventKind::PhaseBegin &&
                static_cast<Phase>(E.Value) == Phase::Backward;
  // A module's parameters as they are now: Module::to leaves dead copies.
  int64_t Parameters = 0;
  llvm::DenseSet<StorageId> Seen;
  for (const ModuleInfo &Module : T.Modules)
    for (const ParameterInfo &P : Module.Parameters)
      if (P.SizeBytes > 0 && (P.Tensor.Storage == None ||
                              Seen.insert(P.Tensor.Storage).second))
        Parameters += P.SizeBytes;
  int64_t State = largestOptimizerState(T);
  for (const Assumption &A : T.Assumptions)
    if (A.What == "optimizer")
      M.Optimizer = A.Value.substr(0, A.Value.find(' '));
  if (Parameters)
    M.StateCopies = (State + Parameters / 2) / Parameters;
  return M;
}

} // namespace vramlint
