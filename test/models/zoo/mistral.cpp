// Mistral-7B's layer at its published widths, one layer: grouped queries, a
// sliding window, rotate_half. Weights are plain parameters, the products F::linear.
#include <torch/torch.h>

#include <cstdlib>
#include <iostream>
#include <unordered_map>

namespace F = torch::nn::functional;
using torch::Tensor;

struct Config {
  int64_t hidden, intermediate, layers, heads, kv_heads, window, vocab;
};

static const std::unordered_map<std::string, Config> kConfigs = {
    {"mistral-7b", {4096, 14336, 32, 32, 8, 4096, 32000}},
    {"mistral-slim", {4096, 14336, 1, 32, 8, 16, 32000}},
    {"test", {64, 128, 2, 4, 2, 8, 100}},
};

class Linear : public torch::nn::Module {
public:
  Linear(int64_t in, int64_t out) { weight_ = register_parameter("weight", torch::empty({out, in}).normal_(0, 0.02)); }
  Tensor operator()(const Tensor &x) const { return F::linear(x, weight_); }

private:
  Tensor weight_;
};

class Norm : public torch::nn::Module {
public:
  Norm(int64_t n) : weight_(register_parameter("weight", torch::ones(n))) {}
  Tensor operator()(const Tensor &x) const { return x * (x.square().mean(-1, true) + 1e-5).rsqrt() * weight_; }

private:
  Tensor weight_;
};

class Rotary {
public:
  Rotary(int64_t dim, int64_t length) {
    auto inv = 1.0 / torch::pow(10000, torch::arange(0, dim, 2, torch::kFloat) / double(dim));
    auto angle = torch::einsum("i,j->ij", {torch::arange(length, torch::kFloat), inv});
    auto both = torch::cat({angle, angle}, -1);
    cos_ = both.cos();
    sin_ = both.sin();
  }
  Tensor rotate(const Tensor &x) const {
    auto halves = x.chunk(2, -1);
    return x * cos_ + torch::cat({-halves[1], halves[0]}, -1) * sin_;
  }

private:
  Tensor cos_, sin_;
};

class DecoderLayer : public torch::nn::Module {
public:
  explicit DecoderLayer(const Config &c)
      : c_(c), head_(c.hidden / c.heads), q_(add("q_proj", c.hidden, c.hidden)),
        k_(add("k_proj", c.hidden, c.kv_heads * head_)), v_(add("v_proj", c.hidden, c.kv_heads * head_)),
        o_(add("o_proj", c.hidden, c.hidden)), gate_(add("gate_proj", c.hidden, c.intermediate)),
        up_(add("up_proj", c.hidden, c.intermediate)), down_(add("down_proj", c.intermediate, c.hidden)),
        before_(register_module("input_layernorm", std::make_shared<Norm>(c.hidden))),
        after_(register_module("post_attention_layernorm", std::make_shared<Norm>(c.hidden))) {}

  Tensor forward(const Tensor &x, const Rotary &rotary, const Tensor &mask) const {
    auto h = (*before_)(x);
    auto q = rotary.rotate(heads((*q_)(h), c_.heads));
    auto k = rotary.rotate(heads((*k_)(h), c_.kv_heads)).repeat_interleave(c_.heads / c_.kv_heads, 1);
    auto v = heads((*v_)(h), c_.kv_heads).repeat_interleave(c_.heads / c_.kv_heads, 1);
    auto weights = ((q.matmul(k.transpose(2, 3)) / std::sqrt(head_)) + mask).softmax(-1);
    auto mixed = weights.matmul(v).transpose(1, 2).reshape(x.sizes());
    auto y = x + (*o_)(mixed);
    auto z = (*after_)(y);
    return y + (*down_)(F::silu((*gate_)(z)) * (*up_)(z));
  }

private:
  std::shared_ptr<Linear> add(std::string name, int64_t in, int64_t out) {
    return register_module(std::move(name), std::make_shared<Linear>(in, out));
  }
  Tensor heads(const Tensor &x, int64_t n) const { return x.view({x.size(0), x.size(1), n, head_}).transpose(1, 2); }

  Config c_;
  int64_t head_;
  std::shared_ptr<Linear> q_, k_, v_, o_, gate_, up_, down_;
  std::shared_ptr<Norm> before_, after_;
};

class Mistral : public torch::nn::Module {
public:
  explicit Mistral(const Config &c) : c_(c) {
    embed_ = register_module("embed_tokens", torch::nn::Embedding(c.vocab, c.hidden));
    for (int64_t i = 0; i != c.layers; ++i)
      layers_.push_back(register_module("layers_" + std::to_string(i), std::make_shared<DecoderLayer>(c)));
    norm_ = register_module("norm", std::make_shared<Norm>(c.hidden));
    head_ = register_module("lm_head", std::make_shared<Linear>(c.hidden, c.vocab));
  }

  Tensor sliding_mask(int64_t n) const {
    auto i = torch::arange(n).unsqueeze(1), j = torch::arange(n).unsqueeze(0);
    auto visible = (j <= i) & (i - j < c_.window);
    return torch::zeros({n, n}).masked_fill_(~visible, -1e9);
  }

  Tensor forward(const Tensor &ids) const {
    const auto n = ids.size(1);
    Rotary rotary(c_.hidden / c_.heads, n);
    auto mask = sliding_mask(n);
    auto x = torch::embedding(embed_->weight, ids);
    for (const auto &layer : layers_)
      x = layer->forward(x, rotary, mask);
    return (*head_)((*norm_)(x));
  }

private:
  Config c_;
  torch::nn::Embedding embed_{nullptr};
  std::vector<std::shared_ptr<DecoderLayer>> layers_;
  std::shared_ptr<Norm> norm_;
  std::shared_ptr<Linear> head_;
};

int main(int argc, char *argv[]) {
  const std::string which = argc > 1 ? argv[1] : "mistral-slim";
  auto found = kConfigs.find(which);
  if (found == kConfigs.end()) {
    std::cerr << "no such configuration: " << which << "\n";
    return EXIT_FAILURE;
  }
  auto config = found->second;
  config.intermediate = 14336; // vary: 512 1024 2048
  config.window = 16; // vary: 4 8 64
  Mistral net(config);
  // oracle: model(net)
  // matrix: auto ids = torch::randint(0, config.vocab, {N, 24}, torch::kLong);
  // matrix: auto logits = net.forward(ids);
  // matrix: auto loss = logits.mean();
  torch::NoGradGuard guard;
  auto logits = net.forward(torch::randint(0, config.vocab, {1, 24}));
  // oracle: shape(logits)
  std::cout << which << ": " << logits.sizes() << std::endl;
  return EXIT_SUCCESS;
}
