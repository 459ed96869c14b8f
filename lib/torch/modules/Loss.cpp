//===- lib/torch/modules/Loss.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Rows: loss functions. Each forward is the function of torch::nn::functional; its
// options are the module's.

#include "lib/torch/Tail.h"
#include "lib/torch/modules/ModuleRow.h"

namespace vramlint {

/// Losses with a weight (or pos_weight) register it as a buffer.
static void buildWeight(BuiltinModule &M) {
  for (const char *Name : {"weight", "pos_weight"})
    if (TensorRef T = M.Given.tensor(Name))
      M.registerBuffer(Name, T);
}

/// A head for frequent classes and clusters, and a smaller projection for each
/// cluster of rare ones.
static void buildAdaptive(BuiltinModule &M) {
  Arg::Ints Cutoffs = M.Given.ints("cutoffs");
  Cutoffs.push_back(M.Given.integer("n_classes"));
  if (Cutoffs.size() < 2)
    return;
  Dim In = M.dim("in_features"), Shortlist = toDim(Cutoffs[0]);
  Dim Clusters(int64_t(Cutoffs.size()) - 1);
  auto Linear = [&](BuiltinModule &Of, llvm::StringRef Name, Dim From, Dim To, bool Bias) {
    auto Length = [](Dim D) {
      return D.known() ? Arg(D.Length) : Arg(Arg::UnknownArg{"a size that is not known"});
    };
    Of.child(Name, "Linear", {{"in_features", Length(From)}, {"out_features", Length(To)},
                              {"bias", Arg(Bias)}});
  };
  Linear(M, "head", In, Shortlist + Clusters, M.boolean("head_bias", false));
  BuiltinModule *Tail = M.child("tail", "ModuleList", {});
  double Divisor = M.number("div_value", 4);
  const size_t ClustersMax = 1024;
  for (size_t I = 0; I + 1 < Cutoffs.size() && I < ClustersMax; ++I) {
    Dim Hidden = In.known() ? Dim(int64_t(double(In.Length) / std::pow(Divisor, double(I + 1)))) : Dim();
    BuiltinModule *Two = Tail->child(std::to_string(I), "Sequential", {});
    Linear(*Two, "0", In, Hidden, false);
    Linear(*Two, "1", Hidden, toDim(Cutoffs[I + 1]) - toDim(Cutoffs[I]), false);
  }
}

/// Which clusters run is in the data: the head alone is certain.
static OpResult forwardAdaptive(BuiltinModule &M, Args &A) {
  TensorRef X = nthTensor(A, 0), Target = nthTensor(A, 1);
  Module *Head = M.childNamed("head");
  if (!X || !Target || !Head)
    return OpResult::failed("AdaptiveLogSoftmaxWithLoss expects an input and a target");
  Args Call;
  Call.add("input", Arg(X));
  OpResult Scores = Head->callForward(Call);
  if (Scores.Kind != OpResult::Ok || Scores.Values.empty())
    return Scores;
  auto *S = std::get_if<TensorRef>(&Scores.Values[0].V);
  TensorRef Log = aten::logSoftmax(M.R, S ? *S : nullptr, -1);
  if (!Log)
    return OpResult::failed("AdaptiveLogSoftmaxWithLoss: the head gives nothing");
  TensorRef Output = tailOne(M.R, {"AddBackward0", "0"}, {Log},
                             [&] { return makeLike(M.R, X, Target->Sizes); });
  M.R.scratch({X, Log});
  return tuple({Output, aten::mean(M.R, aten::neg(M.R, Output))});
}

llvm::ArrayRef<ModuleRow> lossModules() {
  static const ModuleRow Rows[] = {
      {.Class = "AdaptiveLogSoftmaxWithLoss", .Build = buildAdaptive, .Forward = forwardAdaptive, .Inputs = "input,target"},
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
