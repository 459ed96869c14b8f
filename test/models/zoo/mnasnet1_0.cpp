// MNASNet 1.0.
// published: mnasnet1_0
#include <torch/torch.h>

#include <array>
#include <iostream>

constexpr double kBnMomentum = 1 - 0.9997;

struct MNASNetInvertedResidualImpl : torch::nn::Module {
  bool apply_residual;
  torch::nn::Sequential layers;

  MNASNetInvertedResidualImpl(int64_t input, int64_t output, int64_t kernel, int64_t stride, double expansion_factor,
                              double bn_momentum = 0.1) {
    TORCH_CHECK(stride == 1 || stride == 2);
    TORCH_CHECK(kernel == 3 || kernel == 5);
    using Options = torch::nn::Conv2dOptions;
    auto mid = int64_t(input * expansion_factor);
    apply_residual = input == output && stride == 1;

    layers->push_back(torch::nn::Conv2d(Options(input, mid, 1).bias(false)));
    layers->push_back(torch::nn::BatchNorm2d(torch::nn::BatchNormOptions(mid).momentum(bn_momentum)));
    layers->push_back(torch::nn::ReLU());
    layers->push_back(torch::nn::Conv2d(
        torch::nn::Conv2d(Options(mid, mid, kernel).padding(kernel / 2).stride(stride).groups(mid).bias(false))));
    layers->push_back(torch::nn::BatchNorm2d(torch::nn::BatchNormOptions(mid).momentum(bn_momentum)));
    layers->push_back(torch::nn::ReLU());
    layers->push_back(torch::nn::Conv2d(Options(mid, output, 1).bias(false)));
    layers->push_back(torch::nn::BatchNorm2d(torch::nn::BatchNormOptions(output).momentum(bn_momentum)));
    register_module("layers", layers);
  }

  torch::Tensor forward(torch::Tensor x) {
    if (apply_residual)
      return layers->forward(x) + x;
    return layers->forward(x);
  }
};
TORCH_MODULE(MNASNetInvertedResidual);

// A Sequential inside a Sequential needs a forward that is no template.
struct StackSequentialImpl : torch::nn::SequentialImpl {
  using SequentialImpl::SequentialImpl;
  torch::Tensor forward(torch::Tensor x) { return SequentialImpl::forward(x); }
};
TORCH_MODULE(StackSequential);

static StackSequential stack(int64_t input, int64_t output, int64_t kernel, int64_t stride, double exp_factor,
                                   int64_t repeats, double bn_momentum) {
  assert(repeats >= 1);
  StackSequential seq;
  seq->push_back(MNASNetInvertedResidual(input, output, kernel, stride, exp_factor, bn_momentum));
  for (int64_t i = 1; i < repeats; ++i)
    seq->push_back(MNASNetInvertedResidual(output, output, kernel, 1, exp_factor, bn_momentum));
  return seq;
}

static int64_t round_to_multiple_of(int64_t val, int64_t divisor, double round_up_bias = 0.9) {
  auto new_val = std::max(divisor, (val + divisor / 2) / divisor * divisor);
  return new_val >= round_up_bias * val ? new_val : new_val + divisor;
}

static std::vector<int64_t> scale_depths(std::vector<int64_t> depths, double alpha) {
  for (auto& depth : depths)
    depth = round_to_multiple_of(int64_t(depth * alpha), 8);
  return depths;
}

struct MNASNetImpl : torch::nn::Module {
  torch::nn::Sequential layers, classifier;

  MNASNetImpl(double alpha, int64_t num_classes, double dropout = .2) {
    auto depths = scale_depths({32, 16, 24, 40, 80, 96, 192, 320}, alpha);
    auto bn = [](int64_t n) { return torch::nn::BatchNorm2d(torch::nn::BatchNormOptions(n).momentum(kBnMomentum)); };

    layers->push_back(torch::nn::Conv2d(torch::nn::Conv2dOptions(3, depths[0], 3).padding(1).stride(2).bias(false)));
    layers->push_back(bn(depths[0]));
    layers->push_back(torch::nn::ReLU());
    layers->push_back(torch::nn::Conv2d(
        torch::nn::Conv2dOptions(depths[0], depths[0], 3).padding(1).groups(depths[0]).bias(false)));
    layers->push_back(bn(depths[0]));
    layers->push_back(torch::nn::ReLU());
    layers->push_back(torch::nn::Conv2d(torch::nn::Conv2dOptions(depths[0], depths[1], 1).bias(false)));
    layers->push_back(bn(depths[1]));

    struct Stage {
      int64_t kernel, stride, expansion, repeats;
    };
    const std::array<Stage, 6> stages{{{3, 2, 3, 3}, {5, 2, 3, 3}, {5, 2, 6, 3}, {3, 1, 6, 2}, {5, 2, 6, 4}, {3, 1, 6, 1}}};
    for (std::size_t i = 0; i < stages.size(); i++) {
      const auto& [kernel, stride, expansion, repeats] = stages[i];
      layers->push_back(stack(depths[i + 1], depths[i + 2], kernel, stride, expansion, repeats, kBnMomentum));
    }

    layers->push_back(torch::nn::Conv2d(torch::nn::Conv2dOptions(depths[7], 1280, 1).bias(false)));
    layers->push_back(bn(1280));
    layers->push_back(torch::nn::ReLU());

    classifier->push_back(torch::nn::Dropout(dropout));
    classifier->push_back(torch::nn::Linear(1280, num_classes));
    register_module("layers", layers);
    register_module("classifier", classifier);
    _initialize_weights();
  }

  void _initialize_weights() {
    for (auto& module : modules(/*include_self=*/false)) {
      if (auto M = module->as<torch::nn::Conv2d>())
        torch::nn::init::kaiming_normal_(M->weight, 0, torch::kFanOut, torch::kReLU);
      else if (auto M = module->as<torch::nn::BatchNorm2d>()) {
        torch::nn::init::ones_(M->weight);
        torch::nn::init::zeros_(M->bias);
      } else if (auto M = module->as<torch::nn::Linear>()) {
        torch::nn::init::kaiming_uniform_(M->weight, 0, torch::kFanOut, torch::kSigmoid);
        torch::nn::init::zeros_(M->bias);
      }
    }
  }

  torch::Tensor forward(torch::Tensor x) {
    x = layers->forward(x);
    x = x.mean({2, 3});
    return classifier->forward(x);
  }
};
TORCH_MODULE(MNASNet);

int main() {
  int tenths = 10; // vary: 5 13 7
  auto net = std::make_shared<MNASNetImpl>(tenths / 10.0, 1000);
  // oracle: model(net)
  // matrix: auto input = torch::ones({N, 3, 192, 192});
  // matrix: auto scores = net->forward(input);
  // matrix: auto loss = torch::nll_loss(torch::log_softmax(scores, 1), torch::randint(10, {N}, torch::kLong));
  net->eval();
  torch::NoGradGuard guard;
  auto y = net->forward(torch::ones({1, 3, 192, 192}));
  // oracle: shape(y)
  std::cout << y.argmax().item().toLong() << std::endl;
  return 0;
}
