// A deep autoencoder whose widths are a constexpr array; the decoder is its mirror.
#include <torch/torch.h>

#include <array>
#include <iostream>

constexpr std::array<int64_t, 5> kWidths{784, 128, 64, 12, 3};

class Autoencoder : public torch::nn::Module {
 public:
  Autoencoder() : encoder_(torch::nn::Sequential()), decoder_(torch::nn::Sequential()) {
    for (size_t i = 0; i + 1 < kWidths.size(); ++i) {
      encoder_->push_back("fc" + std::to_string(i), torch::nn::Linear(kWidths[i], kWidths[i + 1]));
      if (i + 2 < kWidths.size()) encoder_->push_back("relu" + std::to_string(i), torch::nn::ReLU(true));
    }
    for (size_t i = kWidths.size() - 1; i > 0; --i) {
      decoder_->push_back(torch::nn::Linear(kWidths[i], kWidths[i - 1]));
      if (i > 1)
        decoder_->push_back(torch::nn::ReLU(true));
      else
        decoder_->push_back(torch::nn::Tanh());
    }
    register_module("encoder", encoder_);
    register_module("decoder", decoder_);
  }

  torch::Tensor encode(torch::Tensor x) { return encoder_->forward(x); }
  torch::Tensor forward(torch::Tensor x) { return decoder_->forward(encode(x)); }

 private:
  torch::nn::Sequential encoder_, decoder_;
};

int main() {
  Autoencoder net;
  // oracle: model(net)
  // matrix: auto digits = torch::rand({N, 784});
  // matrix: auto output = net.forward(digits);
  // matrix: auto loss = torch::mse_loss(output, digits);
  const int batch = 128; // vary: 1 16 64
  torch::optim::AdamW optimizer(net.parameters(), torch::optim::AdamWOptions(1e-3).weight_decay(1e-5));
  auto img = torch::rand({batch, 1, 28, 28});
  img = img.view({img.size(0), -1}).sub(0.5).div(0.5);
  for (int epoch = 0; epoch < 3; ++epoch) {
    auto output = net.forward(img);
    auto loss = torch::nn::MSELoss()(output, img);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    // oracle: shape(output)
  }
  torch::NoGradGuard guard;
  net.eval();
  auto code = net.encode(img);
  // oracle: shape(code)
  std::cout << code.sizes() << std::endl;
}
