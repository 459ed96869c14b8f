//===- lib/torch/modules/Padding.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Rows: padding layers; each is F::pad in some mode.

#include "lib/torch/modules/ModuleRow.h"

namespace vramlint {

static OpResult pad(BuiltinModule &M, const Args &A, llvm::StringRef Mode) {
  // "ConstantPad2d": as many pairs as the name says.
  unsigned Rank = M.Row.Class[M.Row.Class.size() - 2] - '0';
  Args Call;
  Call.add("input", nth(A, 0));
  Call.add("pad", Arg(M.Given.ints("padding", 2 * Rank, 0)));
  Call.add("mode", Arg(Mode.str()));
  return M.R.call("pad", Call);
}

static OpResult padConstant(BuiltinModule &M, Args &A) { return pad(M, A, "constant"); }
static OpResult padReflect(BuiltinModule &M, Args &A) { return pad(M, A, "reflect"); }
static OpResult padReplicate(BuiltinModule &M, Args &A) { return pad(M, A, "replicate"); }

llvm::ArrayRef<ModuleRow> paddingModules() {
  static const ModuleRow Rows[] = {
      {.Class = "ConstantPad1d", .Forward = padConstant, .Shown = "padding"},
      {.Class = "ConstantPad2d", .Forward = padConstant, .Shown = "padding"},
      {.Class = "ConstantPad3d", .Forward = padConstant, .Shown = "padding"},
      {.Class = "ReflectionPad1d", .Forward = padReflect, .Shown = "padding"},
      {.Class = "ReflectionPad2d", .Forward = padReflect, .Shown = "padding"},
      {.Class = "ReflectionPad3d", .Forward = padReflect, .Shown = "padding"},
      {.Class = "ReplicationPad1d", .Forward = padReplicate, .Shown = "padding"},
      {.Class = "ReplicationPad2d", .Forward = padReplicate, .Shown = "padding"},
      {.Class = "ReplicationPad3d", .Forward = padReplicate, .Shown = "padding"},
      {.Class = "ZeroPad1d", .Forward = padConstant, .Shown = "padding"},
      {.Class = "ZeroPad2d", .Forward = padConstant, .Shown = "padding"},
      {.Class = "ZeroPad3d", .Forward = padConstant, .Shown = "padding"},
  };
  return Rows;
}

} // namespace vramlint
