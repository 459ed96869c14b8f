// A step of a Sequential is given its input: one taken by value dies when the
// forward assigns to it, one taken by reference when the step ends.
// RUN: %vramlint annotate --device cpu %s -- -std=c++17 > %t
// RUN: FileCheck %s < %t
// REQUIRES: libtorch, vramlint
#include <torch/torch.h>

struct ByValueImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    x = x.exp();
    x = x.exp();
    return x;
  }
};
TORCH_MODULE(ByValue);

struct ByReferenceImpl : torch::nn::Module {
  torch::Tensor forward(const torch::Tensor &x) {
    auto y = x.exp();
    y = y.exp();
    return y;
  }
};
TORCH_MODULE(ByReference);

// Each tensor has 4 KiB; the program's own x is one more. As measured with
// LibTorch 1.13.1.
int main() {
  torch::NoGradGuard guard;
  torch::nn::Sequential values(ByValue{}, ByValue{});
  torch::nn::Sequential references(ByReference{}, ByReference{});
  auto x = torch::zeros({1024});
  // CHECK: {{^ *}}[[@LINE+1]] {{.*}} 12.0 KiB {{.*}}values
  auto y = values->forward(x);
  y = torch::Tensor();
  // CHECK: {{^ *}}[[@LINE+1]] {{.*}} 16.0 KiB {{.*}}references
  y = references->forward(x);
  y = torch::Tensor();
  // An rvalue is moved into the first step and dies when that ends.
  // CHECK: {{^ *}}[[@LINE+1]] {{.*}} 16.0 KiB {{.*}}x.exp
  y = references->forward(x.exp());
}
