// A dueling network for vector states, the base class picks the streams.
#include <torch/torch.h>

#include <iostream>
#include <memory>

class QNetwork : public torch::nn::Module {
public:
  virtual torch::Tensor forward(torch::Tensor state) = 0;
};

class DuelingDQN final : public QNetwork {
  struct Stream : torch::nn::Module {
    torch::nn::Linear hidden, out;
    Stream(int64_t in, int64_t width, int64_t n) : hidden(in, width), out(width, n) {
      register_module("hidden", hidden);
      register_module("out", out);
    }
    torch::Tensor operator()(const torch::Tensor &x) { return out(torch::relu(hidden(x))); }
  };

public:
  DuelingDQN(int64_t state, int64_t actions, int64_t width)
      : body_(torch::nn::Linear(state, width), torch::nn::LayerNorm(torch::nn::LayerNormOptions({width})), torch::nn::ELU()),
        value_(new Stream(width, width / 2, 1)), advantage_(new Stream(width, width / 2, actions)) {
    register_module("body", body_);
    register_module("value", value_);
    register_module("advantage", advantage_);
  }

  torch::Tensor forward(torch::Tensor state) override {
    auto h = body_->forward(state);
    auto value = (*value_)(h);
    auto advantage = (*advantage_)(h);
    return value + (advantage - advantage.mean(1, true));
  }

private:
  torch::nn::Sequential body_;
  std::shared_ptr<Stream> value_, advantage_;
};

int main() {
  const int64_t width = 128; // vary: 16 64 256
  const int64_t actions = 4; // vary: 2 6 9
  std::shared_ptr<QNetwork> net = std::make_shared<DuelingDQN>(8, actions, width);
  // oracle: model(net)
  // matrix: auto q = net->forward(torch::rand({N, 8}));
  // matrix: auto best = q.argmax(1);
  // matrix: auto loss = q.gather(1, best.unsqueeze(1)).mean();
  net->eval();
  torch::NoGradGuard guard;
  auto q = net->forward(torch::rand({64, 8}));
  auto best = q.argmax(1);
  // oracle: shape(q)
  // oracle: shape(best)
  std::cout << q.sizes() << best.sizes() << std::endl;
}
