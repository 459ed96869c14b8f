// ShuffleNetV2 x1.0: channel split, concatenation, shuffle.
// published: shufflenet_v2_x1_0
#include <torch/torch.h>

#include <iostream>
#include <map>
#include <string>

torch::Tensor shuffle_channels(torch::Tensor x, int64_t groups) {
  auto shape = x.sizes();
  auto batchsize = shape[0];
  auto num_channels = shape[1];
  auto height = shape[2];
  auto width = shape[3];
  auto channels_per_group = num_channels / groups;

  x = x.view({batchsize, groups, channels_per_group, height, width});
  x = torch::transpose(x, 1, 2).contiguous();
  return x.view({batchsize, -1, height, width});
}

torch::nn::Conv2d conv11(int64_t input, int64_t output) {
  return torch::nn::Conv2d(torch::nn::Conv2dOptions(input, output, 1).stride(1).padding(0).bias(false));
}

torch::nn::Conv2d conv33(int64_t input, int64_t output, int64_t stride) {
  return torch::nn::Conv2d(
      torch::nn::Conv2dOptions(input, output, 3).stride(stride).padding(1).bias(false).groups(input));
}

struct ShuffleUnitImpl : torch::nn::Module {
  int64_t stride;
  torch::nn::Sequential branch1{nullptr}, branch2{nullptr};

  ShuffleUnitImpl(int64_t inp, int64_t oup, int64_t stride) : stride(stride) {
    if (!(stride >= 1 && stride <= 3)) {
      std::cerr << "illegal stride value'" << stride << "'" << std::endl;
      assert(false);
    }
    auto branch_features = oup / 2;
    assert(stride != 1 || inp == branch_features << 1);

    if (stride > 1) {
      branch1 = torch::nn::Sequential(conv33(inp, inp, stride), torch::nn::BatchNorm2d(inp),
                                      conv11(inp, branch_features), torch::nn::BatchNorm2d(branch_features),
                                      torch::nn::Functional(torch::relu));
    }
    branch2 = torch::nn::Sequential(
        conv11(stride > 1 ? inp : branch_features, branch_features), torch::nn::BatchNorm2d(branch_features),
        torch::nn::Functional(torch::relu), conv33(branch_features, branch_features, stride),
        torch::nn::BatchNorm2d(branch_features), conv11(branch_features, branch_features),
        torch::nn::BatchNorm2d(branch_features), torch::nn::Functional(torch::relu));
    if (!branch1.is_empty())
      register_module("branch1", branch1);
    register_module("branch2", branch2);
  }

  torch::Tensor forward(torch::Tensor x) {
    torch::Tensor out;
    if (stride == 1) {
      auto chunks = x.chunk(2, 1);
      out = torch::cat({chunks[0], branch2->forward(chunks[1])}, 1);
    } else
      out = torch::cat({branch1->forward(x), branch2->forward(x)}, 1);
    return shuffle_channels(out, 2);
  }
};
TORCH_MODULE(ShuffleUnit);

struct ShuffleNetV2 : public torch::nn::Module {
  torch::nn::Sequential conv1, conv5;
  std::map<std::string, torch::nn::Sequential> stages;
  torch::nn::Linear fc{nullptr};

  ShuffleNetV2(const std::vector<int64_t>& repeats, const std::vector<int64_t>& channels, int64_t classes) {
    TORCH_CHECK(repeats.size() == 3 && channels.size() == 5);
    int64_t input = 3, output = channels.front();
    conv1->push_back(torch::nn::Conv2d(torch::nn::Conv2dOptions(input, output, 3).stride(2).padding(1).bias(false)));
    conv1->push_back(torch::nn::BatchNorm2d(output));
    conv1->push_back(torch::nn::Functional(torch::relu));
    register_module("conv1", conv1);

    for (size_t i = 0; i < repeats.size(); ++i) {
      input = output;
      output = channels[i + 1];
      const std::string name = "stage" + std::to_string(i + 2);
      stages[name]->push_back(ShuffleUnit(input, output, 2));
      for (int64_t j = 1; j < repeats[i]; ++j)
        stages[name]->push_back(ShuffleUnit(output, output, 1));
      register_module(name, stages[name]);
    }

    conv5->push_back(conv11(output, channels.back()));
    conv5->push_back(torch::nn::BatchNorm2d(channels.back()));
    conv5->push_back(torch::nn::Functional(torch::relu));
    register_module("conv5", conv5);
    fc = register_module("fc", torch::nn::Linear(channels.back(), classes));
  }

  torch::Tensor forward(torch::Tensor x) {
    x = torch::max_pool2d(conv1->forward(x), 3, 2, 1);
    for (auto& [name, stage] : stages)
      x = stage->forward(x);
    x = conv5->forward(x).mean({2, 3});
    return fc(x);
  }
};

int main() {
  int64_t width = 116; // vary: 48 176 244
  ShuffleNetV2 net({4, 8, 4}, {24, width, 2 * width, 4 * width, 1024}, 1000);
  net.eval();
  // oracle: model(net)
  // matrix: auto input = torch::randn({N, 3, 128, 128});
  // matrix: auto scores = net.forward(input);
  // matrix: auto loss = torch::nll_loss(torch::log_softmax(scores, 1), torch::randint(10, {N}, torch::kLong));
  torch::NoGradGuard no_grad;
  auto y = net.forward(torch::randn({3, 3, 128, 128}));
  // oracle: shape(y)
  std::cout << y.mean() << std::endl;
}
