// WGAN with gradient penalty: the critic's gradient by torch::autograd::grad.
#include <torch/torch.h>

#include <functional>
#include <iostream>
#include <numeric>

static const std::vector<int64_t> img_shape = {1, 28, 28};

struct Generator : torch::nn::Module {
  torch::nn::Sequential model;

  explicit Generator(int64_t latent_dim) {
    auto block = [this](int64_t in_feat, int64_t out_feat, bool normalize) {
      model->push_back(torch::nn::Linear(in_feat, out_feat));
      if (normalize)
        model->push_back(torch::nn::BatchNorm1d(torch::nn::BatchNorm1dOptions(out_feat).eps(0.8)));
      model->push_back(torch::nn::LeakyReLU(torch::nn::LeakyReLUOptions().negative_slope(0.2).inplace(true)));
    };
    block(latent_dim, 128, false);
    block(128, 256, true);
    block(256, 512, true);
    block(512, 1024, true);
    model->push_back(torch::nn::Linear(1024, std::accumulate(img_shape.begin(), img_shape.end(), int64_t{1}, std::multiplies<int64_t>())));
    model->push_back(torch::nn::Tanh());
    register_module("model", model);
  }

  torch::Tensor forward(torch::Tensor z) {
    auto img = model->forward(z);
    auto shape = img_shape;
    shape.insert(shape.begin(), img.size(0));
    return img.view(shape);
  }
};

struct Critic : torch::nn::Module {
  torch::nn::Sequential model;
  Critic()
      : model(register_module(
            "model", torch::nn::Sequential(torch::nn::Linear(28 * 28, 512), torch::nn::LeakyReLU(torch::nn::LeakyReLUOptions().negative_slope(0.2)), torch::nn::Linear(512, 256),
                                           torch::nn::LeakyReLU(torch::nn::LeakyReLUOptions().negative_slope(0.2)), torch::nn::Linear(256, 1)))) {}
  torch::Tensor forward(torch::Tensor img) { return model->forward(img.view({img.size(0), -1})); }
};

torch::Tensor compute_gradient_penalty(Critic &D, torch::Tensor real, torch::Tensor fake) {
  auto alpha = torch::rand({real.size(0), 1, 1, 1});
  auto interpolates = (alpha * real + (1 - alpha) * fake).requires_grad_(true);
  auto d_interpolates = D.forward(interpolates);
  auto ones = torch::ones({real.size(0), 1});
  auto gradients = torch::autograd::grad({d_interpolates}, {interpolates}, {ones}, /*retain_graph=*/true,
                                         /*create_graph=*/true)[0];
  gradients = gradients.view({gradients.size(0), -1});
  return (gradients.norm(2, 1) - 1).pow(2).mean();
}

int main() {
  const int64_t latent_dim = 100; // vary: 16 32 64
  Generator generator(latent_dim);
  Critic discriminator;
  // oracle: model(generator)
  // oracle: model(discriminator)
  // matrix: batch 2 4
  // matrix: auto real = torch::rand({N, 1, 28, 28}) * 2 - 1;
  // matrix: auto fake = generator.forward(torch::randn({N, latent_dim}));
  // matrix: auto validity = torch::mean(discriminator.forward(fake)) - torch::mean(discriminator.forward(real));
  // matrix: auto loss = validity + 10 * compute_gradient_penalty(discriminator, real, fake.detach());
  const double lambda_gp = 10;
  torch::optim::Adam optimizer_D(discriminator.parameters(), torch::optim::AdamOptions(2e-4).betas({0.5, 0.999}));
  torch::optim::Adam optimizer_G(generator.parameters(), torch::optim::AdamOptions(2e-4).betas(std::make_tuple(0.5, 0.999)));

  auto real_imgs = torch::rand({64, 1, 28, 28}) * 2 - 1;
  optimizer_D.zero_grad();
  auto z = torch::randn({real_imgs.size(0), latent_dim});
  auto fake_imgs = generator.forward(z).detach();
  auto real_validity = discriminator.forward(real_imgs);
  auto fake_validity = discriminator.forward(fake_imgs);
  auto gradient_penalty = compute_gradient_penalty(discriminator, real_imgs, fake_imgs);
  // oracle: shape(gradient_penalty)
  auto d_loss = -torch::mean(real_validity) + torch::mean(fake_validity) + lambda_gp * gradient_penalty;
  d_loss.backward();
  optimizer_D.step();

  optimizer_G.zero_grad();
  auto images = generator.forward(z);
  // oracle: shape(images)
  auto g_loss = -torch::mean(discriminator.forward(images));
  g_loss.backward();
  optimizer_G.step();
  // oracle: shape(g_loss)
  std::cout << images.sizes() << std::endl;
}
