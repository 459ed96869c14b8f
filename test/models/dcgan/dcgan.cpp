/*
 * DCGAN: a generator that draws 32x32 colour images out of noise, and a
 * discriminator that tells them from real ones.
 */
#include <torch/torch.h>

#include <cstdio>
#include <iostream>
#include <tuple>

using namespace torch;

struct Config {
  int64_t noise = 100;       // length of the latent vector
  int64_t batch = 16;
  int64_t features = 64;     // feature maps of the widest common layer
  int64_t channels = 3;
  int64_t epochs = 30;
  int64_t batchesPerEpoch = 200;
  int64_t sampleEvery = 100;
  double lr = 2e-4;
  double beta1 = 0.5;
};

class ImageMakerImpl : public nn::Module {
 public:
  ImageMakerImpl(int64_t noise, int64_t ngf, int64_t channels) {
    project = register_module("project", nn::ConvTranspose2d(nn::ConvTranspose2dOptions(noise, ngf * 4, 4).bias(false)));
    norm1 = register_module("norm1", nn::BatchNorm2d(ngf * 4));
    up1 = register_module("up1", nn::ConvTranspose2d(upsample(ngf * 4, ngf * 2)));
    norm2 = register_module("norm2", nn::BatchNorm2d(ngf * 2));
    up2 = register_module("up2", nn::ConvTranspose2d(upsample(ngf * 2, ngf)));
    norm3 = register_module("norm3", nn::BatchNorm2d(ngf));
    up3 = register_module("up3", nn::ConvTranspose2d(upsample(ngf, channels)));
  }

  Tensor forward(Tensor z) {
    z = relu(norm1(project(z)));
    z = relu(norm2(up1(z)));
    z = relu(norm3(up2(z)));
    return tanh(up3(z));
  }

 private:
  static nn::ConvTranspose2dOptions upsample(int64_t in, int64_t out) {
    return nn::ConvTranspose2dOptions(in, out, 4).stride(2).padding(1).bias(false);
  }

  nn::ConvTranspose2d project{nullptr}, up1{nullptr}, up2{nullptr}, up3{nullptr};
  nn::BatchNorm2d norm1{nullptr}, norm2{nullptr}, norm3{nullptr};
};
TORCH_MODULE(ImageMaker);

nn::Sequential createDiscriminator(const Config& cfg) {
  auto down = [](int64_t in, int64_t out) {
    return nn::Conv2d(nn::Conv2dOptions(in, out, 4).stride(2).padding(1).bias(false));
  };
  auto leaky = nn::LeakyReLUOptions().negative_slope(0.2);
  return nn::Sequential(
      down(cfg.channels, cfg.features),
      nn::LeakyReLU(leaky),
      down(cfg.features, cfg.features * 2),
      nn::BatchNorm2d(cfg.features * 2),
      nn::LeakyReLU(leaky),
      down(cfg.features * 2, cfg.features * 4),
      nn::BatchNorm2d(cfg.features * 4),
      nn::LeakyReLU(leaky),
      nn::Conv2d(nn::Conv2dOptions(cfg.features * 4, 1, 4).bias(false)),
      nn::Sigmoid());
}

// Stands for a folder of pictures: colours in [-1, 1].
Tensor realImages(const Config& cfg, const Device& device) {
  return torch::rand({cfg.batch, cfg.channels, 32, 32}, device) * 2 - 1;
}

int main() {
  Config cfg;
  manual_seed(42);

  Device device(kCPU);
  if (torch::cuda::is_available()) {
    std::cout << "training on the GPU\n";
    device = Device(kCUDA);
  }

  ImageMaker generator(cfg.noise, cfg.features, cfg.channels);
  generator->to(device);
  nn::Sequential discriminator = createDiscriminator(cfg);
  discriminator->to(device);

  optim::Adam optimizerG(generator->parameters(), optim::AdamOptions(cfg.lr).betas(std::make_tuple(cfg.beta1, 0.999)));
  optim::Adam optimizerD(discriminator->parameters(), optim::AdamOptions(cfg.lr).betas(std::make_tuple(cfg.beta1, 0.999)));

  for (int64_t epoch = 0; epoch < cfg.epochs; ++epoch) {
    for (int64_t i = 0; i < cfg.batchesPerEpoch; ++i) {
      // The discriminator on real images, then on generated ones.
      discriminator->zero_grad();
      Tensor real = realImages(cfg, device);
      Tensor realLabels = torch::empty(cfg.batch, device).uniform_(0.8, 1.0);
      Tensor realOutput = discriminator->forward(real).reshape(realLabels.sizes());
      Tensor lossReal = binary_cross_entropy(realOutput, realLabels);
      lossReal.backward();

      Tensor noise = torch::randn({cfg.batch, cfg.noise, 1, 1}, device);
      Tensor fake = generator->forward(noise);
      Tensor fakeLabels = torch::zeros(cfg.batch, device);
      Tensor fakeOutput = discriminator->forward(fake.detach()).reshape(fakeLabels.sizes());
      Tensor lossFake = binary_cross_entropy(fakeOutput, fakeLabels);
      lossFake.backward();
      Tensor lossD = lossReal + lossFake;
      optimizerD.step();

      // The generator: make the discriminator say "real".
      generator->zero_grad();
      fakeLabels.fill_(1);
      fakeOutput = discriminator->forward(fake).reshape(fakeLabels.sizes());
      Tensor lossG = binary_cross_entropy(fakeOutput, fakeLabels);
      lossG.backward();
      optimizerG.step();

      if (i % cfg.sampleEvery == 0)
        std::printf("[%2ld/%2ld][%3ld/%3ld] D %.4f G %.4f\n", static_cast<long>(epoch), static_cast<long>(cfg.epochs),
                    static_cast<long>(i), static_cast<long>(cfg.batchesPerEpoch), lossD.item<float>(), lossG.item<float>());
    }
  }

  generator->eval();
  NoGradGuard guard;
  Tensor samples = generator->forward(torch::randn({64, cfg.noise, 1, 1}, device));
  save((samples.cpu() + 1) / 2, "samples.pt");
  return 0;
}
