// RUN: %check_torch %s torch-missing-eval %t
//
// Programs that train and evaluate in one function.
#include <torch/torch.h>

#include <iostream>
#include <vector>

struct NetImpl : torch::nn::Module {
  NetImpl() { register_module("body", body); }
  torch::Tensor forward(torch::Tensor x) { return body->forward(x); }
  torch::nn::Sequential body{torch::nn::Linear(8, 4), torch::nn::BatchNorm1d(4)};
};
TORCH_MODULE(Net);

using Data = std::vector<torch::Tensor>;

void trainsThenTestsBad(const Data &training, const Data &testing) {
  Net net;
  torch::optim::SGD sgd(net->parameters(), 0.1);
  net->train();
  for (const torch::Tensor &x : training) {
    sgd.zero_grad();
    net->forward(x).sum().backward();
    sgd.step();
  }
  // CHECK-FIXES: {{^  }}net->eval();
  torch::NoGradGuard no_grad;
  for (const torch::Tensor &x : testing)
    // CHECK-MESSAGES: :[[@LINE+1]]:23: warning: 'net' is evaluated in training mode: no eval() stands anywhere in this file
    std::cout << net->forward(x).argmax(1);
}

// Recalibrates batch norm: it goes on to train in the same block.
void warmUpOk(const Data &training) {
  Net net;
  torch::optim::SGD sgd(net->parameters(), 0.1);
  net->train();
  for (int epoch = 0; epoch < 3; ++epoch) {
    torch::AutoGradMode off(false);
    for (const torch::Tensor &x : training)
      std::cout << net->forward(x).mean();
    torch::AutoGradMode on(true);
    for (const torch::Tensor &x : training)
      net->forward(x).sum().backward();
    sgd.step();
  }
}
