// Lists of modules, iterators of a container, parts of a list of sizes.
// RUN: %vramlint --dump-trace --device cpu %s -- -std=c++17 -I%S/../Inputs > %t
// RUN: FileCheck %s < %t
// REQUIRES: libtorch, vramlint
#include <torch/torch.h>

#include "reveal.h"

// CHECK-DAG: module {{[0-9]+}} Sequential 0={{[0-9]+}} 1={{[0-9]+}} 2={{[0-9]+}} 3={{[0-9]+}}{{$}}

struct Net : torch::nn::Module {
  explicit Net(bool self) {
    register_module("fc", torch::nn::Linear(2, 3));
    // CHECK-DAG: failure {{.*}}:[[@LINE+1]]:{{.*}} needs a shared_ptr
    for (auto &m : modules(self))
      m->train();
  }
};

int main() {
  Net onStack(false);
  auto net = std::make_shared<Net>(false);
  // CHECK-DAG: reveal {{.*}}:[[@LINE+1]]:{{.*}} 2
  vramlint_reveal(net->modules().size());
  // CHECK-DAG: reveal {{.*}}:[[@LINE+1]]:{{.*}} 1
  vramlint_reveal(net->modules(false).size());
  // CHECK-DAG: reveal {{.*}}:[[@LINE+1]]:{{.*}} 1
  vramlint_reveal(onStack.children().size());

  torch::nn::Sequential steps(torch::nn::Linear(2, 5), torch::nn::ReLU());
  torch::Tensor y = torch::zeros({4, 2});
  for (auto it = steps->begin(); it != steps->end(); ++it)
    y = it->forward(y);
  // CHECK-DAG: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 4×5
  vramlint_reveal(y);
  auto sizes = torch::zeros({2, 3, 4}).sizes().vec();
  c10::IntArrayRef all(sizes);
  // CHECK-DAG: reveal {{.*}}:[[@LINE+1]]:{{.*}} vector {3, 4}
  vramlint_reveal(all.slice(1));
  // CHECK-DAG: reveal {{.*}}:[[@LINE+1]]:{{.*}} vector {3}
  vramlint_reveal(all.slice(1, 1).vec());
  torch::nn::Sequential more(torch::nn::ReLU(), torch::nn::Linear(5, 6));
  steps->extend(*more);
  // CHECK-DAG: reveal {{.*}}:[[@LINE+1]]:{{.*}} 4
  vramlint_reveal(steps->size());
  // CHECK-DAG: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 4×6
  vramlint_reveal(steps->forward(torch::zeros({4, 2})));
  // The options of a layer make the layer.
  torch::nn::TransformerEncoder encoder(torch::nn::TransformerEncoderOptions(
      torch::nn::TransformerEncoderLayerOptions(16, 4).dim_feedforward(32), 3));
  // CHECK-DAG: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 5×2×16
  vramlint_reveal(encoder(torch::zeros({5, 2, 16})));
  // CHECK-DAG: reveal {{.*}}:[[@LINE+1]]:{{.*}} 36
  vramlint_reveal(encoder->parameters().size());
  // LibTorch throws: a module in its constructor has no shared_ptr yet.
  auto throws = std::make_shared<Net>(true);
}
