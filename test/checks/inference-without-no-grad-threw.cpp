// RUN: %check_torch %s torch-inference-without-no-grad %t
//
// A run that an exception ends shows nothing about what would have come after it.
#include <torch/torch.h>

struct NetImpl : torch::nn::Module {
  NetImpl() { register_module("fc", fc); }
  torch::Tensor forward(torch::Tensor x) { return fc->forward(x); }
  torch::nn::Linear fc{8, 4};
};
TORCH_MODULE(Net);

int main() {
  Net net;
  torch::optim::SGD sgd(net->parameters(), 0.1);
  for (int i = 0; i < 3; ++i) {
    auto out = net->forward(torch::rand({2, 8}));
    // Shapes that don't fit: as far as the run sees, this throws.
    auto loss = out.view({3, 3}).sum();
    sgd.zero_grad();
    loss.backward();
    sgd.step();
  }
  net->eval();
}
