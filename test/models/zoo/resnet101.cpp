// ResNet-101: a class template over the block, plain shared pointers, one step of training.
// published: resnet101
#include <torch/torch.h>

#include <array>
#include <iostream>
#include <memory>

struct Bottleneck : torch::nn::Module {
  static constexpr int expansion = 4;

  Bottleneck(int64_t inplanes, int64_t planes, int64_t stride = 1) {
    using torch::nn::Conv2dOptions;
    const int64_t outplanes = planes * expansion;
    conv1 = register_module("conv1", torch::nn::Conv2d(Conv2dOptions(inplanes, planes, 1).bias(false)));
    bn1 = register_module("bn1", torch::nn::BatchNorm2d(planes));
    conv2 = register_module("conv2",
                            torch::nn::Conv2d(Conv2dOptions(planes, planes, 3).stride(stride).padding(1).bias(false)));
    bn2 = register_module("bn2", torch::nn::BatchNorm2d(planes));
    conv3 = register_module("conv3", torch::nn::Conv2d(Conv2dOptions(planes, outplanes, 1).bias(false)));
    bn3 = register_module("bn3", torch::nn::BatchNorm2d(outplanes));
    if (stride != 1 || inplanes != outplanes) {
      downsample = register_module(
          "downsample",
          torch::nn::Sequential(torch::nn::Conv2d(Conv2dOptions(inplanes, outplanes, 1).stride(stride).bias(false)),
                                torch::nn::BatchNorm2d(outplanes)));
    }
  }

  torch::Tensor forward(const torch::Tensor& x) {
    auto out = bn1->forward(conv1->forward(x)).relu_();
    out = bn2->forward(conv2->forward(out)).relu_();
    out = bn3->forward(conv3->forward(out));
    out += downsample ? downsample->forward(x) : x;
    return out.relu_();
  }

  torch::nn::Conv2d conv1{nullptr}, conv2{nullptr}, conv3{nullptr};
  torch::nn::BatchNorm2d bn1{nullptr}, bn2{nullptr}, bn3{nullptr};
  torch::nn::Sequential downsample{nullptr};
};

template <class Block>
class ResNet : public torch::nn::Module {
 public:
  ResNet(std::array<int, 4> depths, int64_t classes) {
    stem = torch::nn::Sequential(
        torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 64, 7).stride(2).padding(3).bias(false)),
        torch::nn::BatchNorm2d(64), torch::nn::ReLU(),
        torch::nn::MaxPool2d(torch::nn::MaxPool2dOptions(3).stride(2).padding(1)));
    register_module("stem", stem);
    int64_t in = 64;
    for (size_t s = 0; s < depths.size(); ++s) {
      const int64_t planes = 64 << s;
      torch::nn::Sequential stage;
      for (int b = 0; b < depths[s]; ++b) {
        stage->push_back("block" + std::to_string(b), std::make_shared<Block>(in, planes, b == 0 && s > 0 ? 2 : 1));
        in = planes * Block::expansion;
      }
      stages[s] = register_module("stage" + std::to_string(s + 1), stage);
    }
    head = register_module("head", torch::nn::Linear(in, classes));
  }

  torch::Tensor forward(torch::Tensor x) {
    x = stem->forward(x);
    for (auto& stage : stages)
      x = stage->forward(x);
    return head->forward(x.mean({2, 3}));
  }

 private:
  torch::nn::Sequential stem{nullptr};
  std::array<torch::nn::Sequential, 4> stages{{nullptr, nullptr, nullptr, nullptr}};
  torch::nn::Linear head{nullptr};
};

int main() {
  constexpr int depth3 = 23; // vary: 6 12 36
  ResNet<Bottleneck> net({3, 4, depth3, 3}, 1000);
  // oracle: model(net)
  // matrix: auto images = torch::randn({N, 3, 64, 64});
  // matrix: auto target = torch::randint(0, 1000, {N});
  // matrix: auto logits = net.forward(images);
  // matrix: auto loss = torch::nn::functional::cross_entropy(logits, target.to(torch::kLong));
  net.train();
  torch::optim::SGD optimizer(net.parameters(), torch::optim::SGDOptions(0.1).momentum(0.9).weight_decay(1e-4));
  auto images = torch::randn({4, 3, 64, 64});
  auto target = torch::randint(0, 1000, {4});
  auto logits = net.forward(images);
  auto loss = torch::nn::functional::cross_entropy(logits, target);
  optimizer.zero_grad();
  loss.backward();
  optimizer.step();
  // oracle: shape(logits)
  // oracle: shape(loss)
  std::cout << "loss: " << loss.template item<double>() << std::endl;
}
