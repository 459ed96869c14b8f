//===- lib/torch/ops/Tensor.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What a tensor tells about itself, where it goes, and how it is overwritten.

#include "lib/torch/Layout.h"
#include "lib/torch/Rules.h"

namespace vramlint {

namespace {

using T = TensorRef;

Arg length(Dim D, llvm::StringRef Why) {
  if (D.known())
    return Arg(D.Length);
  return Arg(Arg::UnknownArg{Why.empty() ? "size not known" : Why.str()});
}

OpResult sizeRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  if (!X || !X->Sizes.RankKnown)
    return OpResult::one(
        Arg::UnknownArg{X ? X->Sizes.Why.str() : "undefined tensor"});
  if (!A.has("dim")) {
    Arg::Ints L;
    for (Dim D : X->Sizes.Dims)
      L.push_back(D.known() ? Arg::Int(D.Length) : std::nullopt);
    return OpResult::one(std::move(L));
  }
  auto D = wrapDim(R, A.integer("dim", 0), X->rank());
  if (!D || *D >= X->rank())
    return one(nullptr);
  return OpResult::one(length(X->size(*D), X->Sizes.Why));
}

/// Does "memory_format" ask for channels-last, of images or volumes?
bool asksChannelsLast(const Args &A, const T &X) {
  constexpr int64_t Images = 2, Volumes = 3; // c10::MemoryFormat
  std::optional<int64_t> Format = A.integer("memory_format");
  return X && X->Sizes.known() &&
         ((Format == Images && X->rank() == 4) ||
          (Format == Volumes && X->rank() == 5));
}

/// A copy of \p X in that layout.
T channelsLastCopy(Runtime &R, const T &X) {
  Record Rec(R, "CloneBackward0", {X});
  llvm::SmallVector<int64_t, 5> Strides(X->rank(), 1);
  int64_t Next = X->size(1).Length;
  for (unsigned I = X->rank(); --I > 1;
       Next = saturatingMul({Next, X->size(I).Length}))
    Strides[I] = Next;
  Strides[0] = Next;
  return Rec.result(R.make(X->Sizes, Strides, X->Type, X->Dev),
                    [](Runtime &, Node &, Grads &G) { return Grads{G[0]}; });
}

OpResult contiguousRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  if (!asksChannelsLast(A, X))
    return one(aten::contiguous(R, X));
  return one(fitsChannelsLast(X) ? X : channelsLastCopy(R, X));
}

OpResult cloneRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  if (asksChannelsLast(A, X))
    return one(channelsLastCopy(R, X));
  return one(X ? aten::clone(R, X) : nullptr);
}

OpResult toRow(Runtime &R, const Args &A) {
  T X = A.tensor("self"), Other = A.tensor("other");
  if (!X)
    return OpResult::failed("to() of an undefined tensor", FailureKind::Other);
  std::optional<DType> Type = A.dtype("dtype");
  std::optional<Device> Dev = A.device("device");
  if (const Arg *Bare = A.find("options")) {
    if (const auto *D = std::get_if<DType>(&Bare->V))
      Type = *D;
    if (const auto *D = std::get_if<Device>(&Bare->V))
      Dev = *D;
  }
  if (Other) {
    Type = Other->Type;
    Dev = Other->Dev;
  }
  T Out = aten::to(R, X, Dev, Type, A.boolean("copy", false));
  if (Out == X && asksChannelsLast(A, X) && !fitsChannelsLast(X))
    return one(channelsLastCopy(R, X));
  return one(Out);
}

OpResult toDeviceRow(Runtime &R, const Args &A, DeviceKind Kind) {
  return one(aten::to(R, A.tensor("self"), Device{Kind, 0}, std::nullopt));
}

OpResult toTypeRow(Runtime &R, const Args &A, DType Type) {
  return one(aten::to(R, A.tensor("self"), std::nullopt, Type));
}

/// In-place ops whose gradient is zero: zero_, fill_, normal_, uniform_ …
OpResult overwriteRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  if (!X)
    return OpResult::failed("in-place op on an undefined tensor",
                            FailureKind::Other);
  Record Rec(R, "FillBackward0", {X});
  Rec.backward([](Runtime &R, Node &, Grads &G) {
    return Grads{aten::zerosLike(R, G[0])};
  });
  return Rec.inPlace(X) ? one(X) : one(nullptr);
}

OpResult requiresGradRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  bool On = A.boolean("requires_grad", true);
  if (!X)
    return OpResult::failed("requires_grad of an undefined tensor",
                            FailureKind::Other);
  if (On && X->Type != DType::Unknown && !isFloating(X->Type))
    return OpResult::failed("only tensors of floating point dtype can require "
                            "gradients, got " +
                                dtypeName(X->Type).str(),
                            FailureKind::Other);
  if (!On && X->GradFn)
    return OpResult::failed("requires_grad of a non-leaf cannot be changed",
                            FailureKind::Other);
  if (!X->GradFn)
    X->RequiresGrad = On;
  return one(X);
}

OpResult backwardRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  if (!X)
    return OpResult::failed("backward of an undefined tensor",
                            FailureKind::Other);
  bool Create = A.boolean("create_graph", false);
  return R.backward(X, A.tensor("gradient"), A.boolean("retain_graph", Create),
                    Create);
}

OpResult detachInPlaceRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  if (!X)
    return one(nullptr);
  X->GradFn = nullptr;
  X->OutputNr = 0;
  X->RequiresGrad = false;
  return one(X);
}

