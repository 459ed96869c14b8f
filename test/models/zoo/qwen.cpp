// published: qwen2.5-0.5b
// Qwen2.5-0.5B: biases on q, k and v only, two key heads, tied head.
#include <torch/torch.h>

#include <array>
#include <functional>
#include <iostream>

using torch::Tensor;
using torch::nn::LinearOptions;

namespace {

constexpr int64_t kHidden = 896;
constexpr int64_t kHeads = 14;
constexpr int64_t kKvHeads = 2; // vary: 1 7 14
constexpr int64_t kHeadDim = kHidden / kHeads;
constexpr int64_t kFfn = 4864; // vary: 512 1024 2048
constexpr int64_t kLayers = 24; // vary: 2 3 4
constexpr int64_t kVocab = 151936; // vary: 1000 5000 20000

class Qwen2RMSNormImpl : public torch::nn::Module {
public:
  explicit Qwen2RMSNormImpl(int64_t size, double eps = 1e-6)
      : weight_(register_parameter("weight", torch::ones(size))), eps_(eps) {}
  Tensor forward(Tensor x) {
    const auto variance = x.pow(2).mean(-1, true);
    return weight_ * (x * torch::rsqrt(variance + eps_));
  }

private:
  Tensor weight_;
  double eps_;
};
TORCH_MODULE(Qwen2RMSNorm);

class Qwen2AttentionImpl : public torch::nn::Module {
public:
  Qwen2AttentionImpl()
      : q_proj_(LinearOptions(kHidden, kHeads * kHeadDim)), k_proj_(LinearOptions(kHidden, kKvHeads * kHeadDim)),
        v_proj_(LinearOptions(kHidden, kKvHeads * kHeadDim)),
        o_proj_(LinearOptions(kHeads * kHeadDim, kHidden).bias(false)) {
    register_module("q_proj", q_proj_);
    register_module("k_proj", k_proj_);
    register_module("v_proj", v_proj_);
    register_module("o_proj", o_proj_);
  }

  Tensor forward(const Tensor &x, const std::array<Tensor, 2> &rope, const Tensor &mask) {
    const auto b = x.size(0), t = x.size(1);
    auto q = q_proj_(x).view({b, t, kHeads, kHeadDim}).transpose(1, 2);
    auto k = k_proj_(x).view({b, t, kKvHeads, kHeadDim}).transpose(1, 2);
    auto v = v_proj_(x).view({b, t, kKvHeads, kHeadDim}).transpose(1, 2);
    const std::function<Tensor(Tensor)> rotate = [&rope](Tensor u) {
      auto first = u.slice(-1, 0, kHeadDim / 2);
      auto second = u.slice(-1, kHeadDim / 2, kHeadDim);
      return u * rope[0] + torch::cat({second.neg(), first}, -1) * rope[1];
    };
    q = rotate(q);
    k = rotate(k);
    k = k.unsqueeze(2).expand({b, kKvHeads, kHeads / kKvHeads, t, kHeadDim}).reshape({b, kHeads, t, kHeadDim});
    v = v.unsqueeze(2).expand({b, kKvHeads, kHeads / kKvHeads, t, kHeadDim}).reshape({b, kHeads, t, kHeadDim});
    auto scores = q.matmul(k.transpose(2, 3)).mul_(1 / std::sqrt(double(kHeadDim)));
    scores.masked_fill_(mask, -std::numeric_limits<double>::infinity());
    auto out = scores.softmax(-1).matmul(v);
    return o_proj_(out.transpose(1, 2).contiguous().view({b, t, -1}));
  }

private:
  torch::nn::Linear q_proj_, k_proj_, v_proj_, o_proj_;
};
TORCH_MODULE(Qwen2Attention);

class Qwen2LayerImpl : public torch::nn::Module {
public:
  Qwen2LayerImpl() {
    register_module("self_attn", attn_);
    register_module("gate_proj", gate_);
    register_module("up_proj", up_);
    register_module("down_proj", down_);
    register_module("input_layernorm", norm1_);
    register_module("post_attention_layernorm", norm2_);
  }
  Tensor forward(Tensor x, const std::array<Tensor, 2> &rope, const Tensor &mask) {
    x = x + attn_(norm1_(x), rope, mask);
    auto y = norm2_(x);
    return x + down_(torch::silu(gate_(y)).mul(up_(y)));
  }

private:
  Qwen2Attention attn_;
  torch::nn::Linear gate_{LinearOptions(kHidden, kFfn).bias(false)};
  torch::nn::Linear up_{LinearOptions(kHidden, kFfn).bias(false)};
  torch::nn::Linear down_{LinearOptions(kFfn, kHidden).bias(false)};
  Qwen2RMSNorm norm1_{kHidden}, norm2_{kHidden};
};
TORCH_MODULE(Qwen2Layer);

class Qwen2Impl : public torch::nn::Module {
public:
  Qwen2Impl() {
    register_module("embed_tokens", embed_);
    register_module("layers", layers_);
    for (int64_t i = 0; i < kLayers; ++i)
      layers_->push_back(Qwen2Layer());
    register_module("norm", norm_);
  }

  Tensor forward(const Tensor &ids) {
    const auto t = ids.size(1);
    auto inv = torch::pow(1e6, -torch::arange(0, kHeadDim, 2, torch::kFloat).div(kHeadDim));
    auto angles = torch::arange(t, torch::kFloat).unsqueeze(1) * inv;
    angles = torch::cat({angles, angles}, -1);
    const std::array<Tensor, 2> rope{angles.cos(), angles.sin()};
    auto mask = torch::ones({t, t}, torch::dtype(torch::kBool)).tril().logical_not();
    auto x = embed_(ids);
    for (auto i = 0u; i < layers_->size(); ++i)
      x = layers_->ptr<Qwen2LayerImpl>(i)->forward(x, rope, mask);
    return torch::linear(norm_(x), embed_->weight);
  }

private:
  torch::nn::Embedding embed_{kVocab, kHidden};
  torch::nn::ModuleList layers_;
  Qwen2RMSNorm norm_{kHidden};
};
TORCH_MODULE(Qwen2);

} // namespace

int main() {
  Qwen2 net;
  // oracle: model(net)
  // matrix: auto ids = torch::randint(0, 1000, {N, 7}, torch::TensorOptions(torch::kInt64));
  // matrix: auto y = net->forward(ids);
  // matrix: auto loss = y.mean();
  net->eval();
  torch::NoGradGuard guard;
  auto ids = torch::randint(0, 1000, {1, 7}, torch::TensorOptions(torch::kInt64));
  auto y = net->forward(ids);
  // oracle: shape(y)
  std::cout << y.sizes() << "\n";
}
