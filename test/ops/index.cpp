// What index, slice and narrow infer, with bounds that are known and that aren't.
// RUN: %vramlint --dump-trace --device cpu %s -- -std=c++17 -I%S/../Inputs > %t
// RUN: FileCheck %s < %t
// REQUIRES: libtorch, vramlint
#include <torch/torch.h>

#include "reveal.h"

using torch::indexing::Ellipsis;
using torch::indexing::None;
using torch::indexing::Slice;

int main() {
  torch::Tensor x = torch::zeros({3, 40, 50});
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 2×40×50, cpu, storage of 24000 bytes
  vramlint_reveal(x.index({Slice(1, None)}));
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 3×40×10, cpu, storage of 24000 bytes, not contiguous
  vramlint_reveal(x.index({Ellipsis, Slice(0, 50, 5)}));
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 40×1×49
  vramlint_reveal(x.index({2, Slice(), None, Slice(1)}));

  // A crop at a place that the data say: where is unknown, how large is not.
  int64_t h = x.sum().item<int64_t>();
  int64_t w = x.max().item<int64_t>();
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 3×32×32
  vramlint_reveal(x.index({Ellipsis, Slice(h, h + 32), Slice(w, w + 32)}));
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 3×32×50
  vramlint_reveal(x.slice(1, h, h + 32));
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 3×40×32
  vramlint_reveal(x.narrow(2, w, 32));
  // Not two ends of one crop.
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 3×?×50
  vramlint_reveal(x.index({Slice(), Slice(w, h + 32)}));
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 3×?×50
  vramlint_reveal(x.index({Slice(), Slice(h, None)}));
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 3×?×50
  vramlint_reveal(x.slice(1, 2 * h, h + 32));
}
