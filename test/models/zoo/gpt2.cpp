// published: gpt2
// GPT-2 small in the manner of nanoGPT: causal mask as a buffer, head tied to the embedding.
#include <torch/torch.h>

#include <cmath>
#include <cstdio>
#include <optional>

namespace nn = torch::nn;
namespace F = torch::nn::functional;

struct GPTConfig {
  int block_size = 1024; // vary: 64 128 256
  int vocab_size = 50257;
  int n_layer = 12; // vary: 2 3 5
  int n_head = 12;
  int n_embd = 768;
  double dropout = 0.0;
  bool bias = true;
};

class CausalSelfAttention : public nn::Module {
  nn::Linear c_attn{nullptr}, c_proj{nullptr};
  nn::Dropout attn_dropout{nullptr}, resid_dropout{nullptr};
  int n_head, n_embd;

public:
  CausalSelfAttention(const GPTConfig &config) : n_head(config.n_head), n_embd(config.n_embd) {
    assert(config.n_embd % config.n_head == 0);
    c_attn = register_module("c_attn", nn::Linear(nn::LinearOptions(n_embd, 3 * n_embd).bias(config.bias)));
    c_proj = register_module("c_proj", nn::Linear(nn::LinearOptions(n_embd, n_embd).bias(config.bias)));
    attn_dropout = register_module("attn_dropout", nn::Dropout(config.dropout));
    resid_dropout = register_module("resid_dropout", nn::Dropout(config.dropout));
  }

  torch::Tensor forward(const torch::Tensor &x) {
    const auto B = x.size(0);
    const auto T = x.size(1);
    const auto C = x.size(2);
    auto qkv = c_attn->forward(x).split(n_embd, 2);
    auto q = qkv[0].view({B, T, n_head, C / n_head}).transpose(1, 2);
    auto k = qkv[1].view({B, T, n_head, C / n_head}).transpose(1, 2);
    auto v = qkv[2].view({B, T, n_head, C / n_head}).transpose(1, 2);

    auto att = q.matmul(k.transpose(-2, -1)) * (1.0 / std::sqrt(k.size(-1)));
    auto mask = torch::tril(torch::ones({T, T}, x.options())).view({1, 1, T, T});
    att = att.masked_fill(mask.eq(0), -INFINITY);
    att = F::softmax(att, F::SoftmaxFuncOptions(-1));
    att = attn_dropout->forward(att);
    auto y = att.matmul(v);
    y = y.transpose(1, 2).contiguous().view({B, T, C});
    return resid_dropout->forward(c_proj->forward(y));
  }
};

class MLP : public nn::Module {
  nn::Linear c_fc, c_proj;
  nn::Dropout dropout;

public:
  MLP(const GPTConfig &config)
      : c_fc(register_module("c_fc", nn::Linear(config.n_embd, 4 * config.n_embd))),
        c_proj(register_module("c_proj", nn::Linear(4 * config.n_embd, config.n_embd))), dropout(config.dropout) {}

  torch::Tensor forward(torch::Tensor x) {
    x = c_fc->forward(x);
    x = F::gelu(x);
    x = c_proj->forward(x);
    return dropout->forward(x);
  }
};

class Block : public nn::Module {
  nn::LayerNorm ln_1, ln_2;
  std::shared_ptr<CausalSelfAttention> attn;
  std::shared_ptr<MLP> mlp;

public:
  Block(const GPTConfig &config)
      : ln_1(nn::LayerNormOptions({config.n_embd})), ln_2(nn::LayerNormOptions({config.n_embd})) {
    register_module("ln_1", ln_1);
    attn = register_module("attn", std::make_shared<CausalSelfAttention>(config));
    register_module("ln_2", ln_2);
    mlp = register_module("mlp", std::make_shared<MLP>(config));
  }

  torch::Tensor forward(torch::Tensor x) {
    x = x + attn->forward(ln_1->forward(x));
    x = x + mlp->forward(ln_2->forward(x));
    return x;
  }
};

class GPT : public nn::Module {
  GPTConfig config;
  nn::Embedding wte{nullptr}, wpe{nullptr};
  nn::Dropout drop{nullptr};
  nn::Sequential h;
  nn::LayerNorm ln_f{nullptr};

public:
  GPT(GPTConfig c) : config(c) {
    wte = register_module("wte", nn::Embedding(config.vocab_size, config.n_embd));
    wpe = register_module("wpe", nn::Embedding(config.block_size, config.n_embd));
    drop = register_module("drop", nn::Dropout(config.dropout));
    for (int i = 0; i < config.n_layer; i++)
      h->push_back(Block(config));
    register_module("h", h);
    ln_f = register_module("ln_f", nn::LayerNorm(nn::LayerNormOptions({config.n_embd})));
    apply([this](nn::Module &m) { init_weights(m); });
    for (auto &p : named_parameters())
      if (p.key().size() >= 13 && p.key().compare(p.key().size() - 13, 13, "c_proj.weight") == 0)
        nn::init::normal_(p.value(), 0.0, 0.02 / std::sqrt(2.0 * config.n_layer));
  }

  void init_weights(nn::Module &module) {
    if (auto *linear = module.as<nn::Linear>()) {
      nn::init::normal_(linear->weight, 0.0, 0.02);
      if (linear->bias.defined())
        nn::init::zeros_(linear->bias);
    } else if (auto *embedding = module.as<nn::Embedding>()) {
      nn::init::normal_(embedding->weight, 0.0, 0.02);
    }
  }

  std::pair<torch::Tensor, std::optional<torch::Tensor>> forward(torch::Tensor idx,
                                                                 std::optional<torch::Tensor> targets = std::nullopt) {
    const auto t = idx.size(1);
    auto pos = torch::arange(0, t, torch::TensorOptions().dtype(torch::kLong).device(idx.device()));
    auto x = drop->forward(wte->forward(idx) + wpe->forward(pos));
    x = h->forward(x);
    x = ln_f->forward(x);
    if (!targets) {
      auto last = x.index({torch::indexing::Slice(), torch::indexing::Slice(-1, torch::indexing::None)});
      return {F::linear(last, wte->weight), std::nullopt};
    }
    auto logits = F::linear(x, wte->weight);
    auto loss = F::cross_entropy(logits.view({-1, logits.size(-1)}), targets->view({-1}),
                                 F::CrossEntropyFuncOptions().ignore_index(-1));
    return {logits, loss};
  }
};

int main() {
  GPTConfig config;
  GPT model(config);
  // oracle: model(model)
  // matrix: auto idx = torch::randint(config.vocab_size, {N, 16}, torch::kLong);
  // matrix: auto [logits, value] = model.forward(idx, idx);
  // matrix: auto loss = *value;
  model.eval();
  torch::NoGradGuard no_grad;
  auto idx = torch::randint(config.vocab_size, {1, 16}, torch::kLong);
  auto [logits, none] = model.forward(idx);
  // oracle: shape(logits)
  auto [all, loss] = model.forward(idx, idx);
  // oracle: shape(all)
  torch::Tensor value = *loss;
  // oracle: shape(value)
  std::printf("%ld %ld\n", (long)logits.size(2), (long)all.size(1));
}
