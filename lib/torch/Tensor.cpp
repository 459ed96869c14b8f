//===- lib/torch/Tensor.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Storages, shapes, saved tensors and nodes: who owns what, and what dies when.

#include "lib/torch/Tensor.h"

#include "lib/torch/Runtime.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace vramlint {

int64_t itemSize(DType T) {
  switch (T) {
  case DType::UInt8:
  case DType::Int8:
  case DType::Bool:
    return 1;
  case DType::Int16:
  case DType::Float16:
  case DType::BFloat16:
    return 2;
  case DType::Int32:
  case DType::Float32:
    return 4;
  case DType::Int64:
  case DType::Float64:
  case DType::ComplexFloat:
    return 8;
  case DType::ComplexDouble:
    return 16;
  case DType::Unknown:
    return 0;
  }
  return 0;
}

llvm::StringRef dtypeName(DType T) {
  static const char *const Names[] = {
      "uint8",   "int8",    "int16",     "int32",      "int64",
      "float16", "float32", "float64",   "complex64",  "complex128",
      "bool",    "bfloat16", "?"};
  return Names[unsigned(T)];
}

std::optional<DType> parseDType(llvm::StringRef Name) {
  Name.consume_front("torch::");
  Name.consume_front("at::");
  Name.consume_front("c10::");
  Name.consume_front("ScalarType::");
  if (Name.size() > 1 && Name[0] == 'k' && Name[1] >= 'A' && Name[1] <= 'Z')
    Name = Name.drop_front();
  return llvm::StringSwitch<std::optional<DType>>(Name)
      .Cases("UInt8", "uint8", "Byte", "byte", DType::UInt8)
      .Cases("Int8", "int8", "Char", "char", DType::Int8)
      .Cases("Int16", "int16", "Short", "short", DType::Int16)
      .Cases("Int32", "int32", "Int", "int", DType::Int32)
      .Cases("Int64", "int64", "Long", "long", DType::Int64)
      .Cases("Float16", "float16", "Half", "half", DType::Float16)
      .Cases("Float32", "float32", "Float", "float", DType::Float32)
      .Cases("Float64", "float64", "Double", "double", DType::Float64)
      .Cases("ComplexFloat", "complex64", "cfloat", DType::ComplexFloat)
      .Cases("ComplexDouble", "complex128", "cdouble", DType::ComplexDouble)
      .Cases("Bool", "bool", DType::Bool)
      .Cases("BFloat16", "bfloat16", DType::BFloat16)
      .Default(std::nullopt);
}

bool isFloating(DType T) {
  switch (T) {
  case DType::Float16:
  case DType::Float32:
  case DType::Float64:
  case DType::ComplexFloat:
  case DType::ComplexDouble:
  case DType::BFloat16:
    return true;
  default:
    return false;
  }
}

Shape Shape::unknown(llvm::StringRef Why) {
  Shape S;
  S.RankKnown = false;
  S.Why = intern(Why);
  return S;
}

bool Shape::known() const {
  return RankKnown && llvm::all_of(Dims, [](Dim D) { return D.known(); });
}

int64_t Shape::elements() const {
  if (!RankKnown)
    return -1;
  bool Unknown = false;
  __int128 N = 1;
  for (Dim D : Dims) {
    if (!D.known()) {
      Unknown = true;
      continue;
    }
    if (D.Length == 0)
      return 0;
    N *= D.Length;
    if (N > Bytes::Max)
      N = Bytes::Max;
  }
  return Unknown ? -1 : int64_t(N);
}

std::string Shape::str() const {
  if (!RankKnown)
    return "?";
  if (Dims.empty())
    return "scalar";
  std::string Out;
  for (size_t I = 0; I < Dims.size(); ++I) {
    Out += I ? "×" : "";
    Out += Dims[I].known() ? std::to_string(Dims[I].Length) : "?";
  }
  return Out;
}

//===----------------------------------------------------------------------===//
// Storage
//===----------------------------------------------------------------------===//

Storage::Storage(Runtime &R, int64_t SizeBytes, bool SizeKnown, Device D,
                 Category C, llvm::StringRef Op)
    : R(R), SizeBytes(SizeBytes), SizeKnown(SizeKnown), Dev(D), Cat(C) {
  StorageInfo Info;
  Info.SizeBytes = SizeBytes;
  Info.SizeKnown = SizeKnown;
  Info.Device = D.Kind;
  Info.Cat = C;
  Info.Op = Op;
  if (!R.Modules.empty()) {
    Info.ModulePath = R.Modules.back().Path;
    Info.ModuleClass = R.Modules.back().Class;
  }
  Info.Stack = R.CurrentStack;
  Id = StorageId(R.Out.Storages.size());
  R.Out.Storages.push_back(Info);
  // LibTorch's allocators are not asked for nothing.
  if (SizeKnown && SizeBytes == 0)
    return;
  R.event(EventKind::Alloc, Id, SizeBytes);
  R.addLive(D.Kind, SizeBytes);
}

