//===- lib/torch/modules/Linear.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Rows: fully-connected layers, and those that only change the shape.

#include "lib/torch/modules/ModuleRow.h"

namespace vramlint {

static void buildLinear(BuiltinModule &M) {
  Dim In = M.dim("in_features"), Out = M.dim("out_features");
  if (M.R.If.Pool.Linear == M.Id)
    In = In / Dim(M.R.If.Pool.Positions);
  M.parameter("weight", {Out, In});
  M.parameter("bias", {Out}, M.boolean("bias", true));
}

/// Each channel's mean over its positions, of features that were flattened.
static Arg pooled(BuiltinModule &M, const TensorRef &X) {
  const WhatIf::Pooling &P = M.R.If.Pool;
  if (!X || X->rank() < 2)
    return Arg(X);
  Arg::Ints Sizes;
  for (unsigned I = 0; I + 1 < X->rank(); ++I)
    Sizes.push_back(X->size(I).Length);
  Sizes.push_back(X->size(X->rank() - 1).Length / P.Positions);
  Sizes.push_back(P.Positions);
  Args View, Mean;
  View.add("self", Arg(X));
  View.add("size", Arg(Sizes));
  OpResult Seen = M.R.call("view", View);
  if (Seen.Kind != OpResult::Ok)
    return Arg(X);
  Mean.add("self", Seen.Values[0]);
  Mean.add("dim", Arg(Arg::Ints{-1}));
  OpResult Result = M.R.call("mean", Mean);
  return Result.Kind == OpResult::Ok ? Result.Values[0] : Arg(X);
}

static OpResult forwardLinear(BuiltinModule &M, Args &A) {
  Args Call;
  Call.add("input", M.R.If.Pool.Linear == M.Id ? pooled(M, nthTensor(A, 0)) : nth(A, 0));
  Call.add("weight", M.own("weight"));
  Call.add("bias", M.own("bias"));
  return M.R.call("functional_linear", Call);
}

static void buildBilinear(BuiltinModule &M) {
  Dim In1 = M.dim("in1_features"), In2 = M.dim("in2_features");
  Dim Out = M.dim("out_features");
  M.parameter("weight", {Out, In1, In2});
  M.parameter("bias", {Out}, M.boolean("bias", true));
}

static OpResult forwardBilinear(BuiltinModule &M, Args &A) {
  Args Call;
  Call.add("input1", nth(A, 0));
  Call.add("input2", nth(A, 1));
  Call.add("weight", M.own("weight"));
  Call.add("bias", M.own("bias"));
  return M.R.call("bilinear", Call);
}

static OpResult forwardIdentity(BuiltinModule &, Args &A) {
  return OpResult::one(nth(A, 0));
}

static OpResult forwardFlatten(BuiltinModule &M, Args &A) {
  Args Call;
  Call.add("input", nth(A, 0));
  Call.add("start_dim", Arg(M.integer("start_dim", 1)));
  Call.add("end_dim", Arg(M.integer("end_dim", -1)));
  return M.R.call("flatten", Call);
}

static OpResult forwardUnflatten(BuiltinModule &M, Args &A) {
  Args Call;
  Call.add("input", nth(A, 0));
  Call.add("dim", Arg(M.integer("dim", 0)));
  Call.add("sizes", Arg(M.Given.ints("sizes")));
  return M.R.call("unflatten", Call);
}

llvm::ArrayRef<ModuleRow> linearModules() {
  static const ModuleRow Rows[] = {
      {.Class = "Bilinear", .Build = buildBilinear, .Forward = forwardBilinear,
       .Shown = "in1_features,in2_features,out_features"},
      {.Class = "Flatten", .Forward = forwardFlatten},
      {.Class = "Identity", .Forward = forwardIdentity},
      {.Class = "Linear", .Build = buildLinear, .Forward = forwardLinear,
       .Shown = "in_features,out_features"},
      {.Class = "Unflatten", .Forward = forwardUnflatten},
  };
  return Rows;
}

} // namespace vramlint
