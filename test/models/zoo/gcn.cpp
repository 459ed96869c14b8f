// Kipf and Welling's graph convolution on Cora's sizes, with a dense normalised adjacency.
#include <torch/torch.h>

#include <iostream>

class GraphConvolution : public torch::nn::Module {
public:
  torch::Tensor weight, bias;

  GraphConvolution(int64_t in_features, int64_t out_features, bool with_bias = true) {
    weight = register_parameter("weight", torch::empty({in_features, out_features}));
    if (with_bias)
      bias = register_parameter("bias", torch::empty(out_features));
    reset_parameters();
  }

  void reset_parameters() {
    const double stdv = 1. / std::sqrt(weight.size(1));
    weight.data().uniform_(-stdv, stdv);
    if (bias.defined())
      bias.data().uniform_(-stdv, stdv);
  }

  torch::Tensor forward(const torch::Tensor &input, const torch::Tensor &adj) {
    auto support = torch::mm(input, weight);
    auto output = torch::mm(adj, support);
    return bias.defined() ? output + bias : output;
  }
};

class GCN : public torch::nn::Module {
public:
  GCN(int64_t nfeat, int64_t nhid, int64_t nclass, double dropout)
      : gc1(register_module("gc1", std::make_shared<GraphConvolution>(nfeat, nhid))),
        gc2(register_module("gc2", std::make_shared<GraphConvolution>(nhid, nclass))), dropout(dropout) {}

  torch::Tensor forward(torch::Tensor x, const torch::Tensor &adj) {
    x = torch::relu(gc1->forward(x, adj));
    x = torch::dropout(x, dropout, is_training());
    x = gc2->forward(x, adj);
    return torch::log_softmax(x, 1);
  }

private:
  std::shared_ptr<GraphConvolution> gc1, gc2;
  double dropout;
};

torch::Tensor normalized_adjacency(const std::vector<std::pair<int, int>> &edges, int64_t n) {
  auto adj = torch::eye(n);
  for (const auto &[a, b] : edges) {
    adj[a][b] = 1;
    adj[b][a] = 1;
  }
  auto inv_sqrt = torch::diag(adj.sum(1).pow(-0.5));
  return inv_sqrt.mm(adj).mm(inv_sqrt);
}

int main() {
  const int64_t features = 1433; // vary: 16 100 500
  const int64_t hidden = 16; // vary: 4 8 64
  const int64_t classes = 7; // vary: 2 3 6
  GCN model(features, hidden, classes, 0.5);
  // oracle: model(model)
  // matrix: auto adj = torch::rand({50 * N, 50 * N});
  // matrix: auto x = torch::rand({50 * N, features});
  // matrix: auto output = model.forward(x, adj);
  // matrix: auto loss = torch::nll_loss(output, torch::randint(classes, {50 * N}, torch::kLong));
  torch::optim::Adam optimizer(model.parameters(), torch::optim::AdamOptions(0.01).weight_decay(5e-4));

  const int64_t nodes = 200;
  std::vector<std::pair<int, int>> edges;
  for (int i = 0; i + 7 < nodes; i += 3)
    edges.emplace_back(i, i + 7);
  auto adj = normalized_adjacency(edges, nodes);
  // oracle: shape(adj)
  auto x = torch::rand({nodes, features});
  auto labels = torch::randint(classes, {nodes}, torch::kLong);
  auto idx_train = torch::arange(0, 40, torch::kLong);

  model.train();
  optimizer.zero_grad();
  auto output = model.forward(x, adj);
  auto loss = torch::nll_loss(output.index_select(0, idx_train), labels.index_select(0, idx_train));
  loss.backward();
  optimizer.step();
  // oracle: shape(output)
  // oracle: shape(loss)
  std::cout << output.sizes() << std::endl;
}
