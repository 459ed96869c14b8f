// torch::tensor: the shape of braces, vectors and numbers, known or not.
// REQUIRES: libtorch, vramlint
// RUN: %vramlint --dump-trace %s -- -std=c++17 -I%root/test/Inputs > %t
// RUN: FileCheck %s --input-file=%t
#include "reveal.h"
#include <torch/torch.h>

#include <vector>

std::vector<int> encode();
double threshold();

int main() {
  // CHECK: reveal {{.*}}:[[#@LINE+1]]:{{.*}} int64 2×3,
  vramlint_reveal(torch::tensor({{1, 2, 3}, {4, 5, 6}}));
  // CHECK: reveal {{.*}}:[[#@LINE+1]]:{{.*}} float32 2,
  vramlint_reveal(torch::tensor(std::vector<float>{1, 2}));
  // CHECK: reveal {{.*}}:[[#@LINE+1]]:{{.*}} int64 1×?,
  vramlint_reveal(torch::tensor(encode()).unsqueeze(0));
  // CHECK: reveal {{.*}}:[[#@LINE+1]]:{{.*}} float32 scalar,
  vramlint_reveal(torch::tensor(threshold()));
}
