//===- lib/torch/Module.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What every torch::nn::Module does: its registries, train(), to(), zero_grad(),
// and the bookkeeping around a call of forward. Mirrors torch/csrc/api/src/nn/
// module.cpp.

#include "lib/torch/Module.h"

#include "lib/torch/Rules.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace vramlint {

Module::Module(Runtime &R, llvm::StringRef Class)
    : R(R), Id(ModuleId(R.Out.Modules.size())), ClassName(Class.str()) {
  ModuleInfo Info;
  Info.Class = intern(Class);
  Info.Created = R.CurrentStack;
  R.Out.Modules.push_back(std::move(Info));
  ++R.AliveModules;
}

Module::~Module() {
  --R.AliveModules;
  for (Child &C : Children)
    if (C.M && C.M->Parent == this)
      C.M->Parent = nullptr;
}

//===----------------------------------------------------------------------===//
// Registries
//===----------------------------------------------------------------------===//

/// Replaces the entry called \p Name or appends one.
static void put(std::vector<std::pair<std::string, TensorRef>> &List,
                llvm::StringRef Name, TensorRef T) {
  for (auto &[N, Old] : List)
    if (N == Name) {
      Old = std::move(T);
      return;
    }
  List.emplace_back(Name.str(), std::move(T));
}

TensorRef Module::registerParameter(llvm::StringRef Name, TensorRef T,
                                    bool RequiresGrad) {
  if (T) {
    T->RequiresGrad = RequiresGrad && (T->Type == DType::Unknown || isFloating(T->Type));
    T->IsParameter = true;
    T->Name = intern(Name);
    R.recategorize(T, Category::Parameter);
    if (T->Store)
      R.Out.Storages[T->Store->Id].ModuleClass = intern(ClassName);
  }
  put(Parameters, Name, T);
  describe();
  return T;
}

TensorRef Module::registerBuffer(llvm::StringRef Name, TensorRef T) {
  if (T) {
    T->Name = intern(Name);
    R.recategorize(T, Category::Buffer);
    if (T->Store)
      R.Out.Storages[T->Store->Id].ModuleClass = intern(ClassName);
  }
  put(Buffers, Name, T);
  describe();
  return T;
}

/// Tells the storages below \p M where they now belong.
static void namePaths(Module &M, const std::string &Path, unsigned Depth) {
  if (Depth > 64) // A module that contains itself.
    return;
  for (auto *List : {&M.Parameters, &M.Buffers})
    for (auto &[Name, T] : *List)
      if (T && T->Store) {
        M.R.Out.Storages[T->Store->Id].ModulePath = intern(Path);
        T->Name = intern(Path + "." + Name);
      }
  for (Module::Child &C : M.Children)
    if (C.M)
      namePaths(*C.M, Path + "." + C.Name, Depth + 1);
}

void Module::registerModule(llvm::StringRef Name, ModuleRef M,
                            std::shared_ptr<void> Owner) {
  auto It = llvm::find_if(Children, [&](Child &C) { return C.Name == Name; });
  if (It == Children.end())
    It = Children.insert(Children.end(), Child{Name.str(), nullptr, nullptr});
  if (It->M && It->M->Parent == this)
    It->M->Parent = nullptr;
  It->M = M;
  It->Owner = std::move(Owner);
  if (M && M.get() != this) {
    M->Parent = this;
    M->NameInParent = Name.str();
    R.Out.Modules[M->Id].HasParent = true;
    namePaths(*M, M->path(), 0);
  }
  describe();
}

std::string Module::path() const {
  std::string Path = NameInParent;
  unsigned Depth = 0;
  for (const Module *M = Parent; M && !M->NameInParent.empty() && M->Parent;
       M = M->Parent) {
    Path = M->NameInParent + "." + Path;
    if (++Depth > 64)
      break;
  }
  return Parent ? Path : std::string();
}

using NamedTensors = std::vector<std::pair<std::string, TensorRef>>;

