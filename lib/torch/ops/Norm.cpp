//===- lib/torch/ops/Norm.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Normalisation layers (Normalization.cpp, layer_norm.cpp, group_norm.cpp).

#include "lib/torch/Layout.h"

namespace vramlint {

namespace {

using T = TensorRef;

T vector(Runtime &R, Dim N, DType Type, const T &Like) {
  Shape S;
  S.Dims = {N};
  return R.make(S, Type, Like->Dev);
}

/// Statistics are kept in float32 for half-precision inputs on CUDA.
DType statisticsType(const T &X) {
  bool Half = X->Type == DType::Float16 || X->Type == DType::BFloat16;
  return Half && X->onCuda() ? DType::Float32 : X->Type;
}

//===----------------------------------------------------------------------===//
// batch_norm
//===----------------------------------------------------------------------===//

struct BatchNorm {
  bool Training;
  Dim Channels;
};

/// Channels vary fastest: channels-last images, and all matrices.
bool channelsInnermost(const T &X) {
  return X->rank() == 2 || isChannelsLast(X);
}

bool inOnePiece(const T &X) {
  return !X || X->isContiguous() || isChannelsLast(X);
}

/// The CPU on memory that is not in one piece: TensorIterator does the work.
T batchNormScattered(Runtime &R, const BatchNorm &B, const T &X, const T &W,
                     const T &Bias, const T &Var, T &Mean, T &InvStd) {
  DType Type = statisticsType(X);
  llvm::SmallVector<int64_t, 4> Over{0};
  for (unsigned I = 2; I < X->rank(); ++I)
    Over.push_back(I);
  T Scale;
  if (B.Training && !Mean) {
    Mean = aten::mean(R, X, Over, false);
    InvStd = vector(R, B.Channels, Type, X);
  } else if (!B.Training) { // 1 / sqrt(running_var + eps)
    T Sum = aten::add(R, Var, Scalar(1.0));
    T Root = aten::sqrt(R, Sum);
    Scale = aten::emptyLike(R, Root);
  }
  T One = W ? nullptr : aten::scalarLike(R, X);
  T Zero = Bias ? nullptr : aten::scalarLike(R, X);
  return makeAs(R, X->Sizes, X, isChannelsLast(X));
}

T batchNormForward(Runtime &R, const BatchNorm &B, const T &X, const T &W,
                   const T &Bias, const T &Running, const T &Var, T &Mean,
                   T &InvStd) {
  R.flops(saturatingMul({B.Training ? 6 : 2, X->elements()}));
  DType Type = statisticsType(X);
  auto Temp = [&] { return vector(R, B.Channels, Type, X); };
  if (X->onCuda()) {
    T Out = aten::emptyLike(R, X);
    Mean = B.Training ? Temp() : nullptr;
    InvStd = B.Training ? Temp() : nullptr;
    return Out;
  }
  bool Parts = inOnePiece(W) && inOnePiece(Bias) && inOnePiece(Running) &&
               inOnePiece(Var);
  if (!inOnePiece(X))
    return batchNormScattered(R, B, X, W, Bias, Var, Mean, InvStd);
  if (B.Training) {
    Mean = Temp();
    InvStd = Temp();
    T A = Temp(), C = Temp();
    T Sums = channelsInnermost(X) ? Temp() : nullptr;
  }
  if (!Parts)
    return batchNormScattered(R, B, X, W, Bias, Var, Mean, InvStd);
  T Out = aten::emptyLike(R, X);
  T Alpha = Temp(), Beta = Temp();
  return Out;
}

Grads batchNormBackward(Runtime &R, const BatchNorm &B, Node &N, const T &G) {
  const T &X = N.saved(0);
  DType Type = statisticsType(X);
  auto Temp = [&] { return vector(R, B.Channels, Type, X); };
  Grads Out(3);
  R.flops(saturatingMul({8, X->elements()}));
  if (X->onCuda()) {
    T Own = aten::contiguous(R, G);
    Out[0] = aten::emptyLike(R, X);
    if (N.saved(1)) {
      Out[1] = Temp();
      Out[2] = Temp();
    }
    return Out;
  }
  if (N.needs(0))
    Out[0] = makeAs(R, X->Sizes, X, isChannelsLast(X));
  if (N.needs(1))
    Out[1] = Temp();
  if (N.needs(2))
    Out[2] = Temp();
  bool Last = isChannelsLast(X) && isChannelsLast(G);
  if (!Last && (!G->isContiguous() || !X->isContiguous())) {
    T Sum = Temp();
    return Out;
  }
  if (N.needs(0))
    aten::emptyLike(R, X);
  if (channelsInnermost(X)) {
    T Ones = N.saved(1) ? nullptr : Temp(); // In place of a weight.
    T InvStd = B.Training ? nullptr : Temp();
    T Sums = vector(R, B.Channels * Dim(2), Type, X); // One row per thread.
    Sums = nullptr;
  }
  return Out;
}

T batchNorm(Runtime &R, const T &X, const T &W, const T &Bias, const T &Mean,
            const T &Var, bool Training) {
  if (!X || R.failed())
    return nullptr;
  if (X->rank() < 2) {
    R.fail("batch_norm expects at least 2 dimensions, got " + X->Sizes.str());
    return nullptr;
  }
  BatchNorm B = {Training, X->size(1)};
  for (const T &P : {W, Bias, Mean, Var})
    if (P && P->elements() >= 0 && B.Channels.known() &&
        P->elements() != B.Channels.Length) {
      R.fail("batch_norm: expected " + std::to_string(P->elements()) +
             " channels, got " + std::to_string(B.Channels.Length) +
             ": input " + X->Sizes.str());
      return nullptr;
    }
  Record Rec(R, "NativeBatchNormBackward0", {X, W, Bias});
  Rec.save(X).save(W).save(Mean).save(Var);
  T SaveMean, SaveInvStd;
  T Out = batchNormForward(R, B, X, W, Bias, Mean, Var, SaveMean, SaveInvStd);
  Rec.saveResult(SaveMean).saveResult(SaveInvStd);
  return Rec.result(Out, [B](Runtime &R, Node &N, Grads &G) {
    return batchNormBackward(R, B, N, G[0]);
  });
}

OpResult batchNormRow(Runtime &R, const Args &A) {
  T X = A.tensor("input"), W = A.tensor("weight"), Bias = A.tensor("bias");
  T Mean = A.tensor("running_mean"), Var = A.tensor("running_var");
  return one(batchNorm(R, X, W, Bias, Mean, Var, A.boolean("training", false)));
}

OpResult instanceNormRow(Runtime &R, const Args &A) {
  T X = A.tensor("input"), W = A.tensor("weight"), Bias = A.tensor("bias");
  T Mean = A.tensor("running_mean"), Var = A.tensor("running_var");
  bool UseInput = A.boolean("use_input_stats", true);
  if (!X)
    return OpResult::failed("instance_norm of an undefined tensor", FailureKind::Other);
  if (X->rank() < 3) {
    R.fail("instance_norm expects at least 3 dimensions, got " +
           X->Sizes.str());
    return one(nullptr);
  }
  // The batch is folded into the channels, and parameters are repeated.
  auto Repeat = [&](const T &P) {
    Args Call;
    Call.add("self", P);
    Call.add("repeats", Arg::Ints{X->size(0).known() ? Arg::Int(X->size(0).Length)
                                                     : std::nullopt});
    if (!P)
      return T();
    OpResult Out = R.call("repeat", Call);
    return Out.Kind == OpResult::Ok ? std::get<T>(Out.Values[0].V) : T();
  };
  Shape Folded = X->Sizes, From = X->Sizes;
  Folded.Dims[0] = Dim(1);
  Folded.Dims[1] = X->size(0) * X->size(1);
  T W2 = Repeat(W), Bias2 = Repeat(Bias), Mean2 = Repeat(Mean), Var2 = Repeat(Var);
  T Flat = aten::view(R, aten::contiguous(R, X), Folded);
  T Out = batchNorm(R, Flat, W2, Bias2, Mean2, Var2, UseInput);
  return one(Out ? aten::view(R, Out, From) : nullptr);
}

//===----------------------------------------------------------------------===//
// layer_norm, group_norm
//===----------------------------------------------------------------------===//

OpResult layerNormRow(Runtime &R, const Args &A) {
  T X = A.tensor("input"), W = A.tensor("weight"), Bias = A.tensor("bias");
  Arg::Ints Over = A.ints("normalized_shape");
  if (!X)
    return OpResult::failed("layer_norm of an undefined tensor", FailureKind::Other);
  bool Fits = Over.size() <= X->rank() && !Over.empty();
  for (size_t I = 0; Fits && I < Over.size(); ++I) {
    Dim Want = toDim(Over[I]), Have = X->size(X->rank() - Over.size() + I);
    Fits &= !Want.known() || !Have.known() || Want == Have;
  }
  if (!Fits) {
    R.fail("layer_norm: the last dimensions of " + X->Sizes.str() +
           " are not the normalized shape");
    return one(nullptr);
  }
  Dim M(1), N(1);
  for (unsigned I = 0; I < X->rank(); ++I)
    (I < X->rank() - Over.size() ? M : N) =
        (I < X->rank() - Over.size() ? M : N) * X->size(I);
  Record Rec(R, "NativeLayerNormBackward0", {X, W, Bias});
  Rec.save(X).save(W).save(Bias);
  R.flops(saturatingMul({8, X->elements()}));
  T Own = aten::contiguous(R, X);
  T OwnW = W ? aten::contiguous(R, W) : W, OwnBias = Bias ? aten::contiguous(R, Bias) : Bias;
  T Out = aten::emptyContiguous(R, X);
  DType Type = statisticsType(X);
  T Mean = vector(R, M, Type, X), RStd = vector(R, M, Type, X);
  Rec.saveResult(Mean).saveResult(RStd);
  return one(Rec.result(Out, [N](Runtime &R, Node &Nd, Grads &G) {
    Grads Out(3);
    const T &X = Nd.saved(0), &W = Nd.saved(1), &Bias = Nd.saved(2);
    R.flops(saturatingMul({12, X->elements()}));
    T OwnX = aten::contiguous(R, X), OwnW = W ? aten::contiguous(R, W) : W;
    T OwnBias = Bias ? aten::contiguous(R, Bias) : Bias;
    if (Nd.needs(0))
      Out[0] = aten::emptyContiguous(R, X);
    if (Nd.needs(1))
      Out[1] = aten::emptyContiguous(R, W);
    if (Nd.needs(2))
      Out[2] = aten::emptyContiguous(R, Bias);
    T Own = aten::contiguous(R, G[0]);
    if (!X->onCuda() && (Nd.needs(1) || Nd.needs(2)))
      vector(R, N * Dim(2), X->Type, X); // One row per thread, for both.
    return Out;
  }));
}

OpResult groupNormRow(Runtime &R, const Args &A) {
  T X = A.tensor("input"), W = A.tensor("weight"), Bias = A.tensor("bias");
  Dim Groups = toDim(A.integer("num_groups"));
  if (!X || X->rank() < 2)
    return OpResult::failed("group_norm expects at least 2 dimensions");
  Dim C = X->size(1);
  if (C.known() && Groups.known() &&
      (Groups.Length == 0 || C.Length % Groups.Length != 0)) {
    R.fail("group_norm: " + std::to_string(C.Length) +
           " channels are not divisible by " + std::to_string(Groups.Length) +
           " groups");
    return one(nullptr);
  }
  // The copies are what autograd sees.
  bool Last = isChannelsLast(X) && !X->onCuda();
  X = contiguousAs(R, X, Last);
  W = W ? aten::contiguous(R, W) : W;
  Bias = Bias ? aten::contiguous(R, Bias) : Bias;
  Record Rec(R, "NativeGroupNormBackward0", {X, W, Bias});
  Rec.save(X).save(W);
  R.flops(saturatingMul({8, X->elements()}));
  T Out = makeAs(R, X->Sizes, X, Last);
  DType Type = statisticsType(X);
  T Mean = vector(R, X->size(0) * Groups, Type, X);
  T RStd = vector(R, X->size(0) * Groups, Type, X);
  if (Last) // A row for each sample: sums and sums of squares.
    vector(R, X->size(0) * C * Dim(2), Type, X);
  Rec.saveResult(Mean).saveResult(RStd);
  return one(Rec.result(Out, [C](Runtime &R, Node &N, Grads &G) {
    Grads Out(3);
    const T &X = N.saved(0);
    R.flops(saturatingMul({12, X->elements()}));
    T Own = aten::contiguous(R, G[0]), OwnX = aten::contiguous(R, X);
    if (N.needs(0))
      Out[0] = aten::emptyContiguous(R, X);
    if (N.needs(1))
      Out[1] = vector(R, C, X->Type, X);
    if (N.needs(2))
      Out[2] = vector(R, C, X->Type, X);
    T Ds = vector(R, X->size(0) * C, X->Type, X);
    T Db = vector(R, X->size(0) * C, X->Type, X);
    return Out;
  }));
}

} // namespace

void addNormOps(OpTable &Rows) {
  const llvm::StringRef Numbers = "momentum,eps,cudnn_enabled,cudnn_enable";
  Rows.push_back({"batch_norm", batchNormRow, Numbers});
  Rows.push_back({"instance_norm", instanceNormRow, Numbers});
  Rows.push_back({"layer_norm", layerNormRow, Numbers});
  Rows.push_back({"group_norm", groupNormRow, Numbers});
}

} // namespace vramlint
