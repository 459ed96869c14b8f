//===- lib/torch/Models.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The models of a run: which modules stand on top, what they hold, and which of
// their forward calls stands for them.

#include "lib/torch/Models.h"

#include "llvm/ADT/DenseSet.h"
#include <map>
#include <set>
#include <tuple>

namespace vramlint {

/// Visits \p Id and all below it once, parents first.
template <typename Fn>
static void visit(const Trace &T, ModuleId Id, llvm::DenseSet<ModuleId> &Seen,
                  const std::string &Path, Fn F) {
  if (Id >= T.Modules.size() || !Seen.insert(Id).second)
    return;
  F(Id, Path);
  for (const ModuleInfo::Child &C : T.Modules[Id].Children)
    visit(T, C.Id, Seen,
          Path.empty() ? C.Name.str() : Path + "." + C.Name.str(), F);
}

std::vector<std::pair<ModuleId, std::string>> modulePaths(const Trace &T,
                                                          ModuleId Root) {
  std::vector<std::pair<ModuleId, std::string>> Paths;
  llvm::DenseSet<ModuleId> Seen;
  visit(T, Root, Seen, "", [&](ModuleId Id, const std::string &Path) {
    Paths.emplace_back(Id, Path);
  });
  return Paths;
}

static Quantity known(int64_t N, const ParameterInfo &P) {
  return N >= 0 ? Quantity::exact(N)
                : Quantity::unknown("size of '" + P.Name.str() +
                                    "' is not known");
}

static const char *whyUnread(const ModuleInfo &M) {
  return M.WeightsUnknown.empty() ? "TorchScript weights are not read"
                                  : M.WeightsUnknown.c_str();
}

/// A TorchScript module is one module with all its tensors, and several of them may
/// be views of one storage, which counts once.
static ModuleSize sizeOfArchive(const Trace &T, const ModuleInfo &M) {
  ModuleSize Size;
  std::set<std::pair<StorageId, int64_t>> Tensors;
  llvm::DenseSet<StorageId> Storages;
  auto Add = [&](Quantity &Sum, StorageId Id) {
    if (Id < T.Storages.size() && Storages.insert(Id).second)
      Sum += Quantity::exact(T.Storages[Id].SizeBytes);
  };
  for (const ParameterInfo &P : M.Parameters) {
    StorageId Id = P.Tensor.Storage;
    if (Tensors.emplace(Id, P.Elements).second)
      Size.Elements += known(P.Elements, P);
    Add(Size.Bytes, Id);
  }
  for (const ParameterInfo &P : M.Buffers)
    Add(Size.BufferBytes, P.Tensor.Storage);
  return Size;
}

ModuleSize sizeOf(const Trace &T, ModuleId Root) {
  ModuleSize Size;
  llvm::DenseSet<ModuleId> Seen;
  std::map<std::pair<StorageId, int64_t>, ModuleId> Owners;
  // Weights tied across modules are one tensor. Within a module equal storages
  // are parts of a flattened buffer (cuDNN's RNN weights), each one counts.
  auto IsNew = [&](ModuleId Id, const ParameterInfo &P) {
    return P.Tensor.Storage == None ||
           Owners.emplace(std::pair(P.Tensor.Storage, P.Elements), Id)
                   .first->second == Id;
  };
  visit(T, Root, Seen, "", [&](ModuleId Id, const std::string &) {
    const ModuleInfo &M = T.Modules[Id];
    if (M.WeightsRead) {
      ModuleSize Own = sizeOfArchive(T, M);
      Size.Elements += Own.Elements;
      Size.Bytes += Own.Bytes;
      Size.BufferBytes += Own.BufferBytes;
      return;
    }
    for (const ParameterInfo &P : M.Parameters)
      if (IsNew(Id, P)) {
        Size.Elements += known(P.Elements, P);
        Size.Bytes += known(P.SizeBytes, P);
      }
    for (const ParameterInfo &P : M.Buffers)
      if (IsNew(Id, P))
        Size.BufferBytes += known(P.SizeBytes, P);
    if (M.Jit) {
      Size.Elements += Quantity::unknown(whyUnread(M));
      Size.Bytes += Quantity::unknown(whyUnread(M));
      Size.BufferBytes += Quantity::unknown(whyUnread(M));
    }
  });
  return Size;
}

bool isTraining(const ForwardCall &F) {
  return F.ReachedBackward || (F.GradMode && F.TrainingMode);
}

/// Higher: stands better for its model.
static int rank(const ForwardCall &F) {
  return F.ReachedBackward ? 3 : isTraining(F) ? 2 : F.GradMode ? 1 : 0;
}

/// The elements of what it is given; 0 if they are not known.
static int64_t inputElements(const ForwardCall &F) {
  int64_t Sum = 0;
  for (const TensorDesc &D : F.Inputs) {
    int64_t N = 1;
    for (int64_t Length : D.Shape)
      if (!D.ShapeKnown || __builtin_mul_overflow(N, Length, &N))
        return 0;
    if (__builtin_add_overflow(Sum, N, &Sum))
      return 0;
  }
  return Sum;
}

static bool standsBetter(const ForwardCall &A, const ForwardCall &B) {
  if (rank(A) != rank(B))
    return rank(A) > rank(B);
  return inputElements(A) > inputElements(B);
}

size_t inputSizes(const Trace &T, const Model &M) {
  std::set<std::vector<int64_t>> Sizes;
  for (const ForwardCall &F : T.Forwards)
    if (F.Module == M.Root && !F.Inputs.empty() && F.Inputs[0].ShapeKnown &&
        F.Inputs[0].Shape.size() > 1 && rank(F) == rank(T.Forwards[M.Forward]))
      Sizes.emplace(F.Inputs[0].Shape.begin() + 1, F.Inputs[0].Shape.end());
  return Sizes.size();
}

std::vector<Model> findModels(const Trace &T) {
  std::vector<Model> Models, NotRun;
  std::set<std::tuple<std::string, std::string, int64_t>> Unrun;
  for (ModuleId Id = 0; Id < T.Modules.size(); ++Id) {
    const ModuleInfo &M = T.Modules[Id];
    if (M.HasParent)
      continue;
    ModuleSize Size = sizeOf(T, Id);
    Model R{Id, M.Class, M.ClassPos, M.Jit, Size.Elements, Size.Bytes,
            Size.BufferBytes, None, None};
    if (!R.Pos.isValid())
      R.Pos = T.posOf(M.Created);
    for (uint32_t I = 0; I < T.Forwards.size(); ++I) {
      const ForwardCall &F = T.Forwards[I];
      if (F.Module != Id)
        continue;
      if (R.Forward == None || standsBetter(F, T.Forwards[R.Forward]))
        R.Forward = I;
      if (R.Inference == None && !F.GradMode)
        R.Inference = I;
    }
    if (M.Builtin && M.Children.empty() && M.Parameters.empty())
      continue; // A loss, an activation.
    if (R.Forward == None &&
        !Unrun.emplace(M.Class.str(), R.Pos.str(), Size.Elements.expected())
             .second)
      continue;
    (R.Forward != None ? Models : NotRun).push_back(R);
  }
  Models.insert(Models.end(), NotRun.begin(), NotRun.end());
  return Models;
}

} // namespace vramlint
