// U-Net with batch normalization and transposed convolutions; a step of training on masks.
// published: unet-bn
#include <torch/torch.h>

#include <iostream>
#include <vector>

torch::nn::Sequential DoubleConv(int64_t in, int64_t out) {
  return torch::nn::Sequential(
      torch::nn::Conv2d(torch::nn::Conv2dOptions(in, out, 3).padding(1).bias(false)), torch::nn::BatchNorm2d(out),
      torch::nn::ReLU(torch::nn::ReLUOptions(true)),
      torch::nn::Conv2d(torch::nn::Conv2dOptions(out, out, 3).padding(1).bias(false)), torch::nn::BatchNorm2d(out),
      torch::nn::ReLU(torch::nn::ReLUOptions(true)));
}

class UNetImpl : public torch::nn::Module {
 public:
  UNetImpl(int64_t in_channels, int64_t out_channels, int64_t features, int levels = 4) {
    int64_t channels = in_channels;
    for (int i = 0; i < levels; ++i) {
      const int64_t width = features << i;
      downs.push_back(register_module("down" + std::to_string(i + 1), DoubleConv(channels, width)));
      channels = width;
    }
    bottleneck = register_module("bottleneck", DoubleConv(channels, channels * 2));
    for (int i = levels - 1; i >= 0; --i) {
      const int64_t width = features << i;
      torch::nn::ConvTranspose2d up(torch::nn::ConvTranspose2dOptions(width * 2, width, 2).stride(2));
      ups.emplace_back(register_module("up" + std::to_string(i + 1), up),
                       register_module("merge" + std::to_string(i + 1), DoubleConv(width * 2, width)));
    }
    final_conv = register_module("final", torch::nn::Conv2d(features, out_channels, 1));
  }

  torch::Tensor forward(torch::Tensor x) {
    std::vector<torch::Tensor> skips;
    for (auto& down : downs) {
      x = down->forward(x);
      skips.push_back(x);
      x = pool(x);
    }
    x = bottleneck->forward(x);
    for (auto& [up, merge] : ups) {
      auto skip = skips.back();
      skips.pop_back();
      x = up->forward(x);
      if (x.sizes() != skip.sizes())
        x = torch::nn::functional::interpolate(
            x, torch::nn::functional::InterpolateFuncOptions()
                   .size(std::vector<int64_t>{skip.size(2), skip.size(3)})
                   .mode(torch::kBilinear)
                   .align_corners(false));
      x = merge->forward(torch::cat({skip, x}, 1));
    }
    return final_conv(x);
  }

 private:
  std::vector<torch::nn::Sequential> downs;
  std::vector<std::pair<torch::nn::ConvTranspose2d, torch::nn::Sequential>> ups;
  torch::nn::MaxPool2d pool{torch::nn::MaxPool2dOptions(2)};
  torch::nn::Sequential bottleneck{nullptr};
  torch::nn::Conv2d final_conv{nullptr};
};
TORCH_MODULE(UNet);

torch::Tensor dice_loss(const torch::Tensor& logits, const torch::Tensor& masks) {
  auto p = torch::sigmoid(logits).flatten(1);
  auto t = masks.flatten(1);
  auto inter = (p * t).sum(1);
  return 1 - ((2 * inter + 1) / (p.sum(1) + t.sum(1) + 1)).mean();
}

int main() {
  int64_t features = 64; // vary: 8 16 32
  int levels = 4; // vary: 3 2
  UNet net(3, 1, features, levels);
  // oracle: model(net)
  // matrix: auto images = torch::rand({N, 3, 72, 104});
  // matrix: auto masks = torch::rand({N, 1, 72, 104}).gt(0.5).to(torch::kFloat);
  // matrix: auto logits = net->forward(images);
  // matrix: auto loss = torch::binary_cross_entropy_with_logits(logits, masks) + dice_loss(logits, masks);
  torch::optim::Adam optimizer(net->parameters(), torch::optim::AdamOptions(1e-4));
  auto images = torch::rand({2, 3, 72, 104});
  auto masks = torch::rand({2, 1, 72, 104}).gt(0.5).to(torch::kFloat);
  auto logits = net->forward(images);
  auto loss = torch::binary_cross_entropy_with_logits(logits, masks) + dice_loss(logits, masks);
  optimizer.zero_grad();
  loss.backward();
  optimizer.step();
  // oracle: shape(logits)
  // oracle: shape(loss)
  std::cout << "loss = " << loss.item<float>() << '\n';
}
