// CycleGAN: a ResNet generator with nine blocks and reflection padding, and a
// PatchGAN discriminator with instance norm.
#include <torch/torch.h>

#include <iostream>

using torch::Tensor;
namespace nn = torch::nn;

class ResnetBlockImpl : public nn::Module {
  nn::Sequential conv_block;

public:
  ResnetBlockImpl(int dim, bool use_dropout, bool use_bias) {
    conv_block->push_back(nn::ReflectionPad2d(1));
    conv_block->push_back(nn::Conv2d(nn::Conv2dOptions(dim, dim, 3).bias(use_bias)));
    conv_block->push_back(nn::InstanceNorm2d(nn::InstanceNorm2dOptions(dim)));
    conv_block->push_back(nn::ReLU(true));
    if (use_dropout)
      conv_block->push_back(nn::Dropout(0.5));
    conv_block->push_back(nn::ReflectionPad2d(1));
    conv_block->push_back(nn::Conv2d(nn::Conv2dOptions(dim, dim, 3).bias(use_bias)));
    conv_block->push_back(nn::InstanceNorm2d(nn::InstanceNorm2dOptions(dim)));
    register_module("conv_block", conv_block);
  }
  Tensor forward(const Tensor &x) { return x + conv_block->forward(x); }
};
TORCH_MODULE(ResnetBlock);

class ResnetGeneratorImpl : public nn::Module {
  nn::Sequential model;

public:
  ResnetGeneratorImpl(int input_nc, int output_nc, int ngf, int n_blocks, bool use_dropout = false) {
    nn::Sequential m(nn::ReflectionPad2d(3), nn::Conv2d(nn::Conv2dOptions(input_nc, ngf, 7)), nn::InstanceNorm2d(ngf),
                     nn::ReLU(nn::ReLUOptions().inplace(true)));
    const int n_downsampling = 2;
    for (int i = 0; i < n_downsampling; ++i) {
      const int mult = std::pow(2, i);
      m->push_back(nn::Conv2d(nn::Conv2dOptions(ngf * mult, ngf * mult * 2, 3).stride(2).padding(1)));
      m->push_back(nn::InstanceNorm2d(ngf * mult * 2));
      m->push_back(nn::ReLU(true));
    }
    for (int i = 0; i < n_blocks; ++i)
      m->push_back(ResnetBlock(ngf * static_cast<int>(std::pow(2, n_downsampling)), use_dropout, true));
    for (int i = n_downsampling; i > 0; --i) {
      const int mult = 1 << i;
      m->push_back(nn::ConvTranspose2d(
          nn::ConvTranspose2dOptions(ngf * mult, ngf * mult / 2, 3).stride(2).padding(1).output_padding(1)));
      m->push_back(nn::InstanceNorm2d(ngf * mult / 2));
      m->push_back(nn::ReLU(true));
    }
    m->push_back(nn::ReflectionPad2d(nn::ReflectionPad2dOptions(3)));
    m->push_back(nn::Conv2d(nn::Conv2dOptions(ngf, output_nc, 7)));
    m->push_back(nn::Tanh());
    model = register_module("model", m);
  }
  Tensor forward(Tensor input) { return model->forward(input); }
};
TORCH_MODULE(ResnetGenerator);

class NLayerDiscriminatorImpl : public nn::SequentialImpl {
public:
  NLayerDiscriminatorImpl(int input_nc, int ndf, int n_layers) {
    auto conv = [](int in, int out, int stride) {
      return nn::Conv2d(nn::Conv2dOptions(in, out, 4).stride(stride).padding(1));
    };
    push_back(conv(input_nc, ndf, 2));
    push_back(nn::LeakyReLU(nn::LeakyReLUOptions().negative_slope(0.2).inplace(true)));
    int mult = 1;
    for (int n = 1; n <= n_layers; ++n) {
      const int before = mult;
      mult = std::min(1 << n, 8);
      push_back(conv(ndf * before, ndf * mult, n < n_layers ? 2 : 1));
      push_back(nn::InstanceNorm2d(ndf * mult));
      push_back(nn::LeakyReLU(nn::LeakyReLUOptions().negative_slope(0.2).inplace(true)));
    }
    push_back(conv(ndf * mult, 1, 1));
  }
};
TORCH_MODULE(NLayerDiscriminator);

int main() {
  const int blocks = 9; // vary: 3 5 6
  const int ngf = 64; // vary: 8 16 32
  const int ndf = 64; // vary: 8 16 32
  ResnetGenerator netG(3, 3, ngf, blocks);
  NLayerDiscriminator netD(3, ndf, 3);
  // oracle: model(netG)
  // oracle: model(netD)
  // matrix: auto real = torch::rand({N, 3, 64, 64});
  // matrix: auto fake = netG(real);
  // matrix: auto patch = netD->forward(fake);
  // matrix: auto loss = torch::mse_loss(patch, torch::ones_like(patch)) + torch::l1_loss(fake, real);
  torch::NoGradGuard guard;
  netG->eval();
  netD->eval();
  Tensor real = torch::rand({1, 3, 64, 64});
  Tensor fake = netG(real);
  // oracle: shape(fake)
  Tensor patch = netD->forward(fake);
  // oracle: shape(patch)
  std::cout << fake.sizes() << patch.sizes() << std::endl;
}
