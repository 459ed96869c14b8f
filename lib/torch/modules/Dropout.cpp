//===- lib/torch/modules/Dropout.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Rows: dropout layers.

#include "lib/torch/modules/ModuleRow.h"

namespace vramlint {

static OpResult drop(BuiltinModule &M, const Args &A, llvm::StringRef Op) {
  double P = M.number("p", 0.5);
  Args Call;
  Call.add("input", nth(A, 0));
  Call.add("p", Arg(P));
  Call.add("train", Arg(M.Training));
  bool InPlace = M.boolean("inplace", false);
  return M.R.call(InPlace ? Op.str() + "_" : Op.str(), Call);
}

static OpResult forwardDropout(BuiltinModule &M, Args &A) { return drop(M, A, "dropout"); }
static OpResult forwardFeature(BuiltinModule &M, Args &A) { return drop(M, A, "feature_dropout"); }
static OpResult forwardAlpha(BuiltinModule &M, Args &A) { return drop(M, A, "alpha_dropout"); }
static OpResult forwardFeatureAlpha(BuiltinModule &M, Args &A) { return drop(M, A, "feature_alpha_dropout"); }

llvm::ArrayRef<ModuleRow> dropoutModules() {
  static const ModuleRow Rows[] = {
      {.Class = "AlphaDropout", .Forward = forwardAlpha, .Shown = "p"},
      {.Class = "Dropout", .Forward = forwardDropout, .Shown = "p"},
      {.Class = "Dropout2d", .Forward = forwardFeature, .Shown = "p"},
      {.Class = "Dropout3d", .Forward = forwardFeature, .Shown = "p"},
      {.Class = "FeatureAlphaDropout", .Forward = forwardFeatureAlpha, .Shown = "p"},
  };
  return Rows;
}

} // namespace vramlint
