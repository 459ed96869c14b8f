// A revealed module is its line of the trace, buffers included.
// RUN: %vramlint --dump-trace --device cpu %s -- -std=c++17 -I%S/../Inputs | FileCheck %s
// REQUIRES: libtorch, vramlint
#include <torch/torch.h>

#include "reveal.h"

// CHECK: module [[NORM:[0-9]+]] BatchNorm2d weight:4 float32 grad bias:4 float32 grad running_mean:4 float32 buffer running_var:4 float32 buffer num_batches_tracked:scalar int64 buffer{{$}}
// CHECK: module [[ROOT:[0-9]+]] Sequential 0=[[NORM]]{{$}}
int main() {
  torch::nn::BatchNorm2d norm(4);
  torch::nn::Sequential net(norm);
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} module [[NORM]]{{$}}
  vramlint_reveal(norm);
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} module [[ROOT]]{{$}}
  vramlint_reveal(net);
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} module [[NORM]]{{$}}
  vramlint_reveal(*norm);
}
