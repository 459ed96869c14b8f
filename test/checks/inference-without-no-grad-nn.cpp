// RUN: %check_torch %s torch-inference-without-no-grad %t
//
// torch::nn models: what is inference and what may be part of training.
#include <torch/torch.h>

#include <iostream>

struct NetImpl : torch::nn::Module {
  NetImpl() { register_module("fc", fc); }
  torch::Tensor forward(torch::Tensor x) { return fc->forward(x).relu(); }
  torch::nn::Linear fc{8, 4};
};
TORCH_MODULE(Net);

void loadedBad() {
  Net net;
  torch::load(net, "net.pt");
  net->eval();
  // CHECK-MESSAGES: :[[@LINE+1]]:21: warning: forward of 'net' records an autograd graph
  auto out = (*net).forward(torch::rand({2, 8}));
  std::cout << out.argmax(1);
}

void evaluatedBad(Net &net, torch::Tensor x) {
  net->eval();
  // CHECK-MESSAGES: :[[@LINE+1]]:14: warning: forward of 'net' records an autograd graph
  auto out = net(x);
  std::cout << out;
}

template <typename Loader> void testBad(NetImpl &net, Loader &loader) {
  for (const auto &batch : loader) {
    // CHECK-MESSAGES: :[[@LINE+1]]:20: warning: forward of 'net' records an autograd graph
    auto out = net.forward(batch);
    std::cout << out.sum().template item<float>();
  }
}
void callTest(NetImpl &net, std::vector<torch::Tensor> &loader) {
  testBad(net, loader);
}

template <typename Loader> void testOk(NetImpl &net, Loader &loader) {
  torch::NoGradGuard no_grad;
  net.eval();
  for (const auto &batch : loader)
    std::cout << net.forward(batch);
}
void callTestOk(NetImpl &net, std::vector<torch::Tensor> &loader) {
  testOk(net, loader);
}

// What happens to the result is the caller's matter, and there's no evidence.
torch::Tensor unknownOk(Net &net, torch::Tensor x) { return net->forward(x); }

void trainOk(Net &net, torch::optim::SGD &sgd, torch::Tensor x) {
  net->train();
  auto loss = net->forward(x).sum();
  sgd.zero_grad();
  loss.backward();
  sgd.step();
}

// LBFGS's closure.
void closureOk(Net &net, torch::optim::LBFGS &lbfgs, torch::Tensor x) {
  net->eval();
  lbfgs.step([&] {
    auto loss = net->forward(x).sum();
    loss.backward();
    return loss;
  });
}

// A part of a model, in another one's forward.
struct OuterImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) { return inner->forward(x); }
  Net inner;
};

// A loss holds no parameters.
void lossOk(torch::Tensor a, torch::Tensor b) {
  torch::nn::MSELoss test_loss;
  test_loss->eval();
  std::cout << test_loss(a, b);
}

// Evaluated once, trained with elsewhere through what it returns.
torch::Tensor evalLossOk(Net &net, torch::Tensor x) { return net->forward(x).sum(); }
void trainerOk(Net &net, torch::Tensor x) { evalLossOk(net, x).backward(); }

// What it gives is made into a loss by a caller in another file.
struct PolicyImpl : torch::nn::Module {
  PolicyImpl() { register_module("fc", fc); }
  torch::Tensor evaluateActionsOk(torch::Tensor states) { return fc->forward(states).log(); }
  std::tuple<torch::Tensor, torch::Tensor> forwardTestOk(torch::Tensor states) {
    auto out = fc->forward(states);
    return {out, out.argmax(1)};
  }
  int predictBad(torch::Tensor state) {
    // CHECK-MESSAGES: :[[@LINE+1]]:16: warning: forward of 'fc' records an autograd graph
    return fc->forward(state).argmax().item<int>();
  }
  torch::nn::Linear fc{8, 4};
};
