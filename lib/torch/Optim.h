//===- lib/torch/Optim.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Optimizers: state and temporaries of every step (optim/*.cpp).

#pragma once

#include "lib/torch/Runtime.h"
#include "llvm/ADT/ArrayRef.h"
#include <functional>

namespace vramlint {

class Optimizer {
public:
  virtual ~Optimizer() = default;
  /// The order of parameters is the order of the program's list.
  std::vector<TensorRef> Parameters;
  OptionMap Options;           ///< momentum, amsgrad …; scalars only.
  std::string Name;            ///< "SGD", "Adam".
  /// One step: PhaseBegin, what LibTorch's step() allocates, PhaseEnd. Parameters
  /// without a gradient are passed over.
  void step(Runtime &R);
  /// step(closure): the closure runs the model again and its backward; LBFGS calls
  /// it several times, the others once before the step.
  virtual void step(Runtime &R, const std::function<void()> &Closure);
  /// \p SetToNone: nothing given: the LibTorch version's default.
  void zeroGrad(Runtime &R, std::optional<bool> SetToNone);

protected:
  friend std::shared_ptr<Optimizer>
  makeOptimizer(Runtime &, llvm::StringRef, std::vector<TensorRef>, OptionMap);
  /// What the constructor allocates.
  virtual void construct(Runtime &R) {}
  /// The step of one parameter, which has a gradient.
  virtual void update(Runtime &R, const TensorRef &P) {}
  /// A scalar option; one that is not known counts as \p Default, and the trace
  /// says so.
  double number(Runtime &R, llvm::StringRef Name, double Default);
  bool boolean(Runtime &R, llvm::StringRef Name, bool Default);

private:
  std::vector<std::string> Noted; ///< Unknown options already in the trace.
};

/// A row of optim/*.cpp.
struct OptimizerRow {
  llvm::StringRef Name;
  std::shared_ptr<Optimizer> (*Make)();
};
llvm::ArrayRef<OptimizerRow> allOptimizers();

/// "SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "LBFGS"; null if there is none.
std::shared_ptr<Optimizer> makeOptimizer(Runtime &R, llvm::StringRef Name,
                                         std::vector<TensorRef> Parameters,
                                         OptionMap Options);

} // namespace vramlint
