// published: t5-small
// T5-small: relative position buckets owned by the first layer of each stack.
#include <torch/torch.h>

#include <cmath>
#include <iostream>
#include <utility>

struct T5Config {
  int vocab_size = 32128;
  int d_model = 512;
  int d_kv = 64; // vary: 16 32 48
  int d_ff = 2048; // vary: 256 512 1024
  int num_layers = 6; // vary: 1 2 4
  int num_heads = 8; // vary: 2 4 6
  int relative_attention_num_buckets = 32; // vary: 16 24 64
  float dropout_rate = 0.1f;
  float layer_norm_epsilon = 1e-6f;
};

struct T5LayerNormImpl : torch::nn::Module {
  T5LayerNormImpl(int size, float eps) : eps(eps), weight(torch::ones(size)) { register_parameter("weight", weight); }
  torch::Tensor forward(torch::Tensor x) { return x * torch::rsqrt(x.pow(2).mean(-1, true) + eps) * weight; }
  float eps;
  torch::Tensor weight;
};
TORCH_MODULE(T5LayerNorm);

struct T5AttentionImpl : torch::nn::Module {
  T5AttentionImpl(const T5Config &c, bool bidirectional, bool has_bias)
      : heads(c.num_heads), dim(c.d_kv), buckets(c.relative_attention_num_buckets), bidirectional(bidirectional) {
    const int inner = heads * dim;
    auto linear = [&](const char *name, int in, int out) {
      return register_module(name, torch::nn::Linear(torch::nn::LinearOptions(in, out).bias(false)));
    };
    q = linear("q", c.d_model, inner);
    k = linear("k", c.d_model, inner);
    v = linear("v", c.d_model, inner);
    o = linear("o", inner, c.d_model);
    if (has_bias)
      relative_attention_bias = register_module("relative_attention_bias", torch::nn::Embedding(buckets, heads));
  }

  torch::Tensor bucket(torch::Tensor relative) const {
    int num = buckets;
    auto result = torch::zeros_like(relative);
    if (bidirectional) {
      num /= 2;
      result = result + (relative > 0).to(torch::kLong) * num;
      relative = relative.abs();
    } else {
      relative = -torch::min(relative, torch::zeros_like(relative));
    }
    const int exact = num / 2;
    auto is_small = relative < exact;
    auto large = exact + (torch::log(relative.to(torch::kFloat) / exact) / std::log(128.0 / exact) * (num - exact)).to(torch::kLong);
    large = torch::min(large, torch::full_like(large, num - 1));
    return result + torch::where(is_small, relative, large);
  }

  torch::Tensor compute_bias(int64_t query_length, int64_t key_length) {
    auto context = torch::arange(query_length, torch::kLong).unsqueeze(1);
    auto memory = torch::arange(key_length, torch::kLong).unsqueeze(0);
    auto values = relative_attention_bias->forward(bucket(memory - context));
    return values.permute({2, 0, 1}).unsqueeze(0);
  }

  // The keys' source is optional: self-attention without it.
  std::pair<torch::Tensor, torch::Tensor> forward(torch::Tensor x, c10::optional<torch::Tensor> source,
                                                  torch::Tensor position_bias, torch::Tensor mask) {
    auto from = source ? *source : x;
    const auto b = x.size(0), n = x.size(1), m = from.size(1);
    auto query = q(x).view({b, n, heads, dim}).transpose(1, 2);
    auto key = k(from).view({b, m, heads, dim}).transpose(1, 2);
    auto value = v(from).view({b, m, heads, dim}).transpose(1, 2);
    auto scores = torch::matmul(query, key.transpose(3, 2));
    if (!position_bias.defined()) {
      position_bias = relative_attention_bias.is_empty() ? torch::zeros({1, heads, n, m}) : compute_bias(n, m);
      if (mask.defined())
        position_bias = position_bias + mask;
    }
    scores += position_bias;
    auto weights = torch::softmax(scores.to(torch::kFloat), -1).type_as(scores);
    auto mixed = torch::matmul(weights, value).transpose(1, 2).contiguous().view({b, -1, heads * dim});
    return {o(mixed), position_bias};
  }

  int heads, dim, buckets;
  bool bidirectional;
  torch::nn::Linear q{nullptr}, k{nullptr}, v{nullptr}, o{nullptr};
  torch::nn::Embedding relative_attention_bias{nullptr};
};
TORCH_MODULE(T5Attention);

