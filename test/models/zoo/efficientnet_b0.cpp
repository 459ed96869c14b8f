// EfficientNet-B0: MBConv blocks with squeeze-excitation, SiLU and stochastic depth.
// published: efficientnet_b0
#include <torch/torch.h>

#include <cmath>
#include <iostream>
#include <string>
#include <vector>

namespace nn = torch::nn;

struct BlockArgs {
  int64_t num_repeat;
  int64_t kernel_size;
  int64_t stride;
  int64_t expand_ratio;
  int64_t input_filters;
  int64_t output_filters;
  double se_ratio = 0.25;
};

struct GlobalParams {
  double width_coefficient = 1.0;
  double depth_coefficient = 1.0;
  double dropout_rate = 0.2;
  double drop_connect_rate = 0.2;
  int64_t depth_divisor = 8;
  int64_t num_classes = 1000;
};

int64_t round_filters(int64_t filters, const GlobalParams& p) {
  const double scaled = filters * p.width_coefficient;
  int64_t rounded = std::max<int64_t>(p.depth_divisor, int64_t(scaled + p.depth_divisor / 2.0) / p.depth_divisor * p.depth_divisor);
  if (rounded < 0.9 * scaled)
    rounded += p.depth_divisor;
  return rounded;
}

int64_t round_repeats(int64_t repeats, const GlobalParams& p) {
  return static_cast<int64_t>(std::ceil(p.depth_coefficient * repeats));
}

class SwishImpl : public nn::Module {
 public:
  torch::Tensor forward(torch::Tensor x) { return x * torch::sigmoid(x); }
};
TORCH_MODULE(Swish);

class DropConnectImpl : public nn::Module {
 public:
  explicit DropConnectImpl(double p) : p(p) {}
  torch::Tensor forward(torch::Tensor x) {
    if (!is_training() || p == 0.0)
      return x;
    const double keep = 1 - p;
    auto mask = torch::floor(keep + torch::rand({x.size(0), 1, 1, 1}, x.options()));
    return x / keep * mask;
  }

 private:
  double p;
};
TORCH_MODULE(DropConnect);

class MBConvBlockImpl : public nn::Module {
 public:
  MBConvBlockImpl(const BlockArgs& args, double drop_rate)
      : id_skip(args.stride == 1 && args.input_filters == args.output_filters) {
    const int64_t inp = args.input_filters;
    const int64_t oup = inp * args.expand_ratio;
    if (args.expand_ratio != 1) {
      _expand_conv = register_module("_expand_conv", nn::Conv2d(nn::Conv2dOptions(inp, oup, 1).bias(false)));
      _bn0 = register_module("_bn0", nn::BatchNorm2d(bn(oup)));
    }
    _depthwise_conv = register_module("_depthwise_conv", nn::Conv2d(nn::Conv2dOptions(oup, oup, args.kernel_size)
        .stride(args.stride).groups(oup).padding((args.kernel_size - 1) / 2).bias(false)));
    _bn1 = register_module("_bn1", nn::BatchNorm2d(bn(oup)));

    const auto squeezed = std::max<int64_t>(1, static_cast<int64_t>(inp * args.se_ratio));
    _se_reduce = register_module("_se_reduce", nn::Conv2d(nn::Conv2dOptions(oup, squeezed, 1)));
    _se_expand = register_module("_se_expand", nn::Conv2d(nn::Conv2dOptions(squeezed, oup, 1)));

    _project_conv = register_module("_project_conv", nn::Conv2d(nn::Conv2dOptions(oup, args.output_filters, 1).bias(false)));
    _bn2 = register_module("_bn2", nn::BatchNorm2d(bn(args.output_filters)));
    _swish = register_module("_swish", Swish());
    _drop = register_module("_drop", DropConnect(drop_rate));
  }

  torch::Tensor forward(torch::Tensor inputs) {
    auto x = inputs;
    if (_expand_conv)
      x = _swish(_bn0(_expand_conv(x)));
    x = _swish(_bn1(_depthwise_conv(x)));
    auto squeezed = torch::adaptive_avg_pool2d(x, {1, 1});
    squeezed = _se_expand(_swish(_se_reduce(squeezed)));
    x = torch::sigmoid(squeezed) * x;
    x = _bn2(_project_conv(x));
    if (id_skip)
      x = _drop(x) + inputs;
    return x;
  }

 private:
  static nn::BatchNorm2dOptions bn(int64_t features) { return nn::BatchNorm2dOptions(features).momentum(0.01).eps(1e-3); }

