// A variational autoencoder on MNIST: training, a test pass, samples.
#include <torch/torch.h>

#include <cstdio>
#include <iostream>

struct VAEImpl : torch::nn::Module {
  VAEImpl() {
    fc1 = register_module("fc1", torch::nn::Linear(784, 400));
    fc21 = register_module("fc21", torch::nn::Linear(400, 20));
    fc22 = register_module("fc22", torch::nn::Linear(400, 20));
    fc3 = register_module("fc3", torch::nn::Linear(20, 400));
    fc4 = register_module("fc4", torch::nn::Linear(400, 784));
  }

  std::pair<torch::Tensor, torch::Tensor> encode(torch::Tensor x) {
    auto h1 = torch::relu(fc1(x));
    return {fc21(h1), fc22(h1)};
  }

  torch::Tensor reparameterize(torch::Tensor mu, torch::Tensor logvar) {
    auto std = torch::exp(0.5 * logvar);
    auto eps = torch::randn_like(std);
    return mu + eps * std;
  }

  torch::Tensor decode(torch::Tensor z) {
    auto h3 = torch::relu(fc3(z));
    return torch::sigmoid(fc4(h3));
  }

  std::tuple<torch::Tensor, torch::Tensor, torch::Tensor> forward(torch::Tensor x) {
    auto [mu, logvar] = encode(x.view({-1, 784}));
    auto z = reparameterize(mu, logvar);
    return {decode(z), mu, logvar};
  }

  torch::nn::Linear fc1{nullptr}, fc21{nullptr}, fc22{nullptr}, fc3{nullptr}, fc4{nullptr};
};
TORCH_MODULE(VAE);

static torch::Tensor loss_function(torch::Tensor recon_x, torch::Tensor x, torch::Tensor mu, torch::Tensor logvar) {
  namespace F = torch::nn::functional;
  auto BCE = F::binary_cross_entropy(recon_x, x.view({-1, 784}), F::BinaryCrossEntropyFuncOptions().reduction(torch::kSum));
  auto KLD = -0.5 * torch::sum(1 + logvar - mu.pow(2) - logvar.exp());
  return BCE + KLD;
}

int main() {
  auto train_set = torch::data::datasets::MNIST("./data").map(torch::data::transforms::Stack<>());
  auto train_loader = torch::data::make_data_loader(std::move(train_set), torch::data::DataLoaderOptions().batch_size(128));
  auto test_set = torch::data::datasets::MNIST("./data", torch::data::datasets::MNIST::Mode::kTest)
                      .map(torch::data::transforms::Stack<>());
  auto test_loader = torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(std::move(test_set), 128);

  VAE model;
  torch::optim::Adam optimizer(model->parameters(), torch::optim::AdamOptions(1e-3));

  for (int epoch = 1; epoch <= 10; ++epoch) {
    model->train();
    double train_loss = 0;
    for (auto &batch : *train_loader) {
      auto data = batch.data;
      optimizer.zero_grad();
      auto [recon_batch, mu, logvar] = model->forward(data);
      auto loss = loss_function(recon_batch, data, mu, logvar);
      loss.backward();
      train_loss += loss.item<double>();
      optimizer.step();
    }

    model->eval();
    torch::NoGradGuard no_grad;
    double test_loss = 0;
    for (auto &batch : *test_loader) {
      auto [recon_batch, mu, logvar] = model->forward(batch.data);
      test_loss += loss_function(recon_batch, batch.data, mu, logvar).item<double>();
    }
    auto sample = torch::randn({64, 20});
    sample = model->decode(sample).view({64, 1, 28, 28});
    std::printf("epoch %d: %f %f\n", epoch, train_loss, test_loss);
  }
}
