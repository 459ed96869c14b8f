//===- lib/torch/ops/Reduce.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Reductions and what sorts or counts along a dimension.

#include "lib/torch/Tail.h"
#include <cmath>

namespace vramlint {

namespace {

using T = TensorRef;

/// value_selecting_reduction_backward: zeros, then a scatter.
Grads scatterGradient(Runtime &R, const Shape &Like, const T &G) {
  return Grads{aten::zeros(R, Like, G->Type, G->Dev)};
}

OpResult sumRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  if (!X)
    return OpResult::failed("sum of an undefined tensor", FailureKind::Other);
  auto Type = A.dtype("dtype");
  auto Over = dimsOf(A);
  if (Over.empty() && !A.boolean("keepdim", false))
    return one(aten::sum(R, X, Type));
  return one(aten::sum(R, X, Over, A.boolean("keepdim", false), Type));
}

OpResult meanRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  if (!X)
    return OpResult::failed("mean of an undefined tensor", FailureKind::Other);
  auto Type = A.dtype("dtype");
  return one(aten::mean(R, X, dimsOf(A), A.boolean("keepdim", false), Type));
}

/// max and min of a whole tensor: the gradient goes evenly to all that are equal.
T extremum(Runtime &R, const T &X) {
  Record Rec(R, "MaxBackward1", {X});
  Rec.save(X);
  R.flops(X->elements());
  T Out = R.make(Shape(), X->Type, X->Dev);
  aten::contiguous(R, X);
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
    return OpResult::failed("max of an undefined tensor", FailureKind::Other);
  if (Other)
    return one(aten::maximum(R, X, Other));
  auto Over = dimsOf(A);
  if (Over.empty() && X->elements() == 0)
    return OpResult::failed("max of no elements needs a dimension");
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
    return OpResult::failed("argmax of an undefined tensor", FailureKind::Other);
  if (!A.has("dim") && X->elements() == 0)
    return OpResult::failed("argmax of no elements needs a dimension");
  BelowAutograd Guard(R);
  Shape S = aten::reducedShape(R, X, dimsOf(A), A.boolean("keepdim", false));
  R.flops(X->elements());
  T Out = R.failed() ? nullptr : R.make(S, DType::Int64, X->Dev);
  if (Out && !A.has("dim"))
    aten::reshape(R, X, shapeOf({Dim(X->elements())}));
  return one(Out);
}

OpResult topkRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  auto D = X ? wrapDim(R, A.integer("dim", -1), X->rank()) : std::nullopt;
  if (!D)
    return one(nullptr);
  auto K = A.integer("k");
  if (K && X->rank() && X->size(*D).known() && (*K < 0 || *K > X->size(*D).Length)) {
    R.fail("topk: " + std::to_string(*K) + " of a length of " +
           std::to_string(X->size(*D).Length));
    return one(nullptr);
  }
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
    return OpResult::failed("all of an undefined tensor", FailureKind::Other);
  BelowAutograd Guard(R);
  Shape S = aten::reducedShape(R, X, dimsOf(A), A.boolean("keepdim", false));
  if (R.failed())
    return one(nullptr);
  bool Bytewise = X->Type == DType::UInt8; // As it was before there were bools.
  T Out = R.make(S, Bytewise ? DType::UInt8 : DType::Bool, X->Dev);
  if (X->Type != DType::Bool && !Bytewise && !X->onCuda())
    aten::emptyLike(R, X, DType::Bool);
  return one(Out);
}

//===----------------------------------------------------------------------===//
// Statistics
//===----------------------------------------------------------------------===//

/// var_backward: (2 / dof) * grad * (self - self.mean(dim, true)).
T varBackward(Runtime &R, const T &G, const T &X, llvm::ArrayRef<int64_t> Over,
              bool KeepDim) {
  T Wide = G;
  if (!Over.empty() && !KeepDim)
    Wide = aten::unsqueezeAll(R, Wide, X->rank(), Over);
  T Mean = aten::mean(R, X, Over, !Over.empty());
  T Centred = aten::sub(R, X, Mean);
  T Scaled = aten::mul(R, Wide, Scalar(2.0));
  return aten::mul(R, Scaled, Centred);
}

/// std_backward: grad / (result * 2), zero where the result is; then as var's.
T stdBackward(Runtime &R, const T &G, const T &Result, const T &X,
              llvm::ArrayRef<int64_t> Over, bool KeepDim) {
  T Half;
  {
    T Twice = aten::mul(R, Result, Scalar(2.0));
    Half = aten::div(R, G, Twice);
    T Zero = aten::compare(R, Result, Scalar(0));
  }
  return varBackward(R, Half, X, Over, KeepDim);
}

