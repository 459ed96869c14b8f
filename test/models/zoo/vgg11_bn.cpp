// VGG configuration "A" with batch normalization.
// published: vgg11_bn
#include <torch/torch.h>

#include <iostream>
#include <map>
#include <string>
#include <vector>

namespace {

// -1 is a max pooling
const std::map<char, std::vector<int>> cfgs = {
    {'A', {64, -1, 128, -1, 256, 256, -1, 512, 512, -1, 512, 512, -1}},
    {'B', {64, 64, -1, 128, 128, -1, 256, 256, -1, 512, 512, -1, 512, 512, -1}},
    {'D', {64, 64, -1, 128, 128, -1, 256, 256, 256, -1, 512, 512, 512, -1, 512, 512, 512, -1}},
};

torch::nn::Sequential makeLayers(const std::vector<int>& cfg, bool batch_norm) {
  torch::nn::Sequential layers;
  int channels = 3;
  for (const auto v : cfg) {
    if (v == -1) {
      layers->push_back(torch::nn::MaxPool2d(torch::nn::MaxPool2dOptions(2).stride(2)));
      continue;
    }
    layers->push_back(torch::nn::Conv2d(torch::nn::Conv2dOptions(channels, v, 3).padding(1)));
    if (batch_norm)
      layers->push_back(torch::nn::BatchNorm2d(v));
    layers->push_back(torch::nn::ReLU(torch::nn::ReLUOptions().inplace(true)));
    channels = v;
  }
  return layers;
}

} // namespace

struct VGGImpl : torch::nn::Module {
  torch::nn::Sequential features{nullptr}, classifier{nullptr};

  VGGImpl(const torch::nn::Sequential& features, int64_t hidden, int64_t num_classes, bool init_weights = true)
      : features(features) {
    classifier = torch::nn::Sequential(
        torch::nn::Linear(512 * 7 * 7, hidden),
        torch::nn::Functional(torch::relu), torch::nn::Dropout(),
        torch::nn::Linear(hidden, hidden),
        torch::nn::Functional(torch::relu), torch::nn::Dropout(),
        torch::nn::Linear(hidden, num_classes));
    register_module("features", this->features);
    register_module("classifier", classifier);
    if (init_weights)
      _initialize_weights();
  }

  void _initialize_weights() {
    for (auto& module : modules(/*include_self=*/false)) {
      if (auto M = dynamic_cast<torch::nn::Conv2dImpl*>(module.get())) {
        torch::nn::init::kaiming_normal_(M->weight, /*a=*/0, torch::kFanOut, torch::kReLU);
        torch::nn::init::constant_(M->bias, 0);
      } else if (auto M = dynamic_cast<torch::nn::BatchNorm2dImpl*>(module.get())) {
        torch::nn::init::constant_(M->weight, 1);
        torch::nn::init::constant_(M->bias, 0);
      } else if (auto M = dynamic_cast<torch::nn::LinearImpl*>(module.get())) {
        torch::nn::init::normal_(M->weight, 0, 0.01);
        torch::nn::init::constant_(M->bias, 0);
      }
    }
  }

  torch::Tensor forward(torch::Tensor x) {
    x = features->forward(x);
    x = torch::adaptive_avg_pool2d(x, {7, 7});
    x = x.view({x.size(0), -1});
    return classifier->forward(x);
  }
};
TORCH_MODULE(VGG);

int main() {
  int64_t hidden = 4096; // vary: 512 1024 2000
  int64_t classes = 1000; // vary: 5 10 102
  VGG vgg(makeLayers(cfgs.at('A'), true), hidden, classes);
  // oracle: model(vgg)
  // matrix: auto input = torch::rand({N, 3, 64, 64});
  // matrix: auto scores = vgg->forward(input);
  // matrix: auto loss = torch::nll_loss(torch::log_softmax(scores, 1), torch::randint(10, {N}, torch::kLong));
  vgg->eval();
  torch::NoGradGuard guard;
  auto out = vgg->forward(torch::rand({2, 3, 64, 64}));
  // oracle: shape(out)
  std::cout << out.slice(1, 0, 5) << '\n';
}
