// RUN: %check_torch %s torch-optimizer-before-registration %t
// REQUIRES: libtorch
//
// Layers that an optimizer does not know, since it was there first.
#include <torch/torch.h>

#include <memory>

void pushBad() {
  torch::nn::Sequential net(torch::nn::Linear(2, 2));
  torch::optim::SGD sgd(net->parameters(), 0.1);
  // CHECK-MESSAGES: :[[@LINE+1]]:8: warning: 'sgd' does not train what is added here: it was made before [torch-optimizer-before-registration]
  net->push_back(torch::nn::Linear(2, 2));
}

struct Net : torch::nn::Module {
  Net() { first = register_module("first", torch::nn::Linear(2, 2)); }
  torch::nn::Linear first{nullptr};
};

void registerBad(std::shared_ptr<Net> net) {
  auto adam = std::make_unique<torch::optim::Adam>(net->parameters());
  // CHECK-MESSAGES: :[[@LINE+1]]:8: warning: 'adam' does not train what is added here
  net->register_module("second", torch::nn::Linear(2, 2));
}

// ---- Complete

void afterOk() {
  torch::nn::Sequential net(torch::nn::Linear(2, 2));
  net->push_back(torch::nn::Linear(2, 2));
  torch::optim::SGD sgd(net->parameters(), 0.1);
  net->to(torch::kCUDA);
}

void anewOk() {
  torch::nn::Sequential net(torch::nn::Linear(2, 2)), other;
  auto sgd = std::make_unique<torch::optim::SGD>(net->parameters(), 0.1);
  other->push_back(torch::nn::Linear(2, 2));
  net->push_back(torch::nn::Linear(2, 2));
  sgd = std::make_unique<torch::optim::SGD>(net->parameters(), 0.1);
}

void groupOk() {
  torch::nn::Sequential net(torch::nn::Linear(2, 2));
  torch::optim::SGD sgd(net->parameters(), 0.1);
  torch::nn::Linear more(2, 2);
  net->push_back(more);
  sgd.add_param_group(torch::optim::OptimizerParamGroup(more->parameters()));
}

void stagesOk() {
  torch::nn::Sequential net(torch::nn::Linear(2, 2));
  {
    torch::optim::SGD sgd(net->parameters(), 0.1);
    sgd.step();
  }
  net->push_back(torch::nn::Linear(2, 2));
  torch::optim::SGD sgd(net->parameters(), 0.1);
}
