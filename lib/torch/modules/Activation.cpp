//===- lib/torch/modules/Activation.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Rows: activations. All but PReLU are one op.

#include "lib/torch/modules/ModuleRow.h"

namespace vramlint {

static void buildPRelu(BuiltinModule &M) {
  M.parameter("weight", {Dim(M.integer("num_parameters", 1))});
}

static OpResult forwardPRelu(BuiltinModule &M, Args &A) {
  Args Call;
  Call.add("input", nth(A, 0));
  Call.add("weight", M.own("weight"));
  return M.R.call("prelu", Call);
}

static OpResult forwardGlu(BuiltinModule &M, Args &A) {
  Args Call;
  Call.add("input", nth(A, 0));
  Call.add("dim", Arg(M.integer("dim", -1)));
  return M.R.call("glu", Call);
}

static OpResult forwardSoftmax2d(BuiltinModule &M, Args &A) {
  Args Call;
  Call.add("input", nth(A, 0));
  Call.add("dim", Arg(int64_t(1)));
  return M.R.call("softmax", Call);
}

llvm::ArrayRef<ModuleRow> activationModules() {
  static const ModuleRow Rows[] = {
      {.Class = "CELU", .Op = "celu"},
      {.Class = "ELU", .Op = "elu"},
      {.Class = "GELU", .Op = "gelu"},
      {.Class = "GLU", .Forward = forwardGlu},
      {.Class = "Hardshrink", .Op = "hardshrink"},
      {.Class = "Hardtanh", .Op = "hardtanh"},
      {.Class = "LeakyReLU", .Op = "leaky_relu"},
      {.Class = "LogSigmoid", .Op = "log_sigmoid"},
      {.Class = "LogSoftmax", .Op = "log_softmax", .Shown = "dim"},
      {.Class = "Mish", .Op = "mish"},
      {.Class = "PReLU", .Build = buildPRelu, .Forward = forwardPRelu},
      {.Class = "RReLU", .Op = "rrelu"},
      {.Class = "ReLU", .Op = "relu"},
      {.Class = "ReLU6", .Op = "relu6"},
      {.Class = "SELU", .Op = "selu"},
      {.Class = "SiLU", .Op = "silu"},
      {.Class = "Sigmoid", .Op = "sigmoid"},
      {.Class = "Softmax", .Op = "softmax", .Shown = "dim"},
      {.Class = "Softmax2d", .Forward = forwardSoftmax2d},
      {.Class = "Softmin", .Op = "softmin", .Shown = "dim"},
      {.Class = "Softplus", .Op = "softplus"},
      {.Class = "Softshrink", .Op = "softshrink"},
      {.Class = "Softsign", .Op = "softsign"},
      {.Class = "Tanh", .Op = "tanh"},
      {.Class = "Tanhshrink", .Op = "tanhshrink"},
      {.Class = "Threshold", .Op = "threshold"},
  };
  return Rows;
}

} // namespace vramlint
