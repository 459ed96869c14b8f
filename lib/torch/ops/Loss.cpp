//===- lib/torch/ops/Loss.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Softmax and losses (SoftMax.cpp, Loss.cpp, LossNLL.cpp).

#include "lib/torch/Tail.h"

namespace vramlint {

namespace aten {

using T = TensorRef;

enum Reduction { None = 0, Mean = 1, Sum = 2 };

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

static T softmaxKernel(Runtime &R, const T &X, int64_t DimIndex,
                       llvm::StringRef NodeName) {
  if (!X || R.failed() || !wrapDim(R, DimIndex, X->rank()))
    return nullptr;
  if (!isFloating(X->Type) && X->Type != DType::Unknown) {
    R.fail("softmax expects floating point numbers, got " + dtypeName(X->Type).str(),
           FailureKind::Other);
    return nullptr;
  }
  Record Rec(R, NodeName, {X});
  R.flops(saturatingMul({5, X->elements()}));
  T Out = emptyContiguous(R, X);
  T Own = contiguous(R, X);
  Own = nullptr;
  Rec.saveResult(Out);
  return Rec.result(Out, [](Runtime &R, Node &N, Grads &G) {
    R.flops(saturatingMul({4, G[0]->elements()}));
    T Out = emptyContiguous(R, G[0]);
    T Own = contiguous(R, G[0]);
    return Grads{Out};
  });
}

static T inType(Runtime &R, const T &X, std::optional<DType> Type) {
  return X && Type ? toDType(R, X, *Type) : X;
}

T softmax(Runtime &R, const T &X, int64_t DimIndex, std::optional<DType> Type) {
  return softmaxKernel(R, inType(R, X, Type), DimIndex, "SoftmaxBackward0");
}

T logSoftmax(Runtime &R, const T &X, int64_t DimIndex,
             std::optional<DType> Type) {
  return softmaxKernel(R, inType(R, X, Type), DimIndex, "LogSoftmaxBackward0");
}

//===----------------------------------------------------------------------===//
// nll_loss, cross_entropy
//===----------------------------------------------------------------------===//

static T nllLoss(Runtime &R, const T &X, const T &Target, const T &Weight,
                 int64_t Reduce) {
  if (!X || !Target || R.failed())
    return nullptr;
  unsigned Rank = X->rank();
  Shape Want = X->Sizes;
  if (Rank >= 1)
    Want.Dims.erase(Want.Dims.begin() + (Rank == 1 ? 0 : 1));
  bool Fits = Rank >= 1 && Target->rank() == Want.Dims.size();
  for (unsigned I = 0; Fits && I < Want.Dims.size(); ++I)
    Fits &= Want.Dims[I] == Target->size(I) || !Want.Dims[I].known() ||
            !Target->size(I).known();
  if (!Fits) {
    R.fail("nll_loss: expected a target of shape " + Want.str() +
           " for an input of " + X->Sizes.str() + ", got " +
           Target->Sizes.str());
    return nullptr;
  }
  // Bytes are classes on CUDA, and in some forms on the CPU.
  if (Target->Type != DType::Int64 && Target->Type != DType::UInt8 &&
      Target->Type != DType::Unknown) {
    R.fail("nll_loss: expected a target of type int64, got " +
           dtypeName(Target->Type).str(), FailureKind::Other);
    return nullptr;
  }
  Record Rec(R, Rank <= 2 ? "NllLossBackward0" : "NllLoss2DBackward0", {X});
  Rec.save(X).save(Target).save(Weight);
  R.flops(Target->elements());
  T Out = R.make(Reduce == None ? Target->Sizes : Shape(), X->Type, X->Dev);
  T Total = R.make(Shape(), X->Type, X->Dev);
  Rec.saveResult(Total);
  return Rec.result(Out, [](Runtime &R, Node &N, Grads &G) {
    return Grads{emptyContiguous(R, N.saved(0))};
  });
}

T meanLoss(Runtime &R, const T &Loss, int64_t Reduce) {
  if (Reduce == Mean)
    return mean(R, Loss);
  return Reduce == Sum ? sum(R, Loss) : Loss;
}

static T probabilityLoss(Runtime &R, const T &X, const T &Target,
                         int64_t Reduce) {
  int64_t ClassDim = X->rank() == 1 ? 0 : 1;
  T Log = logSoftmax(R, X, ClassDim);
  T Product = mul(R, Log, Target);
  if (Reduce == None)
    return neg(R, sum(R, Product, {ClassDim}, false));
  T Total = sum(R, Product);
  T Negative = neg(R, Total);
  return Reduce == Sum ? Negative : div(R, Negative, Scalar(2));
}

/// cross_entropy_loss_label_smoothing: the loss of the target and that of all
/// classes, mixed.
static T smoothedLoss(Runtime &R, const T &X, const T &Target, const T &Weight,
                      int64_t ClassDim, int64_t Reduce) {
  T Log = logSoftmax(R, X, ClassDim);
  T Nll = nllLoss(R, Log, Target, Weight, Reduce);
  T All;
  {
    T Weighted = Weight ? mul(R, Log, Weight->rank() == 1 && X->rank() > 2 ? Log : Weight) : Log;
    All = neg(R, sum(R, Weighted, {ClassDim}, false));
  }
  T Mask = compare(R, Target, Scalar(1)); // masked_fill_ in place
  if (Reduce != None)
    All = sum(R, All);
  R.scratch({X, Target});
  if (Reduce == Mean)
    All = div(R, All, Scalar(2));
  T Part = mul(R, Nll, Scalar(0.5)), Rest = mul(R, All, Scalar(0.5));
  return add(R, Part, Rest);
}

static T crossEntropy(Runtime &R, const Args &A, int64_t Reduce) {
  T X = A.tensor("input"), Target = A.tensor("target");
  T Weight = A.tensor("weight");
  if (!X || !Target)
    return nullptr;
  bool Probabilities = X->Sizes == Target->Sizes;
  bool Smooth = A.number("label_smoothing", 0) > 0;
  if (Probabilities) {
    if (Smooth || Weight) // A scaled copy of the target, a weighted product.
      R.scratch({X, Target, Target});
    return probabilityLoss(R, X, Target, Reduce);
  }
  int64_t ClassDim = X->rank() == 1 ? 0 : 1;
  if (Smooth)
    return smoothedLoss(R, X, Target, Weight, ClassDim, Reduce);
  return nllLoss(R, logSoftmax(R, X, ClassDim), Target, Weight, Reduce);
}

//===----------------------------------------------------------------------===//
// Losses of two tensors of one shape
//===----------------------------------------------------------------------===//

/// A scalar that lives in the storage of a full-sized tensor, as some losses
/// leave it behind.
static void shrinkToScalar(const T &Loss) {
  Loss->Sizes = Shape();
  Loss->Strides.clear();
}

/// binary_cross_entropy: the reduced loss is copied into the full-sized result.
static T bce(Runtime &R, const T &X, const T &Target, const T &Weight,
             int64_t Reduce) {
  if (!X || !Target || R.failed())
    return nullptr;
  if (X->Sizes.known() && Target->Sizes.known() &&
      !(X->Sizes == Target->Sizes)) {
    R.fail("binary_cross_entropy: expected a target of the input's shape " +
           X->Sizes.str() + ", got " + Target->Sizes.str());
    return nullptr;
  }
  Record Rec(R, "BinaryCrossEntropyBackward0", {X, Target});
  Rec.save(X).save(Target).save(Weight);
  R.flops(saturatingMul({6, X->elements()}));
  T Loss = emptyLike(R, X);
  if (Reduce != None) {
    T Reduced = meanLoss(R, Loss, Reduce);
    shrinkToScalar(Loss);
  }
  return Rec.result(Loss, [Reduce](Runtime &R, Node &N, Grads &G) {
    T Out = emptyLike(R, N.saved(0));
    if (Reduce == Mean)
      scalarInPlace(R, Out, Scalar(2));
    Grads All{Out, nullptr};
    if (N.needs(1)) {
      All[1] = emptyLike(R, N.saved(1));
      R.scratch({Out, All[1]});
    }
    return All;
  });
}

/// The loss of each element. LibTorch 2 computes it from log_sigmoid; measured with
/// 1.13.1 and 2.6, the change lies between. \p Local lives until the reduction.
static T bceWithLogitsKernel(Runtime &R, const T &X, const T &Target, T &Local) {
  if (R.Config.atLeast(2, 0)) {
    Local = emptyLike(R, X);
    if (!X->onCuda())
      T Buffer = emptyLike(R, X); // log_sigmoid's
    return neg(R, Target);        // 1 - target, then mul_ and sub_
  }
  T &Max = Local = neg(R, X); // clamp_min_ in place
  T Loss = emptyLike(R, Target);
  T A = neg(R, Max), B = neg(R, X);
  T C = sub(R, B, Max);
  return Loss;
}

static T bceWithLogits(Runtime &R, const T &X, const T &Target, const T &Weight,
                       const T &PosWeight, int64_t Reduce) {
  if (!X || !Target || R.failed())
    return nullptr;
  if (X->Sizes.known() && Target->Sizes.known() &&
      !(X->Sizes == Target->Sizes)) {
    R.fail("binary_cross_entropy_with_logits: expected a target of the input's "
           "shape " + X->Sizes.str() + ", got " + Target->Sizes.str());
    return nullptr;
  }
  if (PosWeight) // (pos_weight - 1) * target + 1 beside the rest.
    R.scratch({X, Target});
  Record Rec(R, "BinaryCrossEntropyWithLogitsBackward0", {X, Target});
  Rec.save(X).save(Target).save(Weight);
  R.flops(saturatingMul({10, X->elements()}));
  T Local, Loss = bceWithLogitsKernel(R, X, Target, Local);
  if (Reduce != None)
    Loss = meanLoss(R, Loss, Reduce);
  return Rec.result(Loss, [Reduce](Runtime &R, Node &N, Grads &) {
    T Out = sigmoid(R, N.saved(0)); // then sub_ and mul_
    if (Reduce == Mean)
      scalarInPlace(R, Out, Scalar(2));
    Grads All{Out, nullptr};
    if (N.needs(1)) {
      All[1] = emptyLike(R, N.saved(1));
      R.scratch({Out, All[1]});
    }
    return All;
  });
}

/// mse_loss, smooth_l1_loss: the result keeps the full size it was made with.
static T pairLoss(Runtime &R, const T &X, const T &Target, int64_t Reduce,
                  llvm::StringRef NodeName) {
  if (!X || !Target || R.failed())
    return nullptr;
  Record Rec(R, NodeName, {X, Target});
  Rec.save(X).save(Target);
  T Out = iterate(R, {X, Target});
  R.flops(saturatingMul({2, Out ? Out->elements() : 0}));
  if (Reduce != None && Out) {
    T Loss = emptyLike(R, Out);
    if (Reduce == Mean && !X->onCuda())
      scalarInPlace(R, Loss, Scalar(2));
    shrinkToScalar(Out);
  }
  return Rec.result(Out, [](Runtime &R, Node &N, Grads &G) {
    Grads Out(2);
    auto One = [&] {
      Shape S = broadcast(R, N.saved(0)->Sizes, N.saved(1)->Sizes);
      return R.make(S, N.saved(0)->Type, N.saved(0)->Dev);
    };
    if (N.needs(0))
      Out[0] = One();
    if (N.needs(1))
      Out[1] = One();
    return Out;
  });
}

static T l1Loss(Runtime &R, const T &X, const T &Target, int64_t Reduce) {
  T Difference = sub(R, X, Target);
  T Loss = callOne(R, "abs", {{"self", Arg(Difference)}});
  return meanLoss(R, Loss, Reduce); // Both stay to the end of it.
}

static T huberLoss(Runtime &R, const T &X, const T &Target, int64_t Reduce) {
  Record Rec(R, "HuberLossBackward0", {X, Target});
  Rec.save(X).save(Target);
  T Loss = meanLoss(R, iterate(R, {X, Target}), Reduce);
  return Rec.result(Loss, [](Runtime &R, Node &N, Grads &) {
    Grads Out(2);
    for (unsigned I : {0u, 1u})
      if (N.needs(I))
        Out[I] = emptyLike(R, N.saved(I));
    return Out;
  });
}

static T klDiv(Runtime &R, const T &X, const T &Target, int64_t Reduce,
               bool LogTarget) {
  T Loss;
  if (LogTarget) {
    T Exp = exp(R, Target), Difference = sub(R, Target, X);
    Loss = mul(R, Exp, Difference);
  } else {
    T Log = tailOne(R, {"XlogyBackward0", "01"}, {Target, Target},
                    [&] { return iterate(R, {Target}, Iter::IntToFloat); });
    Loss = sub(R, Log, mul(R, Target, X));
  }
  return meanLoss(R, Loss, Reduce);
}

/// Runs an in-place row on \p Self.
static T inPlace(Runtime &R, llvm::StringRef Name, const T &Self) {
  if (!Self)
    return nullptr;
  Args A;
  A.add("self", Self);
  if (Name.starts_with("clamp"))
    A.add("min", 0.0);
  R.call(Name, A);
  return Self;
}

/// (-target * (input1 - input2) + margin).clamp_min_(0)
static T marginRanking(Runtime &R, const T &A, const T &B, const T &Target,
                       int64_t Reduce) {
  T Out;
  {
    T Difference = sub(R, A, B);
    T Negative = neg(R, Target);
    T Product = mul(R, Negative, Difference);
    Out = add(R, Product, Scalar(0.0));
  }
  return meanLoss(R, inPlace(R, "clamp_min_", Out), Reduce);
}

static T cosineSimilarity(Runtime &R, const T &X, const T &Y, int64_t DimIndex) {
  if (!X || !Y)
    return nullptr;
  Shape Both = broadcast(R, X->Sizes, Y->Sizes);
  if (R.failed())
    return nullptr;
  DType Type = resultType({X, Y});
  T A = expand(R, toDType(R, X, Type), Both), B = expand(R, toDType(R, Y, Type), Both);
  T NormA = sum(R, pow(R, A, Scalar(2)), {DimIndex}, true);
  T NormB = sum(R, pow(R, B, Scalar(2)), {DimIndex}, true);
  {
    BelowAutograd Guard(R);
    inPlace(R, "clamp_min_", NormA);
    inPlace(R, "clamp_min_", NormB);
  }
  inPlace(R, "sqrt_", NormA);
  inPlace(R, "sqrt_", NormB);
  T RatioB = div(R, B, NormB), RatioA = div(R, A, NormA);
  return sum(R, mul(R, RatioA, RatioB), {DimIndex}, false);
}

/// F::normalize: input / input.norm(p, dim, true).clamp_min(eps).
static T normalize(Runtime &R, const T &X, double P, int64_t DimIndex) {
  Args A;
  A.add("self", X);
  A.add("p", P);
  A.add("dim", Arg::Ints{DimIndex});
  A.add("keepdim", true);
  OpResult Norm = R.call("norm", A);
  if (Norm.Kind != OpResult::Ok || !X)
    return nullptr;
  T Least = clamp(R, std::get<T>(Norm.Values[0].V), true, false);
  Norm.Values.clear();
  T Wide = Least ? expand(R, Least, X->Sizes) : nullptr;
  Least = nullptr;
  return div(R, X, Wide);
}

static T softMargin(Runtime &R, const T &X, const T &Target, int64_t Reduce) {
  if (!X || !Target || R.failed())
    return nullptr;
  Record Rec(R, "SoftMarginLossBackward0", {X});
  Rec.save(X).save(Target);
  T Out = emptyLike(R, X);
  scalarInPlace(R, Out, Scalar(1.0));
  if (Reduce != None) {
    T Reduced = meanLoss(R, Out, Reduce);
    shrinkToScalar(Out);
  }
  return Rec.result(Out, [](Runtime &R, Node &N, Grads &) {
    T Exp;
    {
      T Negative = neg(R, N.saved(1));
      T Product = mul(R, Negative, N.saved(0));
      Exp = exp(R, Product);
    }
    T Out = emptyLike(R, N.saved(0));
    scalarInPlace(R, Exp, Scalar(1.0));
    scalarInPlace(R, Exp, Scalar(1.0));
    return Grads{Out};
  });
}

} // namespace aten

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// at:: takes 0, 1 or 2; F:: a text (torch::kMean); nothing is the mean.
std::optional<int64_t> reductionOf(const Args &A) {
  const Arg *R = A.find("reduction");
  if (!R || std::holds_alternative<Arg::Absent>(R->V))
    return aten::Mean;
  if (const auto *S = std::get_if<std::string>(&R->V)) {
    llvm::StringRef Text = *S;
    Text.consume_front("torch::");
    Text.consume_front("k");
    if (Text.equals_insensitive("none"))
      return aten::None;
    if (Text.equals_insensitive("sum"))
      return aten::Sum;
    if (Text.equals_insensitive("mean"))
      return aten::Mean;
    if (Text.equals_insensitive("batchmean"))
      return aten::Sum; // F::kl_div divides the sum afterwards.
    return std::nullopt;
  }
  return A.integer("reduction");
}

void addLoss(OpTable &Rows, llvm::StringRef Name, LossFn Fn,
             llvm::StringRef MayBeUnknown, bool ScratchUnknown) {
  Rows.push_back({Name,
                  [Fn](Runtime &R, const Args &A) {
                    auto Reduce = reductionOf(A);
                    if (!Reduce)
                      return OpResult::notModelled("reduction not known");
                    return one(Fn(R, A, *Reduce));
                  },
                  MayBeUnknown, /*AnyRank=*/false, ScratchUnknown});
}

void addLossOps(OpTable &Rows) {
  using T = TensorRef;
  auto Add = [&](llvm::StringRef Name, LossFn Fn) {
    addLoss(Rows, Name, Fn, "ignore_index,beta,delta", /*ScratchUnknown=*/false);
  };
  for (llvm::StringRef Name : {"softmax", "log_softmax"}) {
    bool Log = Name == "log_softmax";
    for (llvm::StringRef Prefix : {"", "_"})
      Rows.push_back({intern((Prefix + Name).str()),
                      [Log](Runtime &R, const Args &A) {
                        int64_t D = A.integer("dim", -1);
                        auto Type = A.dtype("dtype");
                        T X = A.tensor("self");
                        return one(Log ? aten::logSoftmax(R, X, D, Type)
                                       : aten::softmax(R, X, D, Type));
                      }});
  }
  Rows.push_back({"softmin", [](Runtime &R, const Args &A) {
                    return one(aten::softmax(R, aten::neg(R, A.tensor("self")),
                                             A.integer("dim", -1)));
                  }});
  Add("nll_loss", [](Runtime &R, const Args &A, int64_t Reduce) {
    return aten::nllLoss(R, A.tensor("input"), A.tensor("target"),
                         A.tensor("weight"), Reduce);
  });
  Rows.push_back(Rows.back());
  Rows.back().Name = "nll_loss2d";
  Rows.push_back(Rows.back());
  Rows.back().Name = "nll_loss_nd";
  Add("cross_entropy", aten::crossEntropy);
  Add("cross_entropy_loss", aten::crossEntropy);
  Add("binary_cross_entropy",
          [](Runtime &R, const Args &A, int64_t Reduce) {
            return aten::bce(R, A.tensor("input"), A.tensor("target"),
                             A.tensor("weight"), Reduce);
          });
  Add("binary_cross_entropy_with_logits",
          [](Runtime &R, const Args &A, int64_t Reduce) {
            return aten::bceWithLogits(R, A.tensor("input"), A.tensor("target"),
                                       A.tensor("weight"),
                                       A.tensor("pos_weight"), Reduce);
          });
  Add("mse_loss", [](Runtime &R, const Args &A, int64_t Reduce) {
    return aten::pairLoss(R, A.tensor("input"), A.tensor("target"), Reduce,
                          "MseLossBackward0");
  });
  Add("smooth_l1_loss",
          [](Runtime &R, const Args &A, int64_t Reduce) {
            return aten::pairLoss(R, A.tensor("input"), A.tensor("target"),
                                  Reduce, "SmoothL1LossBackward0");
          });
  Add("l1_loss", [](Runtime &R, const Args &A, int64_t Reduce) {
    return aten::l1Loss(R, A.tensor("input"), A.tensor("target"), Reduce);
  });
  Add("huber_loss", [](Runtime &R, const Args &A, int64_t Reduce) {
    return aten::huberLoss(R, A.tensor("input"), A.tensor("target"), Reduce);
  });
  Add("kl_div", [](Runtime &R, const Args &A, int64_t Reduce) {
    return aten::klDiv(R, A.tensor("input"), A.tensor("target"), Reduce,
                       A.boolean("log_target", false));
  });
  Add("margin_ranking_loss",
          [](Runtime &R, const Args &A, int64_t Reduce) {
            return aten::marginRanking(R, A.tensor("input1"),
                                       A.tensor("input2"), A.tensor("target"),
                                       Reduce);
          });
  Add("soft_margin_loss",
          [](Runtime &R, const Args &A, int64_t Reduce) {
            return aten::softMargin(R, A.tensor("input"), A.tensor("target"),
                                    Reduce);
          });
  Rows.push_back({"cosine_similarity",
                  [](Runtime &R, const Args &A) {
                    return one(aten::cosineSimilarity(R, A.tensor("x1"),
                                                      A.tensor("x2"),
                                                      A.integer("dim", 1)));
                  },
                  "eps"});
  Rows.push_back({"normalize",
                  [](Runtime &R, const Args &A) {
                    return one(aten::normalize(R, A.tensor("input"), A.number("p", 2),
                                               A.integer("dim", 1)));
                  },
                  "eps"});
}

} // namespace vramlint
