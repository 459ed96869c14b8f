// RUN: %check_torch %s torch-missing-eval %t
#include <torch/torch.h>

#include <iostream>

struct NetImpl : torch::nn::Module {
  NetImpl() {
    register_module("fc", fc);
    register_module("drop", drop);
  }
  torch::Tensor forward(torch::Tensor x) { return drop(fc(x)); }
  torch::nn::Linear fc{8, 4};
  torch::nn::Dropout drop{0.5};
};
TORCH_MODULE(Net);

struct PlainImpl : torch::nn::Module {
  PlainImpl() { register_module("fc", fc); }
  torch::Tensor forward(torch::Tensor x) { return fc(x).relu(); }
  torch::nn::Linear fc{8, 4};
};
TORCH_MODULE(Plain);

void loadedBad(torch::Tensor x) {
  torch::NoGradGuard no_grad;
  Net net;
  // CHECK-MESSAGES: :[[@LINE+1]]:3: warning: 'net' runs in training mode: no eval() follows torch::load{{.*}} [torch-missing-eval]
  torch::load(net, "net.pt");
  // CHECK-FIXES: {{^  }}net->eval();
  std::cout << net->forward(x);
}

void evalOk(torch::Tensor x) {
  Net net;
  torch::load(net, "net.pt");
  net->eval();
  std::cout << net->forward(x);
}

// Nothing in it behaves differently in training.
void plainOk(torch::Tensor x) {
  Plain net;
  torch::load(net, "net.pt");
  std::cout << net->forward(x);
}

// Fine-tuning goes on from the file.
void fineTuneOk(torch::Tensor x) {
  Net net;
  torch::load(net, "net.pt");
  torch::optim::SGD sgd(net->parameters(), 0.1);
  net->forward(x).sum().backward();
  sgd.step();
}

// Never loaded: made and run for its shape.
void freshOk(torch::Tensor x) {
  Net net;
  std::cout << net->forward(x).sizes();
}
