// pix2pix's U-Net, built from the inside out by recursive skip blocks.
#include <torch/torch.h>

#include <iostream>
#include <optional>

class UnetSkipBlock;
using UnetSkipBlockPtr = std::shared_ptr<UnetSkipBlock>;

class UnetSkipBlock : public torch::nn::Module {
public:
  UnetSkipBlock(int outer_nc, int inner_nc, std::optional<int> input_nc, UnetSkipBlockPtr submodule, bool outermost,
                bool innermost, bool use_dropout)
      : outermost_(outermost), submodule_(submodule) {
    const int in = input_nc.value_or(outer_nc);
    auto downconv = torch::nn::Conv2d(torch::nn::Conv2dOptions(in, inner_nc, 4).stride(2).padding(1).bias(false));
    auto upconv = torch::nn::ConvTranspose2d(
        torch::nn::ConvTranspose2dOptions(innermost ? inner_nc : inner_nc * 2, outer_nc, 4).stride(2).padding(1).bias(outermost));
    if (!outermost)
      down_->push_back(torch::nn::LeakyReLU(torch::nn::LeakyReLUOptions().negative_slope(0.2)));
    down_->push_back(downconv);
    if (!outermost && !innermost)
      down_->push_back(torch::nn::BatchNorm2d(inner_nc));
    up_->push_back(torch::nn::ReLU());
    up_->push_back(upconv);
    if (outermost)
      up_->push_back(torch::nn::Tanh());
    else
      up_->push_back(torch::nn::BatchNorm2d(outer_nc));
    if (use_dropout)
      up_->push_back(torch::nn::Dropout(0.5));
    register_module("down", down_);
    if (submodule_)
      register_module("submodule", submodule_);
    register_module("up", up_);
  }

  torch::Tensor forward(const torch::Tensor &x) {
    auto y = down_->forward(x);
    if (submodule_ != nullptr)
      y = submodule_->forward(y);
    y = up_->forward(y);
    return outermost_ ? y : torch::cat({x, y}, 1);
  }

private:
  bool outermost_;
  UnetSkipBlockPtr submodule_;
  torch::nn::Sequential down_, up_;
};

UnetSkipBlockPtr makeUnet(int input_nc, int output_nc, int num_downs, int ngf, bool use_dropout) {
  auto block = std::make_shared<UnetSkipBlock>(ngf * 8, ngf * 8, std::nullopt, nullptr, false, true, false);
  for (int i = 0; i < num_downs - 5; ++i)
    block = std::make_shared<UnetSkipBlock>(ngf * 8, ngf * 8, std::nullopt, block, false, false, use_dropout);
  for (int width : {4, 2, 1})
    block = std::make_shared<UnetSkipBlock>(ngf * width, ngf * width * 2, std::nullopt, block, false, false, false);
  return std::make_shared<UnetSkipBlock>(output_nc, ngf, input_nc, block, true, false, false);
}

int main() {
  const int downs = 8; // vary: 5 6 7
  const int ngf = 64; // vary: 8 16 32
  auto net = makeUnet(3, 3, downs, ngf, true);
  // oracle: model(net)
  // matrix: batch 2 4
  // matrix: auto image = torch::randn({N, 3, 256, 256});
  // matrix: auto y = net->forward(image);
  // matrix: auto loss = torch::l1_loss(y, image);
  net->eval();
  torch::NoGradGuard guard;
  auto y = net->forward(torch::randn({1, 3, 256, 256}));
  // oracle: shape(y)
  std::cout << y.sizes() << std::endl;
}
