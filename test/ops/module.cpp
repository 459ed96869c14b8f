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
  // The list of modules begins with the module itself.
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} 2
  vramlint_reveal(net->modules().size());
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} 1
  vramlint_reveal(net->modules(/*include_self=*/false).size());
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} "root"
  vramlint_reveal(net->named_modules("root").keys()[0]);
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} "root.0"
  vramlint_reveal(net->named_modules("root").keys()[1]);
  int calls = 0;
  net->apply([&](torch::nn::Module &) { ++calls; });
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} 2
  vramlint_reveal(calls);
}
