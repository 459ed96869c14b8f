//===- lib/torch/optim/Optimizer.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What all optimizers share, and the table of them.

#include "lib/torch/optim/Optimizers.h"

#include "lib/torch/Rules.h"
#include "llvm/ADT/STLExtras.h"

namespace vramlint {

llvm::ArrayRef<OptimizerRow> allOptimizers() {
  static const OptimizerRow Rows[] = {
      {.Name = "Adagrad", .Make = makeAdagrad},
      {.Name = "Adam", .Make = makeAdam},
      {.Name = "AdamW", .Make = makeAdamW},
      {.Name = "LBFGS", .Make = makeLBFGS},
      {.Name = "RMSprop", .Make = makeRMSprop},
      {.Name = "SGD", .Make = makeSGD},
  };
  return Rows;
}

std::shared_ptr<Optimizer> makeOptimizer(Runtime &R, llvm::StringRef Name,
                                         std::vector<TensorRef> Parameters,
                                         OptionMap Options) {
  Name.consume_front("torch::optim::");
  for (const OptimizerRow &Row : allOptimizers()) {
    if (Row.Name != Name)
      continue;
    std::shared_ptr<Optimizer> O = Row.Make();
    O->Name = Name.str();
    O->Parameters = std::move(Parameters);
    O->Options = std::move(Options);
    O->construct(R);
    return O;
  }
  return nullptr;
}

double Optimizer::number(Runtime &R, llvm::StringRef Name, double Default) {
  auto It = Options.find(Name.str());
  if (It == Options.end())
    return Default;
  if (const auto *U = std::get_if<Arg::UnknownArg>(&It->second.V)) {
    if (!llvm::is_contained(Noted, Name)) {
      Noted.push_back(Name.str());
      R.Out.Unknowns.push_back({R.Out.posOf(R.CurrentStack),
                                this->Name + "'s " + Name.str(), U->Why, ""});
    }
    return Default;
  }
  Args A;
  A.add(Name.str(), It->second);
  return A.number(Name, Default);
}

bool Optimizer::boolean(Runtime &R, llvm::StringRef Name, bool Default) {
  return number(R, Name, Default) != 0;
}

void Optimizer::step(Runtime &R) { step(R, nullptr); }

void Optimizer::step(Runtime &R, const std::function<void()> &Closure) {
  if (Closure)
    Closure();
  StepScope Scope(R);
  R.asOp(intern(Name + "::step"), [&] {
    for (const TensorRef &P : Parameters)
      if (P && P->Grad)
        update(R, P);
  });
}

void Optimizer::zeroGrad(Runtime &R, std::optional<bool> SetToNone) {
  // LibTorch 1.x keeps the gradients and fills them with zeros.
  bool Drop = SetToNone.value_or(R.Config.atLeast(2, 0));
  for (const TensorRef &P : Parameters) {
    if (!P || !P->Grad)
      continue;
    if (Drop)
      P->Grad = nullptr;
    else
      P->Grad->GradFn = nullptr; // detach_(); zero_() allocates nothing.
  }
}

} // namespace vramlint
