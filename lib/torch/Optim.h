//===- lib/torch/Optim.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Optimizers: state and temporaries of every step (optim/*.cpp).

#pragma once

#include "lib/torch/Runtime.h"

namespace vramlint {

class Optimizer {
public:
  virtual ~Optimizer() = default;
  /// The order of parameters is the order of the program's list.
  std::vector<TensorRef> Parameters;
  OptionMap Options;           ///< momentum, amsgrad …; scalars only.
  std::string Name;            ///< "SGD", "Adam".
  virtual void step(Runtime &R) = 0;
  /// \p SetToNone: nothing given: the LibTorch version's default.
  void zeroGrad(Runtime &R, std::optional<bool> SetToNone);
};

/// "SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "LBFGS"; null if there is none.
std::shared_ptr<Optimizer> makeOptimizer(Runtime &R, llvm::StringRef Name,
                                         std::vector<TensorRef> Parameters,
                                         OptionMap Options);

} // namespace vramlint
