//===- lib/torch/ops/Random.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Rows that draw numbers, and windows and other tensors made from nothing.

#include "lib/torch/Tail.h"

namespace vramlint {

namespace {

using T = TensorRef;

T fresh(Runtime &R, const Args &A, Shape S, std::optional<DType> Usual = std::nullopt) {
  auto Type = A.dtype("dtype");
  Type = Type ? Type : A.dtype("options");
  auto Dev = A.device("device");
  Dev = Dev ? Dev : A.device("options");
  T Like = A.tensor("self");
  T Out = R.make(std::move(S),
                 Type.value_or(Usual.value_or(Like ? Like->Type : R.DefaultDType)),
                 Dev.value_or(Like ? Like->Dev : Device{}), Category::Input, R.CurrentOp);
  Out->RequiresGrad = A.boolean("requires_grad", false) && isFloating(Out->Type);
  return Out;
}

OpResult multinomialRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  auto N = A.integer("num_samples");
  if (!X || X->rank() < 1 || X->rank() > 2)
    return OpResult::failed("multinomial expects one or two dimensions");
  Dim Choices = X->size(X->rank() - 1);
  if (N && Choices.known() && *N > Choices.Length && !A.boolean("replacement", false)) {
    R.fail("multinomial: cannot draw " + std::to_string(*N) + " of " +
           std::to_string(Choices.Length) + " without replacement");
    return one(nullptr);
  }
  BelowAutograd Guard(R);
  Shape S = X->Sizes;
  S.Dims.back() = toDim(N);
  return one(makeLike(R, X, S, DType::Int64));
}

/// Draws with parameters of a tensor: a result of its form.
OpResult drawn(Runtime &R, const Args &A, const TailRule &How, llvm::StringRef First,
               llvm::StringRef Second = "") {
  T X = A.tensor(First), Y = Second.empty() ? T() : A.tensor(Second);
  if (!X && !Y)
    return OpResult::failed("a draw without a tensor", FailureKind::Other);
  llvm::SmallVector<T, 2> In;
  for (const T &V : {X, Y})
    if (V)
      In.push_back(V);
  Shape S = In.size() == 2 ? aten::broadcast(R, X->Sizes, Y->Sizes) : In[0]->Sizes;
  return one(tailOne(R, How, In, [&] { return makeLike(R, In[0], S); }));
}

/// at::normal(mean, std) of tensors or numbers.
OpResult normalRow(Runtime &R, const Args &A) {
  T Mean = A.tensor("mean"), Std = A.tensor("std");
  if (Mean || Std) {
    TailRule How{Mean && Std ? "NormalBackward3" : Mean ? "NormalBackward1" : "NormalBackward2",
                 "", "e"};
    return drawn(R, A, How, "mean", "std");
  }
  Shape S;
  for (const Arg::Int &I : A.ints("size"))
    S.Dims.push_back(toDim(I));
  return one(fresh(R, A, S));
}

OpResult overwriteRow(Runtime &R, const Args &A, llvm::StringRef Node) {
  return one(tailInPlace(R, {Node, "", "e"}, {A.tensor("self")}, [] {}));
}

/// What \p Name makes of the numbers 0, 1, 2 … in \p W.
T windowOf(Runtime &R, llvm::StringRef Name, const T &W) {
  if (Name == "kaiser_window")
    return aten::emptyContiguous(R, W);
  if (Name != "blackman_window") {
    for (int I = 0; I < 3; ++I)
      aten::scalarInPlace(R, W, Scalar(2.0));
    return W;
  }
  aten::scalarInPlace(R, W, Scalar(2.0));
  T Second = aten::mul(R, W, Scalar(2.0));
  aten::scalarInPlace(R, Second, Scalar(2.0));
  T First = aten::mul(R, W, Scalar(2.0));
  aten::scalarInPlace(R, First, Scalar(2.0));
  T Difference = aten::sub(R, First, Second);
  return aten::add(R, Difference, Scalar(1.0));
}

/// hann_window and its kin: a periodic one is a longer one, narrowed.
OpResult windowRow(Runtime &R, const Args &A, llvm::StringRef Name) {
  BelowAutograd Guard(R);
  auto N = A.integer("window_length");
  bool Periodic = A.boolean("periodic", true);
  Dim L = toDim(N);
  if (!L.known() || L.Length <= 1)
    return one(fresh(R, A, shapeOf({L})));
  T Numbers = fresh(R, A, shapeOf({Periodic ? L + Dim(1) : L}));
  T Whole = windowOf(R, Name, Numbers);
  if (!Periodic)
    return one(Whole);
  T Out = R.alias(Whole);
  Out->Sizes = shapeOf({L});
  return one(Out);
}

OpResult stridedRow(Runtime &R, const Args &A) {
  Shape S;
  llvm::SmallVector<int64_t, 4> Strides = orZero(A.ints("stride"));
  for (const Arg::Int &I : A.ints("size"))
    S.Dims.push_back(toDim(I));
  if (Strides.size() != S.Dims.size())
    return OpResult::failed("empty_strided expects as many strides as sizes");
  T Out = fresh(R, A, S);
  Out->Strides = Strides;
  if (Out->isContiguous())
    Out->Strides.clear();
  return one(Out);
}

OpResult rangeRow(Runtime &R, const Args &A) {
  Scalar Start = scalarArg(A, "start", 0), End = scalarArg(A, "end", 0), Step = scalarArg(A, "step", 1);
  double N = Step.Value != 0 ? (End.Value - Start.Value) / Step.Value : -1;
  for (llvm::StringRef Name : {"start", "end", "step"})
    if (const Arg *X = A.find(Name); X && std::holds_alternative<Arg::UnknownArg>(X->V))
      return one(fresh(R, A, shapeOf({Dim()})));
  if (N < 0)
    return OpResult::failed("range: upper bound and larger bound inconsistent with step sign");
  const double LengthMax = 9e18;
  return one(fresh(R, A, shapeOf({N < LengthMax ? Dim(int64_t(N) + 1) : Dim()})));
}

OpResult nativeDropoutRow(Runtime &R, const Args &A) {
  T X = A.tensor("input");
  if (!X)
    return OpResult::failed("native_dropout of an undefined tensor", FailureKind::Other);
  double P = A.number("p", -1);
  if (!A.boolean("train", false) || P <= 0 || P >= 1)
    R.scratch({X, X});
  Record Rec(R, "NativeDropoutBackward0", {X});
  T Mask = aten::emptyLike(R, X, DType::Bool), Out = aten::mul(R, X, Mask);
  aten::scalarInPlace(R, Out, Scalar(2.0));
  Rec.saveResult(Mask);
  Out = Rec.result(Out, [](Runtime &R, Node &N, Grads &G) {
    T Kept = aten::mul(R, G[0], N.saved(0));
    return Grads{aten::mul(R, Kept, Scalar(2.0))};
  });
  return tuple({Out, Mask});
}

/// Sparse tensors are known by their shape alone.
OpResult sparseRow(Runtime &R, const Args &A) {
  T Values = A.tensor("values");
  Shape S;
  for (const Arg::Int &I : A.ints("size"))
    S.Dims.push_back(toDim(I));
  if (S.Dims.empty() && Values) {
    S = Shape::unknown("the size of a sparse tensor is in its indices");
  }
  T Out = fresh(R, A, S, Values ? std::optional<DType>(Values->Type) : std::nullopt);
  return one(Out);
}

OpResult toSparseRow(Runtime &R, const Args &A) {
  T X = A.tensor("self");
  return one(X ? makeLike(R, X, X->Sizes) : nullptr);
}

} // namespace

