// at::adaptive_avg_pool2d takes two lengths; one is an error, not a square.
// RUN: %vramlint --dump-trace --device cpu %s -- -std=c++17 -I%S/../Inputs > %t
// RUN: FileCheck %s < %t
// REQUIRES: libtorch, vramlint
#include <torch/torch.h>

#include "reveal.h"

namespace F = torch::nn::functional;

int main() {
  torch::Tensor x = torch::zeros({1, 4, 8, 8});
  // CHECK-DAG: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 1×4×3×3
  vramlint_reveal(F::adaptive_avg_pool2d(x, F::AdaptiveAvgPool2dFuncOptions(3)));
  // CHECK-DAG: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 1×4×5
  vramlint_reveal(torch::adaptive_avg_pool1d(x.flatten(2), 5));
  // CHECK-DAG: failure {{.*}}:[[@LINE+1]]:{{.*}} output_size of 2 numbers, got 1
  torch::adaptive_avg_pool2d(x, 3);
}
