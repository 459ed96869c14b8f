// Wide & Deep: columns described by structs, embeddings in a ModuleDict.
#include <torch/torch.h>

#include <iostream>
#include <string>
#include <vector>

struct Column {
  std::string name;
  int64_t cardinality;
  int64_t embedding_dim;
};

class WideDeepImpl : public torch::nn::Module {
public:
  WideDeepImpl(const std::vector<Column> &columns, int64_t continuous, std::vector<int64_t> hidden, double dropout)
      : columns_(columns) {
    torch::OrderedDict<std::string, std::shared_ptr<torch::nn::Module>> embeddings;
    int64_t wide = 0, deep = continuous;
    for (const auto &c : columns) {
      embeddings.insert(c.name, torch::nn::Embedding(c.cardinality, c.embedding_dim).ptr());
      wide += c.cardinality;
      deep += c.embedding_dim;
    }
    embeddings_ = register_module("embeddings", torch::nn::ModuleDict(embeddings));
    wide_ = register_module("wide", torch::nn::Linear(wide, 1));
    auto in = deep;
    for (auto out : hidden) {
      deep_->push_back(torch::nn::Linear(in, out));
      deep_->push_back(torch::nn::ReLU());
      deep_->push_back(torch::nn::BatchNorm1d(out));
      deep_->push_back(torch::nn::Dropout(dropout));
      in = out;
    }
    deep_->push_back(torch::nn::Linear(in, 1));
    register_module("deep", deep_);
  }

  torch::Tensor forward(torch::Tensor categorical, torch::Tensor continuous) {
    std::vector<torch::Tensor> hot, dense{continuous};
    for (size_t i = 0; i < columns_.size(); ++i) {
      auto ids = categorical.select(1, i);
      hot.push_back(torch::one_hot(ids, columns_[i].cardinality).to(torch::kFloat32));
      dense.push_back(embeddings_[columns_[i].name]->as<torch::nn::Embedding>()->forward(ids));
    }
    auto logit = wide_(torch::cat(hot, 1)) + deep_->forward(torch::cat(dense, 1));
    return torch::sigmoid(logit).squeeze(1);
  }

private:
  std::vector<Column> columns_;
  torch::nn::ModuleDict embeddings_{nullptr};
  torch::nn::Linear wide_{nullptr};
  torch::nn::Sequential deep_;
};
TORCH_MODULE(WideDeep);

int main() {
  const int64_t occupation = 15; // vary: 4 8 30
  const int64_t dim = 8; // vary: 2 4 16
  const std::vector<Column> columns{{"education", 16, dim},   {"relationship", 6, dim}, {"workclass", 9, dim},
                                    {"occupation", occupation, dim}, {"native_country", 42, dim}};
  WideDeep net(columns, 5, std::vector<int64_t>{256, 128, 64}, 0.3);
  // oracle: model(net)
  // matrix: batch 2 4
  // matrix: auto kinds = torch::zeros({N, (int64_t)columns.size()}, torch::kLong);
  // matrix: auto y = net(kinds, torch::rand({N, 5}));
  // matrix: auto loss = y.mean();
  net->eval();
  torch::NoGradGuard no_grad;
  auto y = net(torch::zeros({32, (int64_t)columns.size()}, torch::kLong), torch::rand({32, 5}));
  // oracle: shape(y)
  std::cout << y.sizes() << std::endl;
}
