// torch::autograd::Function: one node with what the user saves, and the user's
// backward at it.
// RUN: %vramlint --dump-trace --device cpu %s -- -std=c++17 -I%S/../Inputs > %t
// RUN: FileCheck %s < %t
// REQUIRES: libtorch, vramlint
#include <torch/torch.h>

#include "reveal.h"

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

struct Scaled : torch::autograd::Function<Scaled> {
  static torch::Tensor forward(AutogradContext *ctx, torch::Tensor x, double by,
                               torch::Tensor w) {
    ctx->save_for_backward({x, w});
    return x.mm(w) * by;
  }
  static tensor_list backward(AutogradContext *ctx, tensor_list grads) {
    auto saved = ctx->get_saved_variables();
    // CHECK-DAG: reveal {{.*}}:[[#@LINE+1]]:{{.*}} float32 2×4,
    vramlint_reveal(grads[0]);
    return {grads[0].mm(saved[1].t()), torch::Tensor(), saved[0].t().mm(grads[0])};
  }
};

int main() {
  auto x = torch::randn({2, 3}).requires_grad_();
  auto w = torch::randn({3, 4}).requires_grad_();
  auto y = Scaled::apply(x, 0.5, w);
  // CHECK-DAG: reveal {{.*}}:[[#@LINE+1]]:{{.*}} float32 2×4,
  vramlint_reveal(y);
  y.sum().backward();
  // CHECK-DAG: reveal {{.*}}:[[#@LINE+1]]:{{.*}} float32 2×3,
  vramlint_reveal(x.grad());
  // CHECK-DAG: reveal {{.*}}:[[#@LINE+1]]:{{.*}} float32 3×4,
  vramlint_reveal(w.grad());
  // CHECK-NOT: failure
}
