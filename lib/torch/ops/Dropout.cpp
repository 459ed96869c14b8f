//===- lib/torch/ops/Dropout.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Dropout. The CPU multiplies by a float mask (Dropout.cpp); CUDA has a kernel
// with a bool mask.

#include "lib/torch/Rules.h"

namespace vramlint {

using T = TensorRef;

/// The mask that a channel of a feature dropout shares.
static Shape featureShape(const T &X) {
  Shape S;
  S.Dims.assign(X->rank(), Dim(1));
  S.Dims[0] = X->size(0);
  S.Dims[1] = X->size(1);
  S.Why = X->Sizes.Why;
  return S;
}

static T nativeDropout(Runtime &R, const T &X) {
  Record Rec(R, "NativeDropoutBackward0", {X});
  T Out = aten::emptyLike(R, X);
  T Mask = aten::emptyLike(R, X, DType::Bool);
  R.flops(X->elements());
  Rec.saveResult(Mask);
  return Rec.result(Out, [](Runtime &R, Node &N, Grads &G) {
    return Grads{aten::emptyLike(R, G[0])};
  });
}

/// _dropout_impl: a noise tensor of zeros and 1/(1-p), then a product.
static T maskedDropout(Runtime &R, const T &X, bool Feature, bool Alpha,
                       bool InPlace) {
  T Noise, Shift;
  {
    BelowAutograd Guard(R);
    Noise = Feature ? R.make(featureShape(X), X->Type, X->Dev)
                    : aten::emptyLike(R, X);
    if (Alpha) {
      Shift = aten::add(R, Noise, Scalar(-1));
      aten::scalarInPlace(R, Shift, Scalar(1.5));
      aten::scalarInPlace(R, Shift, Scalar(1.5));
      aten::scalarInPlace(R, Noise, Scalar(1.5));
    } else {
      aten::scalarInPlace(R, Noise, Scalar(0.5));
    }
  }
  Args A;
  A.add("self", X);
  A.add("other", Noise);
  if (InPlace) {
    R.call("mul_", A);
    if (!Alpha)
      return X;
    Args B;
    B.add("self", X);
    B.add("other", Shift);
    R.call("add_", B);
    return X;
  }
  T Out = aten::mul(R, X, Noise);
  if (Alpha && Out) {
    Args B;
    B.add("self", Out);
    B.add("other", Shift);
    R.call("add_", B);
  }
  return Out;
}

static T dropoutImpl(Runtime &R, const T &X, double P, bool Train, bool Feature,
                     bool Alpha, bool InPlace) {
  if (!X || R.failed())
    return nullptr;
  if (P == 0 || !Train || X->elements() == 0)
    return X;
  if (P == 1) {
    T Zero = aten::scalarLike(R, X);
    if (!InPlace)
      return aten::mul(R, X, Zero);
    Args B;
    B.add("self", X);
    B.add("other", Zero);
    R.call("mul_", B);
    return X;
  }
  if (Feature && X->rank() < 2) {
    R.fail("feature dropout requires at least 2 dimensions, got " +
           X->Sizes.str());
    return nullptr;
  }
  if (X->onCuda() && !Feature && !Alpha && !InPlace)
    return nativeDropout(R, X);
  return maskedDropout(R, X, Feature, Alpha, InPlace);
}

T aten::dropout(Runtime &R, const T &X, double P, bool Train) {
  return dropoutImpl(R, X, P, Train, false, false, false);
}

void addDropoutOps(OpTable &Rows) {
  struct Kind { llvm::StringRef Name; bool Feature, Alpha; };
  static const Kind Kinds[] = {{"dropout", false, false},
                               {"feature_dropout", true, false},
                               {"dropout2d", true, false},
                               {"dropout3d", true, false},
                               {"alpha_dropout", false, true},
                               {"feature_alpha_dropout", true, true}};
  for (const Kind &K : Kinds) {
    auto Run = [K](Runtime &R, const Args &A, bool InPlace) {
      // at:: says train, F:: says training (true if not given).
      bool Train = A.boolean("train", A.boolean("training", true));
      return one(dropoutImpl(R, A.tensor("input"), A.number("p", 0.5), Train,
                             K.Feature, K.Alpha,
                             InPlace || A.boolean("inplace", false)));
    };
    Rows.push_back({K.Name,
                    [Run](Runtime &R, const Args &A) { return Run(R, A, false); },
                    "p"});
    Rows.push_back({intern((K.Name + "_").str()),
                    [Run](Runtime &R, const Args &A) { return Run(R, A, true); },
                    "p"});
  }
}

} // namespace vramlint