struct T5BlockImpl : torch::nn::Module {
  T5BlockImpl(const T5Config &c, bool decoder, bool first)
      : self_attention(c, !decoder, first), norm1(c.d_model, c.layer_norm_epsilon), norm3(c.d_model, c.layer_norm_epsilon),
        wi(torch::nn::LinearOptions(c.d_model, c.d_ff).bias(false)), wo(torch::nn::LinearOptions(c.d_ff, c.d_model).bias(false)) {
    register_module("self_attention", self_attention);
    register_module("norm1", norm1);
    if (decoder) {
      cross_attention = T5Attention(c, true, false);
      norm2 = T5LayerNorm(c.d_model, c.layer_norm_epsilon);
      register_module("cross_attention", cross_attention);
      register_module("norm2", norm2);
    }
    register_module("wi", wi);
    register_module("wo", wo);
    register_module("norm3", norm3);
  }

  torch::Tensor self_attend(torch::Tensor x, torch::Tensor &bias, torch::Tensor mask) {
    auto [y, used] = self_attention->forward(norm1(x), c10::nullopt, bias, mask);
    bias = used;
    return x + y;
  }

  torch::Tensor cross_attend(torch::Tensor x, torch::Tensor memory, torch::Tensor &bias) {
    auto result = cross_attention->forward(norm2(x), memory, bias, {});
    bias = result.second;
    return x + result.first;
  }

  torch::Tensor feed_forward(torch::Tensor x) { return x + wo(torch::relu(wi(norm3(x)))); }

  T5Attention self_attention, cross_attention{nullptr};
  T5LayerNorm norm1, norm2{nullptr}, norm3;
  torch::nn::Linear wi, wo;
};
TORCH_MODULE(T5Block);

struct T5StackImpl : torch::nn::Module {
  T5StackImpl(const T5Config &c, torch::nn::Embedding shared, bool decoder)
      : decoder(decoder), embed_tokens(shared), final_layer_norm(c.d_model, c.layer_norm_epsilon), dropout(c.dropout_rate) {
    for (int i = 0; i < c.num_layers; ++i)
      block->push_back(T5Block(c, decoder, i == 0));
    register_module("block", block);
    register_module("final_layer_norm", final_layer_norm);
    register_module("dropout", dropout);
  }

  torch::Tensor forward(torch::Tensor ids, torch::Tensor memory = torch::Tensor()) {
    auto x = dropout(embed_tokens(ids));
    torch::Tensor mask, self_bias, cross_bias;
    if (decoder) {
      const auto n = ids.size(1);
      mask = torch::triu(torch::full({n, n}, -1e9), 1).view({1, 1, n, n});
    }
    for (const auto &child : block->children()) {
      auto *layer = child->as<T5Block>();
      x = layer->self_attend(x, self_bias, mask);
      if (decoder)
        x = layer->cross_attend(x, memory, cross_bias);
      x = layer->feed_forward(x);
    }
    return dropout(final_layer_norm(x));
  }

  bool decoder;
  torch::nn::Embedding embed_tokens;
  torch::nn::ModuleList block;
  T5LayerNorm final_layer_norm;
  torch::nn::Dropout dropout;
};
TORCH_MODULE(T5Stack);

struct T5Impl : torch::nn::Module {
  explicit T5Impl(const T5Config &c) : c(c), shared(c.vocab_size, c.d_model), encoder(c, shared, false), decoder(c, shared, true) {
    register_module("shared", shared);
    register_module("encoder", encoder);
    register_module("decoder", decoder);
  }
  torch::Tensor forward(torch::Tensor source, torch::Tensor target) {
    auto memory = encoder(source);
    auto x = decoder(target, memory) * std::pow(c.d_model, -0.5);
    return torch::nn::functional::linear(x, shared->weight);
  }
  T5Config c;
  torch::nn::Embedding shared;
  T5Stack encoder, decoder;
};
TORCH_MODULE(T5);

int main() {
  T5Config config;
  T5 net(config);
  // oracle: model(net)
  // matrix: auto source = torch::randint(1, config.vocab_size, {N, 18}, torch::kLong);
  // matrix: auto target = torch::randint(1, config.vocab_size, {N, 11}, torch::kLong);
  // matrix: auto logits = net->forward(source, target);
  // matrix: auto loss = torch::nn::functional::cross_entropy(logits.flatten(0, 1), target.flatten());
  net->eval();
  torch::NoGradGuard guard;
  auto source = torch::randint(1, config.vocab_size, {2, 18}, torch::kLong);
  auto target = torch::randint(1, config.vocab_size, {2, 11}, torch::kLong);
  auto logits = net->forward(source, target);
  // oracle: shape(logits)
  std::cout << logits.sizes() << std::endl;
  return 0;
}
