// ResNeXt-50 (32x4d): grouped convolutions; cardinality and base width are options of the builder.
// published: resnext50_32x4d
#include <torch/torch.h>

#include <iostream>

struct ResNeXtOptions {
  ResNeXtOptions(std::vector<int64_t> layers) : layers_(std::move(layers)) {}
  TORCH_ARG(std::vector<int64_t>, layers);
  TORCH_ARG(int64_t, groups) = 1;
  TORCH_ARG(int64_t, width_per_group) = 64;
  TORCH_ARG(int64_t, num_classes) = 1000;
  TORCH_ARG(bool, zero_init_residual) = false;
};

class BlockImpl : public torch::nn::Cloneable<BlockImpl> {
 public:
  BlockImpl(int64_t in, int64_t planes, int64_t stride, const ResNeXtOptions& options)
      : in_(in),
        out_(planes * 4),
        width_(int64_t(planes * (options.width_per_group() / 64.)) * options.groups()),
        stride_(stride),
        groups_(options.groups()) {
    reset();
  }

  void reset() override {
    conv1 = register_module("conv1", conv(in_, width_, 1, 1, 1));
    bn1 = register_module("bn1", torch::nn::BatchNorm2d(width_));
    conv2 = register_module("conv2", conv(width_, width_, 3, stride_, groups_));
    bn2 = register_module("bn2", torch::nn::BatchNorm2d(width_));
    conv3 = register_module("conv3", conv(width_, out_, 1, 1, 1));
    bn3 = register_module("bn3", torch::nn::BatchNorm2d(out_));
    if (in_ != out_ || stride_ != 1)
      shortcut = register_module(
          "shortcut", torch::nn::Sequential(conv(in_, out_, 1, stride_, 1), torch::nn::BatchNorm2d(out_)));
  }

  torch::Tensor forward(torch::Tensor x) {
    auto y = torch::relu(bn1(conv1(x)));
    y = torch::relu(bn2(conv2(y)));
    y = bn3(conv3(y));
    if (!shortcut.is_empty())
      x = shortcut->forward(x);
    return torch::relu(x + y);
  }

  torch::nn::BatchNorm2d bn3{nullptr};

 private:
  static torch::nn::Conv2d conv(int64_t in, int64_t out, int64_t k, int64_t s, int64_t groups) {
    torch::nn::Conv2dOptions options(in, out, k);
    options.stride(s).padding(k / 2).groups(groups).bias(false);
    return torch::nn::Conv2d(options);
  }

  int64_t in_, out_, width_, stride_, groups_;
  torch::nn::Conv2d conv1{nullptr}, conv2{nullptr}, conv3{nullptr};
  torch::nn::BatchNorm2d bn1{nullptr}, bn2{nullptr};
  torch::nn::Sequential shortcut{nullptr};
};
TORCH_MODULE(Block);

class ResNeXtImpl : public torch::nn::Module {
 public:
  explicit ResNeXtImpl(ResNeXtOptions options_) : options(std::move(options_)) {
    conv1 = register_module(
        "conv1", torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 64, 7).stride(2).padding(3).bias(false)));
    bn1 = register_module("bn1", torch::nn::BatchNorm2d(64));
    int64_t in = 64, planes = 64, index = 0;
    for (int64_t depth : options.layers()) {
      torch::nn::Sequential layer;
      for (int64_t i = 0; i != depth; ++i, in = planes * 4)
        layer->push_back(Block(in, planes, i || !index ? 1 : 2, options));
      layers.push_back(register_module("layer" + std::to_string(++index), layer));
      planes *= 2;
    }
    fc = register_module("fc", torch::nn::Linear(in, options.num_classes()));
    if (options.zero_init_residual())
      for (const auto& m : modules(false))
        if (auto* block = m->as<BlockImpl>())
          torch::nn::init::zeros_(block->bn3->weight);
  }

  torch::Tensor forward(torch::Tensor x) {
    x = torch::relu(bn1(conv1(x)));
    x = torch::max_pool2d(x, /*kernel_size=*/3, /*stride=*/2, /*padding=*/1);
    for (auto& layer : layers)
      x = layer->forward(x);
    return fc(torch::adaptive_avg_pool2d(x, {1, 1}).squeeze(-1).squeeze(-1));
  }

  ResNeXtOptions options;
  torch::nn::Conv2d conv1{nullptr};
  torch::nn::BatchNorm2d bn1{nullptr};
  std::vector<torch::nn::Sequential> layers;
  torch::nn::Linear fc{nullptr};
};
TORCH_MODULE(ResNeXt);

int main() {
  ResNeXtOptions options({3, 4, 6, 3});
  options.groups(32); // vary: 8 16 64
  options.width_per_group(4); // vary: 8 16
  options.zero_init_residual(true);
  ResNeXt net(options);
  net->eval();
  // oracle: model(net)
  // matrix: auto input = torch::randn({N, 3, 128, 160});
  // matrix: auto scores = net->forward(input);
  // matrix: auto loss = torch::nll_loss(torch::log_softmax(scores, 1), torch::randint(10, {N}, torch::kLong));
  torch::NoGradGuard no_grad;
  const auto probabilities = torch::softmax(net->forward(torch::randn({2, 3, 128, 160})), /*dim=*/1);
  // oracle: shape(probabilities)
  std::cout << probabilities.max().item<float>() << '\n';
}
