// A variational autoencoder on MNIST-sized vectors, one training step and samples.
#include <torch/torch.h>

#include <cstdio>

struct VAEOutput {
  torch::Tensor reconstruction;
  torch::Tensor mu;
  torch::Tensor log_var;
};

class VAEImpl : public torch::nn::Module {
 public:
  VAEImpl(int64_t image_size, int64_t h_dim, int64_t z_dim)
      : fc1(image_size, h_dim), fc2(h_dim, z_dim), fc3(h_dim, z_dim), fc4(z_dim, h_dim), fc5(h_dim, image_size) {
    register_module("fc1", fc1);
    register_module("fc2", fc2);
    register_module("fc3", fc3);
    register_module("fc4", fc4);
    register_module("fc5", fc5);
  }

  torch::Tensor decode(torch::Tensor z) {
    auto h = torch::nn::functional::relu(fc4->forward(z));
    return torch::sigmoid(fc5->forward(h));
  }

  VAEOutput forward(torch::Tensor x) {
    auto encoded = encode(x);
    auto mu = encoded.first;
    auto log_var = encoded.second;
    auto z = reparameterize(mu, log_var);
    return {decode(z), mu, log_var};
  }

 private:
  std::pair<torch::Tensor, torch::Tensor> encode(torch::Tensor x) {
    auto h = torch::nn::functional::relu(fc1->forward(x));
    return {fc2->forward(h), fc3->forward(h)};
  }

  torch::Tensor reparameterize(torch::Tensor mu, torch::Tensor log_var) {
    if (is_training()) {
      auto std = log_var.div(2).exp_();
      auto eps = torch::randn_like(std);
      return eps.mul(std).add_(mu);
    }
    return mu;
  }

  torch::nn::Linear fc1, fc2, fc3, fc4, fc5;
};
TORCH_MODULE(VAE);

int main() {
  const int64_t h_dim = 400; // vary: 32 64 128
  const int64_t z_dim = 20; // vary: 2 8 16
  VAE model(784, h_dim, z_dim);
  // oracle: model(model)
  // matrix: auto images = torch::rand({N, 784});
  // matrix: auto output = model->forward(images);
  // matrix: auto divergence = -0.5 * torch::sum(1 + output.log_var - output.mu.pow(2) - output.log_var.exp());
  // matrix: auto loss = torch::binary_cross_entropy(output.reconstruction, images) + divergence;
  torch::optim::Adam optimizer(model->parameters(), torch::optim::AdamOptions(1e-3));

  model->train();
  auto images = torch::rand({100, 784});
  auto output = model->forward(images);
  auto reconstruction_loss = torch::nn::functional::binary_cross_entropy(
      output.reconstruction, images, torch::nn::functional::BinaryCrossEntropyFuncOptions().reduction(torch::kSum));
  auto kl_divergence = -0.5 * torch::sum(1 + output.log_var - output.mu.pow(2) - output.log_var.exp());
  auto loss = reconstruction_loss + kl_divergence;
  optimizer.zero_grad();
  loss.backward();
  optimizer.step();
  // oracle: shape(output.mu)
  // oracle: shape(loss)

  model->eval();
  torch::NoGradGuard no_grad;
  auto samples = model->decode(torch::randn({64, z_dim})).view({-1, 1, 28, 28});
  // oracle: shape(samples)
  auto again = model(images).reconstruction;
  // oracle: shape(again)
  std::printf("%d samples\n", static_cast<int>(samples.size(0)));
}
