// What calls give back: lists of tensors, modules by their type, LibTorch's
// forward of derived classes, texts.
// RUN: %vramlint --dump-trace --device cpu %s -- -std=c++17 -I%S/../Inputs > %t
// RUN: FileCheck %s < %t
// REQUIRES: libtorch, vramlint
#include <torch/torch.h>

#include "reveal.h"

// No forward of its own.
struct Stack : torch::nn::SequentialImpl {
  Stack() { push_back(torch::nn::Linear(8, 5)); }
};

// A forward that calls the built-in one.
struct Twice : torch::nn::SequentialImpl {
  Twice() : torch::nn::SequentialImpl(torch::nn::Linear(5, 5)) {}
  torch::Tensor forward(torch::Tensor x) {
    return torch::nn::SequentialImpl::forward(torch::nn::SequentialImpl::forward(x));
  }
};

struct Net : torch::nn::Module {
  torch::nn::Linear fc{nullptr};
  torch::Tensor scale;
  Net() {
    fc = register_module(c10::str("fc", 1, '_', 2.5), torch::nn::Linear(2, 3));
    register_module("norm", torch::nn::LayerNorm(std::vector<int64_t>{7}));
    register_buffer("scale", torch::ones({6}));
  }
};

int main() {
  auto x = torch::zeros({2, 12});
  auto parts = x.split(5, 1);
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 2×5, cpu
  vramlint_reveal(parts[1]);
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 2×2, cpu
  vramlint_reveal(parts[2]);
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 2×4, cpu
  vramlint_reveal(x.chunk(3, -1).at(2));
  auto [first, second] = std::make_pair(x.split_with_sizes({4, 8}, 1)[1], x.unbind(0).back());
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 2×8, cpu
  vramlint_reveal(first);
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 12, cpu
  vramlint_reveal(second);

  Stack stack;
  auto y = stack.forward(torch::zeros({3, 8}));
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 3×5, cpu
  vramlint_reveal(y);
  Twice twice;
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 3×5, cpu
  vramlint_reveal(twice.forward(y));
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} 1
  vramlint_reveal(stack.as<torch::nn::Sequential>() != nullptr);

  Net net;
  for (auto &child : net.named_children())
    if (child.value()->as<torch::nn::Linear>())
      // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} "fc1_2.5"
      vramlint_reveal(child.key());
  net.apply([](torch::nn::Module &m) {
    if (auto *norm = m.as<torch::nn::LayerNorm>())
      // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 7, cpu
      vramlint_reveal(norm->weight);
  });
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 6, cpu
  vramlint_reveal(net.named_buffers()["scale"]);

  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 9×9, cpu
  vramlint_reveal(torch::nn::TransformerImpl::generate_square_subsequent_mask(9));

  c10::string_view text("i,j->ij");
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} "i,j->ij"
  vramlint_reveal(text);
}