void addRandomOps(OpTable &Rows) {
  const llvm::StringRef Numbers = "generator,p,mean,std,lambd,median,sigma,replacement,num_samples";
  Rows.push_back({"multinomial", multinomialRow, Numbers, false, true});
  Rows.push_back({"poisson",
                  [](Runtime &R, const Args &A) {
                    return drawn(R, A, {"PoissonBackward0", "", "e"}, "self");
                  },
                  Numbers, false, true});
  Rows.push_back({"bernoulli",
                  [](Runtime &R, const Args &A) {
                    TailRule How{A.has("p") ? "" : "BernoulliBackward0", "", "e"};
                    return drawn(R, A, How, "self");
                  },
                  Numbers, false, true});
  Rows.push_back({"binomial",
                  [](Runtime &R, const Args &A) {
                    return drawn(R, A, {"!NotImplemented", ""}, "count", "prob");
                  },
                  Numbers, false, true});
  Rows.push_back({"normal", normalRow, "mean,std,generator", false, true});
  static const std::pair<llvm::StringRef, llvm::StringRef> Over[] = {
      {"cauchy_", "CauchyBackward0"}, {"geometric_", "GeometricBackward0"},
      {"log_normal_", "LogNormalBackward0"}, {"normal_", "NormalBackward0"},
      {"uniform_", "UniformBackward0"}, {"random_", "RandomBackward2"},
      {"exponential_", "ExponentialBackward0"}};
  for (auto &[Name, Node] : Over)
    Rows.push_back({Name,
                    [N = Node](Runtime &R, const Args &A) { return overwriteRow(R, A, N); },
                    "*", true});
  for (llvm::StringRef Name : {"hann_window", "hamming_window", "bartlett_window",
                               "blackman_window", "kaiser_window"})
    Rows.push_back({Name,
                    [Name](Runtime &R, const Args &A) { return windowRow(R, A, Name); },
                    "window_length,alpha,beta", true});
  for (llvm::StringRef Name : {"empty_strided", "new_empty_strided"})
    Rows.push_back({Name, stridedRow, "size,stride", true});
  Rows.push_back({"range", rangeRow, "start,end,step", true});
  Rows.push_back({"native_dropout", nativeDropoutRow, "p,train", true});
  for (llvm::StringRef Name : {"sparse_coo_tensor", "sparse_csr_tensor", "sparse_csc_tensor",
                               "sparse_compressed_tensor"})
    Rows.push_back({Name, sparseRow, "*", true, true});
  for (llvm::StringRef Name : {"to_sparse", "to_sparse_csr", "to_sparse_csc", "to_dense"})
    Rows.push_back({Name, toSparseRow, "*", true, true});
}

} // namespace vramlint
