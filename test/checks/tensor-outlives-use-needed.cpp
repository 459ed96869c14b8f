// RUN: %check_torch %s torch-tensor-outlives-use %t -- --gpu t4
// REQUIRES: libtorch
//
// Looks alike, but the tensor is used later, is no part of the peak, or is small.
#include <torch/torch.h>

#include <iostream>

static torch::Tensor loss(torch::nn::Conv2d &conv, torch::Tensor x, torch::Tensor y) {
  auto out = conv->forward(x);
  return torch::nn::functional::cross_entropy(out, y); // Dies here.
}
void show(const torch::Tensor &t);

int main() {
  torch::nn::Conv2d conv(torch::nn::Conv2dOptions(3, 21, 1));
  conv->to(torch::kCUDA);
  auto x = torch::randn({8, 3, 512, 512}, torch::kCUDA);
  auto y = torch::zeros({8, 512, 512}, torch::TensorOptions(torch::kCUDA).dtype(torch::kLong));
  loss(conv, x, y).backward();
  {
    auto out = conv->forward(x);
    torch::nn::functional::cross_entropy(out, y).backward();
    std::cout << out.argmax(1).eq(y).sum().item<int64_t>();
  }
  {
    auto out = conv->forward(x);
    torch::nn::functional::cross_entropy(out, y).backward();
    show(out); // The run does not see what becomes of it.
  }
}
