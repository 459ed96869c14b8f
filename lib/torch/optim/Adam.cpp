//===- lib/torch/optim/Adam.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch::optim::Adam and AdamW. Mirrors torch/csrc/api/src/optim/adam.cpp and
// adamw.cpp; `step` is a plain integer there, not a tensor.

#include "lib/torch/optim/Optimizers.h"
#include "llvm/ADT/MapVector.h"

namespace vramlint {

namespace {
class AdamBase : public Optimizer {
public:
  explicit AdamBase(bool Decoupled) : Decoupled(Decoupled) {}

private:
  struct State {
    TensorRef Average, AverageOfSquares, Maximum;
  };
  const bool Decoupled; ///< AdamW decays the weights themselves.
  llvm::MapVector<const TensorImpl *, State> States;

  void update(Runtime &R, const TensorRef &P) override {
    bool AmsGrad = boolean(R, "amsgrad", false);
    double Decay = number(R, "weight_decay", Decoupled ? 1e-2 : 0);
    TensorRef Gradient = P->Grad;
    if (Decoupled && Decay != 0)
      aten::scalarInPlace(R, P, Scalar(1 - Decay)); // p.mul_(1 - lr * decay)
    State &S = States[P.get()];
    if (!S.Average) {
      S.Average = makeState(R, P);
      S.AverageOfSquares = makeState(R, P);
      if (AmsGrad)
        S.Maximum = makeState(R, P);
    }
    if (!Decoupled && Decay != 0)
      Gradient = aten::add(R, Gradient, P);
    aten::scalarInPlace(R, S.Average, Scalar(0.9)); // mul_(beta1).add_(grad)
    aten::addInPlace(R, S.Average, Gradient);
    aten::scalarInPlace(R, S.AverageOfSquares, Scalar(0.999)); // addcmul_: none
    // denom = (exp_avg_sq.sqrt() / sqrt(bias_correction2)).add_(eps)
    TensorRef Root = aten::sqrt(R, AmsGrad ? S.Maximum : S.AverageOfSquares);
    TensorRef Denominator = aten::div(R, Root, Scalar(0.5));
    aten::scalarInPlace(R, Denominator, Scalar(1e-8));
    Root = nullptr;
    // p.addcdiv_(exp_avg, denom) allocates nothing.
  }
};
} // namespace

std::shared_ptr<Optimizer> makeAdam() {
  return std::make_shared<AdamBase>(/*Decoupled=*/false);
}
std::shared_ptr<Optimizer> makeAdamW() {
  return std::make_shared<AdamBase>(/*Decoupled=*/true);
}

} // namespace vramlint
