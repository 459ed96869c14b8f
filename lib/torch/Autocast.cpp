//===- lib/torch/Autocast.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Autocast: which ops compute in the lower type, which in float32, and the copies
// that this makes. CUDA: aten/src/ATen/autocast_mode.cpp and PyTorch's "Automatic
// Mixed Precision" page; CPU: the types that results have with LibTorch 1.13.1.
//
// A parameter's copy is kept until the cache is cleared, so that a weight which is
// used twice is cast once.

#include "lib/torch/Rules.h"
#include "llvm/ADT/StringSet.h"

namespace vramlint {

namespace {
enum class Policy : uint8_t { Keep, Lower, Float32, Widest };

/// Which ops of a device are cast, and to what.
struct Policies {
  llvm::StringSet<> Lower, Float32, Widest;

  Policy of(llvm::StringRef Op) const {
    return Lower.contains(Op)     ? Policy::Lower
           : Float32.contains(Op) ? Policy::Float32
           : Widest.contains(Op)  ? Policy::Widest
                                  : Policy::Keep;
  }
};
} // namespace

static const Policies &policiesOf(DeviceKind On) {
  static const Policies OnCuda = {
      {"addbmm", "addmm", "addmv", "addr", "baddbmm", "bmm", "chain_matmul",
       "conv1d", "conv2d", "conv3d", "conv_tbc", "conv_transpose1d",
       "conv_transpose2d", "conv_transpose3d", "convolution", "einsum", "gru",
       "gru_cell", "linalg_multi_dot", "linear", "lstm", "lstm_cell", "matmul", "mm",
       "multi_head_attention_forward", "mv", "prelu", "rnn_relu", "rnn_relu_cell",
       "rnn_tanh", "rnn_tanh_cell", "scaled_dot_product_attention"},
      {"acos", "asin", "binary_cross_entropy_with_logits", "cdist", "cosh",
       "cosine_embedding_loss", "cosine_similarity", "cross_entropy",
       "cross_entropy_loss", "cumprod", "cumsum", "dist", "erfinv", "exp", "expm1",
       "group_norm", "hinge_embedding_loss", "kl_div", "l1_loss", "layer_norm", "log",
       "log10", "log1p", "log2", "log_softmax", "margin_ranking_loss", "mse_loss",
       "multi_margin_loss", "multilabel_margin_loss", "nll_loss", "nll_loss2d", "norm",
       "normalize", "pdist", "poisson_nll_loss", "pow", "prod", "reciprocal", "renorm",
       "rsqrt", "sinh", "smooth_l1_loss", "soft_margin_loss", "softmax", "softmin",
       "softplus", "sum", "tan", "triplet_margin_loss"},
      {"addcdiv", "addcmul", "atan2", "bilinear", "cat", "cross", "dot", "grid_sample",
       "index_put", "scatter_add", "stack", "tensordot"}};
  static const Policies OnCpu = {
      {"addbmm", "addmm", "baddbmm", "bmm", "conv1d", "conv2d", "conv3d", "einsum",
       "linear", "matmul", "mm", "multi_head_attention_forward"},
      {"binary_cross_entropy", "binary_cross_entropy_with_logits", "cdist",
       "conv_transpose2d", "cross_entropy", "cross_entropy_loss", "kl_div", "l1_loss",
       "mse_loss", "nll_loss", "prod", "smooth_l1_loss"},
      {"cat", "stack"}};
  return On == DeviceKind::CUDA ? OnCuda : OnCpu;
}

/// Autocast casts these; doubles and integers stay as they are.
static bool isEligible(const TensorRef &T, DeviceKind On) {
  return T->Dev.Kind == On && (T->Type == DType::Float32 || T->Type == DType::Float16 ||
                               T->Type == DType::BFloat16);
}

TensorRef Runtime::autocastTo(const TensorRef &T, DType Type) {
  if (T->Type == Type)
    return T;
  bool Keeps = T->RequiresGrad && !T->GradFn && T->Type == DType::Float32 &&
               Type != DType::Float32;
  auto Same = [&](const auto &Entry) { return Entry.first == T; };
  if (Keeps)
    if (auto It = llvm::find_if(AutocastCache, Same); It != AutocastCache.end())
      return It->second;
  TensorRef Copy;
  asOp("to", [&] { Copy = aten::toDType(*this, T, Type); });
  if (Keeps)
    AutocastCache.emplace_back(T, Copy);
  return Copy;
}

bool Runtime::autocast(llvm::StringRef Op, const Args &A, Args &Cast) {
  if (OpDepth || In != Phase::Forward)
    return false;
  Op.consume_front("functional_");
  bool Changed = false;
  for (DeviceKind On : {DeviceKind::CPU, DeviceKind::CUDA}) {
    std::optional<DType> Lower = Autocast[int(On)];
    Policy How = Lower ? policiesOf(On).of(Op) : Policy::Keep;
    if (How == Policy::Keep)
      continue;
    DType To = How == Policy::Lower ? *Lower : DType::Float32;
    bool Any = false, Wide = false;
    for (const auto &[Name, V] : A.List)
      eachTensor(V, [&](const TensorRef &T) {
        Any |= isEligible(T, On);
        Wide |= T->Type == DType::Float32;
      });
    if (!Any || (How == Policy::Widest && !Wide))
      continue;
    Cast.List.clear();
    for (const auto &[Name, V] : A.List)
      Cast.add(Name, mapTensors(V, [&](const TensorRef &T) {
                 return isEligible(T, On) ? autocastTo(T, To) : T;
               }));
    Changed = true;
  }
  return Changed;
}

} // namespace vramlint
