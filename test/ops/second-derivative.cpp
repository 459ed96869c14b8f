// Backward through the backward of activations: what it allocates, frees and
// reaches is what real LibTorch 1.13.1 does.
// RUN: %vramlint --dump-statements --device cpu %s -- -std=c++17 > %t
// RUN: FileCheck %s < %t
// REQUIRES: libtorch, vramlint
#include <torch/torch.h>

torch::Tensor activation(torch::Tensor h, int kind) {
  return kind == 0   ? torch::leaky_relu(h, 0.2)
         : kind == 1 ? torch::relu(h)
         : kind == 2 ? torch::tanh(h)
         : kind == 3 ? torch::sigmoid(h)
                     : torch::relu6(h);
}

torch::Tensor penalty(torch::nn::Linear &a, torch::nn::Linear &b, int kind) {
  auto x = torch::rand({2, 8}).requires_grad_(true);
  auto h = a(x);
  h = activation(h, kind);
  auto out = b(h);
  auto ones = torch::ones({2, 1});
  auto g = torch::autograd::grad({out}, {x}, {ones}, true, true)[0];
  return (g.norm(2, 1) - 1).pow(2).mean();
}

int main() {
  torch::nn::Linear a(8, 4), b(4, 1);
  for (int kind = 0; kind < 5; ++kind) {
    auto loss = penalty(a, b, kind);
    // CHECK: +778 {{ *}}-706 {{ *}}456 {{ *}}716 {{.*}}:[[@LINE+5]]:
    // CHECK: +810 {{ *}}-898 {{ *}}456 {{ *}}860 {{.*}}:[[@LINE+4]]:
    // CHECK: +886 {{ *}}-1006 {{ *}}456 {{ *}}860 {{.*}}:[[@LINE+3]]:
    // CHECK: +930 {{ *}}-1050 {{ *}}456 {{ *}}860 {{.*}}:[[@LINE+2]]:
    // CHECK: +778 {{ *}}-866 {{ *}}456 {{ *}}860 {{.*}}:[[@LINE+1]]:
    loss.backward();
    a->zero_grad();
  }
}
