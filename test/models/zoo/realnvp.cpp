// RealNVP on vectors: masked affine couplings, the net is a factory given as std::function.
#include <torch/torch.h>

#include <functional>
#include <iostream>

using NetFactory = std::function<torch::nn::Sequential()>;

class RealNVP : public torch::nn::Module {
public:
  RealNVP(NetFactory nets, NetFactory nett, torch::Tensor mask) : mask(register_buffer("mask", mask)) {
    for (int64_t i = 0; i < mask.size(0); ++i) {
      t.push_back(register_module("t" + std::to_string(i), nett()));
      s.push_back(register_module("s" + std::to_string(i), nets()));
    }
  }

  torch::Tensor g(torch::Tensor z) {
    auto x = z;
    for (size_t i = 0; i < t.size(); ++i) {
      auto x_ = x * mask[i];
      auto scale = s[i]->forward(x_) * (1 - mask[i]);
      auto shift = t[i]->forward(x_) * (1 - mask[i]);
      x = x_ + (1 - mask[i]) * (x * torch::exp(scale) + shift);
    }
    return x;
  }

  std::pair<torch::Tensor, torch::Tensor> f(torch::Tensor x) {
    auto log_det_J = x.new_zeros(x.size(0));
    auto z = x;
    for (int i = static_cast<int>(t.size()) - 1; i >= 0; --i) {
      auto z_ = mask[i] * z;
      auto scale = s[i]->forward(z_) * (1 - mask[i]);
      auto shift = t[i]->forward(z_) * (1 - mask[i]);
      z = (1 - mask[i]) * (z - shift) * torch::exp(-scale) + z_;
      log_det_J -= scale.sum(1);
    }
    return {z, log_det_J};
  }

  torch::Tensor log_prob(torch::Tensor x) {
    auto [z, logp] = f(x);
    auto prior = -0.5 * (z.pow(2) + std::log(2 * M_PI)).sum(1);
    return prior + logp;
  }

  torch::Tensor sample(int64_t count) { return g(torch::randn({count, mask.size(1)})); }

private:
  torch::Tensor mask;
  std::vector<torch::nn::Sequential> t, s;
};

int main() {
  const int hidden = 256; // vary: 16 32 64
  const int couplings = 6; // vary: 2 4 8
  auto nets = [=]() {
    return torch::nn::Sequential(torch::nn::Linear(2, hidden), torch::nn::LeakyReLU(), torch::nn::Linear(hidden, hidden),
                                 torch::nn::LeakyReLU(), torch::nn::Linear(hidden, 2), torch::nn::Tanh());
  };
  auto nett = [hidden] {
    return torch::nn::Sequential(torch::nn::Linear(2, hidden), torch::nn::LeakyReLU(), torch::nn::Linear(hidden, hidden),
                                 torch::nn::LeakyReLU(), torch::nn::Linear(hidden, 2));
  };
  std::vector<torch::Tensor> rows;
  for (int i = 0; i < couplings; ++i)
    rows.push_back(i % 2 ? torch::tensor({1.0f, 0.0f}) : torch::tensor({0.0f, 1.0f}));
  auto flow = std::make_shared<RealNVP>(nets, nett, torch::stack(rows));
  // oracle: model(flow)
  // matrix: auto points = torch::randn({25 * N, 2});
  // matrix: auto loss = -flow->log_prob(points).mean();

  torch::optim::Adam optimizer(flow->parameters(), 1e-4);
  for (int step = 0; step < 2; step++) {
    auto loss = -flow->log_prob(torch::randn({100, 2})).mean();
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    // oracle: shape(loss)
  }
  torch::NoGradGuard guard;
  flow->eval();
  auto x = flow->sample(1000);
  // oracle: shape(x)
  std::cout << x.sizes() << "\n";
}