  bool id_skip;
  nn::Conv2d _expand_conv{nullptr}, _depthwise_conv{nullptr}, _se_reduce{nullptr}, _se_expand{nullptr}, _project_conv{nullptr};
  nn::BatchNorm2d _bn0{nullptr}, _bn1{nullptr}, _bn2{nullptr};
  Swish _swish{nullptr};
  DropConnect _drop{nullptr};
};
TORCH_MODULE(MBConvBlock);

class EfficientNetImpl : public nn::Module {
 public:
  EfficientNetImpl(std::vector<BlockArgs> blocks_args, const GlobalParams& global) {
    auto out = round_filters(32, global);
    _conv_stem = register_module("_conv_stem", nn::Conv2d(nn::Conv2dOptions(3, out, 3).stride(2).padding(1).bias(false)));
    _bn0 = register_module("_bn0", nn::BatchNorm2d(out));
    _blocks = register_module("_blocks", nn::ModuleList());

    int64_t total = 0;
    for (auto& args : blocks_args) {
      args.input_filters = round_filters(args.input_filters, global);
      args.output_filters = round_filters(args.output_filters, global);
      args.num_repeat = round_repeats(args.num_repeat, global);
      total += args.num_repeat;
    }
    int64_t index = 0;
    for (BlockArgs args : blocks_args) {
      for (int64_t i = 0; i < args.num_repeat; ++i, ++index) {
        _blocks->push_back(MBConvBlock(args, global.drop_connect_rate * index / total));
        args.input_filters = args.output_filters;
        args.stride = 1;
      }
    }
    const auto last = blocks_args.back().output_filters;
    const auto head = round_filters(1280, global);
    _conv_head = register_module("_conv_head", nn::Conv2d(nn::Conv2dOptions(last, head, 1).bias(false)));
    _bn1 = register_module("_bn1", nn::BatchNorm2d(head));
    _dropout = register_module("_dropout", nn::Dropout(global.dropout_rate));
    _fc = register_module("_fc", nn::Linear(head, global.num_classes));
  }

  torch::Tensor extract_features(torch::Tensor x) {
    x = torch::silu(_bn0(_conv_stem(x)));
    for (size_t i = 0; i < _blocks->size(); ++i)
      x = _blocks[i]->as<MBConvBlockImpl>()->forward(x);
    return torch::silu(_bn1(_conv_head(x)));
  }

  torch::Tensor forward(torch::Tensor x) {
    x = extract_features(x);
    x = torch::adaptive_avg_pool2d(x, {1, 1}).flatten(1);
    return _fc(_dropout(x));
  }

 private:
  nn::Conv2d _conv_stem{nullptr}, _conv_head{nullptr};
  nn::BatchNorm2d _bn0{nullptr}, _bn1{nullptr};
  nn::ModuleList _blocks{nullptr};
  nn::Dropout _dropout{nullptr};
  nn::Linear _fc{nullptr};
};
TORCH_MODULE(EfficientNet);

int main() {
  const std::vector<BlockArgs> args{
      {1, 3, 1, 1, 32, 16}, {2, 3, 2, 6, 16, 24},  {2, 5, 2, 6, 24, 40},   {3, 3, 2, 6, 40, 80},
      {3, 5, 1, 6, 80, 112}, {4, 5, 2, 6, 112, 192}, {1, 3, 1, 6, 192, 320},
  };
  GlobalParams global;
  int width_percent = 100; // vary: 110 140 80
  int depth_percent = 100; // vary: 120 180
  global.width_coefficient = width_percent / 100.0;
  global.depth_coefficient = depth_percent / 100.0;
  EfficientNet net(args, global);
  // oracle: model(net)
  // matrix: auto x = torch::randn({N, 3, 96, 96});
  // matrix: auto labels = torch::randint(1000, {N}, torch::kLong);
  // matrix: auto logits = net->forward(x);
  // matrix: auto loss = nn::CrossEntropyLoss(nn::CrossEntropyLossOptions().label_smoothing(0.1))(logits, labels);

  net->train();
  torch::optim::RMSprop optimizer(net->parameters(), torch::optim::RMSpropOptions(0.016).momentum(0.9).alpha(0.9));
  auto x = torch::randn({2, 3, 96, 96});
  auto y = torch::tensor({3, 7}, torch::kLong);
  auto logits = net->forward(x);
  auto loss = nn::CrossEntropyLoss(nn::CrossEntropyLossOptions().label_smoothing(0.1))(logits, y);
  loss.backward();
  optimizer.step();
  // oracle: shape(logits)
  // oracle: shape(loss)
  std::cout << loss.item<float>() << std::endl;
}
