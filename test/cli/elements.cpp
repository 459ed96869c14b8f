// Numbers that tensors in even steps hold: drop rates of a network, sizes in a row.
// REQUIRES: libtorch, vramlint
//
// RUN: %vramlint --dump-statements --device cpu %s > %t
// RUN: FileCheck %s < %t
#include <torch/torch.h>

int main() {
  auto rates = torch::linspace(0, 0.1, 12);
  auto sizes = torch::arange(4, 40, 4);
  // CHECK: +400 {{.*}}elements.cpp:[[#@LINE + 1]]:
  auto a = torch::zeros({static_cast<int64_t>(rates[11].item<double>() * 1000)});
  auto last_but_one = sizes[-2];
  // CHECK: +128 {{.*}}elements.cpp:[[#@LINE + 1]]:
  auto b = torch::zeros({last_but_one.item<int64_t>()});
  // CHECK: +28 {{.*}}elements.cpp:[[#@LINE + 2]]:
  if (rates[0].item<double>() == 0.)
    auto c = torch::zeros({7});
  // Changed since: not known any more.
  sizes.mul_(2);
  // CHECK-NOT: elements.cpp:[[#@LINE + 1]]:
  auto d = torch::zeros({sizes[0].item<int64_t>()});
}
