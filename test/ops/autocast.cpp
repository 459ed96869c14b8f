// Under autocast some ops compute in the lower type, others in float32; weights are
// cast once. The CPU's types are those of LibTorch 1.13.1.
// RUN: %vramlint --dump-trace --device cpu %s -- -std=c++17 -I%S/../Inputs > %t
// RUN: FileCheck %s < %t
// REQUIRES: libtorch, vramlint
#include <torch/torch.h>

#include <ATen/autocast_mode.h>

#include "reveal.h"

int main() {
  torch::nn::Linear layer(8, 4);
  torch::Tensor x = torch::rand({2, 8}), target = torch::rand({2, 4});
  at::autocast::set_cpu_enabled(true);
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} bfloat16 2×4
  vramlint_reveal(layer(x));
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 2×8
  vramlint_reveal(torch::softmax(x, 1));
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} bfloat16 2×4
  vramlint_reveal(torch::softmax(layer(x), 1));
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 scalar
  vramlint_reveal(torch::mse_loss(layer(x), target));
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 2×8
  vramlint_reveal(torch::cat({layer(x), target}, 1));
  at::autocast::clear_cache();
  at::autocast::set_cpu_enabled(false);
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 2×4
  vramlint_reveal(layer(x));
  // A weight that trains still gets a float32 gradient.
  at::autocast::set_cpu_enabled(true);
  torch::Tensor y = layer(x).sum();
  at::autocast::set_cpu_enabled(false);
  y.backward();
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 4×8
  vramlint_reveal(layer->weight.grad());
}
