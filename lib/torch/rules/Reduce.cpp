//===- lib/torch/rules/Reduce.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Sums and means, and the reduction of gradients to an operand's shape.

#include "lib/torch/Rules.h"

namespace vramlint::aten {

Shape reducedShape(Runtime &R, const TensorRef &T,
                   llvm::ArrayRef<int64_t> DimIndices, bool KeepDim) {
  Shape S;
  S.Why = T->Sizes.Why;
  llvm::SmallVector<bool, 8> Gone(T->rank(), DimIndices.empty());
  for (int64_t D : DimIndices)
    if (auto I = wrapDim(R, D, T->rank()); I && *I < T->rank())
      Gone[*I] = true;
  for (unsigned I = 0; I < T->rank(); ++I) {
    if (!Gone[I])
      S.Dims.push_back(T->size(I));
    else if (KeepDim)
      S.Dims.push_back(1);
  }
  return S;
}

TensorRef unsqueezeAll(Runtime &R, TensorRef G, unsigned Rank,
                       llvm::ArrayRef<int64_t> DimIndices) {
  llvm::SmallVector<bool, 8> Gone(Rank, DimIndices.empty());
  for (int64_t D : DimIndices)
    if (auto I = wrapDim(R, D, Rank); I && *I < Rank)
      Gone[*I] = true;
  for (unsigned I = 0; I < Rank; ++I)
    if (Gone[I])
      G = unsqueeze(R, G, I);
  return G;
}

TensorRef unreduce(Runtime &R, TensorRef G, const Shape &To,
                   llvm::ArrayRef<int64_t> DimIndices, bool KeepDim) {
  if (!G)
    return nullptr;
  if (!KeepDim)
    G = unsqueezeAll(R, G, To.Dims.size(), DimIndices);
  return expand(R, G, To);
}

static TensorRef reduceKernel(Runtime &R, const TensorRef &T, Shape S,
                              DType Type) {
  R.flops(T->elements());
  TensorRef Out = R.make(std::move(S), Type, T->Dev);
  // The kernel wants its input in the result's type.
  if (!T->onCuda() && T->Type != Type)
    emptyLike(R, T, Type);
  return Out;
}

static DType sumType(const TensorRef &T) {
  return isFloating(T->Type) ? T->Type : DType::Int64;
}

TensorRef sum(Runtime &R, const TensorRef &T, std::optional<DType> Type) {
  if (!T || R.failed())
    return nullptr;
  Record Rec(R, "SumBackward0", {T});
  Shape From = T->Sizes;
  return Rec.result(reduceKernel(R, T, Shape(), Type.value_or(sumType(T))),
                    [From](Runtime &R, Node &, Grads &G) {
                      return Grads{expand(R, G[0], From)};
                    });
}

TensorRef sum(Runtime &R, const TensorRef &T, llvm::ArrayRef<int64_t> DimIndices,
              bool KeepDim, std::optional<DType> Type) {
  if (!T || R.failed())
    return nullptr;
  Record Rec(R, "SumBackward1", {T});
  Shape From = T->Sizes, To = reducedShape(R, T, DimIndices, KeepDim);
  if (R.failed())
    return nullptr;
  llvm::SmallVector<int64_t, 4> Over(DimIndices);
  return Rec.result(reduceKernel(R, T, To, Type.value_or(sumType(T))),
                    [From, Over, KeepDim](Runtime &R, Node &, Grads &G) {
                      return Grads{unreduce(R, G[0], From, Over, KeepDim)};
                    });
}

TensorRef mean(Runtime &R, const TensorRef &T, llvm::ArrayRef<int64_t> DimIndices,
               bool KeepDim, std::optional<DType> Type) {
  if (!T || R.failed())
    return nullptr;
  Record Rec(R, DimIndices.empty() ? "MeanBackward0" : "MeanBackward1", {T});
  Shape From = T->Sizes, To = reducedShape(R, T, DimIndices, KeepDim);
  if (R.failed())
    return nullptr;
  DType Result = Type.value_or(T->Type);
  if (!isFloating(Result)) {
    R.fail("mean(): expected a floating point tensor, got " +
           dtypeName(Result).str(), FailureKind::Other);
    return nullptr;
  }
  // For its number of elements, LibTorch 1's node keeps the tensor.
  Rec.saveIf(!DimIndices.empty() && !R.Config.atLeast(2, 0), T);
  TensorRef Out = reduceKernel(R, T, To, Result);
  if (!T->onCuda()) // The CPU sums, then divides by the count.
    scalarInPlace(R, Out, Scalar(1));
  llvm::SmallVector<int64_t, 4> Over(DimIndices);
  return Rec.result(Out, [From, Over, KeepDim](Runtime &R, Node &, Grads &G) {
    return Grads{
        div(R, unreduce(R, G[0], From, Over, KeepDim), Scalar(2))};
  });
}

TensorRef mean(Runtime &R, const TensorRef &T) { return mean(R, T, {}, false); }

TensorRef sumTo(Runtime &R, const TensorRef &T, const Shape &To) {
  if (!T || T->Sizes == To)
    return T;
  if (To.Dims.empty())
    return sum(R, T);
  if (T->rank() < To.Dims.size()) {
    R.fail("a gradient of shape " + T->Sizes.str() + " is not expandable to " +
           To.str());
    return nullptr;
  }
  unsigned Leading = T->rank() - To.Dims.size();
  llvm::SmallVector<int64_t, 4> Over;
  for (unsigned I = 0; I < T->rank(); ++I)
    if (I < Leading || (To.Dims[I - Leading].Length == 1 && T->size(I) != Dim(1)))
      Over.push_back(I);
  TensorRef Out = Over.empty() ? T : sum(R, T, Over, true);
  return Leading && Out ? view(R, Out, To) : Out;
}

} // namespace vramlint::aten
