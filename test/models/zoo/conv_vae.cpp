// A convolutional VAE for 64x64 faces. The width of the flattened features is
// learned from a dummy image in the constructor.
#include <torch/torch.h>

#include <iostream>
#include <vector>

using namespace torch;

// Sequential holds no Sequential, so blocks are classes of their own.
struct ConvBlock : nn::SequentialImpl {
  ConvBlock(int64_t in, int64_t out)
      : nn::SequentialImpl(nn::Conv2d(nn::Conv2dOptions(in, out, 3).stride(2).padding(1)), nn::BatchNorm2d(out), nn::LeakyReLU()) {}
  Tensor forward(Tensor x) { return nn::SequentialImpl::forward(x); }
};

struct DeconvBlock : nn::SequentialImpl {
  DeconvBlock(int64_t in, int64_t out) {
    push_back("deconv", nn::ConvTranspose2d(nn::ConvTranspose2dOptions(in, out, 3).stride(2).padding(1).output_padding(1)));
    push_back("norm", nn::BatchNorm2d(out));
    push_back("act", nn::LeakyReLU());
  }
  Tensor forward(Tensor x) { return nn::SequentialImpl::forward(x); }
};

class VanillaVAE : public nn::Module {
  nn::Sequential encoder, decoder, final_layer;
  nn::Linear fc_mu{nullptr}, fc_var{nullptr}, decoder_input{nullptr};
  int64_t last_channels, flat;

public:
  VanillaVAE(int64_t in_channels, int64_t latent_dim, std::vector<int64_t> hidden_dims = {}) {
    if (hidden_dims.empty())
      hidden_dims = {32, 64, 128, 256, 512};
    auto channels = in_channels;
    for (auto h_dim : hidden_dims) {
      encoder->push_back(ConvBlock(channels, h_dim));
      channels = h_dim;
    }
    register_module("encoder", encoder);
    {
      NoGradGuard guard;
      encoder->eval();
      flat = encoder->forward(torch::zeros({1, in_channels, 64, 64})).flatten(1).size(1);
      encoder->train();
    }
    fc_mu = register_module("fc_mu", nn::Linear(flat, latent_dim));
    fc_var = register_module("fc_var", nn::Linear(flat, latent_dim));
    decoder_input = register_module("decoder_input", nn::Linear(latent_dim, flat));
    last_channels = hidden_dims.back();

    std::reverse(hidden_dims.begin(), hidden_dims.end());
    for (size_t i = 0; i + 1 < hidden_dims.size(); ++i)
      decoder->push_back(DeconvBlock(hidden_dims[i], hidden_dims[i + 1]));
    register_module("decoder", decoder);
    const auto w = hidden_dims.back();
    final_layer = nn::Sequential(nn::ConvTranspose2d(nn::ConvTranspose2dOptions(w, w, 3).stride(2).padding(1).output_padding(1)),
                                 nn::BatchNorm2d(w), nn::LeakyReLU(),
                                 nn::Conv2d(nn::Conv2dOptions(w, in_channels, 3).padding(1)), nn::Tanh());
    register_module("final_layer", final_layer);
  }

  std::tuple<Tensor, Tensor> encode(const Tensor &input) {
    auto result = torch::flatten(encoder->forward(input), 1);
    return {fc_mu(result), fc_var(result)};
  }
  Tensor decode(const Tensor &z) {
    const auto side = static_cast<int64_t>(std::sqrt(flat / last_channels));
    auto result = decoder_input(z).view({-1, last_channels, side, side});
    return final_layer->forward(decoder->forward(result));
  }
  std::tuple<Tensor, Tensor, Tensor> forward(const Tensor &input) {
    auto [mu, log_var] = encode(input);
    auto z = mu + torch::exp(0.5 * log_var) * torch::randn_like(mu);
    return {decode(z), mu, log_var};
  }
};

int main() {
  const int64_t latent = 128; // vary: 16 32 64
  auto net = std::make_shared<VanillaVAE>(3, latent);
  // oracle: model(net)
  // matrix: auto input = torch::randn({N, 3, 64, 64});
  // matrix: auto [image, mu, log_var] = net->forward(input);
  // matrix: auto kld = torch::mean(-0.5 * torch::sum(1 + log_var - mu.pow(2) - log_var.exp(), 1), 0);
  // matrix: auto loss = torch::mse_loss(image, input) + kld;
  net->eval();
  NoGradGuard guard;
  auto [image, mu, log_var] = net->forward(torch::randn({4, 3, 64, 64}));
  // oracle: shape(image)
  // oracle: shape(mu)
  auto kld = torch::mean(-0.5 * torch::sum(1 + log_var - mu.pow(2) - log_var.exp(), 1), 0);
  // oracle: shape(kld)
  std::cout << image.sizes() << '\n';
}
