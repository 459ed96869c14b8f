// DCGAN at 128x128: both nets are built by loops that double the width per level.
#include <torch/torch.h>

#include <iostream>

struct Options {
  int nz = 100; // vary: 32 64 128
  int ngf = 64; // vary: 8 16 32
  int ndf = 64; // vary: 8 16 32
  int nc = 3; // vary: 1 4
  int image_size = 128;
};

torch::nn::Sequential createGenerator(const Options &o) {
  torch::nn::Sequential g;
  int levels = 0;
  for (int s = o.image_size; s > 8; s /= 2)
    ++levels;
  int width = o.ngf << levels;
  g->push_back(torch::nn::ConvTranspose2d(torch::nn::ConvTranspose2dOptions(o.nz, width, 4).bias(false)));
  g->push_back(torch::nn::BatchNorm2d(width));
  g->push_back(torch::nn::Functional(torch::relu));
  for (int i = 0; i < levels; ++i, width /= 2) {
    g->push_back(torch::nn::ConvTranspose2d(
        torch::nn::ConvTranspose2dOptions(width, width / 2, 4).stride(2).padding(1).bias(false)));
    g->push_back(torch::nn::BatchNorm2d(width / 2));
    g->push_back(torch::nn::Functional(torch::relu));
  }
  g->push_back(torch::nn::ConvTranspose2d(
      torch::nn::ConvTranspose2dOptions(width, o.nc, 4).stride(2).padding(1).bias(false)));
  g->push_back(torch::nn::Functional(torch::tanh));
  return g;
}

torch::nn::Sequential createDiscriminator(const Options &o) {
  torch::nn::Sequential d(
      torch::nn::Conv2d(torch::nn::Conv2dOptions(o.nc, o.ndf, 4).stride(2).padding(1).bias(false)),
      torch::nn::Functional(torch::leaky_relu, 0.2));
  int side = o.image_size / 2, width = o.ndf;
  do {
    d->push_back(torch::nn::Conv2d(torch::nn::Conv2dOptions(width, width * 2, 4).stride(2).padding(1).bias(false)));
    d->push_back(torch::nn::BatchNorm2d(width *= 2));
    d->push_back(torch::nn::Functional(torch::leaky_relu, 0.2));
    side /= 2;
  } while (side > 4);
  d->push_back(torch::nn::Conv2d(torch::nn::Conv2dOptions(width, 1, 4).stride(1).padding(0).bias(false)));
  d->push_back(torch::nn::Sigmoid());
  return d;
}

static void weights_init(torch::nn::Module &m) {
  const auto name = m.name();
  if (auto *conv = m.as<torch::nn::Conv2d>()) {
    torch::nn::init::normal_(conv->weight, 0.0, 0.02);
  } else if (auto *deconv = dynamic_cast<torch::nn::ConvTranspose2dImpl *>(&m)) {
    torch::nn::init::normal_(deconv->weight, 0.0, 0.02);
  } else if (name.find("BatchNorm") != std::string::npos) {
    auto *norm = m.as<torch::nn::BatchNorm2d>();
    torch::nn::init::normal_(norm->weight, 1.0, 0.02);
    torch::nn::init::constant_(norm->bias, 0);
  }
}

int main(int argc, char *argv[]) {
  Options options;
  auto generator = createGenerator(options);
  auto discriminator = createDiscriminator(options);
  generator->apply(weights_init);
  discriminator->apply(weights_init);
  // oracle: model(generator)
  // oracle: model(discriminator)
  // matrix: auto noise = torch::randn({N, options.nz, 1, 1});
  // matrix: auto fake = generator->forward(noise);
  // matrix: auto verdict = discriminator->forward(fake).view(-1);
  // matrix: auto loss = torch::binary_cross_entropy(verdict, torch::ones_like(verdict));
  generator->eval();
  discriminator->eval();
  torch::NoGradGuard guard;
  auto noise = torch::randn({2, options.nz, 1, 1});
  auto fake = generator->forward(noise);
  // oracle: shape(fake)
  auto verdict = discriminator->forward(fake).view(-1);
  // oracle: shape(verdict)
  std::cout << fake.sizes() << " " << verdict.sizes() << std::endl;
}
