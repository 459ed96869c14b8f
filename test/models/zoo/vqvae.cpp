// VQ-VAE: residual stacks and a codebook with the straight-through trick.
#include <torch/torch.h>

#include <iostream>
#include <tuple>

namespace F = torch::nn::functional;

namespace vq {

struct Residual : torch::nn::Module {
  torch::nn::Sequential block;
  Residual(int64_t in, int64_t hidden, int64_t residual)
      : block(torch::nn::ReLU(torch::nn::ReLUOptions(false)),
              torch::nn::Conv2d(torch::nn::Conv2dOptions(in, residual, 3).stride(1).padding(1).bias(false)),
              torch::nn::ReLU(torch::nn::ReLUOptions(true)),
              torch::nn::Conv2d(torch::nn::Conv2dOptions(residual, hidden, 1).stride(1).bias(false))) {
    register_module("block", block);
  }
  torch::Tensor forward(torch::Tensor x) { return x + block->forward(x); }
};

struct ResidualStack : torch::nn::Module {
  torch::nn::ModuleList layers;
  ResidualStack(int64_t in, int64_t hidden, int num, int64_t residual) {
    for (int i = 0; i < num; ++i)
      layers->push_back(std::make_shared<Residual>(in, hidden, residual));
    register_module("layers", layers);
  }
  torch::Tensor forward(torch::Tensor x) {
    for (size_t i = 0; i < layers->size(); ++i)
      x = layers[i]->as<Residual>()->forward(x);
    return F::relu(x);
  }
};

struct VectorQuantizer : torch::nn::Module {
  int64_t num_embeddings, embedding_dim;
  double commitment_cost;
  torch::nn::Embedding embedding;

  VectorQuantizer(int64_t n, int64_t d, double cost)
      : num_embeddings(n), embedding_dim(d), commitment_cost(cost), embedding(n, d) {
    register_module("embedding", embedding);
    embedding->weight.data().uniform_(-1. / n, 1. / n);
  }

  std::tuple<torch::Tensor, torch::Tensor, torch::Tensor, torch::Tensor> forward(torch::Tensor inputs) {
    inputs = inputs.permute({0, 2, 3, 1}).contiguous();
    const auto input_shape = inputs.sizes();
    auto flat_input = inputs.view({-1, embedding_dim});
    auto distances = torch::sum(flat_input.pow(2), 1, true) + torch::sum(embedding->weight.pow(2), 1) -
                     2 * torch::matmul(flat_input, embedding->weight.t());
    auto indices = torch::argmin(distances, 1).unsqueeze(1);
    auto encodings = torch::zeros({indices.size(0), num_embeddings}, inputs.options());
    encodings.scatter_(1, indices, 1);
    auto quantized = torch::matmul(encodings, embedding->weight).view(input_shape);
    auto e_latent_loss = F::mse_loss(quantized.detach(), inputs);
    auto q_latent_loss = F::mse_loss(quantized, inputs.detach());
    auto loss = q_latent_loss + commitment_cost * e_latent_loss;
    quantized = inputs + (quantized - inputs).detach();
    auto avg_probs = torch::mean(encodings, 0);
    auto perplexity = torch::exp(-torch::sum(avg_probs * torch::log(avg_probs + 1e-10)));
    return {loss, quantized.permute({0, 3, 1, 2}).contiguous(), perplexity, encodings};
  }
};

} // namespace vq

struct VqVae : torch::nn::Module {
  torch::nn::Sequential encoder, decoder;
  torch::nn::Conv2d pre_vq_conv;
  std::shared_ptr<vq::VectorQuantizer> vq_vae;

  VqVae(int64_t hiddens, int residual_layers, int64_t residual_hiddens, int64_t embeddings, int64_t dim)
      : pre_vq_conv(torch::nn::Conv2dOptions(hiddens, dim, 1)) {
    using torch::nn::Conv2dOptions;
    using torch::nn::ConvTranspose2dOptions;
    encoder = torch::nn::Sequential(torch::nn::Conv2d(Conv2dOptions(3, hiddens / 2, 4).stride(2).padding(1)), torch::nn::ReLU(),
                                    torch::nn::Conv2d(Conv2dOptions(hiddens / 2, hiddens, 4).stride(2).padding(1)), torch::nn::ReLU(),
                                    torch::nn::Conv2d(Conv2dOptions(hiddens, hiddens, 3).padding(1)),
                                    vq::ResidualStack(hiddens, hiddens, residual_layers, residual_hiddens));
    decoder = torch::nn::Sequential(torch::nn::Conv2d(Conv2dOptions(dim, hiddens, 3).padding(1)),
                                    vq::ResidualStack(hiddens, hiddens, residual_layers, residual_hiddens),
                                    torch::nn::ConvTranspose2d(ConvTranspose2dOptions(hiddens, hiddens / 2, 4).stride(2).padding(1)),
                                    torch::nn::ReLU(),
                                    torch::nn::ConvTranspose2d(ConvTranspose2dOptions(hiddens / 2, 3, 4).stride(2).padding(1)));
    register_module("encoder", encoder);
    register_module("pre_vq_conv", pre_vq_conv);
    vq_vae = register_module("vq_vae", std::make_shared<vq::VectorQuantizer>(embeddings, dim, 0.25));
    register_module("decoder", decoder);
  }

  std::tuple<torch::Tensor, torch::Tensor, torch::Tensor> forward(torch::Tensor x) {
    auto z = pre_vq_conv(encoder->forward(x));
    torch::Tensor loss, quantized, perplexity;
    std::tie(loss, quantized, perplexity, std::ignore) = vq_vae->forward(z);
    return std::make_tuple(loss, decoder->forward(quantized), perplexity);
  }
};

int main() {
  const int num_residual_layers = 2; // vary: 1 3 4
  const int64_t num_embeddings = 512; // vary: 32 64 256
  const int64_t embedding_dim = 64; // vary: 8 16 32
  VqVae model(128, num_residual_layers, 32, num_embeddings, embedding_dim);
  // oracle: model(model)
  // matrix: auto image = torch::rand({N, 3, 32, 32}) - 0.5;
  // matrix: auto out = model.forward(image);
  // matrix: auto loss = std::get<0>(out) + torch::mse_loss(std::get<1>(out), image);
  model.eval();
  torch::NoGradGuard guard;
  auto out = model.forward(torch::rand({2, 3, 32, 32}) - 0.5);
  auto loss = std::get<0>(out);
  auto image = std::get<1>(out);
  // oracle: shape(loss)
  // oracle: shape(image)
  std::cout << image.sizes() << " perplexity " << std::get<2>(out).dim() << std::endl;
}
