// published: torchinfo-siamese
// Koch's one-shot siamese net: one branch, two images, a weighted L1 distance.
#include <torch/torch.h>

#include <iostream>

struct SiameseNets : torch::nn::Module {
  torch::nn::Conv2d conv1{nullptr}, conv2{nullptr}, conv3{nullptr}, conv4{nullptr};
  torch::nn::Linear fc1{nullptr}, fc2{nullptr};

  explicit SiameseNets(int features) {
    conv1 = register_module("conv1", torch::nn::Conv2d(1, 64, 10));
    conv2 = register_module("conv2", torch::nn::Conv2d(64, 128, 7));
    conv3 = register_module("conv3", torch::nn::Conv2d(128, 128, 4));
    conv4 = register_module("conv4", torch::nn::Conv2d(128, 256, 4));
    fc1 = register_module("fc1", torch::nn::Linear(256, features));
    fc2 = register_module("fc2", torch::nn::Linear(features, 1));
  }

  torch::Tensor branch(torch::Tensor x) {
    torch::nn::Conv2d *convs[] = {&conv1, &conv2, &conv3, &conv4};
    for (auto *conv : convs)
      x = torch::max_pool2d(torch::relu((*conv)(x)), 2);
    x = x.flatten(1);
    return fc1(x);
  }

  torch::Tensor forward(torch::Tensor x1, torch::Tensor x2) {
    auto h1 = branch(x1), h2 = branch(x2);
    auto diff = torch::abs(h1 - h2);
    return fc2(diff);
  }
};

int main() {
  const int features = 4096; // vary: 64 256 1000
  auto net = std::make_shared<SiameseNets>(features);
  // oracle: model(net)
  // matrix: auto left = torch::rand({N, 1, 88, 88}), right = torch::rand({N, 1, 88, 88});
  // matrix: auto score = net->forward(left, right);
  // matrix: auto loss = torch::mse_loss(score, torch::ones_like(score));
  net->eval();
  torch::NoGradGuard guard;
  auto score = net->forward(torch::rand({1, 1, 88, 88}), torch::rand({1, 1, 88, 88}));
  // oracle: shape(score)
  std::cout << score.sizes() << std::endl;
}
