// Graph attention, dense: eight heads joined, then one that is averaged.
#include <torch/torch.h>

#include <iostream>
#include <vector>

namespace F = torch::nn::functional;

struct GraphAttentionLayerImpl : torch::nn::Module {
  GraphAttentionLayerImpl(int64_t in_features, int64_t out_features, float dropout, float alpha, bool concat)
      : dropout(dropout), alpha(alpha), concat(concat) {
    W = register_parameter("W", torch::empty({in_features, out_features}));
    a = register_parameter("a", torch::empty({2 * out_features, 1}));
    torch::nn::init::xavier_uniform_(W, 1.414);
    torch::nn::init::xavier_uniform_(a, 1.414);
  }

  torch::Tensor forward(torch::Tensor h, torch::Tensor adj) {
    auto Wh = torch::mm(h, W);
    const auto out = Wh.size(1);
    auto Wh1 = torch::matmul(Wh, a.index({torch::indexing::Slice(torch::indexing::None, out)}));
    auto Wh2 = torch::matmul(Wh, a.index({torch::indexing::Slice(out, torch::indexing::None)}));
    auto e = F::leaky_relu(Wh1 + Wh2.t(), F::LeakyReLUFuncOptions().negative_slope(alpha));
    auto zero_vec = -9e15 * torch::ones_like(e);
    auto attention = torch::where(adj > 0, e, zero_vec);
    attention = F::softmax(attention, 1);
    attention = F::dropout(attention, F::DropoutFuncOptions().p(dropout).training(is_training()));
    auto h_prime = torch::matmul(attention, Wh);
    return concat ? F::elu(h_prime) : h_prime;
  }

  torch::Tensor W, a;
  float dropout, alpha;
  bool concat;
};
TORCH_MODULE(GraphAttentionLayer);

struct GATImpl : torch::nn::Module {
  std::vector<GraphAttentionLayer> attentions;
  GraphAttentionLayer out_att{nullptr};
  float dropout;

  GATImpl(int nfeat, int nhid, int nclass, float dropout, float alpha, int nheads) : dropout(dropout) {
    for (int i = 0; i < nheads; ++i) {
      attentions.push_back(GraphAttentionLayer(nfeat, nhid, dropout, alpha, true));
      register_module("attention_" + std::to_string(i), attentions[i]);
    }
    out_att = register_module("out_att", GraphAttentionLayer(nhid * nheads, nclass, dropout, alpha, false));
  }

  torch::Tensor forward(torch::Tensor x, torch::Tensor adj) {
    x = torch::dropout(x, dropout, is_training());
    std::vector<torch::Tensor> heads;
    for (auto &att : attentions)
      heads.push_back(att(x, adj));
    x = torch::cat(heads, /*dim=*/1);
    x = torch::dropout(x, dropout, is_training());
    x = torch::elu(out_att(x, adj));
    return torch::log_softmax(x, 1);
  }
};
TORCH_MODULE(GAT);

int main() {
  const int hidden = 8; // vary: 4 16 32
  const int heads = 8; // vary: 1 2 4
  const int classes = 7; // vary: 2 3 40
  GAT net(1433, hidden, classes, 0.6f, 0.2f, heads);
  // oracle: model(net)
  // matrix: auto adj = (torch::rand({60 * N, 60 * N}) > 0.9).to(torch::kFloat);
  // matrix: auto y = net(torch::rand({60 * N, 1433}), adj);
  // matrix: auto loss = y.mean();
  net->eval();
  torch::NoGradGuard guard;
  auto adj = (torch::rand({270, 270}) > 0.9).to(torch::kFloat);
  auto y = net(torch::rand({270, 1433}), adj);
  // oracle: shape(y)
  std::cout << y.sizes() << std::endl;
}