OpResult varRow(Runtime &R, const Args &A, bool Std) {
  T X = A.tensor("self");
  if (!X)
    return OpResult::failed("variance of an undefined tensor", FailureKind::Other);
  auto Over = dimsOf(A);
  bool KeepDim = A.boolean("keepdim", false);
  Shape S = aten::reducedShape(R, X, Over, KeepDim);
  if (R.failed())
    return one(nullptr);
  Record Rec(R, Std ? "StdBackward0" : "VarBackward0", {X});
  Rec.save(X);
  R.flops(saturatingMul({3, X->elements()}));
  T Out = R.make(S, X->Type, X->Dev);
  bool Half = X->Type == DType::Float16 || X->Type == DType::BFloat16;
  if (S.elements() == 1 && X->elements() != 0 && !Half && !X->onCuda())
    aten::mean(R, X); // The CPU's fast way to a single number.
  if (Std)
    Rec.saveResult(Out);
  return one(Rec.result(Out, [Over, KeepDim, Std](Runtime &R, Node &N, Grads &G) {
    return Grads{Std ? stdBackward(R, G[0], N.saved(1), N.saved(0), Over, KeepDim)
                     : varBackward(R, G[0], N.saved(0), Over, KeepDim)};
  }));
}

/// var_mean and std_mean: two results of one pass.
OpResult varMeanRow(Runtime &R, const Args &A, bool Std) {
  T X = A.tensor("self");
  if (!X)
    return OpResult::failed("variance of an undefined tensor", FailureKind::Other);
  auto Over = dimsOf(A);
  bool KeepDim = A.boolean("keepdim", false);
  Shape S = aten::reducedShape(R, X, Over, KeepDim);
  if (R.failed())
    return one(nullptr);
  Record Rec(R, Std ? "StdMeanBackward0" : "VarMeanBackward0", {X});
  Rec.save(X);
  T Spread = R.make(S, X->Type, X->Dev), Mean = R.make(S, X->Type, X->Dev);
  if (Std)
    Rec.saveResult(Spread);
  Rec.backward([Over, KeepDim, Std](Runtime &R, Node &N, Grads &G) {
    T Out;
    if (G[0])
      Out = Std ? stdBackward(R, G[0], N.saved(1), N.saved(0), Over, KeepDim)
                : varBackward(R, G[0], N.saved(0), Over, KeepDim);
    if (G.size() < 2 || !G[1])
      return Grads{Out};
    T Wide = aten::unreduce(R, G[1], N.saved(0)->Sizes, Over, KeepDim);
    T OfMean = aten::div(R, Wide, Scalar(2));
    return Grads{Out ? aten::add(R, Out, OfMean) : OfMean};
  });
  return tuple({Rec.output(Spread), Rec.output(Mean)});
}

/// norm_backward, by the kind of norm.
T normBackward(Runtime &R, const T &G, const T &X, const T &Norm, double P,
               llvm::ArrayRef<int64_t> Over) {
  auto Like = [&](const T &Of) { return aten::emptyLike(R, Of); };
  if (P == 0)
    return nullptr;
  if (P == 1) // self.sgn() * grad
    return aten::mul(R, Like(X), G);
  if (P == 2) { // grad * (self / norm), zero where the norm is
    T Ratio = aten::div(R, X, Norm);
    T Zero = aten::compare(R, Norm, Scalar(0));
    return aten::mul(R, G, Ratio);
  }
  if (std::isinf(P)) { // the gradient of amax(abs(self))
    T Abs = Like(X), Mask;
    {
      T Nan = aten::compare(R, Abs, Abs), Most = aten::compare(R, Abs, Norm);
      Mask = aten::compare(R, Most, Nan); // logical_or
    }
    T Count = aten::sum(R, Mask, Over, !Over.empty());
    T Part = aten::div(R, G, Count);
    T Chosen = aten::mul(R, Part, Mask);
    return aten::mul(R, Like(X), Chosen);
  }
  T Scaled;
  if (P < 2) { // self.sgn() * self.abs().pow_(p - 1)
    T Power = Like(X);
    if (P < 1)
      aten::compare(R, X, Scalar(0));
    Scaled = aten::mul(R, Like(X), Power);
    if (P < 1) // self_scaled * grad * norm.pow(1 - p)
      return aten::mul(R, aten::mul(R, Scaled, G), Like(Norm));
  } else {
    Scaled = aten::mul(R, X, Like(X)); // self * self.abs().pow_(p - 2)
  }
  T Part = aten::div(R, G, Like(Norm));
  aten::compare(R, Norm, Scalar(0));
  return aten::mul(R, Scaled, Part);
}

