// A class that derives from a module of LibTorch and calls its forward.
// RUN: %vramlint --dump-trace --device cpu %s -- -std=c++17 -I%S/../Inputs > %t
// RUN: FileCheck %s < %t
// REQUIRES: libtorch, vramlint
#include <torch/torch.h>

#include "reveal.h"

struct DenseImpl : torch::nn::SequentialImpl {
  DenseImpl(int64_t width) { push_back("fc", torch::nn::Linear(width, 3)); }
  torch::Tensor forward(torch::Tensor x) {
    return torch::cat({x, torch::nn::SequentialImpl::forward(x)}, 1);
  }
};
TORCH_MODULE(Dense);

struct ScaledImpl : torch::nn::LinearImpl {
  using LinearImpl::LinearImpl;
  torch::Tensor forward(const torch::Tensor &x) {
    return LinearImpl::forward(x).unsqueeze(0);
  }
};
TORCH_MODULE(Scaled);

int main() {
  torch::nn::Sequential net(Dense(4), Dense(7), Scaled(10, 2));
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 1×5×2
  vramlint_reveal(net->forward(torch::zeros({5, 4})));
  // The call is bound to the class that the pointer has.
  std::shared_ptr<torch::nn::LinearImpl> base = std::make_shared<ScaledImpl>(4, 6);
  torch::nn::Linear plain(base);
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 5×6
  vramlint_reveal(plain->forward(torch::zeros({5, 4})));
  // CHECK-NOT: {{^unknown}}
}
