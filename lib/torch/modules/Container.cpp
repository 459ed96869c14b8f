//===- lib/torch/modules/Container.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Rows: containers. The plug-in registers children under the names that LibTorch
// gives them ("0", "1" …); forward of a Sequential hands each result on.

#include "lib/torch/modules/ModuleRow.h"

namespace vramlint {

/// \p Steps one after the other, each on what the last gave. As AnyModule does: a
/// step is given its input, to keep or to drop.
static OpResult runSteps(llvm::ArrayRef<Module::Child> Steps, Args Next) {
  OpResult Result;
  for (const Module::Child &Step : Steps) {
    if (!Step.M)
      return OpResult::notModelled("a module in a Sequential is not known");
    Result = Step.M->callForward(std::move(Next));
    if (Result.Kind != OpResult::Ok)
      return Result;
    Next.List.clear();
    if (&Step != &Steps.back())
      for (Arg &V : Result.Values)
        Next.add("input", std::move(V));
  }
  return Result;
}

/// What-if: the children from S.First to S.Last as one step that is recomputed.
static OpResult runRecomputed(BuiltinModule &M, const std::vector<Module::Child> &Steps,
                              const WhatIf::Segment &S, Args Next) {
  std::vector<Module::Child> Middle(Steps.begin() + S.First, Steps.begin() + S.Last + 1);
  std::vector<TensorRef> Own;
  for (const Module::Child &C : Middle)
    for (auto &[Name, T] : C.M ? C.M->parameters(true) : decltype(C.M->parameters(true)){})
      if (T)
        Own.push_back(T);
  OpResult Result;
  if (S.First) {
    Result = runSteps(llvm::ArrayRef(Steps).take_front(S.First), std::move(Next));
    if (Result.Kind != OpResult::Ok)
      return Result;
    Next = Args();
    for (Arg &V : Result.Values)
      Next.add("input", std::move(V));
  }
  Result = recomputed(M.R, Own, Next, [Middle](Args &A) { return runSteps(Middle, A); });
  if (Result.Kind != OpResult::Ok || S.Last + 1 == Steps.size())
    return Result;
  Next = Args();
  for (Arg &V : Result.Values)
    Next.add("input", std::move(V));
  return runSteps(llvm::ArrayRef(Steps).drop_front(S.Last + 1), std::move(Next));
}

static OpResult forwardSequential(BuiltinModule &M, Args &A) {
  if (M.Children.empty())
    return OpResult::failed("cannot call forward() on an empty Sequential");
  std::vector<Module::Child> Steps = M.Children; // They may change while they run.
  const WhatIf::Segment &S = M.R.If.Recompute;
  if (S.Module == M.Id && S.Last < Steps.size() && S.First <= S.Last)
    return runRecomputed(M, Steps, S, std::move(A));
  return runSteps(Steps, std::move(A));
}

static OpResult forwardFunctional(BuiltinModule &M, Args &) {
  return OpResult::notModelled("the function in " + M.ClassName + " is not known");
}

llvm::ArrayRef<ModuleRow> containerModules() {
  static const ModuleRow Rows[] = {
      {.Class = "AnyModule", .Forward = forwardSequential},
      {.Class = "Functional", .Forward = forwardFunctional},
      {.Class = "ModuleDict"},
      {.Class = "ModuleList"},
      {.Class = "ParameterDict"},
      {.Class = "ParameterList"},
      {.Class = "Sequential", .Forward = forwardSequential},
  };
  return Rows;
}

} // namespace vramlint
