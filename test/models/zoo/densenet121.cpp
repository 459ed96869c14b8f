// DenseNet-121.
// published: densenet121
#include <torch/torch.h>

#include <iostream>
#include <vector>

using torch::indexing::Slice;

// Sequential, with the names of the original implementation.
class _DenseLayerImpl : public torch::nn::SequentialImpl {
 public:
  _DenseLayerImpl(int64_t num_input_features, int64_t growth_rate, int64_t bn_size, double drop_rate)
      : drop_rate(drop_rate) {
    push_back("norm1", torch::nn::BatchNorm2d(num_input_features));
    push_back("relu1", torch::nn::ReLU(torch::nn::ReLUOptions(true)));
    push_back("conv1",
              torch::nn::Conv2d(torch::nn::Conv2dOptions(num_input_features, bn_size * growth_rate, 1).bias(false)));
    push_back("norm2", torch::nn::BatchNorm2d(bn_size * growth_rate));
    push_back("relu2", torch::nn::ReLU(torch::nn::ReLUOptions(true)));
    push_back("conv2", torch::nn::Conv2d(
                           torch::nn::Conv2dOptions(bn_size * growth_rate, growth_rate, 3).padding(1).bias(false)));
  }

  torch::Tensor forward(torch::Tensor x) {
    auto fresh = torch::nn::SequentialImpl::forward(x);
    if (drop_rate > 0)
      fresh = torch::dropout(fresh, drop_rate, this->is_training());
    return torch::cat({x, fresh}, 1);
  }

  double drop_rate;
};
TORCH_MODULE(_DenseLayer);

class _DenseBlockImpl : public torch::nn::SequentialImpl {
 public:
  _DenseBlockImpl(int64_t num_layers, int64_t channels, int64_t bn_size, int64_t growth_rate, double drop_rate) {
    for (int64_t i = 0; i < num_layers; ++i)
      push_back("denselayer" + std::to_string(i + 1),
                _DenseLayer(channels + i * growth_rate, growth_rate, bn_size, drop_rate));
  }

  torch::Tensor forward(torch::Tensor x) { return torch::nn::SequentialImpl::forward(x); }
};
TORCH_MODULE(_DenseBlock);

class _TransitionImpl : public torch::nn::SequentialImpl {
 public:
  _TransitionImpl(int64_t in, int64_t out) {
    push_back("norm", torch::nn::BatchNorm2d(in));
    push_back("relu", torch::nn::Functional(torch::relu));
    push_back("conv", torch::nn::Conv2d(torch::nn::Conv2dOptions(in, out, 1).stride(1).bias(false)));
    push_back("pool", torch::nn::Functional([](torch::Tensor t) { return torch::avg_pool2d(t, 2, 2, 0, false, true); }));
  }

  torch::Tensor forward(torch::Tensor x) { return torch::nn::SequentialImpl::forward(x); }
};
TORCH_MODULE(_Transition);

struct DenseNetImpl : torch::nn::Module {
  torch::nn::Sequential features{nullptr};
  torch::nn::Linear classifier{nullptr};

  DenseNetImpl(int64_t num_classes = 1000, int64_t growth_rate = 32,
               const std::vector<int64_t>& block_config = {6, 12, 24, 16}, int64_t num_init_features = 64,
               int64_t bn_size = 4, double drop_rate = 0) {
    features = torch::nn::Sequential();
    features->push_back("conv0", torch::nn::Conv2d(torch::nn::Conv2dOptions(3, num_init_features, 7)
                                                       .stride(2).padding(3).bias(false)));
    features->push_back("norm0", torch::nn::BatchNorm2d(num_init_features));
    features->push_back("relu0", torch::nn::Functional(torch::relu));
    features->push_back("pool0", torch::nn::Functional([](torch::Tensor t) { return torch::max_pool2d(t, 3, 2, 1); }));

    auto num_features = num_init_features;
    for (size_t i = 0; i < block_config.size(); ++i) {
      auto num_layers = block_config[i];
      _DenseBlock block(num_layers, num_features, bn_size, growth_rate, drop_rate);
      features->push_back("denseblock" + std::to_string(i + 1), block);
      num_features = num_features + num_layers * growth_rate;
      if (i + 1 != block_config.size()) {
        auto trans = _Transition(num_features, num_features / 2);
        features->push_back("transition" + std::to_string(i + 1), trans);
        num_features = num_features / 2;
      }
    }
    features->push_back("norm5", torch::nn::BatchNorm2d(num_features));
    classifier = torch::nn::Linear(num_features, num_classes);
    register_module("features", features);
    register_module("classifier", classifier);

    for (auto& module : modules(/*include_self=*/false)) {
      if (auto M = dynamic_cast<torch::nn::Conv2dImpl*>(module.get()))
        torch::nn::init::kaiming_normal_(M->weight);
      else if (auto M = dynamic_cast<torch::nn::LinearImpl*>(module.get()))
        torch::nn::init::constant_(M->bias, 0);
    }
  }

  torch::Tensor forward(torch::Tensor x) {
    auto f = features->forward(x);
    auto out = torch::relu_(f);
    out = torch::adaptive_avg_pool2d(out, {1, 1});
    out = out.view({f.size(0), -1});
    return this->classifier->forward(out);
  }
};
TORCH_MODULE(DenseNet);

int main() {
  const int64_t growth = 32; // vary: 12 24 40
  DenseNet net(1000, growth);
  net->eval();
  // oracle: model(net)
  // matrix: auto input = torch::rand({N, 3, 224, 224});
  // matrix: auto scores = net->forward(input);
  // matrix: auto loss = torch::nll_loss(torch::log_softmax(scores, 1), torch::randint(10, {N}, torch::kLong));
  torch::NoGradGuard guard;
  auto y = net->forward(torch::rand({1, 3, 224, 224}));
  auto top = y.index({0, Slice(0, 5)});
  // oracle: shape(y)
  // oracle: shape(top)
  std::cout << top << std::endl;
}
