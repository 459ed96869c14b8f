// Wide ResNet-50-2; every block is held as an AnyModule-free vector of shared pointers to an interface.
// published: wide_resnet50_2
#include <torch/torch.h>
#include <iostream>
#include <memory>
#include <vector>

struct Layer : torch::nn::Module {
  virtual torch::Tensor forward(torch::Tensor x) = 0;
};

class ConvBN : public Layer {
  torch::nn::Conv2d conv;
  torch::nn::BatchNorm2d bn;
  bool act;

public:
  ConvBN(int in, int out, int k, int s, bool act)
      : conv(torch::nn::Conv2dOptions(in, out, k).stride(s).padding((k - 1) / 2).bias(false)), bn(out), act(act) {
    register_module("0", conv);
    register_module("1", bn);
  }

  torch::Tensor forward(torch::Tensor x) override {
    x = bn->forward(conv->forward(x));
    return act ? torch::relu_(x) : x;
  }
};

class WideBottleneck : public Layer {
  std::shared_ptr<Layer> reduce, mix, expand, project;

public:
  WideBottleneck(int in, int planes, int factor, int stride) {
    int inner = planes * factor;
    reduce = register_module("reduce", std::make_shared<ConvBN>(in, inner, 1, 1, true));
    mix = register_module("mix", std::make_shared<ConvBN>(inner, inner, 3, stride, true));
    expand = register_module("expand", std::make_shared<ConvBN>(inner, planes * 4, 1, 1, false));
    if (in != planes * 4)
      project = register_module("project", std::make_shared<ConvBN>(in, planes * 4, 1, stride, false));
  }

  torch::Tensor forward(torch::Tensor x) override {
    auto residual = project ? project->forward(x) : x;
    return torch::relu(expand->forward(mix->forward(reduce->forward(x))) + residual);
  }
};

class Pool : public Layer {
public:
  torch::Tensor forward(torch::Tensor x) override { return torch::max_pool2d(x, {3, 3}, {2, 2}, {1, 1}); }
};

class WideResNet : public Layer {
  std::vector<std::shared_ptr<Layer>> trunk;
  torch::nn::Linear classifier{nullptr};

  template <typename T, typename... Args>
  void add(const std::string& name, Args&&... args) {
    auto layer = std::make_shared<T>(std::forward<Args>(args)...);
    register_module(name, layer);
    trunk.push_back(layer);
  }

public:
  WideResNet(int factor, int classes) {
    add<ConvBN>("stem", 3, 64, 7, 2, true);
    add<Pool>("pool");
    int in = 64;
    int stage = 0;
    for (auto [planes, blocks] : std::vector<std::pair<int, int>>{{64, 3}, {128, 4}, {256, 6}, {512, 3}}) {
      ++stage;
      for (int b = 0; b < blocks; b++) {
        add<WideBottleneck>("stage" + std::to_string(stage) + "_" + std::to_string(b), in, planes, factor,
                            (b == 0 && stage > 1) ? 2 : 1);
        in = 4 * planes;
      }
    }
    classifier = register_module("classifier", torch::nn::Linear(in, classes));
  }

  torch::Tensor forward(torch::Tensor x) override {
    for (const auto& layer : trunk)
      x = layer->forward(x);
    return classifier(x.mean(std::vector<int64_t>{2, 3}));
  }
};

int main() {
  const int factor = 2; // vary: 1 3
  const int classes = 1000; // vary: 10 100 42
  std::unique_ptr<Layer> net(new WideResNet(factor, classes));
  // oracle: model(net)
  // matrix: auto input = torch::zeros({N, 3, 160, 160});
  // matrix: auto scores = net->forward(input);
  // matrix: auto loss = torch::nll_loss(torch::log_softmax(scores, 1), torch::randint(10, {N}, torch::kLong));
  net->eval();
  torch::NoGradGuard nograd;
  torch::Tensor y = net->forward(torch::zeros({1, 3, 160, 160}));
  // oracle: shape(y)
  std::cout << y.sizes() << std::endl;
  return 0;
}