Storage::~Storage() {
  if (SizeKnown && SizeBytes == 0)
    return;
  R.addLive(Dev.Kind, -SizeBytes);
  R.event(EventKind::Free, Id, SizeBytes);
}

//===----------------------------------------------------------------------===//
// TensorImpl
//===----------------------------------------------------------------------===//

llvm::SmallVector<int64_t, 4> TensorImpl::strides() const {
  if (!Strides.empty() || Sizes.Dims.empty())
    return Strides;
  llvm::SmallVector<int64_t, 4> S(rank(), 1);
  for (unsigned I = rank() - 1; I-- > 0;) {
    int64_t Length = std::max<int64_t>(Sizes.Dims[I + 1].Length, 1);
    S[I] = (Bytes{S[I + 1]} * Length).Count;
  }
  return S;
}

bool TensorImpl::isContiguous() const {
  if (Strides.empty() || elements() == 0)
    return true;
  int64_t Expected = 1;
  for (unsigned I = rank(); I-- > 0;) {
    if (!Sizes.Dims[I].known())
      return false;
    if (Sizes.Dims[I].Length == 1)
      continue;
    if (Strides[I] != Expected)
      return false;
    Expected = (Bytes{Expected} * Sizes.Dims[I].Length).Count;
  }
  return true;
}

bool TensorImpl::isDense() const {
  if (isContiguous())
    return true;
  llvm::SmallVector<unsigned, 4> Order;
  for (unsigned I = 0; I < rank(); ++I) {
    if (!Sizes.Dims[I].known())
      return false;
    if (Sizes.Dims[I].Length != 1)
      Order.push_back(I);
  }
  llvm::sort(Order, [&](unsigned A, unsigned B) {
    return std::pair(Strides[A], A) < std::pair(Strides[B], B);
  });
  int64_t Expected = 1;
  for (unsigned I : Order) {
    if (Strides[I] != Expected)
      return false;
    Expected = (Bytes{Expected} * Sizes.Dims[I].Length).Count;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// SavedTensor
//===----------------------------------------------------------------------===//

SavedTensor::SavedTensor(Runtime &R, TensorRef Value, bool IsOutput) : R(&R) {
  if (!Value)
    return;
  // An output that kept its own grad_fn would keep its node alive for ever.
  T = IsOutput && Value->GradFn ? R.alias(Value) : std::move(Value);
  if (T->Store)
    R.event(EventKind::Save, T->Store->Id);
}

SavedTensor::SavedTensor(SavedTensor &&Other) noexcept
    : ResultNr(Other.ResultNr), T(std::move(Other.T)), R(Other.R) {
  Other.T = nullptr;
}

SavedTensor &SavedTensor::operator=(SavedTensor &&Other) noexcept {
  if (this == &Other)
    return *this;
  reset();
  T = std::move(Other.T);
  R = Other.R;
  ResultNr = Other.ResultNr;
  Other.T = nullptr;
  return *this;
}

SavedTensor::~SavedTensor() { reset(); }

void SavedTensor::reset() {
  if (!T)
    return;
  if (T->Store)
    R->event(EventKind::Unsave, T->Store->Id);
  T = nullptr;
}

//===----------------------------------------------------------------------===//
// Node
//===----------------------------------------------------------------------===//

/// Nodes whose last owner died while another node is being destroyed: they wait
/// here, so that a chain of any length takes no stack.
static thread_local llvm::SmallVector<NodeRef, 8> *Dying = nullptr;

Node::~Node() {
  if (Variable && Variable->Accumulator == this)
    Variable->Accumulator = nullptr;
  bool Outermost = !Dying;
  llvm::SmallVector<NodeRef, 8> List;
  if (Outermost)
    Dying = &List;
  // The edges first: they keep the nodes behind the saved tensors alive.
  for (Edge &E : Next)
    if (E.Fn)
      Dying->push_back(std::move(E.Fn));
  Backward = nullptr;
  Saved.clear();
  Variable = nullptr;
  if (!Outermost)
    return;
  while (!List.empty()) {
    NodeRef N = std::move(List.back());
    List.pop_back();
    N = nullptr;
  }
  Dying = nullptr;
}

} // namespace vramlint
