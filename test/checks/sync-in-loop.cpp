// RUN: %check_torch %s torch-sync-in-loop %t
// REQUIRES: libtorch
//
// Loops over elements that wait for the GPU each time.
#include <torch/torch.h>

#include <iostream>
#include <vector>

// What a function of the project gives may be a model's answer.
static torch::Tensor act(torch::Tensor state) { return state * 2; }
float playOk() {
  auto state = torch::randn({8}, torch::kCUDA);
  while (true) {
    state = act(state);
    if (state[0].item<float>() > 1)
      return 1;
  }
}

#define ONCE(X) do { X; } while (false)

int main() {
  torch::nn::Linear net(8, 8);
  net->to(torch::kCUDA);
  torch::optim::SGD sgd(net->parameters(), 0.1);
  auto out = net->forward(torch::randn({64, 8}, torch::kCUDA));
  auto host = out.cpu();

  float sum = 0;
  for (int64_t i = 0; i < out.size(0); ++i) {
    auto row = out[i];
    // CHECK-MESSAGES: :[[@LINE+1]]:19: warning: 'item' waits for the GPU in each iteration [torch-sync-in-loop]
    sum += row[0].item<float>();
    // CHECK-MESSAGES: :[[@LINE+1]]:27: warning: 'to' waits for the GPU in each iteration
    auto copy = (row + 1).to(torch::kCPU);
    // CHECK-MESSAGES: :[[@LINE+1]]:9: warning: 'nonzero' waits for the GPU in each iteration
    row.nonzero();
  }

  // On the CPU there is nothing to wait for.
  for (int64_t i = 0; i < host.size(0); ++i) {
    auto row = host[i];
    sum += row[0].item<float>();
  }

  // Now and then, and a few times.
  for (int64_t i = 0; i < out.size(0); ++i) {
    auto row = out[i] * 2;
    if (i % 16 == 0)
      sum += row[0].item<float>();
  }
  for (int i = 0; i < 3; ++i)
    sum += out[i][0].item<float>();

  // Once for each batch: the work of the loop costs more.
  for (int i = 0; i < 100; ++i) {
    auto loss = net->forward(torch::randn({64, 8}, torch::kCUDA)).sum();
    sgd.zero_grad();
    TORCH_CHECK(loss.item<float>() >= 0); // A loop only to the compiler.
    ONCE(sum += loss.item<float>());
    loss.backward();
    sgd.step();
    sum += loss.item<float>();
  }
  std::cout << sum << playOk();
}

// Where it lies is unknown.
float unknownOk(torch::Tensor x) {
  float sum = 0;
  for (int64_t i = 0; i < x.size(0); ++i)
    sum += x[i].item<float>();
  return sum;
}
