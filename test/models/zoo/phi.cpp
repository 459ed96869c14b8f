// Phi-like: attention and MLP side by side from one norm, rotary on part of the
// head, Phi-1.5's widths with three of its layers. The configuration is a map.
#include <torch/torch.h>

#include <iostream>
#include <map>
#include <string>

using Settings = std::map<std::string, int64_t>;

class PhiMHAImpl : public torch::nn::Module {
 public:
  PhiMHAImpl(const Settings& s)
      : n_head_(s.at("n_head")), head_dim_(s.at("n_embd") / n_head_), rotary_dim_(s.at("rotary_dim")) {
    Wqkv_ = register_module("Wqkv", torch::nn::Linear(s.at("n_embd"), 3 * s.at("n_embd")));
    out_proj_ = register_module("out_proj", torch::nn::Linear(s.at("n_embd"), s.at("n_embd")));
    register_buffer("inv_freq", 1.0 / torch::pow(10000.0, torch::arange(0, rotary_dim_, 2).to(torch::kFloat32) / rotary_dim_));
  }

  torch::Tensor rotate(torch::Tensor x) {
    auto t = torch::arange(x.size(1), torch::kFloat32);
    auto freqs = torch::outer(t, named_buffers()["inv_freq"]);
    auto c = freqs.cos().unsqueeze(1), s = freqs.sin().unsqueeze(1);
    auto turned = x.index({torch::indexing::Ellipsis, torch::indexing::Slice(torch::indexing::None, rotary_dim_)});
    auto passed = x.index({torch::indexing::Ellipsis, torch::indexing::Slice(rotary_dim_, torch::indexing::None)});
    auto pair = turned.chunk(2, -1);
    return torch::cat({pair[0] * c - pair[1] * s, pair[0] * s + pair[1] * c, passed}, -1);
  }

  torch::Tensor forward(torch::Tensor x) {
    auto qkv = Wqkv_(x).view({x.size(0), x.size(1), 3, n_head_, head_dim_}).unbind(2);
    auto q = rotate(qkv[0]), k = rotate(qkv[1]), v = qkv[2];
    auto scores = torch::einsum("bthd,bshd->bhts", {q, k * (1.0 / std::sqrt(head_dim_))});
    auto causal = torch::triu(torch::full({x.size(1), x.size(1)}, -10000.0), 1);
    auto attention = torch::softmax(scores + causal, -1);
    auto output = torch::einsum("bhts,bshd->bthd", {attention, v});
    return out_proj_(output.flatten(2));
  }

 private:
  int64_t n_head_, head_dim_, rotary_dim_;
  torch::nn::Linear Wqkv_{nullptr}, out_proj_{nullptr};
};
TORCH_MODULE(PhiMHA);

class ParallelBlockImpl : public torch::nn::Module {
 public:
  ParallelBlockImpl(const Settings& s)
      : ln_(register_module("ln", torch::nn::LayerNorm(torch::nn::LayerNormOptions({s.at("n_embd")})))),
        mixer_(register_module("mixer", PhiMHA(s))),
        mlp_(register_module("mlp", torch::nn::Sequential({
            {"fc1", torch::nn::Linear(s.at("n_embd"), s.at("n_inner"))},
            {"act", torch::nn::GELU(torch::nn::GELUOptions().approximate("tanh"))},
            {"fc2", torch::nn::Linear(s.at("n_inner"), s.at("n_embd"))},
        }))) {}
  torch::Tensor forward(torch::Tensor hidden_states) {
    auto residual = hidden_states;
    hidden_states = ln_(hidden_states);
    auto attn_outputs = mixer_(hidden_states);
    auto feed_forward = mlp_->forward(hidden_states);
    return attn_outputs + feed_forward + residual;
  }

 private:
  torch::nn::LayerNorm ln_;
  PhiMHA mixer_;
  torch::nn::Sequential mlp_;
};
TORCH_MODULE(ParallelBlock);

static torch::nn::Sequential make_phi(const Settings& s) {
  torch::nn::Sequential layers;
  layers->push_back("embd", torch::nn::Embedding(s.at("vocab_size"), s.at("n_embd")));
  for (int64_t i = 0; i < s.at("n_layer"); ++i)
    layers->push_back("block" + std::to_string(i), ParallelBlock(s));
  layers->push_back("ln", torch::nn::LayerNorm(torch::nn::LayerNormOptions({s.at("n_embd")})));
  layers->push_back("linear", torch::nn::Linear(s.at("n_embd"), s.at("vocab_size")));
  return layers;
}

int main() {
  Settings settings{{"vocab_size", 51200}, {"n_embd", 2048}, {"n_head", 32}, {"rotary_dim", 32}};
  settings["n_layer"] = 3; // vary: 1 2 4
  settings["n_inner"] = 8192; // vary: 1024 2048 4096
  settings.insert(std::make_pair("unused", 0));
  settings.erase("unused");
  auto phi = make_phi(settings);
  // oracle: model(phi)
  // matrix: auto ids = torch::randint(0, settings["vocab_size"], {N, 12}, torch::kInt64);
  // matrix: auto logits = phi->forward(ids);
  // matrix: auto loss = logits.mean();
  phi->eval();
  torch::NoGradGuard guard;
  auto logits = phi->forward(torch::randint(0, settings["vocab_size"], {1, 12}, torch::kInt64));
  // oracle: shape(logits)
  std::cout << settings.size() << " settings, logits " << logits.sizes() << std::endl;
}
