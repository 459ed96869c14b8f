//===- lib/torch/optim/Sgd.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch::optim::SGD. Mirrors torch/csrc/api/src/optim/sgd.cpp.

#include "lib/torch/optim/Optimizers.h"
#include "llvm/ADT/MapVector.h"

namespace vramlint {

namespace {
class Sgd : public Optimizer {
  llvm::MapVector<const TensorImpl *, TensorRef> MomentumBuffers;

  void update(Runtime &R, const TensorRef &P) override {
    double Momentum = number(R, "momentum", 0);
    TensorRef Change = P->Grad;
    if (number(R, "weight_decay", 0) != 0)
      Change = aten::add(R, Change, P); // d_p.add(p, weight_decay)
    if (Momentum != 0) {
      TensorRef &Buffer = MomentumBuffers[P.get()];
      if (!Buffer) {
        Buffer = makeState(R, Change); // clone(d_p)
      } else {
        aten::scalarInPlace(R, Buffer, Scalar(Momentum));
        aten::addInPlace(R, Buffer, Change);
      }
      if (boolean(R, "nesterov", false))
        Change = aten::add(R, Change, Buffer);
      else
        Change = Buffer;
    }
    aten::addInPlace(R, P, Change);
  }
};
} // namespace

std::shared_ptr<Optimizer> makeSGD() { return std::make_shared<Sgd>(); }

} // namespace vramlint
