// A cell that is given its state makes none of its own.
// RUN: %vramlint --dump-trace --device cpu %s -- -std=c++17 > %t
// RUN: FileCheck %s < %t
// REQUIRES: libtorch, vramlint
#include <torch/torch.h>

int main() {
  torch::nn::LSTMCell cell(4, 4);
  auto x = torch::rand({2, 4}), h = torch::rand({2, 4}), c = torch::rand({2, 4});
  // CHECK-NOT: zeros
  // CHECK: op lstm_cell(
  std::tie(h, c) = cell(x, std::make_tuple(h, c));
  // CHECK: alloc {{.*}} activations zeros
  // CHECK: op lstm_cell(
  std::tie(h, c) = cell(x);
}
