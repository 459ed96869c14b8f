// RUN: %check_torch %s torch-inference-without-no-grad %t
//
// A forward that gives several tensors in one object: backward() goes through them.
#include <torch/torch.h>

struct Output {
  torch::Tensor mean, deviation;
};

struct CoderImpl : torch::nn::Module {
  CoderImpl() {
    register_module("a", a);
    register_module("b", b);
  }
  Output forward(torch::Tensor x) { return {a->forward(x), b->forward(x)}; }
  torch::nn::Linear a{8, 4}, b{8, 4};
};
TORCH_MODULE(Coder);

int main() {
  Coder coder;
  torch::optim::SGD sgd(coder->parameters(), 0.1);
  for (int epoch = 0; epoch < 3; ++epoch) {
    coder->train();
    for (int i = 0; i < 3; ++i) {
      auto output = coder->forward(torch::rand({2, 8}));
      auto loss = output.mean.pow(2).sum() + output.deviation.sum();
      sgd.zero_grad();
      loss.backward();
      sgd.step();
    }
    coder->eval();
  }
}