static void collect(const Module &M, bool Recurse, const std::string &Prefix,
                    NamedTensors Module::*Own, NamedTensors &Out,
                    unsigned Depth) {
  for (const auto &[Name, T] : M.*Own)
    if (T) // Undefined ones are registered, but not listed.
      Out.emplace_back(Prefix + Name, T);
  if (!Recurse || Depth > 64)
    return;
  for (const Module::Child &C : M.Children)
    if (C.M)
      collect(*C.M, true, Prefix + C.Name + ".", Own, Out, Depth + 1);
}

NamedTensors Module::parameters(bool Recurse) const {
  NamedTensors Out;
  collect(*this, Recurse, "", &Module::Parameters, Out, 0);
  return Out;
}

NamedTensors Module::buffers(bool Recurse) const {
  NamedTensors Out;
  collect(*this, Recurse, "", &Module::Buffers, Out, 0);
  return Out;
}

//===----------------------------------------------------------------------===//
// Whole-tree operations
//===----------------------------------------------------------------------===//

void Module::train(bool On) {
  for (Child &C : Children)
    if (C.M && C.M.get() != this)
      C.M->train(On);
  Training = On;
}

void Module::to(std::optional<Device> D, std::optional<DType> T) {
  for (Child &C : Children)
    if (C.M && C.M.get() != this)
      C.M->to(D, T);
  auto Move = [&](NamedTensors &List, Category C) {
    for (auto &[Name, Old] : List) {
      if (!Old)
        continue;
      Device NewDevice = D.value_or(Old->Dev);
      Old->DeviceOfFile &= !D;
      DType NewType = T.value_or(Old->Type);
      bool Stays = NewDevice.Kind == Old->Dev.Kind &&
                   (NewDevice.Kind == DeviceKind::CPU || NewDevice.Index < 0 ||
                    NewDevice.Index == Old->Dev.Index);
      if (Stays && NewType == Old->Type)
        continue;
      // set_data(to(…)): the new storage first, then the old one dies.
      TensorRef New = R.make(Old->Sizes, NewType, NewDevice, C, "Module::to");
      StorageInfo &Info = R.Out.Storages[New->Store->Id];
      Info.ModuleClass = intern(ClassName);
      Info.ModulePath = intern(path());
      if (NewDevice.Kind != Old->Dev.Kind)
        R.event(EventKind::Copy, New->Store->Id);
      Old->Store = New->Store;
      Old->Type = NewType;
      Old->Dev = NewDevice;
    }
  };
  Move(Parameters, Category::Parameter);
  Move(Buffers, Category::Buffer);
  describe();
}

void Module::loaded() {
  R.Out.Modules[Id].FromFile = true;
  for (auto &[Name, T] : parameters(/*Recurse=*/true))
    T->DeviceOfFile = true;
  for (auto &[Name, T] : buffers(/*Recurse=*/true))
    T->DeviceOfFile = true;
}

void Module::zeroGrad(bool SetToNone) {
  for (auto &[Name, T] : parameters(/*Recurse=*/true)) {
    if (!T->Grad)
      continue;
    if (SetToNone)
      T->Grad = nullptr;
    else
      T->Grad->GradFn = nullptr; // detach; zero_() allocates nothing.
  }
}

ModuleRef Module::clone() { return nullptr; }

static ParameterInfo describeParameter(const std::string &Name,
                                       const TensorRef &T) {
  ParameterInfo P;
  P.Name = intern(Name);
  P.Tensor = describeTensor(T);
  P.Elements = T->Sizes.elements();
  int64_t Item = itemSize(T->Type);
  P.SizeBytes = P.Elements < 0 || !Item ? -1 : (Bytes{P.Elements} * Item).Count;
  return P;
}

