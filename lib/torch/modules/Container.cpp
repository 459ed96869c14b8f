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

static OpResult forwardSequential(BuiltinModule &M, Args &A) {
  if (M.Children.empty())
    return OpResult::failed("cannot call forward() on an empty Sequential");
  // As AnyModule does: a step is given its input, to keep or to drop.
  std::vector<Module::Child> Steps = M.Children;
  OpResult Result;
  for (unsigned I = 0; I < Steps.size(); ++I) {
    if (!Steps[I].M)
      return OpResult::notModelled("a module in a Sequential is not known");
    Args Next;
    if (I)
      for (Arg &V : Result.Values)
        Next.add("input", std::move(V));
    else
      Next = std::move(A);
    Result = Steps[I].M->callForward(std::move(Next));
    if (Result.Kind != OpResult::Ok)
      return Result;
  }
  return Result;
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
