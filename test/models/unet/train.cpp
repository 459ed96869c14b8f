// A U-Net that segments discs, with its own Dataset and the Dice loss.
#include <torch/torch.h>

#include "dataset.h"

#include <cstdio>
#include <memory>

using namespace torch;

static nn::Sequential doubleConv(int64_t in, int64_t out) {
  return nn::Sequential(nn::Conv2d(nn::Conv2dOptions(in, out, 3).padding(1).bias(false)), nn::BatchNorm2d(out),
                        nn::ReLU(nn::ReLUOptions(true)),
                        nn::Conv2d(nn::Conv2dOptions(out, out, 3).padding(1).bias(false)), nn::BatchNorm2d(out),
                        nn::ReLU(nn::ReLUOptions(true)));
}

struct UNetImpl : nn::Module {
  UNetImpl(int64_t channels, int64_t classes, int64_t width) {
    inc = register_module("inc", doubleConv(channels, width));
    down1 = register_module("down1", doubleConv(width, 2 * width));
    down2 = register_module("down2", doubleConv(2 * width, 4 * width));
    up1 = register_module("up1", nn::ConvTranspose2d(nn::ConvTranspose2dOptions(4 * width, 2 * width, 2).stride(2)));
    conv1 = register_module("conv1", doubleConv(4 * width, 2 * width));
    up2 = register_module("up2", nn::ConvTranspose2d(nn::ConvTranspose2dOptions(2 * width, width, 2).stride(2)));
    conv2 = register_module("conv2", doubleConv(2 * width, width));
    outc = register_module("outc", nn::Conv2d(nn::Conv2dOptions(width, classes, 1)));
  }

  Tensor forward(const Tensor &x) {
    auto x1 = inc->forward(x);
    auto x2 = down1->forward(max_pool2d(x1, 2));
    auto x3 = down2->forward(max_pool2d(x2, 2));
    auto y = conv1->forward(torch::cat({x2, up1->forward(x3)}, 1));
    y = conv2->forward(torch::cat({x1, up2->forward(y)}, 1));
    return outc->forward(y);
  }

  nn::Sequential inc{nullptr}, down1{nullptr}, down2{nullptr}, conv1{nullptr}, conv2{nullptr};
  nn::ConvTranspose2d up1{nullptr}, up2{nullptr};
  nn::Conv2d outc{nullptr};
};
TORCH_MODULE(UNet);

static Tensor diceLoss(const Tensor &logits, const Tensor &target) {
  auto p = logits.sigmoid().flatten(1);
  auto t = target.flatten(1);
  auto inter = (p * t).sum(1);
  return (1 - (2 * inter + 1) / (p.sum(1) + t.sum(1) + 1)).mean();
}

int main() {
  const int64_t side = 64;
  auto dataset = DiscDataset(64, side).map(data::transforms::Stack<>());
  auto loader = data::make_data_loader<data::samplers::SequentialSampler>(std::move(dataset),
                                                                          data::DataLoaderOptions().batch_size(8));
  UNet model(3, 1, 16);
  optim::Adam optimizer(model->parameters(), optim::AdamOptions(1e-3));

  for (int epoch = 1; epoch <= 3; ++epoch) {
    model->train();
    for (auto &batch : *loader) {
      auto logits = model->forward(batch.data);
      auto bce = binary_cross_entropy_with_logits(logits, batch.target);
      auto loss = bce + diceLoss(logits, batch.target);
      optimizer.zero_grad();
      loss.backward();
      optimizer.step();
    }

    model->eval();
    NoGradGuard no_grad;
    for (auto &batch : *loader) {
      auto predicted = model->forward(batch.data).gt(0);
      auto right = predicted.eq(batch.target.gt(0.5)).sum();
      std::printf("%ld right\n", right.item<long>());
    }
  }
}
