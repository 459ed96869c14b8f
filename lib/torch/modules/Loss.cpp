//===- lib/torch/modules/Loss.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Rows: loss functions. Each forward is the function of torch::nn::functional; its
// options are the module's.

#include "lib/torch/modules/ModuleRow.h"

namespace vramlint {

/// Losses with a weight (or pos_weight) register it as a buffer.
static void buildWeight(BuiltinModule &M) {
  for (const char *Name : {"weight", "pos_weight"})
    if (TensorRef T = M.Given.tensor(Name))
      M.registerBuffer(Name, T);
}

llvm::ArrayRef<ModuleRow> lossModules() {
  static const ModuleRow Rows[] = {
      {.Class = "BCELoss", .Build = buildWeight, .Op = "binary_cross_entropy", .Inputs = "input,target"},
      {.Class = "BCEWithLogitsLoss", .Build = buildWeight, .Op = "binary_cross_entropy_with_logits", .Inputs = "input,target"},
      {.Class = "CTCLoss", .Op = "ctc_loss", .Inputs = "log_probs,targets,input_lengths,target_lengths"},
      {.Class = "CosineEmbeddingLoss", .Op = "cosine_embedding_loss", .Inputs = "input1,input2,target"},
      {.Class = "CrossEntropyLoss", .Build = buildWeight, .Op = "cross_entropy", .Inputs = "input,target"},
      {.Class = "HingeEmbeddingLoss", .Build = buildWeight, .Op = "hinge_embedding_loss", .Inputs = "input,target"},
      {.Class = "HuberLoss", .Build = buildWeight, .Op = "huber_loss", .Inputs = "input,target"},
      {.Class = "KLDivLoss", .Build = buildWeight, .Op = "kl_div", .Inputs = "input,target"},
      {.Class = "L1Loss", .Build = buildWeight, .Op = "l1_loss", .Inputs = "input,target"},
      {.Class = "MSELoss", .Build = buildWeight, .Op = "mse_loss", .Inputs = "input,target"},
      {.Class = "MarginRankingLoss", .Op = "margin_ranking_loss", .Inputs = "input1,input2,target"},
      {.Class = "MultiLabelMarginLoss", .Build = buildWeight, .Op = "multilabel_margin_loss", .Inputs = "input,target"},
      {.Class = "MultiLabelSoftMarginLoss", .Build = buildWeight, .Op = "multilabel_soft_margin_loss", .Inputs = "input,target"},
      {.Class = "MultiMarginLoss", .Build = buildWeight, .Op = "multi_margin_loss", .Inputs = "input,target"},
      {.Class = "NLLLoss", .Build = buildWeight, .Op = "nll_loss", .Inputs = "input,target"},
      {.Class = "PoissonNLLLoss", .Build = buildWeight, .Op = "poisson_nll_loss", .Inputs = "input,target"},
      {.Class = "SmoothL1Loss", .Build = buildWeight, .Op = "smooth_l1_loss", .Inputs = "input,target"},
      {.Class = "SoftMarginLoss", .Build = buildWeight, .Op = "soft_margin_loss", .Inputs = "input,target"},
      {.Class = "TripletMarginLoss", .Op = "triplet_margin_loss", .Inputs = "anchor,positive,negative"},
      {.Class = "TripletMarginWithDistanceLoss", .Op = "triplet_margin_with_distance_loss", .Inputs = "anchor,positive,negative"},
  };
  return Rows;
}

} // namespace vramlint
