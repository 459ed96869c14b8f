// Indices as LibTorch takes them: a scalar of integers is the number in it, so
// that the result is a view; a list that has gaps is copied. As measured with
// LibTorch 1.13.1.
// RUN: %vramlint --dump-statements --device cpu %s -- -std=c++17 > %t
// RUN: FileCheck %s < %t
// REQUIRES: libtorch, vramlint
#include <torch/torch.h>

int main() {
  auto scores = torch::rand({4, 4}).requires_grad_(true);
  auto table = torch::rand({8, 4});
  auto path = torch::zeros({2, 2}, torch::kLong);
  // CHECK: +32 {{ *}}-0 {{ *}}224 {{ *}}224 {{.*}}:[[@LINE-1]]:
  // CHECK-NOT: :[[@LINE+1]]:
  auto score = scores.index({path[0][0], path[1][0]});
  // CHECK: +48 {{ *}}-16 {{ *}}256 {{ *}}272 {{.*}}:[[@LINE+1]]:
  auto rows = torch::embedding(table, path.slice(1, 0, 1));
}
