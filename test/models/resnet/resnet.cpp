#include "resnet.h"

torch::nn::Conv2dOptions conv_options(int64_t in_planes, int64_t out_planes, int64_t kernel_size,
                                      int64_t stride, int64_t padding) {
  torch::nn::Conv2dOptions options(in_planes, out_planes, kernel_size);
  options.stride(stride);
  options.padding(padding);
  options.bias(false);
  return options;
}

BasicBlock::BasicBlock(int64_t inplanes, int64_t planes, int64_t stride, torch::nn::Sequential downsample_)
    : conv1(conv_options(inplanes, planes, 3, stride, 1)),
      conv2(conv_options(planes, planes, 3, 1, 1)),
      bn1(planes),
      bn2(planes),
      downsample(downsample_) {
  register_module("conv1", conv1);
  register_module("bn1", bn1);
  register_module("conv2", conv2);
  register_module("bn2", bn2);
  if (!downsample.is_empty()) {
    register_module("downsample", downsample);
  }
}

torch::Tensor BasicBlock::forward(torch::Tensor x) {
  torch::Tensor residual = x;

  torch::Tensor out = torch::relu(bn1->forward(conv1->forward(x)));
  out = bn2->forward(conv2->forward(out));

  if (!downsample.is_empty()) {
    residual = downsample->forward(x);
  }
  out += residual;
  return torch::relu(out);
}

BottleNeck::BottleNeck(int64_t inplanes, int64_t planes, int64_t stride, torch::nn::Sequential downsample_)
    : conv1(conv_options(inplanes, planes, 1)),
      conv2(conv_options(planes, planes, 3, stride, 1)),
      conv3(conv_options(planes, planes * expansion, 1)),
      bn1(planes),
      bn2(planes),
      bn3(planes * expansion),
      downsample(downsample_) {
  register_module("conv1", conv1);
  register_module("bn1", bn1);
  register_module("conv2", conv2);
  register_module("bn2", bn2);
  register_module("conv3", conv3);
  register_module("bn3", bn3);
  if (!downsample.is_empty()) {
    register_module("downsample", downsample);
  }
}

torch::Tensor BottleNeck::forward(torch::Tensor x) {
  torch::Tensor residual = x;

  torch::Tensor out = torch::relu(bn1->forward(conv1->forward(x)));
  out = torch::relu(bn2->forward(conv2->forward(out)));
  out = bn3->forward(conv3->forward(out));

  if (!downsample.is_empty()) {
    residual = downsample->forward(x);
  }
  out += residual;
  return torch::relu(out);
}

std::shared_ptr<ResNet<BasicBlock>> resnet18(int64_t num_classes) {
  std::vector<int> layers{2, 2, 2, 2};
  return std::make_shared<ResNet<BasicBlock>>(layers, num_classes);
}

std::shared_ptr<ResNet<BottleNeck>> resnet50(int64_t num_classes) {
  std::vector<int> layers{3, 4, 6, 3};
  return std::make_shared<ResNet<BottleNeck>>(layers, num_classes);
}
