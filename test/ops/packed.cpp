// Packed sequences: what does not depend on the lengths is known. Gradients by
// autograd::grad. Dictionaries of modules.
// RUN: %vramlint --dump-trace --device cpu %s -- -std=c++17 -I%S/../Inputs > %t
// RUN: FileCheck %s < %t
// REQUIRES: libtorch, vramlint
#include <torch/torch.h>

#include "reveal.h"

namespace rnn = torch::nn::utils::rnn;

int main() {
  auto x = torch::zeros({4, 9, 6});
  auto lengths = torch::tensor({9, 5, 4, 2}, torch::kLong);
  auto packed = rnn::pack_padded_sequence(x, lengths, /*batch_first=*/true, /*enforce_sorted=*/false);
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 ?×6, cpu
  vramlint_reveal(packed.data());
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} int64 4, cpu
  vramlint_reveal(packed.sorted_indices());

  torch::nn::LSTM lstm(torch::nn::LSTMOptions(6, 5).num_layers(2).bidirectional(true).batch_first(true));
  auto [out, state] = lstm->forward_with_packed_input(packed);
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 ?×10, cpu
  vramlint_reveal(out.data());
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 4×4×5, cpu{{.*}} requires grad
  vramlint_reveal(std::get<1>(state));

  auto [padded, back] = rnn::pad_packed_sequence(out, true, 0.0, x.size(1));
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 4×9×10, cpu
  vramlint_reveal(padded);
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} int64 4, cpu
  vramlint_reveal(back);
  auto open = rnn::pad_packed_sequence(out);
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 ?×4×10, cpu
  vramlint_reveal(std::get<0>(open));

  auto w = torch::ones({3, 2}, torch::requires_grad());
  auto grads = torch::autograd::grad({w.pow(2).sum()}, {w}, {}, true, /*create_graph=*/true);
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 3×2, cpu{{.*}} requires grad
  vramlint_reveal(grads[0]);

  torch::OrderedDict<std::string, std::shared_ptr<torch::nn::Module>> parts;
  parts.insert("a", torch::nn::Linear(7, 3).ptr());
  parts.insert("b", torch::nn::ReLU().ptr());
  torch::nn::ModuleDict dict(parts);
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} 2
  vramlint_reveal(dict->size());
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} float32 3×7, cpu
  vramlint_reveal(dict["a"]->as<torch::nn::Linear>()->weight);
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} "b"
  vramlint_reveal(parts.keys()[1]);
}
