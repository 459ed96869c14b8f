// A temporal convolutional network: dilated causal residual blocks with weight
// norm written out (g and v as parameters), a list of channel counts.
#include <torch/torch.h>

#include <iostream>
#include <memory>
#include <vector>

namespace nn = torch::nn;

struct WeightNormConv1d : nn::Module {
  WeightNormConv1d(int64_t in, int64_t out, int64_t kernel, int64_t padding, int64_t dilation)
      : padding(padding), dilation(dilation) {
    auto w = torch::empty({out, in, kernel}).normal_(0, 0.01);
    weight_v = register_parameter("weight_v", w);
    weight_g = register_parameter("weight_g", w.norm(2, {1, 2}, true));
    bias = register_parameter("bias", torch::zeros({out}));
  }
  torch::Tensor forward(const torch::Tensor &x) {
    auto weight = weight_v * (weight_g / weight_v.norm(2, {1, 2}, true));
    return torch::conv1d(x, weight, bias, /*stride=*/1, padding, dilation);
  }
  int64_t padding, dilation;
  torch::Tensor weight_v, weight_g, bias;
};

struct Chomp1d : nn::Module {
  explicit Chomp1d(int64_t size) : size(size) {}
  torch::Tensor forward(const torch::Tensor &x) { return x.slice(2, 0, x.size(2) - size).contiguous(); }
  int64_t size;
};

class TemporalBlockImpl : public nn::Module {
public:
  TemporalBlockImpl(int64_t in, int64_t out, int64_t kernel, int64_t dilation, double dropout) {
    const int64_t padding = (kernel - 1) * dilation;
    net = nn::Sequential(WeightNormConv1d(in, out, kernel, padding, dilation), Chomp1d(padding), nn::ReLU(),
                         nn::Dropout(dropout), WeightNormConv1d(out, out, kernel, padding, dilation), Chomp1d(padding),
                         nn::ReLU(), nn::Dropout(dropout));
    register_module("net", net);
    if (in != out)
      downsample = register_module("downsample", nn::Conv1d(nn::Conv1dOptions(in, out, 1)));
  }
  torch::Tensor forward(torch::Tensor x) {
    auto out = net->forward(x);
    auto res = downsample ? downsample->forward(x) : x;
    return torch::relu(out + res);
  }

private:
  nn::Sequential net{nullptr};
  nn::Conv1d downsample{nullptr};
};
TORCH_MODULE(TemporalBlock);

class TCN : public nn::Module {
public:
  TCN(int64_t input_size, int64_t output_size, const std::vector<int64_t> &num_channels, int64_t kernel_size, double dropout)
      : linear(num_channels.back(), output_size) {
    int64_t in = input_size, dilation = 1;
    for (auto out : num_channels) {
      tcn->push_back(TemporalBlock(in, out, kernel_size, dilation, dropout));
      in = out;
      dilation *= 2;
    }
    register_module("tcn", tcn);
    register_module("linear", linear);
  }
  torch::Tensor forward(torch::Tensor inputs) {
    auto y = tcn->forward(inputs);
    return torch::log_softmax(linear(y.index({"...", -1})), 1);
  }

private:
  nn::Sequential tcn;
  nn::Linear linear;
};

int main() {
  const int levels = 8; // vary: 2 4 6
  const int64_t nhid = 25; // vary: 4 8 16
  const int64_t ksize = 7; // vary: 2 3 5
  std::vector<int64_t> channel_sizes(levels, nhid);
  auto net = std::make_shared<TCN>(1, 10, channel_sizes, ksize, 0.05);
  // oracle: model(net)
  // matrix: auto sequence = torch::rand({N, 1, 784});
  // matrix: auto y = net->forward(sequence);
  // matrix: auto loss = y.mean();
  net->eval();
  torch::NoGradGuard guard;
  auto y = net->forward(torch::rand({16, 1, 784}));
  // oracle: shape(y)
  std::cout << y.sizes() << std::endl;
}
