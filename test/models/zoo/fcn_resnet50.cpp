// FCN on a dilated ResNet-50, with the auxiliary head.
// published: fcn_resnet50
#include <torch/torch.h>

#include <iostream>
#include <map>
#include <string>

using torch::nn::Conv2dOptions;

struct Bottleneck : torch::nn::Module {
  Bottleneck(int inplanes, int planes, int stride, int dilation, bool project);
  torch::Tensor forward(torch::Tensor x);

  torch::nn::Conv2d conv1, conv2, conv3;
  torch::nn::BatchNorm2d bn1, bn2, bn3;
  torch::nn::Sequential downsample;
};

Bottleneck::Bottleneck(int inplanes, int planes, int stride, int dilation, bool project)
    : conv1(Conv2dOptions(inplanes, planes, 1).bias(false)),
      conv2(Conv2dOptions(planes, planes, 3).stride(stride).padding(dilation).dilation(dilation).bias(false)),
      conv3(Conv2dOptions(planes, planes * 4, 1).bias(false)),
      bn1(planes),
      bn2(planes),
      bn3(planes * 4) {
  register_module("conv1", conv1);
  register_module("conv2", conv2);
  register_module("conv3", conv3);
  register_module("bn1", bn1);
  register_module("bn2", bn2);
  register_module("bn3", bn3);
  if (project) {
    downsample->push_back(torch::nn::Conv2d(Conv2dOptions(inplanes, planes * 4, 1).stride(stride).bias(false)));
    downsample->push_back(torch::nn::BatchNorm2d(planes * 4));
  }
  register_module("downsample", downsample);
}

torch::Tensor Bottleneck::forward(torch::Tensor x) {
  auto y = torch::relu(bn1(conv1(x)));
  y = torch::relu(bn2(conv2(y)));
  y = bn3(conv3(y));
  y += downsample->is_empty() ? x : downsample->forward(x);
  return y.relu_();
}

class Backbone : public torch::nn::Module {
 public:
  Backbone() {
    conv1 = register_module("conv1", torch::nn::Conv2d(Conv2dOptions(3, 64, 7).stride(2).padding(3).bias(false)));
    bn1 = register_module("bn1", torch::nn::BatchNorm2d(64));
    makeLayer("layer1", 64, 3, 1, false);
    makeLayer("layer2", 128, 4, 2, false);
    makeLayer("layer3", 256, 6, 2, true);
    makeLayer("layer4", 512, 3, 2, true);
  }

  std::map<std::string, torch::Tensor> forward(torch::Tensor x) {
    std::map<std::string, torch::Tensor> out;
    x = torch::max_pool2d(torch::relu(bn1(conv1(x))), 3, 2, 1);
    for (const auto& child : named_children()) {
      if (child.key().rfind("layer", 0) != 0)
        continue;
      x = child.value()->as<torch::nn::Sequential>()->forward(x);
      if (child.key() == "layer3")
        out["aux"] = x;
    }
    out.emplace("out", x);
    return out;
  }

 private:
  void makeLayer(const std::string& name, int planes, int blocks, int stride, bool dilate) {
    torch::nn::Sequential layer;
    const int previous = dilation_;
    if (dilate) {
      dilation_ *= stride;
      stride = 1;
    }
    layer->push_back(Bottleneck(inplanes_, planes, stride, previous, stride != 1 || inplanes_ != planes * 4));
    inplanes_ = planes * 4;
    for (int i = 1; i < blocks; i++)
      layer->push_back(Bottleneck(inplanes_, planes, 1, dilation_, false));
    register_module(name, layer);
  }

  int inplanes_ = 64, dilation_ = 1;
  torch::nn::Conv2d conv1{nullptr};
  torch::nn::BatchNorm2d bn1{nullptr};
};

class FCNHeadImpl : public torch::nn::SequentialImpl {
 public:
  FCNHeadImpl(int in, int classes)
      : torch::nn::SequentialImpl(torch::nn::Conv2d(Conv2dOptions(in, in / 4, 3).padding(1).bias(false)),
                                  torch::nn::BatchNorm2d(in / 4), torch::nn::ReLU(), torch::nn::Dropout(0.1),
                                  torch::nn::Conv2d(in / 4, classes, 1)) {}
  using torch::nn::SequentialImpl::forward;
};
TORCH_MODULE(FCNHead);

struct FCN : torch::nn::Module {
  std::shared_ptr<Backbone> backbone = register_module("backbone", std::make_shared<Backbone>());
  FCNHead classifier{nullptr}, aux_classifier{nullptr};

  explicit FCN(int classes) {
    classifier = register_module("classifier", FCNHead(2048, classes));
    aux_classifier = register_module("aux_classifier", FCNHead(1024, classes));
  }

  std::map<std::string, torch::Tensor> forward(torch::Tensor x) {
    auto features = backbone->forward(x);
    auto resize = [&x](torch::Tensor t) {
      return torch::nn::functional::interpolate(
          t, torch::nn::functional::InterpolateFuncOptions()
                 .size(x.sizes().slice(2).vec())
                 .mode(torch::kBilinear)
                 .align_corners(false));
    };
    std::map<std::string, torch::Tensor> result;
    result["out"] = resize(classifier->forward(features.at("out")));
    result["aux"] = resize(aux_classifier->forward(features.at("aux")));
    return result;
  }
};

int main() {
  FCN net(21); // vary: 2 19 182
  // oracle: model(net)
  // matrix: auto image = torch::rand({N, 3, 130, 194});
  // matrix: auto result = net.forward(image);
  // matrix: auto loss = result.at("out").mean() + 0.5 * result.at("aux").mean();
  net.eval();
  torch::NoGradGuard no_grad;
  auto result = net.forward(torch::rand({1, 3, 130, 194}));
  // oracle: shape(result["out"])
  // oracle: shape(result.at("aux"))
  for (const auto& item : result)
    std::cout << item.first << ": " << item.second.sizes() << '\n';
}
