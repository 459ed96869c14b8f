#pragma once

#include <torch/torch.h>
#include <vector>

namespace vgg {

// Numbers are the widths of 3x3 convolutions; kPool stands for 2x2 max pooling.
constexpr int kPool = -1;
using Layers = std::vector<int>;

class VGGImpl : public torch::nn::Module {
public:
  VGGImpl(const Layers &layers, int64_t num_classes)
  {
    int64_t in_channels = 3;
    for (size_t i = 0; i < layers.size(); ++i) {
      if (layers[i] == kPool) {
        features->push_back(torch::nn::MaxPool2d(torch::nn::MaxPool2dOptions(2).stride(2)));
        continue;
      }
      features->push_back(torch::nn::Conv2d(
          torch::nn::Conv2dOptions(in_channels, layers[i], 3).padding(1)));
      features->push_back(torch::nn::ReLU(torch::nn::ReLUOptions(true)));
      in_channels = layers[i];
    }
    register_module("features", features);

    // The three fully-connected layers hold nine tenths of the parameters.
    avgpool = register_module("avgpool", torch::nn::AdaptiveAvgPool2d(torch::nn::AdaptiveAvgPool2dOptions({7, 7})));
    classifier->push_back(torch::nn::Linear(512 * 7 * 7, 4096));
    classifier->push_back(torch::nn::ReLU(torch::nn::ReLUOptions(true)));
    classifier->push_back(torch::nn::Dropout());
    classifier->push_back(torch::nn::Linear(4096, 4096));
    classifier->push_back(torch::nn::ReLU(torch::nn::ReLUOptions(true)));
    classifier->push_back(torch::nn::Dropout());
    classifier->push_back(torch::nn::Linear(4096, num_classes));
    register_module("classifier", classifier);
  }

  torch::Tensor forward(const torch::Tensor &input)
  {
    auto x = features->forward(input);
    x = avgpool(x);
    x = torch::flatten(x, 1);
    return classifier->forward(x);
  }

private:
  torch::nn::Sequential features, classifier;
  torch::nn::AdaptiveAvgPool2d avgpool{nullptr};
};
TORCH_MODULE(VGG);

inline VGG vgg16(int64_t num_classes)
{
  return VGG(Layers{64, 64, kPool, 128, 128, kPool, 256, 256, 256, kPool,
                    512, 512, 512, kPool, 512, 512, 512, kPool},
             num_classes);
}

} // namespace vgg
