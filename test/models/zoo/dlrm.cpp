// DLRM: embedding bags for sparse features, a bottom MLP for dense ones, pairwise
// dot products, a top MLP. "13-512-256-64" strings say the widths.
#include <torch/torch.h>

#include <iostream>
#include <sstream>
#include <string>
#include <vector>

static std::vector<int64_t> parse(const std::string &dashes) {
  std::vector<int64_t> widths;
  std::stringstream stream(dashes);
  std::string part;
  while (std::getline(stream, part, '-'))
    widths.push_back(std::stoll(part));
  return widths;
}

class DLRM : public torch::nn::Module {
  std::vector<torch::nn::EmbeddingBag> emb_l;
  torch::nn::Sequential bot_l{nullptr}, top_l{nullptr};

  static torch::nn::Sequential create_mlp(const std::vector<int64_t> &ln, int sigmoid_layer) {
    torch::nn::Sequential layers;
    for (int i = 0; i < static_cast<int>(ln.size()) - 1; i++) {
      torch::nn::Linear LL(torch::nn::LinearOptions(ln[i], ln[i + 1]).bias(true));
      torch::nn::init::normal_(LL->weight, 0.0, std::sqrt(2.0 / (ln[i] + ln[i + 1])));
      torch::nn::init::normal_(LL->bias, 0.0, std::sqrt(1.0 / ln[i + 1]));
      layers->push_back(LL);
      if (i == sigmoid_layer)
        layers->push_back(torch::nn::Sigmoid());
      else
        layers->push_back(torch::nn::ReLU());
    }
    return layers;
  }

public:
  DLRM(int64_t m_spa, const std::vector<int64_t> &ln_emb, const std::string &bot, const std::string &top) {
    for (size_t i = 0; i < ln_emb.size(); ++i) {
      torch::nn::EmbeddingBag EE(torch::nn::EmbeddingBagOptions(ln_emb[i], m_spa).mode(torch::kSum));
      register_module("emb_" + std::to_string(i), EE);
      emb_l.push_back(EE);
    }
    auto ln_bot = parse(bot);
    bot_l = register_module("bot_l", create_mlp(ln_bot, -1));
    auto features = static_cast<int64_t>(ln_emb.size()) + 1;
    auto ln_top = parse(top);
    ln_top.insert(ln_top.begin(), features * (features - 1) / 2 + ln_bot.back());
    top_l = register_module("top_l", create_mlp(ln_top, static_cast<int>(ln_top.size()) - 2));
  }

  torch::Tensor interact(const torch::Tensor &x, std::vector<torch::Tensor> ly) {
    const auto batch = x.size(0), d = x.size(1);
    ly.insert(ly.begin(), x);
    auto T = torch::cat(ly, 1).view({batch, -1, d});
    auto Z = torch::bmm(T, T.transpose(1, 2));
    std::vector<int64_t> li, lj;
    for (int64_t i = 0; i < Z.size(1); ++i)
      for (int64_t j = 0; j < i; ++j) {
        li.push_back(i);
        lj.push_back(j);
      }
    auto Zflat = Z.index({torch::indexing::Slice(), torch::tensor(li), torch::tensor(lj)});
    return torch::cat({x, Zflat}, 1);
  }

  torch::Tensor forward(torch::Tensor dense, std::vector<torch::Tensor> offsets, std::vector<torch::Tensor> indices) {
    auto x = bot_l->forward(dense);
    std::vector<torch::Tensor> ly;
    for (size_t k = 0; k < emb_l.size(); ++k)
      ly.push_back(emb_l[k]->forward(indices[k], offsets[k]));
    return top_l->forward(interact(x, ly)).view({-1});
  }
};

int main() {
  const int64_t m_spa = 64;
  const int64_t rows = 10000; // vary: 100 500 1000
  const int tables = 8; // vary: 2 4 26
  std::vector<int64_t> ln_emb(tables, rows);
  ln_emb[0] = 1460;
  DLRM net(m_spa, ln_emb, "13-512-256-64", "512-256-1");
  // oracle: model(net)
  // matrix: auto dense = torch::rand({N, 13});
  // matrix: std::vector<torch::Tensor> offsets(tables), indices(tables);
  // matrix: for (auto &o : offsets) o = torch::arange(0, N, torch::kLong) * 3;
  // matrix: for (auto &i : indices) i = torch::randint(100, {N * 3}, torch::kLong);
  // matrix: auto p = net.forward(dense, offsets, indices);
  // matrix: auto loss = torch::binary_cross_entropy(p, torch::ones_like(p));
  net.eval();
  torch::NoGradGuard guard;
  const int64_t batch = 16;
  std::vector<torch::Tensor> offsets, indices;
  for (int k = 0; k < tables; ++k) {
    offsets.push_back(torch::arange(0, batch, torch::kLong) * 3);
    indices.push_back(torch::randint(100, {batch * 3}, torch::kLong));
  }
  auto p = net.forward(torch::rand({batch, 13}), offsets, indices);
  // oracle: shape(p)
  std::cout << p.sizes() << std::endl;
}
