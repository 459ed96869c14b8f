//===- lib/torch/modules/Embedding.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Rows: embeddings.

#include "lib/torch/modules/ModuleRow.h"

namespace vramlint {

static void buildEmbedding(BuiltinModule &M) {
  if (TensorRef Weight = M.Given.tensor("_weight")) {
    M.registerParameter("weight", Weight, /*RequiresGrad=*/true);
    return;
  }
  Dim Count = M.dim("num_embeddings"), Width = M.dim("embedding_dim");
  M.parameter("weight", {Count, Width});
}

static OpResult forwardEmbedding(BuiltinModule &M, Args &A) {
  Args Call;
  Call.add("weight", M.own("weight"));
  Call.add("indices", nth(A, 0));
  Call.add("padding_idx", Arg(M.integer("padding_idx", -1)));
  Call.add("scale_grad_by_freq", Arg(M.boolean("scale_grad_by_freq", false)));
  Call.add("sparse", Arg(M.boolean("sparse", false)));
  return M.R.call("embedding", Call);
}

static OpResult forwardBag(BuiltinModule &M, Args &A) {
  Args Call;
  Call.add("weight", M.own("weight"));
  Call.add("input", nth(A, 0)); // As F:: calls it: the bags alone.
  Call.add("offsets", nth(A, 1));
  Call.add("per_sample_weights", nth(A, 2));
  Call.add("options", Arg(M.Options));
  OpResult Result = M.R.call("embedding_bag", Call);
  if (Result.Kind == OpResult::Ok && Result.Values.size() > 1) { // The sums alone.
    Result.Values.resize(1);
    Result.IsTuple = false;
  }
  return Result;
}

llvm::ArrayRef<ModuleRow> embeddingModules() {
  static const ModuleRow Rows[] = {
      {.Class = "Embedding", .Build = buildEmbedding, .Forward = forwardEmbedding, .Shown = "num_embeddings,embedding_dim"},
      {.Class = "EmbeddingBag", .Build = buildEmbedding, .Forward = forwardBag, .Shown = "num_embeddings,embedding_dim"},
  };
  return Rows;
}

} // namespace vramlint
