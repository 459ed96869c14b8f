// DeepSpeech-like: two convolutions over the spectrogram, bidirectional GRUs
// with batch norm between them, CTC loss.
#include <torch/torch.h>

#include <iostream>
#include <string>

using torch::Tensor;

struct BatchRNNImpl : torch::nn::Module {
  torch::nn::BatchNorm1d norm{nullptr};
  torch::nn::GRU rnn{nullptr};

  BatchRNNImpl(int64_t input, int64_t hidden, bool batch_norm) {
    if (batch_norm)
      norm = register_module("norm", torch::nn::BatchNorm1d(input));
    rnn = register_module("rnn", torch::nn::GRU(torch::nn::GRUOptions(input, hidden).bidirectional(true).bias(true)));
  }

  Tensor forward(Tensor x) {
    if (norm) {
      const auto t = x.size(0), n = x.size(1);
      x = norm(x.view({t * n, -1})).view({t, n, -1});
    }
    x = std::get<0>(rnn(x));
    return x.view({x.size(0), x.size(1), 2, -1}).sum(2).view({x.size(0), x.size(1), -1});
  }
};
TORCH_MODULE(BatchRNN);

struct DeepSpeechImpl : torch::nn::Module {
  torch::nn::Sequential conv, rnns, fc;

  DeepSpeechImpl(int64_t rnn_hidden_size, int nb_layers, const std::string &labels, int sample_rate, double window_size) {
    using torch::nn::Conv2dOptions;
    conv = torch::nn::Sequential(torch::nn::Conv2d(Conv2dOptions(1, 32, {41, 11}).stride({2, 2}).padding({20, 5})),
                                 torch::nn::BatchNorm2d(32),
                                 torch::nn::Hardtanh(torch::nn::HardtanhOptions().min_val(0).max_val(20).inplace(true)),
                                 torch::nn::Conv2d(Conv2dOptions(32, 32, {21, 11}).stride({2, 1}).padding({10, 5})),
                                 torch::nn::BatchNorm2d(32),
                                 torch::nn::Hardtanh(torch::nn::HardtanhOptions().min_val(0).max_val(20).inplace(true)));
    auto rnn_input_size = static_cast<int64_t>(std::floor(sample_rate * window_size / 2) + 1);
    rnn_input_size = static_cast<int64_t>(std::floor(rnn_input_size + 2 * 20 - 41) / 2 + 1);
    rnn_input_size = static_cast<int64_t>(std::floor(rnn_input_size + 2 * 10 - 21) / 2 + 1);
    rnn_input_size *= 32;
    rnns->push_back("0", BatchRNN(rnn_input_size, rnn_hidden_size, false));
    for (int x = 0; x < nb_layers - 1; ++x)
      rnns->push_back(std::to_string(x + 1), BatchRNN(rnn_hidden_size, rnn_hidden_size, true));
    fc->push_back(torch::nn::BatchNorm1d(rnn_hidden_size));
    fc->push_back(torch::nn::Linear(torch::nn::LinearOptions(rnn_hidden_size, labels.size()).bias(false)));
    register_module("conv", conv);
    register_module("rnns", rnns);
    register_module("fc", fc);
  }

  Tensor forward(Tensor x) {
    x = conv->forward(x);
    x = x.view({x.size(0), x.size(1) * x.size(2), x.size(3)}).transpose(1, 2).transpose(0, 1).contiguous();
    x = rnns->forward(x);
    const auto t = x.size(0), n = x.size(1);
    x = fc->forward(x.view({t * n, -1})).view({t, n, -1});
    return torch::log_softmax(x, 2);
  }
};
TORCH_MODULE(DeepSpeech);

int main() {
  const std::string labels = "_'ABCDEFGHIJKLMNOPQRSTUVWXYZ ";
  const int64_t hidden = 800; // vary: 32 64 200
  const int layers = 5; // vary: 1 2 3
  DeepSpeech net(hidden, layers, labels, 16000, 0.02);
  // oracle: model(net)
  // matrix: auto sound = torch::rand({N, 1, 161, 60});
  // matrix: auto out = net(sound);
  // matrix: auto loss = out.mean();
  net->eval();
  torch::NoGradGuard guard;
  auto out = net(torch::rand({2, 1, 161, 60}));
  // oracle: shape(out)
  std::cout << labels.size() << " labels, " << out.sizes() << std::endl;
}
