// published: bloom-560m
// BLOOM: ALiBi instead of positions, fused query_key_value, tied head.
#include <torch/torch.h>

#include <cmath>
#include <iostream>
#include <vector>

using torch::Tensor;

static std::vector<double> alibi_slopes(int n_heads) {
  auto power_of_2 = [](int n) {
    std::vector<double> slopes;
    const double start = std::pow(2.0, -std::pow(2.0, -(std::log2(n) - 3)));
    for (int i = 0; i < n; ++i)
      slopes.push_back(start * std::pow(start, i));
    return slopes;
  };
  const int closest = 1 << static_cast<int>(std::floor(std::log2(n_heads)));
  auto slopes = power_of_2(closest);
  if (closest != n_heads) {
    auto extra = power_of_2(2 * closest);
    for (size_t i = 0; slopes.size() < static_cast<size_t>(n_heads); i += 2)
      slopes.push_back(extra[i]);
  }
  return slopes;
}

struct BloomBlockImpl : torch::nn::Module {
  BloomBlockImpl(int hidden, int heads)
      : hidden(hidden), heads(heads), input_layernorm(torch::nn::LayerNormOptions({hidden})),
        post_attention_layernorm(torch::nn::LayerNormOptions({hidden})), query_key_value(hidden, 3 * hidden),
        dense(hidden, hidden), dense_h_to_4h(hidden, 4 * hidden), dense_4h_to_h(4 * hidden, hidden) {
    register_module("input_layernorm", input_layernorm);
    register_module("query_key_value", query_key_value);
    register_module("dense", dense);
    register_module("post_attention_layernorm", post_attention_layernorm);
    register_module("dense_h_to_4h", dense_h_to_4h);
    register_module("dense_4h_to_h", dense_4h_to_h);
  }

  static Tensor bloom_gelu(const Tensor &x) { return x * 0.5 * (1.0 + torch::tanh(0.79788456 * x * (1 + 0.044715 * x * x))); }

  Tensor attend(const Tensor &x, const Tensor &alibi, const Tensor &mask) {
    const auto batch = x.size(0), length = x.size(1);
    const auto head_dim = hidden / heads;
    auto fused = query_key_value(x).view({batch, length, heads, 3, head_dim});
    auto q = fused.select(3, 0).transpose(1, 2).reshape({batch * heads, length, head_dim});
    auto k = fused.select(3, 1).permute({0, 2, 3, 1}).reshape({batch * heads, head_dim, length});
    auto v = fused.select(3, 2).transpose(1, 2).reshape({batch * heads, length, head_dim});
    auto scores = alibi.baddbmm(q, k, /*beta=*/1.0, /*alpha=*/1.0 / std::sqrt(double(head_dim)));
    scores = scores.view({batch, heads, length, length}).masked_fill(mask, std::numeric_limits<float>::lowest());
    auto probs = torch::softmax(scores, -1).view({batch * heads, length, length});
    auto context = torch::bmm(probs, v).view({batch, heads, length, head_dim});
    return dense(context.permute({0, 2, 1, 3}).reshape({batch, length, hidden}));
  }

  Tensor forward(const Tensor &x, const Tensor &alibi, const Tensor &mask) {
    auto attended = attend(input_layernorm(x), alibi, mask) + x;
    return dense_4h_to_h(bloom_gelu(dense_h_to_4h(post_attention_layernorm(attended)))) + attended;
  }

  int hidden, heads;
  torch::nn::LayerNorm input_layernorm, post_attention_layernorm;
  torch::nn::Linear query_key_value, dense, dense_h_to_4h, dense_4h_to_h;
};
TORCH_MODULE(BloomBlock);

struct BloomImpl : torch::nn::Module {
  BloomImpl(int vocab, int hidden, int n_layer, int n_head) : heads(n_head) {
    word_embeddings = register_module("word_embeddings", torch::nn::Embedding(vocab, hidden));
    word_embeddings_layernorm = register_module("word_embeddings_layernorm", torch::nn::LayerNorm(std::vector<int64_t>{hidden}));
    for (int i = 0; i < n_layer; ++i)
      h.emplace_back(register_module("h_" + std::to_string(i), BloomBlock(hidden, n_head)));
    ln_f = register_module("ln_f", torch::nn::LayerNorm(std::vector<int64_t>{hidden}));
  }

  Tensor build_alibi(int64_t batch, int64_t length) const {
    auto slopes = torch::tensor(alibi_slopes(heads), torch::kFloat);
    auto positions = torch::arange(length, torch::kFloat);
    auto alibi = slopes.unsqueeze(1) * positions.unsqueeze(0);
    return alibi.unsqueeze(1).repeat({batch, 1, 1});
  }

  Tensor forward(const Tensor &ids) {
    const auto length = ids.size(1);
    auto x = word_embeddings_layernorm(word_embeddings(ids));
    auto alibi = build_alibi(ids.size(0), length);
    auto mask = torch::ones({length, length}, torch::kBool).triu(1);
    for (auto &block : h)
      x = block(x, alibi, mask);
    return torch::matmul(ln_f(x), word_embeddings->weight.t());
  }

  int heads;
  torch::nn::Embedding word_embeddings{nullptr};
  torch::nn::LayerNorm word_embeddings_layernorm{nullptr}, ln_f{nullptr};
  std::vector<BloomBlock> h;
};
TORCH_MODULE(Bloom);

int main(int argc, char **argv) {
  const int hidden = 1024;
  const int layers = 24; // vary: 2 4 6
  Bloom net(250880, hidden, layers, 16);
  // oracle: model(net)
  // matrix: auto ids = torch::randint(250880, {N, 6}, torch::kLong);
  // matrix: auto logits = net(ids);
  // matrix: auto loss = logits.mean();
  net->eval();
  torch::NoGradGuard guard;
  Tensor logits = net(torch::randint(250880, {1, 6}, torch::kLong));
  // oracle: shape(logits)
  std::cout << logits.sizes() << std::endl;
  return 0;
}
