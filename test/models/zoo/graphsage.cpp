// GraphSAGE with mean aggregation over sampled neighbours; the aggregator is a strategy.
#include <torch/torch.h>

#include <iostream>
#include <map>
#include <memory>
#include <string>

class Aggregator : public torch::nn::Module {
public:
  virtual ~Aggregator() = default;
  virtual torch::Tensor forward(const torch::Tensor &neighbours) = 0;
  virtual int64_t width() const = 0;
};

class MeanAggregator : public Aggregator {
public:
  explicit MeanAggregator(int64_t in) : in_(in) {}
  torch::Tensor forward(const torch::Tensor &neighbours) override { return neighbours.mean(1); }
  int64_t width() const override { return in_; }

private:
  int64_t in_;
};

class PoolAggregator : public Aggregator {
public:
  PoolAggregator(int64_t in, int64_t hidden) : hidden_(hidden) {
    mlp_ = register_module("mlp", torch::nn::Sequential(torch::nn::Linear(in, hidden), torch::nn::ReLU()));
  }
  torch::Tensor forward(const torch::Tensor &neighbours) override {
    return std::get<0>(mlp_->forward(neighbours).max(1));
  }
  int64_t width() const override { return hidden_; }

private:
  int64_t hidden_;
  torch::nn::Sequential mlp_{nullptr};
};

using Maker = std::shared_ptr<Aggregator> (*)(int64_t);
static std::shared_ptr<Aggregator> makeMean(int64_t in) { return std::make_shared<MeanAggregator>(in); }
static std::shared_ptr<Aggregator> makePool(int64_t in) { return std::make_shared<PoolAggregator>(in, 512); }
static const std::map<std::string, Maker> registry = {{"mean", &makeMean}, {"pool", &makePool}};

class SageLayer : public torch::nn::Module {
public:
  SageLayer(const std::string &kind, int64_t in, int64_t out, bool last)
      : aggregator_(register_module("aggregator", registry.at(kind)(in))),
        self_(register_module("self", torch::nn::Linear(torch::nn::LinearOptions(in, out).bias(false)))),
        neigh_(register_module("neigh", torch::nn::Linear(torch::nn::LinearOptions(aggregator_->width(), out).bias(false)))),
        last_(last) {}

  torch::Tensor forward(const torch::Tensor &nodes, const torch::Tensor &neighbours) {
    auto h = torch::cat({self_(nodes), neigh_(aggregator_->forward(neighbours))}, 1);
    if (last_)
      return h;
    h = torch::relu(h);
    return torch::nn::functional::normalize(h, torch::nn::functional::NormalizeFuncOptions().p(2).dim(1));
  }

private:
  std::shared_ptr<Aggregator> aggregator_;
  torch::nn::Linear self_, neigh_;
  bool last_;
};

class GraphSage : public torch::nn::Module {
public:
  GraphSage(std::vector<std::string> kinds, int64_t in, int64_t hidden, int64_t classes) {
    for (size_t i = 0; i < kinds.size(); ++i) {
      layers_.push_back(std::make_shared<SageLayer>(kinds[i], i ? 2 * hidden : in, hidden, false));
      register_module("layer" + std::to_string(i), layers_[i]);
    }
    out_ = register_module("out", torch::nn::Linear(2 * hidden, classes));
  }

  // features: the nodes, their neighbours, and the neighbours' neighbours.
  torch::Tensor forward(const torch::Tensor &nodes, const torch::Tensor &one, const torch::Tensor &two) {
    const auto b = one.size(0), s1 = one.size(1), s2 = two.size(2);
    auto h0 = layers_[0]->forward(nodes, one);
    auto h1 = layers_[0]->forward(one.flatten(0, 1), two.view({b * s1, s2, two.size(3)})).view({b, s1, -1});
    return out_(layers_[1]->forward(h0, h1));
  }

private:
  std::vector<std::shared_ptr<SageLayer>> layers_;
  torch::nn::Linear out_{nullptr};
};

int main() {
  const int64_t in = 602;
  const int64_t hidden = 128; // vary: 16 32 64
  const int64_t classes = 41; // vary: 3 7 47
  auto net = std::make_shared<GraphSage>(std::vector<std::string>{"mean", "pool"}, in, hidden, classes);
  // oracle: model(net)
  // matrix: auto y = net->forward(torch::rand({N, in}), torch::rand({N, 10, in}), torch::rand({N, 10, 25, in}));
  // matrix: auto loss = torch::nll_loss(torch::log_softmax(y, 1), torch::randint(3, {N}, torch::kLong));
  net->eval();
  torch::NoGradGuard guard;
  auto y = net->forward(torch::rand({16, in}), torch::rand({16, 10, in}), torch::rand({16, 10, 25, in}));
  // oracle: shape(y)
  std::cout << y.sizes() << std::endl;
}
