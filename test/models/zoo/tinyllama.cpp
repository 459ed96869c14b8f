// TinyLlama with its published widths and four of its 22 layers, in bfloat16:
// RMSNorm, rotary embeddings from complex numbers, grouped queries, SwiGLU and
// a cache of keys and values, after Meta's llama/model.py.
#include <torch/torch.h>

#include <iostream>
#include <optional>

struct ModelArgs {
  int64_t dim{2048};
  int64_t n_layers{4}; // vary: 1 2 3
  int64_t n_heads{32};
  std::optional<int64_t> n_kv_heads{4}; // vary: 2 8 32
  int64_t vocab_size{32000}; // vary: 1000 8000 32768
  int64_t hidden_dim{5632}; // vary: 512 1024 4096
  double norm_eps{1e-5};
  int64_t max_batch_size{2};
  int64_t max_seq_len{256}; // vary: 32 64 128
};

class RMSNormImpl : public torch::nn::Module {
public:
  RMSNormImpl(int64_t dim, double eps) : eps_(eps) { weight = register_parameter("weight", torch::ones({dim})); }
  torch::Tensor forward(const torch::Tensor &x) {
    auto wide = x.to(torch::kFloat32);
    auto normed = wide * torch::rsqrt(wide.pow(2).mean(-1, /*keepdim=*/true) + eps_);
    return normed.type_as(x) * weight;
  }

private:
  double eps_;
  torch::Tensor weight;
};
TORCH_MODULE(RMSNorm);

torch::Tensor precompute_freqs_cis(int64_t dim, int64_t end, double theta = 10000.0) {
  auto exponents = torch::arange(0, dim, 2, torch::kFloat32).slice(0, 0, dim / 2) / dim;
  auto freqs = 1.0 / torch::pow(theta, exponents);
  auto t = torch::arange(end, torch::kFloat32);
  auto outer = torch::outer(t, freqs);
  return torch::polar(torch::ones_like(outer), outer);
}

std::tuple<torch::Tensor, torch::Tensor> apply_rotary_emb(const torch::Tensor &xq, const torch::Tensor &xk,
                                                          const torch::Tensor &freqs_cis) {
  auto as_complex = [](const torch::Tensor &x) {
    auto sizes = x.sizes().vec();
    sizes.back() /= 2;
    sizes.push_back(2);
    return torch::view_as_complex(x.to(torch::kFloat32).reshape(sizes));
  };
  auto freqs = freqs_cis.view({1, freqs_cis.size(0), 1, freqs_cis.size(1)});
  auto q = torch::view_as_real(as_complex(xq) * freqs).flatten(3);
  auto k = torch::view_as_real(as_complex(xk) * freqs).flatten(3);
  return {q.type_as(xq), k.type_as(xk)};
}

torch::Tensor repeat_kv(const torch::Tensor &x, int64_t n_rep) {
  if (n_rep == 1)
    return x;
  const auto bs = x.size(0), slen = x.size(1), heads = x.size(2), dim = x.size(3);
  return x.unsqueeze(3).expand({bs, slen, heads, n_rep, dim}).reshape({bs, slen, heads * n_rep, dim});
}

static torch::nn::Linear bare_linear(int64_t in, int64_t out) {
  return torch::nn::Linear(torch::nn::LinearOptions(in, out).bias(false));
}

class AttentionImpl : public torch::nn::Module {
public:
  explicit AttentionImpl(const ModelArgs &args)
      : n_heads(args.n_heads), n_kv_heads(args.n_kv_heads.value_or(args.n_heads)), head_dim(args.dim / args.n_heads),
        n_rep(n_heads / n_kv_heads) {
    wq = register_module("wq", bare_linear(args.dim, n_heads * head_dim));
    wk = register_module("wk", bare_linear(args.dim, n_kv_heads * head_dim));
    wv = register_module("wv", bare_linear(args.dim, n_kv_heads * head_dim));
    wo = register_module("wo", bare_linear(n_heads * head_dim, args.dim));
    auto cache = torch::zeros({args.max_batch_size, args.max_seq_len, n_kv_heads, head_dim});
    cache_k = register_buffer("cache_k", cache);
    cache_v = register_buffer("cache_v", torch::zeros_like(cache));
  }

  torch::Tensor forward(const torch::Tensor &x, int64_t start_pos, const torch::Tensor &freqs_cis,
                        const std::optional<torch::Tensor> &mask) {
    const auto bsz = x.size(0), seqlen = x.size(1);
    auto xq = wq(x).view({bsz, seqlen, n_heads, head_dim});
    auto xk = wk(x).view({bsz, seqlen, n_kv_heads, head_dim});
    auto xv = wv(x).view({bsz, seqlen, n_kv_heads, head_dim});
    std::tie(xq, xk) = apply_rotary_emb(xq, xk, freqs_cis);

    using torch::indexing::Slice;
    cache_k.index_put_({Slice(0, bsz), Slice(start_pos, start_pos + seqlen)}, xk);
    cache_v.index_put_({Slice(0, bsz), Slice(start_pos, start_pos + seqlen)}, xv);
    auto keys = repeat_kv(cache_k.index({Slice(0, bsz), Slice(0, start_pos + seqlen)}), n_rep).transpose(1, 2);
    auto values = repeat_kv(cache_v.index({Slice(0, bsz), Slice(0, start_pos + seqlen)}), n_rep).transpose(1, 2);
    xq = xq.transpose(1, 2);
    auto scores = torch::matmul(xq, keys.transpose(2, 3)) / std::sqrt(static_cast<double>(head_dim));
    if (mask.has_value())
      scores = scores + mask.value();
    scores = torch::softmax(scores, -1, torch::kFloat32).type_as(xq);
    auto output = torch::matmul(scores, values).transpose(1, 2).contiguous().view({bsz, seqlen, -1});
    return wo(output);
  }

private:
  int64_t n_heads, n_kv_heads, head_dim, n_rep;
  torch::nn::Linear wq{nullptr}, wk{nullptr}, wv{nullptr}, wo{nullptr};
  torch::Tensor cache_k, cache_v;
};
TORCH_MODULE(Attention);

