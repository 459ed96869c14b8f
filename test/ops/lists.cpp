// Ops that give a list of tensors; numbers taken out of a tensor.
// RUN: %vramlint --dump-trace --device cpu %s -- -std=c++17 -I%S/../Inputs > %t
// RUN: FileCheck %s < %t
// REQUIRES: libtorch, vramlint
#include <torch/torch.h>

#include "reveal.h"

int main() {
  torch::Tensor x = torch::zeros({2, 10, 4});
  auto chunks = x.chunk(3, 1);
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} 3
  vramlint_reveal(chunks.size());
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 2×2×4
  vramlint_reveal(chunks[2]);
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 2×5×4
  vramlint_reveal(torch::split(x, 5, 1)[1]);
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 2×8×4
  vramlint_reveal(x.split_with_sizes({2, 8}, 1)[1]);
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 2×10
  vramlint_reveal(x.unbind(-1).back());
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} 7
  vramlint_reveal(torch::Scalar(7.9).toLong());
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} unknown: the result of item()
  vramlint_reveal(x.argmax().item().toLong());
  // CHECK-NOT: {{^unknown}}
}
