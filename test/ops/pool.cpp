// Pools and others made from a bare number: their constructors are the base's.
// RUN: %vramlint --dump-trace --device cpu %s -- -std=c++17 -I%S/../Inputs > %t
// RUN: FileCheck %s < %t
// REQUIRES: libtorch, vramlint
#include <torch/torch.h>

#include "reveal.h"

int main() {
  torch::Tensor x = torch::zeros({1, 4, 28, 28});
  torch::nn::MaxPool2d max(2);
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 1×4×14×14
  vramlint_reveal(max(x));
  torch::nn::MaxPool2d later{nullptr};
  later = torch::nn::MaxPool2d(4);
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 1×4×7×7
  vramlint_reveal(later->forward(x));
  torch::nn::MaxPool2d strided(torch::nn::MaxPool2dOptions(3).stride(1));
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 1×4×26×26
  vramlint_reveal(strided(x));
  torch::nn::AvgPool2d average(2);
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 1×4×14×14
  vramlint_reveal(average(x));
  torch::nn::AvgPool2d oblong(torch::nn::AvgPool2dOptions({2, 4}));
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 1×4×14×7
  vramlint_reveal(oblong(x));
  torch::nn::AdaptiveAvgPool2d adaptive(7);
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 1×4×7×7
  vramlint_reveal(adaptive(x));
  torch::nn::ZeroPad2d pad(2);
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 1×4×32×32
  vramlint_reveal(pad(x));
}
