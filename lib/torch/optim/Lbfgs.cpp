//===- lib/torch/optim/Lbfgs.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch::optim::LBFGS without line search. Mirrors torch/csrc/api/src/optim/
// lbfgs.cpp. When it converges depends on data: here it runs all of max_iter, and
// the history always grows; the trace says so.

#include "lib/torch/optim/Optimizers.h"
#include <deque>

namespace vramlint {

namespace {
class Lbfgs : public Optimizer {
  TensorRef Direction, PreviousGradient, Scale;
  std::deque<TensorRef> Directions, Steps, Products;
  int64_t Iterations = 0;
  bool Noted = false;

  Shape flatShape() {
    Shape S;
    Dim N(0);
    for (const TensorRef &P : Parameters)
      if (P)
        N = N + Dim(P->Sizes.elements());
    S.Dims = {N};
    return S;
  }
  TensorRef flat(Runtime &R) {
    const TensorRef &P = Parameters.front();
    return R.make(flatShape(), P->Type, P->Dev);
  }
  TensorRef scalar(Runtime &R) {
    const TensorRef &P = Parameters.front();
    return R.make(Shape(), P->Type, P->Dev);
  }
  TensorRef state(Runtime &R, TensorRef T) {
    R.recategorize(T, Category::OptimizerState);
    return T;
  }
  /// abs().max() and the like.
  void reduce(Runtime &R) {
    TensorRef Absolute = flat(R);
    TensorRef Result = scalar(R);
  }
  /// a.dot(b) * ro[i]
  TensorRef dotTimes(Runtime &R) {
    TensorRef Dot = scalar(R);
    return scalar(R);
  }

  void newDirection(Runtime &R) {
    TensorRef Y = state(R, flat(R));
    TensorRef S = state(R, aten::mul(R, Direction, Scalar(0.5)));
    TensorRef Ys = scalar(R);
    if (int64_t(Directions.size()) == int64_t(number(R, "history_size", 100))) {
      Directions.pop_front();
      Steps.pop_front();
      Products.pop_front();
    }
    Directions.push_back(Y);
    Steps.push_back(S);
    {
      TensorRef Reciprocal = scalar(R);
      Products.push_back(state(R, scalar(R)));
    }
    {
      TensorRef Dot = scalar(R);
      Scale = state(R, scalar(R));
    }
    std::vector<TensorRef> Al;
    TensorRef Q = flat(R);
    for (size_t I = Directions.size(); I--;)
      Al.push_back(dotTimes(R));
    Direction = state(R, flat(R));
    Q = nullptr;
    for (size_t I = 0; I < Directions.size(); ++I) {
      TensorRef Be = dotTimes(R);
      TensorRef Difference = scalar(R);
    }
  }

  void iterate(Runtime &R, const std::function<void()> &Closure) {
    int64_t Most = int64_t(number(R, "max_iter", 20));
    TensorRef Gradient = flat(R);
    reduce(R);
    for (int64_t I = 1; I <= Most; ++I) {
      if (++Iterations == 1) {
        Direction = state(R, flat(R));
        Scale = R.make(Shape(), DType::Int64, Device{}, Category::OptimizerState, "LBFGS");
      } else {
        newDirection(R);
      }
      if (!PreviousGradient)
        PreviousGradient = state(R, flat(R));
      if (Iterations == 1)
        reduce(R);
      TensorRef Gtd = scalar(R);
      if (I == Most)
        break;
      closure(R, Closure);
      Gradient = flat(R);
      reduce(R);
      TensorRef Moved = aten::mul(R, Direction, Scalar(0.5));
      reduce(R);
    }
  }

  /// The closure records a graph and is no part of the step's phase.
  static void closure(Runtime &R, const std::function<void()> &Closure) {
    if (!Closure)
      return;
    unsigned Below = R.Below;
    Phase In = R.In;
    bool GradMode = R.GradMode;
    R.Below = 0;
    R.In = Phase::Forward;
    R.GradMode = true;
    Closure();
    R.Below = Below;
    R.In = In;
    R.GradMode = GradMode;
  }

public:
  void step(Runtime &R, const std::function<void()> &Closure) override {
    if (!Noted) {
      Noted = true;
      R.Out.Unknowns.push_back(
          {R.Out.posOf(R.CurrentStack), "iterations of LBFGS",
           "it stops when it has converged; all of max_iter counted", ""});
    }
    closure(R, Closure);
    if (Parameters.empty() || !Parameters.front())
      return;
    StepScope Scope(R);
    R.asOp("LBFGS::step", [&] { iterate(R, Closure); });
  }
};
} // namespace

std::shared_ptr<Optimizer> makeLBFGS() { return std::make_shared<Lbfgs>(); }

} // namespace vramlint
