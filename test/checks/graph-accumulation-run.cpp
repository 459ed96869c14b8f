// RUN: %check_torch %s torch-graph-accumulation %t -- --gpu t4
// REQUIRES: libtorch
//
// What the run of a program sees grow, with its bytes.
#include <torch/torch.h>

#include <iostream>

/// Keeps the running mean of what it is given.
struct Average {
  torch::Tensor sum = torch::zeros({}, torch::kCUDA);
  // CHECK-NOTES: :[[@LINE+1]]:45: warning: this 'add_' joins the autograd graph of each iteration to the one before: none of them is freed [torch-graph-accumulation]
  void update(const torch::Tensor &x) { sum += x; }
  // CHECK-NOTES: :[[@LINE+11]]:3: note: in this loop each iteration keeps 250 KiB more of GPU memory; NVIDIA T4 is full after about {{[0-9,]+}} iterations
  // CHECK-NOTES: :[[@LINE-2]]:45: note: detach() what is only carried on, or read it with item()
};

int main() {
  torch::nn::Linear net(1000, 1000);
  net->to(torch::kCUDA);
  torch::optim::SGD sgd(net->parameters(), 0.1);

  Average average;
  // Nothing goes back through this loss.
  for (int i = 0; i < 100000; ++i) {
    auto loss = net->forward(torch::randn({64, 1000}, torch::kCUDA)).sum();
    average.update(loss);
  }
  std::cout << average.sum.item<float>();

  // All of it is kept for one backward pass.
  torch::Tensor total = torch::zeros({}, torch::kCUDA);
  for (int i = 0; i < 1000; ++i)
    total += net->forward(torch::randn({64, 1000}, torch::kCUDA)).sum();
  total.backward();
  sgd.step();

  // A weight that no module has is a leaf, not history.
  auto w = torch::randn({1000, 1000}, torch::TensorOptions(torch::kCUDA).requires_grad(true));
  std::vector<torch::Tensor> results;
  for (int i = 0; i < 10000; ++i)
    results.push_back(torch::randn({64, 1000}, torch::kCUDA).mm(w).detach());
}
