//===- lib/torch/optim/RmsProp.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch::optim::RMSprop. Mirrors torch/csrc/api/src/optim/rmsprop.cpp.

#include "lib/torch/optim/Optimizers.h"
#include "llvm/ADT/MapVector.h"

namespace vramlint {

namespace {
class RmsProp : public Optimizer {
  struct State {
    TensorRef AverageOfSquares, Momentum, Average;
  };
  llvm::MapVector<const TensorImpl *, State> States;

  void update(Runtime &R, const TensorRef &P) override {
    double Momentum = number(R, "momentum", 0);
    bool Centered = boolean(R, "centered", false);
    State &S = States[P.get()];
    if (!S.AverageOfSquares) {
      S.AverageOfSquares = makeState(R, P);
      if (Momentum > 0)
        S.Momentum = makeState(R, P);
      if (Centered)
        S.Average = makeState(R, P);
    }
    TensorRef Gradient = P->Grad;
    if (number(R, "weight_decay", 0) != 0)
      Gradient = aten::add(R, Gradient, P);
    aten::scalarInPlace(R, S.AverageOfSquares, Scalar(0.99)); // addcmul_: none
    if (Centered) {
      aten::scalarInPlace(R, S.Average, Scalar(0.99));
      aten::addInPlace(R, S.Average, Gradient);
    }
    // Centered: addcmul(grad_avg, grad_avg).sqrt_(), one tensor as well.
    TensorRef Root = aten::sqrt(R, S.AverageOfSquares);
    aten::scalarInPlace(R, Root, Scalar(1e-8)); // add_(eps)
    if (Momentum > 0)
      aten::scalarInPlace(R, S.Momentum, Scalar(Momentum)); // addcdiv_: none
  }
};
} // namespace

std::shared_ptr<Optimizer> makeRMSprop() { return std::make_shared<RmsProp>(); }

} // namespace vramlint
