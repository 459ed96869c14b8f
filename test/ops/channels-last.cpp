// A copy in channels-last, asked for by its name; none where both layouts are.
// REQUIRES: libtorch, vramlint
//
// RUN: %vramlint --dump-statements --device cpu %s > %t
// RUN: FileCheck %s < %t
#include <torch/torch.h>

int main() {
  auto x = torch::rand({2, 5, 3, 3}), one = torch::rand({2, 1, 3, 3});
  // CHECK: +360 {{.*}}channels-last.cpp:[[#@LINE + 1]]:
  auto last = x.contiguous(torch::MemoryFormat::ChannelsLast);
  // CHECK-NOT: channels-last.cpp:[[#@LINE + 1]]:
  auto same = last.contiguous(torch::MemoryFormat::ChannelsLast);
  // CHECK-NOT: channels-last.cpp:[[#@LINE + 1]]:
  auto both = one.contiguous(torch::MemoryFormat::ChannelsLast);
  // CHECK: +360 {{.*}}channels-last.cpp:[[#@LINE + 1]]:
  auto first = last.contiguous();
  // CHECK: +360 {{.*}}channels-last.cpp:[[#@LINE + 1]]:
  auto again = x.clone(torch::MemoryFormat::ChannelsLast);
  // CHECK: +320 {{.*}}channels-last.cpp:[[#@LINE + 1]]:
  auto volume = torch::rand({1, 5, 2, 2, 2}).to(torch::kCPU, torch::kFloat, false, false, torch::MemoryFormat::ChannelsLast3d);
}
