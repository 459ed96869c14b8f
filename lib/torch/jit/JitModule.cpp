//===- lib/torch/jit/JitModule.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See JitModule.h.

#include "lib/torch/jit/JitModule.h"

#include "llvm/ADT/STLExtras.h"

namespace vramlint {

JitModule::JitModule(Runtime &R) : Module(R, "TorchScript module") {
  R.Out.Modules[Id].Jit = true;
}

static std::vector<StorageRef> loadStorages(Runtime &R, const ScriptArchive &Archive,
                                            Device D) {
  llvm::StringRef Op = intern("torch::jit::load");
  std::vector<StorageRef> Stores;
  for (int64_t Size : Archive.StorageBytes) {
    StorageRef S(new Storage(R, Size, /*SizeKnown=*/true, Device(),
                             Category::Buffer, Op));
    if (D.Kind != DeviceKind::CPU) {
      StorageRef Host = std::move(S); // Dies when its copy is made.
      S = new Storage(R, Size, /*SizeKnown=*/true, D, Category::Buffer, Op);
      R.event(EventKind::Copy, S->Id);
    }
    R.Out.Storages[S->Id].ModuleClass = intern("TorchScript module");
    Stores.push_back(std::move(S));
  }
  return Stores;
}

void JitModule::load(const ScriptArchive &Archive, Device D) {
  std::vector<StorageRef> Stores = loadStorages(R, Archive, D);
  // A frozen module has its weights as constants.
  bool Frozen = llvm::none_of(Archive.Tensors, [](const ArchiveTensor &T) {
    return T.Kind == ArchiveTensor::Parameter;
  });
  auto Add = [&](const ArchiveTensor &A, bool AsParameter) {
    TensorRef T(new TensorImpl);
    T->Sizes.Dims.append(A.Shape.begin(), A.Shape.end());
    T->Type = A.Type;
    T->Dev = D;
    T->Store = Stores[A.Storage];
    T->Name = intern(A.Name);
    T->IsParameter = AsParameter;
    T->RequiresGrad = A.RequiresGrad;
    if (AsParameter)
      R.recategorize(T, Category::Parameter);
    (AsParameter ? Parameters : Buffers).emplace_back(A.Name, std::move(T));
  };
  for (const ArchiveTensor &A : Archive.Tensors)
    if (A.Kind == ArchiveTensor::Parameter || A.Kind == ArchiveTensor::Buffer)
      Add(A, A.Kind == ArchiveTensor::Parameter);
  MovedParameters = Parameters.size();
  MovedBuffers = Buffers.size();
  for (const ArchiveTensor &A : Archive.Tensors)
    if (A.Kind == ArchiveTensor::Constant || A.Kind == ArchiveTensor::Attribute)
      Add(A, Frozen && A.Kind == ArchiveTensor::Constant && isFloating(A.Type));
  R.Out.Modules[Id].WeightsRead = true;
  describe();
}

void JitModule::to(std::optional<Device> D, std::optional<DType> T) {
  auto TakeTail = [](auto &List, size_t From) {
    std::remove_reference_t<decltype(List)> Tail(
        std::make_move_iterator(List.begin() + From),
        std::make_move_iterator(List.end()));
    List.resize(From);
    return Tail;
  };
  auto OtherParameters = TakeTail(Parameters, MovedParameters);
  auto OtherBuffers = TakeTail(Buffers, MovedBuffers);
  Module::to(D, T);
  llvm::append_range(Parameters, OtherParameters);
  llvm::append_range(Buffers, OtherBuffers);
  describe();
}

} // namespace vramlint
