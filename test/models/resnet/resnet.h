#pragma once

#include <torch/torch.h>

#include <string>
#include <vector>

// Residual networks, following "Deep Residual Learning for Image Recognition".

torch::nn::Conv2dOptions conv_options(int64_t in_planes, int64_t out_planes, int64_t kernel_size,
                                      int64_t stride = 1, int64_t padding = 0);

// Two 3x3 convolutions; used by the 18- and 34-layer networks.
struct BasicBlock : torch::nn::Module {
  static constexpr int expansion = 1;

  BasicBlock(int64_t inplanes, int64_t planes, int64_t stride = 1,
             torch::nn::Sequential downsample = nullptr);
  torch::Tensor forward(torch::Tensor x);

  torch::nn::Conv2d conv1, conv2;
  torch::nn::BatchNorm2d bn1, bn2;
  torch::nn::Sequential downsample;
};

// 1x1, 3x3, 1x1; used from 50 layers on.
struct BottleNeck : torch::nn::Module {
  static constexpr int expansion = 4;

  BottleNeck(int64_t inplanes, int64_t planes, int64_t stride = 1,
             torch::nn::Sequential downsample = nullptr);
  torch::Tensor forward(torch::Tensor x);

  torch::nn::Conv2d conv1, conv2, conv3;
  torch::nn::BatchNorm2d bn1, bn2, bn3;
  torch::nn::Sequential downsample;
};

template <class Block>
struct ResNet : torch::nn::Module {
  ResNet(const std::vector<int>& layers, int64_t num_classes = 1000)
      : conv1(conv_options(3, 64, 7, 2, 3)), bn1(64), fc(512 * Block::expansion, num_classes) {
    layer1 = _make_layer(64, layers[0]);
    layer2 = _make_layer(128, layers[1], 2);
    layer3 = _make_layer(256, layers[2], 2);
    layer4 = _make_layer(512, layers[3], 2);

    register_module("conv1", conv1);
    register_module("bn1", bn1);
    register_module("layer1", layer1);
    register_module("layer2", layer2);
    register_module("layer3", layer3);
    register_module("layer4", layer4);
    register_module("fc", fc);

    for (auto& m : modules(/*include_self=*/false)) {
      if (auto* conv = m->template as<torch::nn::Conv2d>()) {
        torch::nn::init::kaiming_normal_(conv->weight, 0, torch::kFanOut, torch::kReLU);
      } else if (auto* bn = m->template as<torch::nn::BatchNorm2d>()) {
        torch::nn::init::constant_(bn->weight, 1);
        torch::nn::init::constant_(bn->bias, 0);
      }
    }
  }

  torch::Tensor forward(torch::Tensor x) {
    x = conv1->forward(x);
    x = bn1->forward(x);
    x = torch::relu(x);
    x = torch::max_pool2d(x, 3, 2, 1);

    x = layer1->forward(x);
    x = layer2->forward(x);
    x = layer3->forward(x);
    x = layer4->forward(x);

    x = torch::adaptive_avg_pool2d(x, {1, 1});
    x = x.view({x.size(0), -1});
    return fc->forward(x);
  }

  int64_t inplanes = 64;
  torch::nn::Conv2d conv1;
  torch::nn::BatchNorm2d bn1;
  torch::nn::Sequential layer1, layer2, layer3, layer4;
  torch::nn::Linear fc;

 private:
  torch::nn::Sequential _make_layer(int64_t planes, int blocks, int64_t stride = 1) {
    torch::nn::Sequential downsample = nullptr;
    if (stride != 1 || inplanes != planes * Block::expansion) {
      downsample = torch::nn::Sequential(
          torch::nn::Conv2d(conv_options(inplanes, planes * Block::expansion, 1, stride)),
          torch::nn::BatchNorm2d(planes * Block::expansion));
    }
    torch::nn::Sequential layers;
    layers->push_back(Block(inplanes, planes, stride, downsample));
    inplanes = planes * Block::expansion;
    for (int i = 1; i < blocks; i++) {
      layers->push_back(Block(inplanes, planes));
    }
    return layers;
  }
};

std::shared_ptr<ResNet<BasicBlock>> resnet18(int64_t num_classes = 1000);
std::shared_ptr<ResNet<BottleNeck>> resnet50(int64_t num_classes = 1000);
