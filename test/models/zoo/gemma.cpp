// Gemma-2B's layers at the published widths (two of 18, a vocabulary of 32000):
// one key head for eight queries, GeGLU with tanh, norms that add one, tied head.
#include <torch/torch.h>

#include <iostream>

template <typename... Ts> static auto without_bias(Ts... sizes) {
  return torch::nn::Linear(torch::nn::LinearOptions(sizes...).bias(false));
}

namespace gemma {

struct RMSNorm : torch::nn::Module {
  torch::Tensor weight;
  double eps = 1e-6;
  explicit RMSNorm(int64_t dim) { weight = register_parameter("weight", torch::zeros({dim})); }
  torch::Tensor forward(torch::Tensor x) {
    x = x * torch::rsqrt(x.pow(2).mean({-1}, true) + eps);
    return x * (1 + weight);
  }
};

struct Attention : torch::nn::Module {
  enum { kHeads = 8, kHeadDim = 256 };
  torch::nn::Linear qkv_proj, o_proj;

  explicit Attention(int64_t hidden)
      : qkv_proj(without_bias(hidden, (kHeads + 2) * kHeadDim)), o_proj(without_bias(kHeads * kHeadDim, hidden)) {
    register_module("qkv_proj", qkv_proj);
    register_module("o_proj", o_proj);
  }

  torch::Tensor forward(const torch::Tensor &x, const torch::Tensor &cos, const torch::Tensor &sin,
                        const torch::Tensor &mask) {
    auto parts = qkv_proj->forward(x).split_with_sizes({kHeads * kHeadDim, kHeadDim, kHeadDim}, -1);
    auto q = turn(parts[0].unflatten(-1, {kHeads, kHeadDim}).transpose(1, 2), cos, sin);
    auto k = turn(parts[1].unsqueeze(1), cos, sin);
    auto v = parts[2].unsqueeze(1);
    q = q * std::pow(kHeadDim, -0.5);
    auto scores = torch::matmul(q, k.transpose(-2, -1)) + mask;
    auto out = torch::matmul(scores.softmax(-1), v);
    return o_proj->forward(out.transpose(1, 2).flatten(2));
  }

  static torch::Tensor turn(const torch::Tensor &x, const torch::Tensor &cos, const torch::Tensor &sin) {
    auto a = x.slice(-1, 0, kHeadDim / 2), b = x.slice(-1, kHeadDim / 2);
    return torch::cat({a * cos - b * sin, b * cos + a * sin}, -1);
  }
};

struct Layer : torch::nn::Module {
  std::shared_ptr<RMSNorm> input_layernorm, post_attention_layernorm;
  std::shared_ptr<Attention> self_attn;
  torch::nn::Linear gate_proj, up_proj, down_proj;

  Layer(int64_t hidden, int64_t ffn)
      : gate_proj(without_bias(hidden, ffn)), up_proj(without_bias(hidden, ffn)), down_proj(without_bias(ffn, hidden)) {
    input_layernorm = register_module<RMSNorm>("input_layernorm", std::make_shared<RMSNorm>(hidden));
    self_attn = register_module<Attention>("self_attn", std::make_shared<Attention>(hidden));
    post_attention_layernorm = register_module<RMSNorm>("post_attention_layernorm", std::make_shared<RMSNorm>(hidden));
    register_module("gate_proj", gate_proj);
    register_module("up_proj", up_proj);
    register_module("down_proj", down_proj);
  }

  torch::Tensor forward(torch::Tensor x, torch::Tensor cos, torch::Tensor sin, torch::Tensor mask) {
    x = x + self_attn->forward(input_layernorm->forward(x), cos, sin, mask);
    auto residual = x;
    x = post_attention_layernorm->forward(x);
    x = down_proj->forward(torch::gelu(gate_proj->forward(x), "tanh") * up_proj->forward(x));
    return x.add_(residual);
  }
};

} // namespace gemma

struct Gemma : torch::nn::Module {
  torch::nn::Embedding embedder;
  torch::nn::Sequential unused{nullptr};
  std::vector<std::shared_ptr<gemma::Layer>> layers;
  std::shared_ptr<gemma::RMSNorm> norm;
  int64_t hidden;

  Gemma(int64_t vocab, int64_t hidden, int64_t ffn, size_t depth)
      : embedder(vocab, hidden), layers(depth), norm(std::make_shared<gemma::RMSNorm>(hidden)), hidden(hidden) {
    register_module("embedder", embedder);
    for (size_t i = 0; i < layers.size(); ++i) {
      layers[i] = std::make_shared<gemma::Layer>(hidden, ffn);
      register_module(c10::str("layers_", i), layers[i]);
    }
    register_module("norm", norm);
  }

  torch::Tensor forward(const torch::Tensor &ids) {
    const int64_t t = ids.size(-1);
    auto half = torch::arange(0, 128).to(torch::kFloat) / 128;
    auto angle = torch::outer(torch::arange(t).to(torch::kFloat), torch::pow(10000.0, -half));
    auto mask = torch::full({1, 1, t, t}, -2.3819763e38).triu(1);
    auto x = embedder->forward(ids).mul(std::sqrt(hidden));
    for (auto it = layers.begin(); it != layers.end(); ++it)
      x = (*it)->forward(x, angle.cos(), angle.sin(), mask);
    return norm->forward(x).matmul(embedder->weight.t());
  }
};

int main() {
  constexpr int64_t kVocab = 32000; // vary: 128 1000 5000
  constexpr int64_t kHidden = 2048; // vary: 256 512 1024
  constexpr int64_t kFfn = 16384; // vary: 512 1024 4096
  constexpr int kDepth = 2; // vary: 1 3 4
  auto net = std::make_unique<Gemma>(kVocab, kHidden, kFfn, kDepth);
  Gemma &root = *net;
  // oracle: model(root)
  // matrix: auto ids = torch::randint(100, {N, 10}, torch::kLong);
  // matrix: auto logits = net->forward(ids);
  // matrix: auto loss = logits.mean();
  net->eval();
  torch::NoGradGuard no_grad;
  auto logits = net->forward(torch::randint(100, {2, 10}, torch::kLong));
  // oracle: shape(logits)
  std::cout << "logits " << logits.sizes() << std::endl;
}
