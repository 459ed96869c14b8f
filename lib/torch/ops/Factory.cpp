//===- lib/torch/ops/Factory.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Tensors made from nothing: zeros, randn, arange, *_like.

#include "lib/torch/Rules.h"

#include <cmath>

namespace vramlint {

namespace {

using T = TensorRef;

/// TensorOptions, bound as fields or as one bare dtype or device.
struct Options {
  std::optional<DType> Type;
  std::optional<Device> Dev;
  bool RequiresGrad;

  explicit Options(const Args &A)
      : Type(A.dtype("dtype")), Dev(A.device("device")),
        RequiresGrad(A.boolean("requires_grad", false)) {
    const Arg *Bare = A.find("options");
    if (Bare && !Type)
      if (const auto *D = std::get_if<DType>(&Bare->V))
        Type = *D;
    if (Bare && !Dev)
      if (const auto *D = std::get_if<Device>(&Bare->V))
        Dev = *D;
  }
};

Shape shapeOf(const Runtime &R, const Args &A) {
  Shape S;
  for (const Arg::Int &I : A.ints("size")) {
    S.Dims.push_back(toDim(I));
    if (!S.Dims.back().known())
      S.Why = "size not known";
  }
  if (R.Modules.empty() && !R.Constructing)
    R.If.resize(S);
  return S;
}

T fresh(Runtime &R, Shape S, DType Type, const Options &O) {
  for (Dim &D : S.Dims)
    if (!D.known() && S.Why.empty())
      S.Why = "size not known";
  T Out = R.make(std::move(S), Type, O.Dev.value_or(Device{}), Category::Input,
                 R.CurrentOp);
  Out->RequiresGrad = O.RequiresGrad && isFloating(Type);
  return Out;
}

bool negativeSize(Runtime &R, const Args &A) {
  for (const Arg::Int &I : A.ints("size"))
    if (I && *I < 0) {
      R.fail("trying to create a tensor with a negative dimension " +
             std::to_string(*I));
      return true;
    }
  return false;
}

/// A shape, then a dtype that is the default one unless given.
OpResult sized(Runtime &R, const Args &A, std::optional<DType> Usual) {
  if (negativeSize(R, A))
    return one(nullptr);
  Options O(A);
  return one(fresh(R, shapeOf(R, A), O.Type.value_or(Usual.value_or(R.DefaultDType)), O));
}

OpResult fullRow(Runtime &R, const Args &A) {
  DType Usual = R.DefaultDType;
  Scalar S = scalarArg(A, "fill_value", 0.0);
  if (S.Kind != Scalar::Floating)
    Usual = S.type();
  return sized(R, A, Usual);
}

OpResult likeRow(Runtime &R, const Args &A) {
  T Like = A.tensor("self");
  if (!Like)
    return OpResult::failed("a tensor like an undefined one");
  Options O(A);
  if (!O.Dev)
    O.Dev = Like->Dev;
  T Out = fresh(R, Like->Sizes, O.Type.value_or(Like->Type), O);
  Out->Strides = aten::emptyStridesLike(*Like);
  return one(Out);
}

/// Tensor::new_zeros and its kin: dtype and device of the object.
OpResult newRow(Runtime &R, const Args &A) {
  T Like = A.tensor("self");
  if (!Like || negativeSize(R, A))
    return one(nullptr);
  Options O(A);
  if (!O.Dev)
    O.Dev = Like->Dev;
  return one(fresh(R, shapeOf(R, A), O.Type.value_or(Like->Type), O));
}

OpResult arangeRow(Runtime &R, const Args &A) {
  Options O(A);
  Scalar Start = scalarArg(A, "start", 0), End = scalarArg(A, "end", 0);
  Scalar Step = scalarArg(A, "step", 1);
  bool Known = true;
  for (llvm::StringRef Name : {"start", "end", "step"})
    if (const Arg *X = A.find(Name))
      Known &= !std::holds_alternative<Arg::UnknownArg>(X->V);
  bool Integers = Start.Kind == Scalar::Integer && End.Kind == Scalar::Integer &&
                  Step.Kind == Scalar::Integer;
  DType Type = O.Type.value_or(Integers ? DType::Int64 : R.DefaultDType);
  Shape S;
  double N = Step.Value != 0 ? std::ceil((End.Value - Start.Value) / Step.Value) : 0;
  if (Known && N < 0) {
    R.fail("arange: upper bound and larger bound inconsistent with step sign");
    return one(nullptr);
  }
  S.Dims = {Known && N < 9e18 ? Dim(int64_t(N)) : Dim()};
  return one(fresh(R, S, Type, O));
}

OpResult linspaceRow(Runtime &R, const Args &A) {
  Options O(A);
  Shape S;
  S.Dims = {toDim(A.integer("steps"))};
  return one(fresh(R, S, O.Type.value_or(R.DefaultDType), O));
}

OpResult eyeRow(Runtime &R, const Args &A) {
  Options O(A);
  Shape S;
  S.Dims = {toDim(A.integer("n")), toDim(A.has("m") ? A.integer("m") : A.integer("n"))};
  return one(fresh(R, S, O.Type.value_or(R.DefaultDType), O));
}

OpResult randpermRow(Runtime &R, const Args &A) {
  Options O(A);
  Shape S;
  S.Dims = {toDim(A.integer("n"))};
  T Out = fresh(R, S, O.Type.value_or(DType::Int64), O);
  if (!Out->onCuda())
    R.make(Shape(), DType::Int64, Device{}); // The shuffle's own scalar.
  return one(Out);
}

OpResult scalarRow(Runtime &R, const Args &A) {
  Options O(A);
  return one(fresh(R, Shape(), O.Type.value_or(R.DefaultDType), O));
}

/// torch::tensor: a number or a list of them.
OpResult tensorRow(Runtime &R, const Args &A) {
  Options O(A);
  const Arg *Data = A.find("data");
  Shape S;
  DType Type = R.DefaultDType;
  if (!Data)
    return OpResult::notModelled("tensor without data");
  if (std::holds_alternative<int64_t>(Data->V))
    Type = DType::Int64;
  else if (std::holds_alternative<bool>(Data->V))
    Type = DType::Bool;
  else if (const auto *L = std::get_if<Arg::Ints>(&Data->V)) {
    Type = DType::Int64;
    S.Dims = {Dim(int64_t(L->size()))};
  } else if (const auto *L = std::get_if<std::vector<double>>(&Data->V))
    S.Dims = {Dim(int64_t(L->size()))};
  else if (!std::holds_alternative<double>(Data->V))
    return OpResult::notModelled("tensor of such data");
  return one(fresh(R, S, O.Type.value_or(Type), O));
}

/// from_blob: the memory is the caller's, so nothing is allocated.
OpResult fromBlobRow(Runtime &R, const Args &A) {
  Options O(A);
  T Out(new TensorImpl);
  Out->Sizes = shapeOf(R, A);
  Out->Type = O.Type.value_or(R.DefaultDType);
  Out->Dev = O.Dev.value_or(Device{});
  Out->Store = new Storage(R, 0, true, Out->Dev, Category::Input, R.CurrentOp);
  return one(Out);
}

} // namespace

void addFactoryOps(OpTable &Rows) {
  const llvm::StringRef Numbers =
      "low,high,mean,std,generator,memory_format,pin_memory,layout,size,p,"
      "fill_value,base";
  for (llvm::StringRef Name : {"zeros", "ones", "empty", "rand", "randn"})
    Rows.push_back({Name,
                    [](Runtime &R, const Args &A) {
                      return sized(R, A, std::nullopt);
                    },
                    Numbers});
  Rows.push_back({"randint",
                  [](Runtime &R, const Args &A) {
                    return sized(R, A, DType::Int64);
                  },
                  Numbers});
  Rows.push_back({"full", fullRow, Numbers});
  for (llvm::StringRef Name : {"zeros_like", "ones_like", "empty_like",
                               "rand_like", "randn_like", "full_like",
                               "randint_like"})
    Rows.push_back({Name, likeRow, Numbers, true});
  for (llvm::StringRef Name : {"new_zeros", "new_ones", "new_empty", "new_full"})
    Rows.push_back({Name, newRow, Numbers});
  Rows.push_back({"arange", arangeRow, "*"});
  Rows.push_back({"linspace", linspaceRow, "start,end,steps"});
  Rows.push_back({"logspace", linspaceRow, "start,end,steps,base"});
  Rows.push_back({"eye", eyeRow, "n,m"});
  Rows.push_back({"randperm", randpermRow, "n"});
  Rows.push_back({"scalar_tensor", scalarRow, "s"});
  Rows.push_back({"tensor", tensorRow});
  Rows.push_back({"from_blob", fromBlobRow, "data,deleter,strides,sizes,size"});
}

} // namespace vramlint