void addQueries(OpTable &Rows) {
  for (llvm::StringRef Name : {"size", "sizes"})
    Rows.push_back({Name, sizeRow, "", true});
  for (llvm::StringRef Name : {"dim", "ndimension"})
    Rows.push_back({Name,
                    [](Runtime &, const Args &A) {
                      T X = A.tensor("self");
                      if (!X || !X->Sizes.RankKnown)
                        return OpResult::one(Arg::UnknownArg{"rank not known"});
                      return OpResult::one(int64_t(X->rank()));
                    },
                    "", true});
  Rows.push_back({"numel",
                  [](Runtime &, const Args &A) {
                    T X = A.tensor("self");
                    int64_t N = X ? X->elements() : 0;
                    return OpResult::one(
                        length(N < 0 ? Dim() : Dim(N), X ? X->Sizes.Why : ""));
                  },
                  "", true});
  for (llvm::StringRef Name : {"item", "is_nonzero", "equal", "allclose"})
    Rows.push_back({Name,
                    [](Runtime &, const Args &) {
                      return OpResult::one(
                          Arg::UnknownArg{"a tensor's data is not modelled"});
                    },
                    "*", true});
  Rows.push_back({"requires_grad",
                  [](Runtime &, const Args &A) {
                    T X = A.tensor("self");
                    return OpResult::one(bool(X && X->needsGrad()));
                  },
                  "", true});
  Rows.push_back({"is_leaf",
                  [](Runtime &, const Args &A) {
                    T X = A.tensor("self");
                    return OpResult::one(bool(X && !X->GradFn));
                  },
                  "", true});
  Rows.push_back({"is_cuda",
                  [](Runtime &, const Args &A) {
                    T X = A.tensor("self");
                    return OpResult::one(bool(X && X->onCuda()));
                  },
                  "", true});
  Rows.push_back({"is_contiguous",
                  [](Runtime &, const Args &A) {
                    T X = A.tensor("self");
                    return OpResult::one(bool(X && X->isContiguous()));
                  },
                  "memory_format", true});
  Rows.push_back({"defined",
                  [](Runtime &, const Args &A) {
                    return OpResult::one(bool(A.tensor("self")));
                  },
                  "", true});
  Rows.push_back({"device",
                  [](Runtime &, const Args &A) {
                    T X = A.tensor("self");
                    return OpResult::one(X ? X->Dev : Device{});
                  },
                  "", true});
  for (llvm::StringRef Name : {"dtype", "scalar_type"})
    Rows.push_back({Name,
                    [](Runtime &, const Args &A) {
                      T X = A.tensor("self");
                      return OpResult::one(X ? X->Type : DType::Unknown);
                    },
                    "", true});
}

void addMoves(OpTable &Rows) {
  const llvm::StringRef Flags = "non_blocking,memory_format,copy";
  Rows.push_back({"to", toRow, Flags, true});
  Rows.push_back({"type_as", toRow, Flags, true});
  Rows.push_back({"cuda",
                  [](Runtime &R, const Args &A) {
                    return toDeviceRow(R, A, DeviceKind::CUDA);
                  },
                  Flags, true});
  Rows.push_back({"cpu",
                  [](Runtime &R, const Args &A) {
                    return toDeviceRow(R, A, DeviceKind::CPU);
                  },
                  Flags, true});
  static const std::pair<llvm::StringRef, DType> Types[] = {
      {"toFloat", DType::Float32}, {"toDouble", DType::Float64},
      {"toLong", DType::Int64},    {"toHalf", DType::Float16},
      {"half", DType::Float16},    {"float", DType::Float32},
      {"double", DType::Float64},  {"long", DType::Int64}};
  for (auto &[Name, Type] : Types)
    Rows.push_back(
        {Name,
         [Type](Runtime &R, const Args &A) { return toTypeRow(R, A, Type); },
         "", true});
  Rows.push_back({"toType",
                  [](Runtime &R, const Args &A) {
                    auto Type = A.dtype("t");
                    Type = Type ? Type : A.dtype("dtype");
                    return one(
                        aten::to(R, A.tensor("self"), std::nullopt, Type));
                  },
                  "", true});
  Rows.push_back({"contiguous", contiguousRow, "memory_format", true});
  Rows.push_back({"clone", cloneRow, "memory_format", true});
  for (llvm::StringRef Name :
       {"detach", "data", "variable_data", "tensor_data"})
    Rows.push_back({Name,
                    [](Runtime &R, const Args &A) {
                      return one(aten::detach(R, A.tensor("self")));
                    },
                    "", true});
  Rows.push_back(
      {"alias",
       [](Runtime &R, const Args &A) {
         T X = A.tensor("self");
         Record Rec(R, "AliasBackward0", {X});
         return one(Rec.result(
             aten::rawView(R, X, X->Sizes, X->Strides),
             [](Runtime &, Node &, Grads &G) { return Grads{G[0]}; }));
       },
       "", true});
}

} // namespace

void addTensorOps(OpTable &Rows) {
  addQueries(Rows);
  addMoves(Rows);
  for (llvm::StringRef Name : {"zero_", "fill_", "bernoulli_"})
    Rows.push_back({Name, overwriteRow, "*", true});
  Rows.push_back({"copy_",
                  [](Runtime &R, const Args &A) {
                    T X = A.tensor("self");
                    aten::copyInPlace(R, X, A.tensor("src"));
                    return one(X);
                  },
                  "non_blocking", true});
  for (llvm::StringRef Name : {"requires_grad_", "set_requires_grad"})
    Rows.push_back({Name, requiresGradRow, "", true});
  Rows.push_back({"detach_", detachInPlaceRow, "", true});
  Rows.push_back({"backward", backwardRow, "inputs", true});
  for (llvm::StringRef Name : {"grad", "mutable_grad"})
    Rows.push_back({Name,
                    [](Runtime &, const Args &A) {
                      T X = A.tensor("self");
                      return OpResult::one(X ? X->Grad : T());
                    },
                    "", true});
}

} // namespace vramlint
