// RUN: %check_torch %s torch-tensor-outlives-use %t -- --gpu t4
// REQUIRES: libtorch
//
// Tensors that are alive at the peak for nothing, and those that are needed there.
#include <torch/torch.h>

#include <iostream>

int main() {
  torch::nn::Conv2d conv(torch::nn::Conv2dOptions(3, 21, 1));
  conv->to(torch::kCUDA);
  torch::optim::SGD sgd(conv->parameters(), 0.1);
  for (int i = 0; i < 10; ++i) {
    auto x = torch::randn({8, 3, 512, 512}, torch::kCUDA);
    auto y = torch::zeros({8, 512, 512}, torch::TensorOptions(torch::kCUDA).dtype(torch::kLong));
    // The loss keeps its own result, not this.
    // CHECK-MESSAGES: :[[@LINE+1]]:10: warning: 'out' holds 168 MiB at the peak, but is not used any more: without it the peak is 168 MiB lower [torch-tensor-outlives-use]
    auto out = conv->forward(x);
    // CHECK-MESSAGES: :[[@LINE+1]]:17: note: last used here
    auto loss = torch::nn::functional::cross_entropy(out, y);
    sgd.zero_grad();
    // CHECK-MESSAGES: :[[@LINE+1]]:10: note: the peak is reached here; end the scope of 'out' before, or assign an empty tensor to it
    loss.backward();
    sgd.step();
  }
}
