//===- lib/torch/modules/Norm.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Rows: normalisation layers. Mirrors NormImplBase and batchnorm.h.

#include "lib/torch/modules/ModuleRow.h"
#include "lib/torch/Rules.h"

namespace vramlint {

/// NormImplBase::reset: batch and instance normalisation.
static void buildStatistics(BuiltinModule &M, bool Affine, bool Track) {
  Dim N = M.dim("num_features");
  Affine = M.boolean("affine", Affine);
  Track = M.boolean("track_running_stats", Track);
  M.parameter("weight", {N}, Affine);
  M.parameter("bias", {N}, Affine);
  M.buffer("running_mean", {N}, M.R.DefaultDType, Track);
  M.buffer("running_var", {N}, M.R.DefaultDType, Track);
  M.buffer("num_batches_tracked", {}, DType::Int64, Track);
}

static void buildBatchNorm(BuiltinModule &M) { buildStatistics(M, true, true); }
static void buildInstanceNorm(BuiltinModule &M) { buildStatistics(M, false, false); }

static void addOwn(BuiltinModule &M, Args &Call,
                   std::initializer_list<const char *> Names) {
  for (const char *Name : Names)
    Call.add(Name, M.own(Name));
}

static OpResult forwardBatchNorm(BuiltinModule &M, Args &A) {
  bool Track = M.boolean("track_running_stats", true);
  TensorRef Count = M.own("num_batches_tracked");
  if (M.Training && Track && Count) {
    BelowAutograd Guard(M.R);
    aten::scalarInPlace(M.R, Count, Scalar(1)); // num_batches_tracked += 1
  }
  Args Call;
  Call.add("input", nth(A, 0));
  addOwn(M, Call, {"weight", "bias", "running_mean", "running_var"});
  Call.add("training", Arg(M.Training || !Track));
  Call.add("momentum", Arg(M.number("momentum", 0.1)));
  Call.add("eps", Arg(M.number("eps", 1e-5)));
  return M.R.call("batch_norm", Call);
}

static OpResult forwardInstanceNorm(BuiltinModule &M, Args &A) {
  Args Call;
  Call.add("input", nth(A, 0));
  addOwn(M, Call, {"weight", "bias", "running_mean", "running_var"});
  Call.add("use_input_stats",
           Arg(M.Training || !M.boolean("track_running_stats", false)));
  Call.add("momentum", Arg(M.number("momentum", 0.1)));
  Call.add("eps", Arg(M.number("eps", 1e-5)));
  return M.R.call("instance_norm", Call);
}

static llvm::SmallVector<Dim, 4> normalizedShape(BuiltinModule &M) {
  llvm::SmallVector<Dim, 4> Dims;
  for (const Arg::Int &I : M.Given.ints("normalized_shape"))
    Dims.push_back(I ? Dim(*I) : M.dim("normalized_shape"));
  return Dims;
}

static void buildLayerNorm(BuiltinModule &M) {
  bool Affine = M.boolean("elementwise_affine", true);
  auto Dims = normalizedShape(M);
  M.parameter("weight", Dims, Affine);
  M.parameter("bias", Dims, Affine);
}

static OpResult forwardLayerNorm(BuiltinModule &M, Args &A) {
  Args Call;
  Call.add("input", nth(A, 0));
  Call.add("normalized_shape", Arg(M.Given.ints("normalized_shape")));
  addOwn(M, Call, {"weight", "bias"});
  return M.R.call("layer_norm", Call);
}

static void buildGroupNorm(BuiltinModule &M) {
  Dim N = M.dim("num_channels");
  bool Affine = M.boolean("affine", true);
  M.parameter("weight", {N}, Affine);
  M.parameter("bias", {N}, Affine);
}

static OpResult forwardGroupNorm(BuiltinModule &M, Args &A) {
  Args Call;
  Call.add("input", nth(A, 0));
  Call.add("num_groups", Arg(M.integer("num_groups", 1)));
  addOwn(M, Call, {"weight", "bias"});
  return M.R.call("group_norm", Call);
}

llvm::ArrayRef<ModuleRow> normModules() {
  static const ModuleRow Rows[] = {
      {.Class = "BatchNorm1d", .Build = buildBatchNorm, .Forward = forwardBatchNorm, .Shown = "num_features"},
      {.Class = "BatchNorm2d", .Build = buildBatchNorm, .Forward = forwardBatchNorm, .Shown = "num_features"},
      {.Class = "BatchNorm3d", .Build = buildBatchNorm, .Forward = forwardBatchNorm, .Shown = "num_features"},
      {.Class = "CrossMapLRN2d", .Op = "cross_map_lrn2d", .Shown = "size"},
      {.Class = "GroupNorm", .Build = buildGroupNorm, .Forward = forwardGroupNorm, .Shown = "num_groups,num_channels"},
      {.Class = "InstanceNorm1d", .Build = buildInstanceNorm, .Forward = forwardInstanceNorm, .Shown = "num_features"},
      {.Class = "InstanceNorm2d", .Build = buildInstanceNorm, .Forward = forwardInstanceNorm, .Shown = "num_features"},
      {.Class = "InstanceNorm3d", .Build = buildInstanceNorm, .Forward = forwardInstanceNorm, .Shown = "num_features"},
      {.Class = "LayerNorm", .Build = buildLayerNorm, .Forward = forwardLayerNorm, .Shown = "normalized_shape"},
      {.Class = "LocalResponseNorm", .Op = "local_response_norm", .Shown = "size"},
  };
  return Rows;
}

} // namespace vramlint
