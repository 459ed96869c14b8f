// A mixture of experts after Mixtral, small: a router picks two of eight
// experts for each token, tokens are gathered and scattered back by index_add_.
#include <torch/torch.h>

#include <iostream>

struct MoeConfig {
  int64_t hidden_size = 512; // vary: 128 256 1024
  int64_t intermediate_size = 1792; // vary: 64 128 512
  int64_t num_hidden_layers = 4; // vary: 1 2 6
  int64_t num_local_experts = 8; // vary: 4 6 16
  int64_t num_experts_per_tok = 2; // vary: 1 3 4
  int64_t num_attention_heads = 8; // vary: 2 4 16
  int64_t vocab_size = 32000; // vary: 100 1000 5000
};

class Expert : public torch::nn::Module {
public:
  Expert(int64_t hidden, int64_t intermediate) {
    using torch::nn::Linear;
    using torch::nn::LinearOptions;
    w1_ = register_module("w1", Linear(LinearOptions(hidden, intermediate).bias(false)));
    w2_ = register_module("w2", Linear(LinearOptions(intermediate, hidden).bias(false)));
    w3_ = register_module("w3", Linear(LinearOptions(hidden, intermediate).bias(false)));
  }
  torch::Tensor forward(torch::Tensor x) { return w2_(torch::silu(w1_(x)) * w3_(x)); }

private:
  torch::nn::Linear w1_{nullptr}, w2_{nullptr}, w3_{nullptr};
};

class SparseMoeBlock : public torch::nn::Module {
public:
  explicit SparseMoeBlock(const MoeConfig &config)
      : top_k_(config.num_experts_per_tok),
        gate_(register_module("gate", torch::nn::Linear(torch::nn::LinearOptions(config.hidden_size, config.num_local_experts).bias(false)))),
        experts_(register_module("experts", torch::nn::ModuleList())) {
    for (int64_t i = 0; i < config.num_local_experts; ++i)
      experts_->push_back(std::make_shared<Expert>(config.hidden_size, config.intermediate_size));
  }

  std::tuple<torch::Tensor, torch::Tensor> forward(const torch::Tensor &hidden_states) {
    auto flat = hidden_states.view({-1, hidden_states.size(-1)});
    auto router_logits = gate_(flat);
    auto routing = torch::softmax(router_logits, 1);
    auto [weights, selected] = torch::topk(routing, top_k_, -1);
    weights /= weights.sum(-1, true);

    auto result = torch::zeros_like(flat);
    auto one_hot = torch::one_hot(selected, experts_->size()).permute({2, 1, 0});
    for (size_t e = 0; e < experts_->size(); ++e) {
      auto places = torch::where(one_hot[e]);
      auto &rank = places[0], &token = places[1];
      if (token.numel() == 0)
        continue;
      auto current = flat.index_select(0, token);
      auto scaled = experts_[e]->as<Expert>()->forward(current) * weights.index({token, rank}).unsqueeze(-1);
      result.index_add_(0, token, scaled);
    }
    return {result.view_as(hidden_states), router_logits};
  }

private:
  int64_t top_k_;
  torch::nn::Linear gate_;
  torch::nn::ModuleList experts_;
};

class MoeLayer : public torch::nn::Module {
public:
  explicit MoeLayer(const MoeConfig &config)
      : attention_(torch::nn::MultiheadAttentionOptions(config.hidden_size, config.num_attention_heads).bias(false)),
        moe_(std::make_shared<SparseMoeBlock>(config)), norm1_(torch::nn::LayerNormOptions({config.hidden_size})),
        norm2_(torch::nn::LayerNormOptions({config.hidden_size})) {
    register_module("self_attn", attention_);
    register_module("block_sparse_moe", moe_);
    register_module("input_layernorm", norm1_);
    register_module("post_attention_layernorm", norm2_);
  }

  torch::Tensor forward(torch::Tensor x, std::vector<torch::Tensor> *router) {
    auto h = norm1_(x).transpose(0, 1);
    auto attended = std::get<0>(attention_->forward(h, h, h));
    x = x + attended.transpose(0, 1);
    auto [y, logits] = moe_->forward(norm2_(x));
    if (router)
      router->push_back(logits);
    return x + y;
  }

private:
  torch::nn::MultiheadAttention attention_;
  std::shared_ptr<SparseMoeBlock> moe_;
  torch::nn::LayerNorm norm1_, norm2_;
};

class MixtralLike : public torch::nn::Module {
public:
  explicit MixtralLike(const MoeConfig &config) : embed_(config.vocab_size, config.hidden_size) {
    register_module("embed_tokens", embed_);
    for (int64_t i = 0; i < config.num_hidden_layers; ++i) {
      auto layer = std::make_shared<MoeLayer>(config);
      layers_.push_back(register_module("layer" + std::to_string(i), layer));
    }
    head_ = register_module("lm_head", torch::nn::Linear(config.hidden_size, config.vocab_size));
  }

  torch::Tensor forward(const torch::Tensor &ids, std::vector<torch::Tensor> *router = nullptr) {
    auto x = embed_(ids);
    for (auto &layer : layers_)
      x = layer->forward(x, router);
    return head_(x);
  }

private:
  torch::nn::Embedding embed_;
  std::vector<std::shared_ptr<MoeLayer>> layers_;
  torch::nn::Linear head_{nullptr};
};

int main() {
  torch::manual_seed(0);
  auto net = std::make_shared<MixtralLike>(MoeConfig());
  // oracle: model(net)
  // matrix: auto ids = torch::randint(0, 100, {N, 16}, torch::kLong);
  // matrix: auto logits = net->forward(ids);
  // matrix: auto loss = logits.mean();
  net->eval();
  torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> router;
  auto logits = net->forward(torch::randint(0, 100, {2, 16}, torch::kLong), &router);
  // oracle: shape(logits)
  auto all = torch::stack(router);
  // oracle: shape(all)
  std::cout << logits.sizes() << " router " << all.sizes() << "\n";
}
