// SegNet: VGG-16 encoder, decoder that unpools with the encoder's indices.
#include <torch/torch.h>

#include <iostream>
#include <vector>

using namespace torch::nn;
namespace F = torch::nn::functional;

struct ConvUnitImpl : Module {
  ConvUnitImpl(int in, int out) {
    conv = register_module("conv", Conv2d(Conv2dOptions(in, out, {3, 3}).padding({1, 1})));
    norm = register_module("norm", BatchNorm2d(BatchNorm2dOptions(out).momentum(0.1)));
  }
  torch::Tensor forward(torch::Tensor x) { return F::relu(norm(conv(x)), F::ReLUFuncOptions().inplace(true)); }
  Conv2d conv{nullptr};
  BatchNorm2d norm{nullptr};
};
TORCH_MODULE(ConvUnit);

class SegNetImpl : public Module {
 public:
  SegNetImpl(int input_channels, int classes, int base) {
    const std::vector<std::vector<int>> plan = {{1, 1}, {2, 2}, {4, 4, 4}, {8, 8, 8}, {8, 8, 8}};
    int channels = input_channels;
    for (const auto& stage : plan) {
      Sequential down;
      for (int factor : stage) {
        down->push_back(ConvUnit(channels, factor * base));
        channels = factor * base;
      }
      encoder->push_back(down);
    }
    for (auto stage = plan.rbegin(); stage != plan.rend(); ++stage) {
      Sequential up;
      auto next = std::next(stage);
      for (size_t i = 0; i + 1 < stage->size(); ++i)
        up->push_back(ConvUnit(channels, channels));
      if (next != plan.rend()) {
        up->push_back(ConvUnit(channels, next->back() * base));
        channels = next->back() * base;
      } else {
        up->push_back(Conv2d(Conv2dOptions(channels, classes, 3).padding(1)));
      }
      decoder->push_back(up);
    }
    register_module("encoder", encoder);
    register_module("decoder", decoder);
  }

  torch::Tensor forward(torch::Tensor x) {
    std::vector<torch::Tensor> indices;
    std::vector<std::vector<int64_t>> sizes;
    for (auto& stage : *encoder) {
      x = stage->as<Sequential>()->forward(x);
      sizes.push_back(x.sizes().vec());
      auto pooled = F::max_pool2d_with_indices(x, F::MaxPool2dFuncOptions(2).stride(2));
      x = std::get<0>(pooled);
      indices.push_back(std::get<1>(pooled));
    }
    for (auto& stage : *decoder) {
      x = F::max_unpool2d(x, indices.back(), F::MaxUnpool2dFuncOptions(2).stride(2).output_size(sizes.back()));
      sizes.pop_back();
      indices.pop_back();
      x = stage->as<Sequential>()->forward(x);
    }
    return torch::softmax(x, 1);
  }

 private:
  ModuleList encoder, decoder;
};
TORCH_MODULE(SegNet);

int main() {
  const int base = 64; // vary: 16 24 40
  SegNet net(3, 12, base);
  // oracle: model(net)
  // matrix: auto image = torch::randn({N, 3, 180, 240});
  // matrix: auto y = net->forward(image);
  // matrix: auto loss = y.mean();
  net->eval();
  torch::NoGradGuard no_grad;
  auto y = net->forward(torch::randn({1, 3, 180, 240}));
  // oracle: shape(y)
  std::cout << y.argmax(1).sizes() << std::endl;
}