void Module::describe() {
  ModuleInfo &Info = R.Out.Modules[Id];
  Info.Builtin = Builtin;
  Info.Parameters.clear();
  Info.Buffers.clear();
  Info.Children.clear();
  for (const auto &[Name, T] : Parameters)
    if (T)
      Info.Parameters.push_back(describeParameter(Name, T));
  for (const auto &[Name, T] : Buffers)
    if (T)
      Info.Buffers.push_back(describeParameter(Name, T));
  for (const Child &C : Children)
    if (C.M)
      Info.Children.push_back({intern(C.Name), C.M->Id});
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// The path of \p M as seen from the module whose forward runs.
static std::string scopePath(const Module &M, const Runtime &R) {
  if (R.Modules.empty())
    return "";
  ModuleId Outer = R.Modules.back().Id;
  if (Outer == M.Id) // Its forward calls the one that it inherits.
    return R.Modules.back().Path.str();
  std::string Path = M.NameInParent;
  unsigned Depth = 0;
  for (const Module *P = M.Parent; P; P = P->Parent) {
    if (P->Id == Outer) {
      std::string Prefix = R.Modules.back().Path.str();
      return Prefix.empty() ? Path : Prefix + "." + Path;
    }
    Path = P->NameInParent + "." + Path;
    if (++Depth > 64)
      break;
  }
  return M.path(); // Not below it: a field that isn't registered, or shared.
}

/// What the graph made since \p FirstEvent keeps, beyond \p Call's own results,
/// parameters and inputs.
static void countSaved(const Trace &Out, size_t FirstEvent, ForwardCall &Call) {
  llvm::DenseMap<StorageId, int64_t> Saves;
  for (size_t I = FirstEvent; I < Out.Events.size(); ++I) {
    const Event &E = Out.Events[I];
    if (E.Kind == EventKind::Save)
      ++Saves[E.Id];
    else if (E.Kind == EventKind::Unsave)
      --Saves[E.Id];
  }
  llvm::DenseSet<StorageId> Stays;
  for (auto *List : {&Call.Inputs, &Call.Outputs})
    for (const TensorDesc &T : *List)
      Stays.insert(T.Storage);
  Bytes Kept;
  for (auto [Id, Count] : Saves) {
    const StorageInfo &S = Out.Storages[Id];
    if (Count <= 0 || S.Cat == Category::Parameter ||
        S.Cat == Category::Buffer || S.Cat == Category::Input ||
        Stays.contains(Id))
      continue;
    Kept += Bytes{S.SizeBytes};
    Call.SavedKnown &= S.SizeKnown;
  }
  Call.SavedBytes = Kept.Count;
}

OpResult Module::runForward(Args &A) {
  auto Run = [this](Args &A) { return UserForward ? UserForward(*this, A) : forward(A); };
  const WhatIf::Segment &S = R.If.Recompute;
  if (S.Module != Id || S.Last != None)
    return Run(A);
  std::vector<TensorRef> Own;
  for (auto &[Name, T] : parameters(true))
    if (T)
      Own.push_back(T);
  return recomputed(R, Own, A, Run);
}

OpResult Module::callForward(Args A) {
  // Keeps the module alive where forward replaces or drops its last owner.
  std::weak_ptr<Module> Weak = weak_from_this();
  ModuleRef Alive = Weak.lock();
  bool Outermost = R.Modules.empty();
  size_t FirstEvent = R.Out.Events.size();
  ForwardCall Call;
  if (Outermost) {
    Call.Stack = R.CurrentStack;
    Call.Module = Id;
    Call.Method = "forward";
    Call.GradMode = R.GradMode && !R.InferenceMode;
    Call.TrainingMode = Training;
    Call.FirstOp = OpId(R.Out.Ops.size());
    for (const auto &[Name, V] : A.List)
      eachTensor(V, [&](const TensorRef &T) {
        Call.Inputs.push_back(describeTensor(T));
      });
  }
  R.Modules.push_back({intern(scopePath(*this, R)), intern(ClassName), Builtin, Id});
  OpResult Result = runForward(A);
  R.Modules.pop_back();
  if (!Outermost)
    return Result;
  for (const Arg &V : Result.Values)
    eachTensor(V, [&](const TensorRef &T) {
      Call.Outputs.push_back(describeTensor(T));
    });
  Call.EndOp = OpId(R.Out.Ops.size());
  countSaved(R.Out, FirstEvent, Call);
  R.Out.Forwards.push_back(std::move(Call));
  return Result;
}

OpResult Module::forward(Args &) {
  return OpResult::notModelled(ClassName + " has no forward that is known");
}

} // namespace vramlint
