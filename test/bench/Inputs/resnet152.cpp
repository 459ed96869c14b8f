// What MachineBench runs: ResNet-152 trained with SGD, two iterations.
#include <torch/torch.h>

#include <vector>

using namespace torch::nn;

struct BottleneckImpl : Module {
  BottleneckImpl(int64_t in, int64_t width, int64_t stride)
      : conv1(Conv2dOptions(in, width, 1).bias(false)), bn1(width),
        conv2(Conv2dOptions(width, width, 3).stride(stride).padding(1).bias(false)),
        bn2(width), conv3(Conv2dOptions(width, width * 4, 1).bias(false)), bn3(width * 4) {
    register_module("conv1", conv1);
    register_module("bn1", bn1);
    register_module("conv2", conv2);
    register_module("bn2", bn2);
    register_module("conv3", conv3);
    register_module("bn3", bn3);
    if (stride != 1 || in != width * 4)
      down = register_module(
          "down", Sequential(Conv2d(Conv2dOptions(in, width * 4, 1).stride(stride).bias(false)),
                             BatchNorm2d(width * 4)));
  }
  torch::Tensor forward(torch::Tensor x) {
    auto y = torch::relu(bn1(conv1(x)));
    y = torch::relu(bn2(conv2(y)));
    y = bn3(conv3(y));
    y += down ? down->forward(x) : x;
    return torch::relu(y);
  }
  Conv2d conv1;
  BatchNorm2d bn1;
  Conv2d conv2;
  BatchNorm2d bn2;
  Conv2d conv3;
  BatchNorm2d bn3;
  Sequential down{nullptr};
};
TORCH_MODULE(Bottleneck);

struct ResNetImpl : Module {
  explicit ResNetImpl(const std::vector<int> &depths, int64_t classes = 1000)
      : conv1(Conv2dOptions(3, 64, 7).stride(2).padding(3).bias(false)), bn1(64),
        fc(2048, classes) {
    register_module("conv1", conv1);
    register_module("bn1", bn1);
    int64_t in = 64, width = 64;
    for (size_t stage = 0; stage < depths.size(); ++stage, width *= 2) {
      Sequential layer;
      for (int i = 0; i < depths[stage]; ++i) {
        layer->push_back(Bottleneck(in, width, i == 0 && stage > 0 ? 2 : 1));
        in = width * 4;
      }
      layers.push_back(register_module("layer" + std::to_string(stage + 1), layer));
    }
    register_module("fc", fc);
  }
  torch::Tensor forward(torch::Tensor x) {
    x = torch::max_pool2d(torch::relu(bn1(conv1(x))), 3, 2, 1);
    for (auto &layer : layers)
      x = layer->forward(x);
    return fc(torch::adaptive_avg_pool2d(x, {1, 1}).flatten(1));
  }
  Conv2d conv1;
  BatchNorm2d bn1;
  std::vector<Sequential> layers;
  Linear fc;
};
TORCH_MODULE(ResNet);

int main() {
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  ResNet net(std::vector<int>{3, 8, 36, 3});
  net->to(device);
  torch::optim::SGD sgd(net->parameters(), torch::optim::SGDOptions(0.1).momentum(0.9));
  for (int i = 0; i < 2; ++i) {
    auto x = torch::randn({32, 3, 224, 224}, device);
    auto y = torch::randint(1000, {32}, torch::TensorOptions(torch::kLong).device(device));
    sgd.zero_grad();
    auto loss = torch::cross_entropy_loss(net->forward(x), y);
    loss.backward();
    sgd.step();
  }
}