OpResult normRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  if (!X)
    return OpResult::failed("norm of an undefined tensor", FailureKind::Other);
  auto Over = dimsOf(A);
  bool KeepDim = A.boolean("keepdim", false);
  Shape S = aten::reducedShape(R, X, Over, KeepDim);
  if (R.failed())
    return one(nullptr);
  auto Type = A.dtype("dtype");
  if (Type)
    return one(tailOne(R, {"NormBackward3", "0a"}, {X}, [&] {
      if (*Type != X->Type)
        R.scratch({X, X});
      return R.make(S, *Type, X->Dev);
    }));
  double P = A.number("p", 2);
  Record Rec(R, "NormBackward0", {X});
  Rec.save(X);
  R.flops(saturatingMul({2, X->elements()}));
  T Out = R.make(S, X->Type, X->Dev);
  Rec.saveResult(Out);
  return one(Rec.result(Out, [Over, KeepDim, P](Runtime &R, Node &N, Grads &G) {
    T Wide = G[0], Norm = N.saved(1);
    if (!Over.empty() && !KeepDim) {
      Wide = aten::unsqueezeAll(R, Wide, N.saved(0)->rank(), Over);
      Norm = aten::unsqueezeAll(R, Norm, N.saved(0)->rank(), Over);
    }
    return Grads{normBackward(R, Wide, N.saved(0), Norm, P, Over)};
  }));
}

OpResult cumsumRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  if (!X)
    return OpResult::failed("cumsum of an undefined tensor", FailureKind::Other);
  Record Rec(R, "CumsumBackward0", {X});
  R.flops(X->elements());
  DType Type = A.dtype("dtype").value_or(isFloating(X->Type) ? X->Type : DType::Int64);
  T Out = aten::emptyLike(R, X, Type);
  if (Type != X->Type && !X->onCuda())
    aten::emptyLike(R, X, Type); // The cast, while it runs.
  return one(Rec.result(Out,
                        [](Runtime &R, Node &, Grads &G) {
                          // grad.flip(dim).cumsum(dim).flip(dim)
                          T Flipped = aten::emptyContiguous(R, G[0]);
                          T Summed = aten::emptyContiguous(R, G[0]);
                          return Grads{aten::emptyContiguous(R, G[0])};
                        }));
}

OpResult logsumexpRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  if (!X)
    return OpResult::failed("logsumexp of an undefined tensor", FailureKind::Other);
  auto Over = dimsOf(A);
  bool KeepDim = A.boolean("keepdim", false);
  Shape S = aten::reducedShape(R, X, Over, KeepDim);
  if (R.failed())
    return one(nullptr);
  Record Rec(R, "LogsumexpBackward0", {X});
  Rec.save(X);
  R.flops(saturatingMul({5, X->elements()}));
  T Out;
  {
    T Max = R.make(aten::reducedShape(R, X, Over, true), X->Type, X->Dev);
    {
      T Abs = aten::emptyLike(R, Max);
      T Infinite = aten::compare(R, Abs, Scalar(1.0));
      Infinite = nullptr;
    }
    T Centred = aten::iterate(R, {X, Max}); // then exp_ in place
    Out = R.make(S, X->Type, X->Dev);
    Centred = nullptr;
  }
  Rec.saveResult(Out);
  return one(Rec.result(Out, [Over, KeepDim](Runtime &R, Node &N, Grads &G) {
    T Wide = aten::unreduce(R, G[0], N.saved(0)->Sizes, Over, KeepDim);
    T Result = aten::unreduce(R, N.saved(1), N.saved(0)->Sizes, Over, KeepDim);
    return Grads{
        aten::mul(R, Wide, aten::exp(R, aten::sub(R, N.saved(0), Result)))};
  }));
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
  for (llvm::StringRef Name : {"std", "var"})
    Rows.push_back({Name,
                    [Name](Runtime &R, const Args &A) {
                      return varRow(R, A, Name == "std");
                    },
                    "unbiased,correction"});
  for (llvm::StringRef Name : {"var_mean", "std_mean"})
    Rows.push_back({Name,
                    [Name](Runtime &R, const Args &A) {
                      return varMeanRow(R, A, Name == "std_mean");
                    },
                    "unbiased,correction"});
  Rows.push_back({"norm", normRow});
  Rows.push_back({"frobenius_norm", [](Runtime &R, const Args &A) {
                    if (dimsOf(A).size() < 2)
                      return normRow(R, A);
                    T X = A.tensor("self"), Square = aten::mul(R, X, X);
                    return one(aten::sqrt(R, aten::sum(R, Square, dimsOf(A), A.boolean("keepdim", false))));
                  }});
  Rows.push_back({"cumsum", cumsumRow});
  Rows.push_back({"logsumexp", logsumexpRow});
}

} // namespace vramlint
