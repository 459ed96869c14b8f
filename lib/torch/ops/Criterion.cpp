//===- lib/torch/ops/Criterion.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Rows of losses that are used rarely, most of them made of other ops as ATen
// makes them (Loss.cpp, LossCTC.cpp, LossMultiMargin.cpp).

#include "lib/torch/Tail.h"

namespace vramlint {

namespace {

using T = TensorRef;

enum { None = 0 };

T clampMin(Runtime &R, const T &X, bool InPlace) {
  return callOne(R, InPlace ? "clamp_min_" : "clamp_min", {{"self", Arg(X)}, {"min", Arg(0.0)}});
}

T zerosLike(Runtime &R, const T &X) {
  BelowAutograd Guard(R);
  return aten::emptyLike(R, X);
}

/// where(target == 1, x, 0) + where(target == -1, max(0, margin - x), 0)
T hingeEmbedding(Runtime &R, const Args &A, int64_t Reduce) {
  T X = A.tensor("self"), Target = A.tensor("target");
  if (!X || !Target)
    return nullptr;
  // All of it stays until the loss is reduced.
  T Zeros = zerosLike(R, X);
  T Margin = clampMin(R, aten::rsub(R, X, Scalar(1.0)), true);
  T MarginPart = aten::where(R, aten::compare(R, Target, Scalar(1)), Margin, Zeros);
  T SelfPart = aten::where(R, aten::compare(R, Target, Scalar(1)), X, Zeros);
  T Output = aten::add(R, SelfPart, MarginPart);
  return aten::meanLoss(R, Output, Reduce);
}

/// 1 - cos for target 1, max(0, cos - margin) for -1.
T cosineEmbedding(Runtime &R, const Args &A, int64_t Reduce) {
  T X = A.tensor("input1"), Y = A.tensor("input2"), Target = A.tensor("target");
  if (!X || !Y || !Target)
    return nullptr;
  int64_t D = Target->rank() == 0 ? 0 : 1;
  // All of it stays until the loss is reduced.
  T Dot = aten::sum(R, aten::mul(R, X, Y), {D}, false);
  T SquaresX = aten::sum(R, aten::mul(R, X, X), {D}, false);
  T SquaresY = aten::sum(R, aten::mul(R, Y, Y), {D}, false);
  T Root = aten::sqrt(R, aten::mul(R, SquaresX, SquaresY));
  T Cos = aten::div(R, Dot, Root);
  T Zeros = zerosLike(R, Cos);
  T Positive = aten::rsub(R, Cos, Scalar(1));
  T Negative = clampMin(R, aten::sub(R, Cos, Scalar(0.5)), true);
  T PositivePart = aten::where(R, aten::compare(R, Target, Scalar(1)), Positive, Zeros);
  T NegativePart = aten::where(R, aten::compare(R, Target, Scalar(1)), Negative, Zeros);
  T Output = aten::add(R, PositivePart, NegativePart);
  return aten::meanLoss(R, Output, Reduce);
}

T distance(Runtime &R, const T &X, const T &Y) {
  return callOne(R, "pairwise_distance", {{"x1", Arg(X)}, {"x2", Arg(Y)}});
}

T tripletMargin(Runtime &R, const Args &A, int64_t Reduce) {
  T X = A.tensor("anchor"), P = A.tensor("positive"), N = A.tensor("negative");
  if (!X || !P || !N)
    return nullptr;
  T Output;
  {
    T Near = distance(R, X, P), Far = distance(R, X, N);
    if (A.boolean("swap", false))
      Far = aten::maximum(R, Far, distance(R, P, N));
    T Difference = aten::sub(R, aten::add(R, Near, Scalar(1.0)), Far);
    Output = clampMin(R, Difference, false);
  }
  return aten::meanLoss(R, Output, Reduce);
}

/// exp(x) - target * x, or x - target * log(x + eps).
T poissonNll(Runtime &R, const Args &A, int64_t Reduce) {
  T X = A.tensor("self"), Target = A.tensor("target");
  if (!X || !Target)
    return nullptr;
  T Loss;
  if (A.boolean("log_input", true)) {
    T Exp = aten::exp(R, X);
    Loss = aten::sub(R, Exp, aten::mul(R, Target, X));
  } else {
    T Log = aten::log(R, aten::add(R, X, Scalar(0.5)));
    Loss = aten::sub(R, X, aten::mul(R, Target, Log));
  }
  if (A.boolean("full", false)) {
    T Log = aten::log(R, Target);
    T Stirling = aten::sub(R, aten::mul(R, Target, Log), Target);
    Stirling = aten::add(R, Stirling, aten::mul(R, aten::log(R, aten::mul(R, Target, Scalar(2.0))), Scalar(0.5)));
    callOne(R, "add_", {{"self", Arg(Loss)},
                        {"other", Arg(aten::maskedFill(R, Stirling, aten::compare(R, Target, Scalar(1))))}});
  }
  return aten::meanLoss(R, Loss, Reduce);
}

/// Losses of one kernel: a number per row, or one for all.
T rowLoss(Runtime &R, const Args &A, int64_t Reduce, const TailRule &How, bool Mask) {
  T X = A.tensor("self"), Target = A.tensor("target"), Weight = A.tensor("weight");
  if (!X || !Target || X->rank() == 0 || X->rank() > 2) {
    R.fail("expected an input of one or two dimensions, got " + (X ? X->Sizes.str() : "nothing"));
    return nullptr;
  }
  auto Out = tail(R, How, {X, Target, Weight}, [&] {
    Shape S = Reduce == None && X->rank() == 2 ? shapeOf({X->size(0)}) : Shape();
    std::vector<T> All{makeLike(R, X, S)};
    if (Mask)
      All.push_back(makeLike(R, X, X->Sizes));
    return All;
  });
  return Out.empty() ? nullptr : Out[0];
}

T multiMargin(Runtime &R, const Args &A, int64_t Reduce) {
  return rowLoss(R, A, Reduce, {"MultiMarginLossBackward0", "012", "eu"}, false);
}

T multilabelMargin(Runtime &R, const Args &A, int64_t Reduce) {
  return rowLoss(R, A, Reduce, {"MultilabelMarginLossBackward0", "01b", "nu"}, true);
}

/// -(target * logsigmoid(x) + (1 - target) * logsigmoid(-x)), averaged over classes.
T multilabelSoftMargin(Runtime &R, const Args &A, int64_t Reduce) {
  T X = A.tensor("self"), Target = A.tensor("target"), Weight = A.tensor("weight");
  if (!X || !Target)
    return nullptr;
  auto LogSigmoid = [&](const T &V) { return callOne(R, "log_sigmoid", {{"self", Arg(V)}}); };
  T Loss;
  {
    T Second = aten::mul(R, aten::rsub(R, Target, Scalar(1)), LogSigmoid(aten::neg(R, X)));
    T First = aten::mul(R, Target, LogSigmoid(X));
    Loss = aten::neg(R, aten::add(R, First, Second));
  }
  if (Weight)
    Loss = aten::mul(R, Loss, Weight);
  int64_t Last = Loss ? int64_t(Loss->rank()) - 1 : 0;
  Loss = Loss ? aten::div(R, aten::sum(R, Loss, {Last}, false), Scalar(2.0)) : Loss;
  return aten::meanLoss(R, Loss, Reduce);
}

/// ctc_loss keeps log_alpha: batch × time × (2 · targets + 1).
T ctc(Runtime &R, const Args &A, int64_t Reduce) {
  T X = A.tensor("log_probs"), Targets = A.tensor("targets");
  if (!X || !Targets || X->rank() < 2 || X->rank() > 3) {
    R.fail("ctc_loss expects log probabilities of time × batch × classes, got " +
           (X ? X->Sizes.str() : "nothing"));
    return nullptr;
  }
  Dim Time = X->size(0), Batch = X->rank() == 3 ? X->size(1) : Dim(1);
  Dim Longest = Targets->rank() == 2 ? Targets->size(1) : Dim();
  auto Out = tail(R, {"CtcLossBackward0", "01ab", "nu"}, {X, Targets}, [&] {
    Shape Alpha = shapeOf({Batch, Time, Longest * Dim(2) + Dim(1)});
    if (!Longest.known())
      Alpha.Why = "the lengths of the targets are in the data";
    T Forward = makeLike(R, X, Alpha);
    return std::vector<T>{makeLike(R, X, shapeOf({Batch})), Forward};
  });
  if (Out.empty())
    return nullptr;
  T Loss = Out[0];
  Out.clear();
  if (Reduce != 1)
    return aten::meanLoss(R, Loss, Reduce);
  T Given = makeLike(R, X, shapeOf({Batch})), Lengths = makeLike(R, X, shapeOf({Batch}));
  Given = nullptr; // At least 1 each.
  return aten::mean(R, aten::div(R, Loss, Lengths));
}

OpResult nllForward(Runtime &R, const Args &A) {
  T X = A.tensor("self"), Target = A.tensor("target"), Weight = A.tensor("weight");
  if (!X || !Target)
    return OpResult::failed("nll_loss of an undefined tensor", FailureKind::Other);
  auto Out = tail(R, {"NllLossBackward0", "012b", "eu"}, {X, Target, Weight}, [&] {
    Shape S = A.integer("reduction", 1) == None ? Target->Sizes : Shape();
    return std::vector<T>{makeLike(R, X, S), makeLike(R, X, Shape())};
  });
  return Out.size() == 2 ? tuple({Out[0], Out[1]}) : one(nullptr);
}

} // namespace

void addCriterionOps(OpTable &Rows) {
  auto Add = [&](llvm::StringRef Name, LossFn Fn, llvm::StringRef MayBeUnknown) {
    addLoss(Rows, Name, Fn, MayBeUnknown, /*ScratchUnknown=*/true);
  };
  addLoss(Rows, "hinge_embedding_loss", hingeEmbedding, "margin", /*ScratchUnknown=*/false);
  Add("cosine_embedding_loss", cosineEmbedding, "margin");
  Add("triplet_margin_loss", tripletMargin, "margin,p,eps");
  Add("triplet_margin_with_distance_loss", tripletMargin, "margin,distance_function");
  Add("poisson_nll_loss", poissonNll, "eps");
  Add("multi_margin_loss", multiMargin, "p,margin");
  Add("multilabel_margin_loss", multilabelMargin, "");
  Add("multilabel_soft_margin_loss", multilabelSoftMargin, "");
  Add("ctc_loss", ctc, "blank,zero_infinity,input_lengths,target_lengths");
  Rows.push_back({"nll_loss_forward", nllForward, "ignore_index", false, true});
}

} // namespace vramlint
