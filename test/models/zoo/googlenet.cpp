// GoogLeNet (Inception v1) without the auxiliary classifiers, as used for inference.
// published: googlenet
#include <torch/torch.h>
#include <iostream>

namespace nn = torch::nn;

namespace googlenet {

class BasicConv2dImpl : public nn::Module {
 public:
  BasicConv2dImpl(nn::Conv2dOptions options)
  {
    options.bias(false);
    conv = nn::Conv2d(options);
    bn = nn::BatchNorm2d(nn::BatchNormOptions(options.out_channels()).eps(0.001));
    register_module("conv", conv);
    register_module("bn", bn);
  }

  at::Tensor forward(at::Tensor x)
  {
    x = conv->forward(x);
    x = bn->forward(x);
    return x.relu_();
  }

 private:
  nn::Conv2d conv{nullptr};
  nn::BatchNorm2d bn{nullptr};
};
TORCH_MODULE(BasicConv2d);

class InceptionImpl : public nn::Module {
  BasicConv2d branch1;
  nn::Sequential branch2, branch3, branch4;

 public:
  InceptionImpl(int64_t in_channels, int64_t ch1x1, int64_t ch3x3red, int64_t ch3x3,
                int64_t ch5x5red, int64_t ch5x5, int64_t pool_proj)
      : branch1(nn::Conv2dOptions(in_channels, ch1x1, 1)),
        branch2(BasicConv2d(nn::Conv2dOptions(in_channels, ch3x3red, 1)),
                BasicConv2d(nn::Conv2dOptions(ch3x3red, ch3x3, 3).padding(1))),
        branch3(BasicConv2d(nn::Conv2dOptions(in_channels, ch5x5red, 1)),
                BasicConv2d(nn::Conv2dOptions(ch5x5red, ch5x5, 3).padding(1))),
        branch4(nn::MaxPool2d(nn::MaxPool2dOptions(3).stride(1).padding(1).ceil_mode(true)),
                BasicConv2d(nn::Conv2dOptions(in_channels, pool_proj, 1)))
  {
    register_module("branch1", branch1);
    register_module("branch2", branch2);
    register_module("branch3", branch3);
    register_module("branch4", branch4);
    width = ch1x1 + ch3x3 + ch5x5 + pool_proj;
  }

  at::Tensor forward(const at::Tensor& x)
  {
    std::vector<at::Tensor> outputs;
    outputs.push_back(branch1->forward(x));
    for (auto* b : {&branch2, &branch3, &branch4})
      outputs.emplace_back((*b)->forward(x));
    return torch::cat(outputs, 1);
  }

  int64_t width;
};
TORCH_MODULE(Inception);

struct GoogLeNetImpl : nn::Module {
  BasicConv2d conv1{nullptr}, conv2{nullptr}, conv3{nullptr};
  std::vector<Inception> blocks;
  nn::Dropout dropout{nullptr};
  nn::Linear fc{nullptr};

  explicit GoogLeNetImpl(int64_t num_classes)
  {
    conv1 = register_module("conv1", BasicConv2d(nn::Conv2dOptions(3, 64, 7).stride(2).padding(3)));
    conv2 = register_module("conv2", BasicConv2d(nn::Conv2dOptions(64, 64, 1)));
    conv3 = register_module("conv3", BasicConv2d(nn::Conv2dOptions(64, 192, 3).padding(1)));

    const int64_t table[9][6] = {{64, 96, 128, 16, 32, 32},    {128, 128, 192, 32, 96, 64},
                                 {192, 96, 208, 16, 48, 64},   {160, 112, 224, 24, 64, 64},
                                 {128, 128, 256, 24, 64, 64},  {112, 144, 288, 32, 64, 64},
                                 {256, 160, 320, 32, 128, 128}, {256, 160, 320, 32, 128, 128},
                                 {384, 192, 384, 48, 128, 128}};
    const char* names[] = {"3a", "3b", "4a", "4b", "4c", "4d", "4e", "5a", "5b"};
    int64_t channels = 192;
    for (int i = 0; i < 9; ++i) {
      const auto& t = table[i];
      Inception block(channels, t[0], t[1], t[2], t[3], t[4], t[5]);
      blocks.push_back(register_module(std::string("inception") + names[i], block));
      channels = block->width;
    }
    dropout = register_module("dropout", nn::Dropout(0.2));
    fc = register_module("fc", nn::Linear(channels, num_classes));
  }

  at::Tensor forward(at::Tensor x)
  {
    auto pool = [](const at::Tensor& t, int64_t k) { return at::max_pool2d(t, k, 2, 0, 1, true); };
    x = pool(conv1(x), 3);
    x = pool(conv3(conv2(x)), 3);
    for (size_t i = 0; i < blocks.size(); ++i) {
      x = blocks[i]->forward(x);
      if (i == 1)
        x = pool(x, 3);
      else if (i == 6)
        x = pool(x, 2);
    }
    x = at::adaptive_avg_pool2d(x, {1, 1});
    x = at::flatten(x, 1);
    return fc(dropout(x));
  }
};
TORCH_MODULE(GoogLeNet);

} // namespace googlenet

int main(int argc, char** argv)
{
  googlenet::GoogLeNet net(1000); // vary: 7 20 365
  net->eval();
  // oracle: model(net)
  // matrix: auto input = torch::randn({N, 3, 224, 224});
  // matrix: auto scores = net->forward(input);
  // matrix: auto loss = torch::nll_loss(torch::log_softmax(scores, 1), torch::randint(10, {N}, torch::kLong));
  at::NoGradGuard no_grad;
  auto x = torch::randn({1, 3, 224, 224});
  auto y = net->forward(x);
  // oracle: shape(y)
  std::cout << std::get<1>(y.topk(5)) << std::endl;
  return 0;
}
