//===- lib/torch/ops/Reduce.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Reductions and what sorts or counts along a dimension.

#include "lib/torch/Rules.h"

namespace vramlint {

namespace {

using T = TensorRef;

/// The dimensions bound to "dim": one or a list; none is all of them.
llvm::SmallVector<int64_t, 4> dims(const Args &A) {
  llvm::SmallVector<int64_t, 4> Out;
  for (const Arg::Int &I : A.ints("dim"))
    Out.push_back(I.value_or(0));
  return Out;
}

/// value_selecting_reduction_backward: zeros, then a scatter.
Grads scatterGradient(Runtime &R, const Shape &Like, const T &G) {
  return Grads{aten::zeros(R, Like, G->Type, G->Dev)};
}

OpResult sumRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  if (!X)
    return OpResult::failed("sum of an undefined tensor");
  auto Type = A.dtype("dtype");
  if (Type && *Type != X->Type)
    return OpResult::notModelled("sum with a dtype");
  auto Over = dims(A);
  if (Over.empty() && !A.boolean("keepdim", false))
    return one(aten::sum(R, X));
  return one(aten::sum(R, X, Over, A.boolean("keepdim", false)));
}

OpResult meanRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  if (!X)
    return OpResult::failed("mean of an undefined tensor");
  auto Type = A.dtype("dtype");
  if (Type && *Type != X->Type)
    return OpResult::notModelled("mean with a dtype");
  return one(aten::mean(R, X, dims(A), A.boolean("keepdim", false)));
}

/// max and min of a whole tensor: the gradient goes evenly to all that are equal.
T extremum(Runtime &R, const T &X) {
  Record Rec(R, "MaxBackward1", {X});
  Rec.save(X);
  R.flops(X->elements());
  T Out = R.make(Shape(), X->Type, X->Dev);
  Rec.saveResult(Out);
  return Rec.result(Out, [](Runtime &R, Node &N, Grads &G) {
    // evenly_distribute_backward
    const T &X = N.saved(0);
    T Mask;
    {
      T Nan = R.make(Shape(), DType::Bool, X->Dev);
      Mask = aten::emptyLike(R, X, DType::Bool);
    }
    T Out = aten::emptyLike(R, X);
    T Count = R.make(Shape(), DType::Int64, X->Dev);
    aten::emptyLike(R, X, DType::Int64);
    if (!X->onCuda())
      aten::div(R, G[0], Count);
    return Grads{Out};
  });
}

OpResult extremumRow(Runtime &R, const Args &A) {
  T X = A.tensor("self"), Other = A.tensor("other");
  if (!X)
    return OpResult::failed("max of an undefined tensor");
  if (Other)
    return one(aten::maximum(R, X, Other));
  auto Over = dims(A);
  if (Over.empty())
    return one(extremum(R, X));
  Shape S = aten::reducedShape(R, X, Over, A.boolean("keepdim", false));
  if (R.failed())
    return one(nullptr);
  Record Rec(R, "MaxBackward0", {X});
  R.flops(X->elements());
  T Values = R.make(S, X->Type, X->Dev);
  T Indices = R.make(S, DType::Int64, X->Dev);
  Rec.saveResult(Indices);
  Shape From = X->Sizes;
  Rec.result(Values, [From](Runtime &R, Node &, Grads &G) {
    return scatterGradient(R, From, G[0]);
  });
  return tuple({Values, Indices});
}

OpResult argRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  if (!X)
    return OpResult::failed("argmax of an undefined tensor");
  BelowAutograd Guard(R);
  Shape S = aten::reducedShape(R, X, dims(A), A.boolean("keepdim", false));
  R.flops(X->elements());
  return one(R.failed() ? nullptr : R.make(S, DType::Int64, X->Dev));
}

OpResult topkRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  auto D = X ? wrapDim(R, A.integer("dim", -1), X->rank()) : std::nullopt;
  if (!D)
    return one(nullptr);
  Record Rec(R, "TopkBackward0", {X});
  Shape From = X->Sizes, S = From;
  if (!S.Dims.empty())
    S.Dims[*D] = toDim(A.integer("k"));
  T Values = R.make(S, X->Type, X->Dev);
  T Indices = R.make(S, DType::Int64, X->Dev);
  Rec.saveResult(Indices);
  Rec.result(Values, [From](Runtime &R, Node &, Grads &G) {
    return scatterGradient(R, From, G[0]);
  });
  return tuple({Values, Indices});
}

OpResult sortRow(Runtime &R, const Args &A, bool OnlyIndices) {
  T X = A.tensor("self");
  auto D = X ? wrapDim(R, A.integer("dim", -1), X->rank()) : std::nullopt;
  if (!D)
    return one(nullptr);
  Record Rec(R, "SortBackward0", {X});
  Shape From = X->Sizes;
  T Values = aten::emptyLike(R, X);
  T Indices = aten::emptyLike(R, X, DType::Int64);
  if (!X->onCuda() && X->rank()) {
    // One line's indices, while they are made.
    Shape Line;
    Line.Dims = {X->size(*D)};
    R.make(Line, DType::Int64, X->Dev);
  }
  Rec.saveResult(Indices);
  Rec.result(Values, [From](Runtime &R, Node &, Grads &G) {
    return scatterGradient(R, From, G[0]);
  });
  return OnlyIndices ? one(Indices) : tuple({Values, Indices});
}

/// all and any: bools are reduced without a copy, others are compared first.
OpResult allRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  if (!X)
    return OpResult::failed("all of an undefined tensor");
  BelowAutograd Guard(R);
  Shape S = aten::reducedShape(R, X, dims(A), A.boolean("keepdim", false));
  if (R.failed())
    return one(nullptr);
  T Out = R.make(S, DType::Bool, X->Dev);
  if (X->Type != DType::Bool && !X->onCuda())
    aten::emptyLike(R, X, DType::Bool);
  return one(Out);
}

} // namespace

void addReduceOps(OpTable &Rows) {
  Rows.push_back({"sum", sumRow});
  Rows.push_back({"mean", meanRow});
  for (llvm::StringRef Name : {"max", "min", "amax", "amin"})
    if (!Name.starts_with("a"))
      Rows.push_back({Name, extremumRow});
  for (llvm::StringRef Name : {"argmax", "argmin"})
    Rows.push_back({Name, argRow});
  Rows.push_back({"topk", topkRow, "largest,sorted"});
  Rows.push_back({"sort",
                  [](Runtime &R, const Args &A) { return sortRow(R, A, false); },
                  "descending,stable"});
  Rows.push_back({"argsort",
                  [](Runtime &R, const Args &A) { return sortRow(R, A, true); },
                  "descending,stable"});
  Rows.push_back({"all", allRow});
  Rows.push_back({"any", allRow});
}

} // namespace vramlint