class FeedForwardImpl : public torch::nn::Module {
public:
  FeedForwardImpl(int64_t dim, int64_t hidden_dim)
      : w1(bare_linear(dim, hidden_dim)), w2(bare_linear(hidden_dim, dim)), w3(bare_linear(dim, hidden_dim)) {
    register_module("w1", w1);
    register_module("w2", w2);
    register_module("w3", w3);
  }
  torch::Tensor forward(const torch::Tensor &x) { return w2(torch::silu(w1(x)) * w3(x)); }

private:
  torch::nn::Linear w1, w2, w3;
};
TORCH_MODULE(FeedForward);

class TransformerBlockImpl : public torch::nn::Module {
public:
  TransformerBlockImpl(int64_t layer_id, const ModelArgs &args)
      : layer_id_(layer_id), attention(args), feed_forward(args.dim, args.hidden_dim),
        attention_norm(args.dim, args.norm_eps), ffn_norm(args.dim, args.norm_eps) {
    register_module("attention", attention);
    register_module("feed_forward", feed_forward);
    register_module("attention_norm", attention_norm);
    register_module("ffn_norm", ffn_norm);
  }
  torch::Tensor forward(const torch::Tensor &x, int64_t start_pos, const torch::Tensor &freqs_cis,
                        const std::optional<torch::Tensor> &mask) {
    auto h = x + attention(attention_norm(x), start_pos, freqs_cis, mask);
    return h + feed_forward(ffn_norm(h));
  }

private:
  int64_t layer_id_;
  Attention attention;
  FeedForward feed_forward;
  RMSNorm attention_norm, ffn_norm;
};
TORCH_MODULE(TransformerBlock);

class TransformerImpl : public torch::nn::Module {
public:
  explicit TransformerImpl(const ModelArgs &args) : params(args) {
    tok_embeddings = register_module("tok_embeddings", torch::nn::Embedding(args.vocab_size, args.dim));
    layers = register_module("layers", torch::nn::ModuleList());
    for (int64_t layer_id = 0; layer_id < args.n_layers; ++layer_id)
      layers->push_back(TransformerBlock(layer_id, args));
    norm = register_module("norm", RMSNorm(args.dim, args.norm_eps));
    output = register_module("output", bare_linear(args.dim, args.vocab_size));
    freqs_cis = precompute_freqs_cis(args.dim / args.n_heads, args.max_seq_len * 2);
  }

  torch::Tensor forward(const torch::Tensor &tokens, int64_t start_pos) {
    const auto seqlen = tokens.size(1);
    auto h = tok_embeddings(tokens);
    auto freqs = freqs_cis.slice(0, start_pos, start_pos + seqlen);
    std::optional<torch::Tensor> mask;
    if (seqlen > 1) {
      auto upper = torch::full({seqlen, seqlen}, -std::numeric_limits<float>::infinity());
      upper = torch::triu(upper, 1);
      mask = torch::hstack({torch::zeros({seqlen, start_pos}), upper}).type_as(h);
    }
    for (const auto &layer : *layers)
      h = layer->as<TransformerBlock>()->forward(h, start_pos, freqs, mask);
    return output(norm(h)).to(torch::kFloat32);
  }

private:
  ModelArgs params;
  torch::nn::Embedding tok_embeddings{nullptr};
  torch::nn::ModuleList layers{nullptr};
  RMSNorm norm{nullptr};
  torch::nn::Linear output{nullptr};
  torch::Tensor freqs_cis;
};
TORCH_MODULE(Transformer);

int main() {
  ModelArgs args;
  Transformer llama(args);
  llama->to(torch::kBFloat16);
  // oracle: model(llama)
  // matrix: auto prompt = torch::randint(0, 999, {N, 8}, torch::kLong);
  // matrix: auto logits = llama->forward(prompt, 0);
  // matrix: auto loss = logits.mean();
  llama->eval();
  torch::InferenceMode guard;
  auto prompt = torch::randint(0, 999, {1, 8}, torch::kLong);
  auto logits = llama->forward(prompt, 0);
  // oracle: shape(logits)
  auto next = logits.select(1, -1).argmax(-1, true);
  // oracle: shape(next)
  auto step = llama->forward(next, prompt.size(1));
  // oracle: shape(step)
  std::cout << "prompt " << logits.sizes() << ", step " << step.sizes() << std::endl;
}
