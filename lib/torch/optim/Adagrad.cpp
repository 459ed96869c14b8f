//===- lib/torch/optim/Adagrad.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch::optim::Adagrad. Mirrors torch/csrc/api/src/optim/adagrad.cpp: the sums
// exist from construction on.

#include "lib/torch/optim/Optimizers.h"
#include "llvm/ADT/MapVector.h"

namespace vramlint {

namespace {
class Adagrad : public Optimizer {
  llvm::MapVector<const TensorImpl *, TensorRef> Sums;

  void construct(Runtime &R) override {
    for (const TensorRef &P : Parameters)
      if (P)
        Sums[P.get()] = makeState(R, P);
  }

  void update(Runtime &R, const TensorRef &P) override {
    TensorRef &Sum = Sums[P.get()];
    if (!Sum) // A parameter group added later.
      Sum = makeState(R, P);
    TensorRef Gradient = P->Grad;
    if (number(R, "weight_decay", 0) != 0)
      Gradient = aten::add(R, Gradient, P);
    TensorRef Root = aten::sqrt(R, Sum); // sum.addcmul_: none
    aten::scalarInPlace(R, Root, Scalar(1e-10));
  }
};
} // namespace

std::shared_ptr<Optimizer> makeAdagrad() { return std::make_shared<Adagrad>(); }

} // namespace vramlint
