// published: roberta-base
// RoBERTa-base: positions computed from the padding mask, fused q/k/v helper
// lambdas, options filled by a builder.
#include <torch/torch.h>

#include <iostream>
#include <string>
#include <vector>

namespace roberta {

class Options {
public:
  Options(int64_t layers, int64_t width) : layers_(layers), width_(width) {}
  TORCH_ARG(int64_t, layers);
  TORCH_ARG(int64_t, width);
  TORCH_ARG(int64_t, heads) = 12;
  TORCH_ARG(int64_t, ffn) = 3072;
  TORCH_ARG(int64_t, vocab) = 50265;
  TORCH_ARG(int64_t, positions) = 514;
  TORCH_ARG(int64_t, pad) = 1;
  TORCH_ARG(double, dropout) = 0.1;
};

struct LayerImpl : torch::nn::Cloneable<LayerImpl> {
  explicit LayerImpl(Options options) : o(std::move(options)) { reset(); }

  void reset() override {
    std::vector<std::pair<std::string, std::shared_ptr<torch::nn::Module>>> parts;
    for (const char *name : {"query", "key", "value", "out"})
      parts.emplace_back(name, torch::nn::Linear(o.width(), o.width()).ptr());
    attention->update(parts);
    register_module("attention", attention);
    up = register_module("up", torch::nn::Linear(o.width(), o.ffn()));
    down = register_module("down", torch::nn::Linear(o.ffn(), o.width()));
    auto norm = torch::nn::LayerNormOptions({o.width()}).eps(1e-5);
    norm1 = register_module("norm1", torch::nn::LayerNorm(norm));
    norm2 = register_module("norm2", torch::nn::LayerNorm(norm));
  }

  torch::Tensor project(const std::string &name, const torch::Tensor &x) {
    return attention[name]->as<torch::nn::Linear>()->forward(x);
  }

  torch::Tensor forward(torch::Tensor x, const torch::Tensor &bias) {
    namespace F = torch::nn::functional;
    const int64_t b = x.size(0), t = x.size(1), d = o.width() / o.heads();
    auto split = [&](torch::Tensor y) { return y.reshape({b, t, o.heads(), d}).permute({0, 2, 1, 3}); };
    auto q = split(project("query", x)), k = split(project("key", x)), v = split(project("value", x));
    auto scores = q.matmul(k.mT()).div_(std::sqrt(d)).add_(bias);
    auto mixed = scores.softmax(-1).matmul(v).permute({0, 2, 1, 3}).flatten(2);
    x = norm1(x + F::dropout(project("out", mixed), F::DropoutFuncOptions().p(o.dropout()).training(is_training())));
    auto y = down(F::gelu(up(x)));
    return norm2(x + F::dropout(y, F::DropoutFuncOptions().p(o.dropout()).training(is_training())));
  }

  Options o;
  torch::nn::ModuleDict attention;
  torch::nn::Linear up{nullptr}, down{nullptr};
  torch::nn::LayerNorm norm1{nullptr}, norm2{nullptr};
};
TORCH_MODULE(Layer);

struct ModelImpl : torch::nn::Module {
  explicit ModelImpl(const Options &options) : o(options) {
    words = register_module("words", torch::nn::Embedding(torch::nn::EmbeddingOptions(o.vocab(), o.width()).padding_idx(o.pad())));
    places = register_module("places", torch::nn::Embedding(torch::nn::EmbeddingOptions(o.positions(), o.width()).padding_idx(o.pad())));
    types = register_module("types", torch::nn::Embedding(1, o.width()));
    norm = register_module("norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({o.width()}).eps(1e-5)));
    register_module("layers", layers);
    while (static_cast<int64_t>(layers->size()) < o.layers())
      layers->push_back(Layer(o));
    pooler = register_module("pooler", torch::nn::Linear(o.width(), o.width()));
  }

  std::pair<torch::Tensor, torch::Tensor> forward(const torch::Tensor &ids) {
    auto kept = ids.ne(o.pad()).to(torch::kLong);
    auto place = torch::cumsum(kept, 1) * kept + o.pad();
    auto bias = (1 - kept).to(torch::kFloat).mul(-1e9).unsqueeze(1).unsqueeze(1);
    auto x = norm(words(ids) + places(place) + types(torch::zeros_like(ids)));
    for (size_t i = 0; i < layers->size(); ++i)
      x = layers->at<LayerImpl>(i).forward(x, bias);
    return {x, pooler(x.index({torch::indexing::Slice(), 0})).tanh()};
  }

  Options o;
  torch::nn::Embedding words{nullptr}, places{nullptr}, types{nullptr};
  torch::nn::LayerNorm norm{nullptr};
  torch::nn::ModuleList layers;
  torch::nn::Linear pooler{nullptr};
};
TORCH_MODULE(Model);

} // namespace roberta

int main() {
  auto options = roberta::Options(12, 768).heads(12).dropout(0.1);
  options.ffn(3072); // vary: 768 1024 1536
  options.positions(514); // vary: 66 130 258
  roberta::Model net(options);
  // oracle: model(net)
  // matrix: auto ids = torch::randint(4, 50000, {N, 20}, torch::kLong);
  // matrix: auto [hidden, pooled] = net->forward(ids);
  // matrix: auto loss = hidden.mean() + pooled.mean();
  net->eval();
  torch::NoGradGuard guard;
  auto ids = torch::randint(4, 50000, {1, 20}, torch::kLong);
  auto [hidden, pooled] = net->forward(ids);
  // oracle: shape(hidden)
  // oracle: shape(pooled)
  std::cout << hidden.sizes() << pooled.sizes() << "\n";
  return 0;
}
