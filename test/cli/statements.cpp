// Statements one by one, each at its own place: what make_shared constructs has
// none, and a default argument's is not the statement's.
// RUN: %vramlint --dump-statements --device cpu %s -- -std=c++17 > %t
// RUN: FileCheck %s < %t
// REQUIRES: libtorch, vramlint
#include <torch/torch.h>

struct Net : torch::nn::Module {
  Net(int64_t width, std::vector<int64_t> more = {})
      : fc(register_module("fc", torch::nn::Linear(width, 2))) {}
  torch::nn::Linear fc;
};

int main() {
  // CHECK: +40 {{ *}}-0 {{ *}}40 {{ *}}40 {{.*}}statements.cpp:[[@LINE+1]]:
  auto net = std::make_shared<Net>(4);
  // CHECK: +64 {{ *}}-16 {{ *}}88 {{ *}}104 {{.*}}statements.cpp:[[@LINE+1]]:
  auto x = torch::ones({4}).unsqueeze(0).expand({3, 4}).contiguous();
}
