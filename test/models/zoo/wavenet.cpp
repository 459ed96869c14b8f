// WaveNet: gated dilated convolutions with skip connections, mu-law input.
#include <torch/torch.h>

#include <iostream>
#include <numeric>
#include <utility>

using torch::nn::Conv1d;
using torch::nn::Conv1dOptions;

class ResidualStackImpl;

class WaveNetLayerImpl : public torch::nn::Module {
 public:
  WaveNetLayerImpl(int residual, int dilation_channels, int skip, int dilation)
      : filter(Conv1dOptions(residual, dilation_channels, 2).dilation(dilation).bias(false)),
        gate(Conv1dOptions(residual, dilation_channels, 2).dilation(dilation).bias(false)),
        to_residual(Conv1dOptions(dilation_channels, residual, 1)),
        to_skip(Conv1dOptions(dilation_channels, skip, 1)) {
    register_module("filter", filter);
    register_module("gate", gate);
    register_module("to_residual", to_residual);
    register_module("to_skip", to_skip);
  }

  std::pair<at::Tensor, at::Tensor> forward(const at::Tensor& x) {
    const at::Tensor gated = filter->forward(x).tanh() * gate->forward(x).sigmoid();
    at::Tensor residual = to_residual->forward(gated);
    residual += x.narrow(2, x.size(2) - residual.size(2), residual.size(2));
    return {std::move(residual), to_skip->forward(gated)};
  }

 private:
  Conv1d filter, gate, to_residual, to_skip;
};
TORCH_MODULE(WaveNetLayer);

class WaveNetImpl : public torch::nn::Module {
 public:
  static constexpr int kClasses = 256;

  WaveNetImpl(int blocks, int layers, int residual, int dilation, int skip, int end) {
    start = register_module("start", Conv1d(kClasses, residual, 1));
    for (int b = 0; b < blocks; b++) {
      for (int l = 0, d = 1; l < layers; l++, d <<= 1) {
        stack->push_back(WaveNetLayer(residual, dilation, skip, d));
        receptive_field += d;
      }
    }
    register_module("stack", stack);
    end1 = register_module("end1", Conv1d(Conv1dOptions(skip, end, /*kernel_size=*/1)));
    end2 = register_module("end2", Conv1d(Conv1dOptions(end, kClasses, /*kernel_size=*/1)));
  }

  at::Tensor forward(const at::Tensor& one_hot) {
    at::Tensor x = start(one_hot), total;
    for (auto& module : *stack) {
      auto outputs = std::dynamic_pointer_cast<WaveNetLayerImpl>(module)->forward(x);
      x = outputs.first;
      const at::Tensor& s = outputs.second;
      total = total.defined() ? s + total.slice(2, total.size(2) - s.size(2)) : s;
    }
    return end2(torch::relu(end1(torch::relu(total))));
  }

  int receptive_field = 1;

 private:
  Conv1d start{nullptr}, end1{nullptr}, end2{nullptr};
  torch::nn::ModuleList stack;
};
TORCH_MODULE(WaveNet);

at::Tensor mu_law(const at::Tensor& audio, int channels) {
  const double mu = channels - 1;
  at::Tensor safe = audio.abs().clamp_max(1.0);
  at::Tensor magnitude = torch::log1p(mu * safe) / std::log1p(mu);
  return ((audio.sign() * magnitude + 1) / 2 * mu + 0.5).to(torch::kLong);
}

int main() {
  const int blocks = 3; // vary: 1 2 4
  const int layers = 10; // vary: 3 5 7
  const int skip = 1024; // vary: 64 128 256
  WaveNet net(blocks, layers, 32, 32, skip, 512);
  // oracle: model(net)
  // matrix: auto audio = torch::rand({N, net->receptive_field + 159}) * 2 - 1;
  // matrix: auto input = torch::one_hot(mu_law(audio, WaveNetImpl::kClasses), WaveNetImpl::kClasses).transpose(1, 2).to(torch::kFloat);
  // matrix: auto y = net(input);
  // matrix: auto loss = y.mean();
  net->eval();
  torch::NoGradGuard guard;
  auto audio = torch::rand({1, net->receptive_field + 159}) * 2 - 1;
  auto input = torch::one_hot(mu_law(audio, WaveNetImpl::kClasses), WaveNetImpl::kClasses).transpose(1, 2).to(torch::kFloat);
  auto y = net(input);
  // oracle: shape(y)
  std::cout << "sees " << net->receptive_field << " samples, output " << y.sizes() << std::endl;
}
