// RUN: %check_torch %s torch-factory-then-to %t
// REQUIRES: libtorch
//
// Tensors that could be made where they are needed.
#include <torch/torch.h>

void movedBad(torch::Device device, int64_t n) {
  // CHECK-MESSAGES: :[[@LINE+2]]:33: warning: this tensor is made on the CPU and then copied: 'zeros' can make it where it is needed{{.*}} [torch-factory-then-to]
  // CHECK-FIXES: auto a = torch::zeros({n, 3}, torch::TensorOptions(device));
  auto a = torch::zeros({n, 3}).to(device);
  // CHECK-MESSAGES: :[[@LINE+2]]:43: warning: this tensor is made on the CPU
  // CHECK-FIXES: auto b = torch::ones({n}, torch::TensorOptions(torch::kLong).device(torch::kCUDA));
  auto b = torch::ones({n}, torch::kLong).to(torch::kCUDA);
  // CHECK-MESSAGES: :[[@LINE+2]]:29: warning: this tensor is made on the CPU
  // CHECK-FIXES: auto c = torch::arange(n, torch::TensorOptions(torch::kCUDA));
  auto c = torch::arange(n).cuda();
  // CHECK-MESSAGES: :[[@LINE+2]]:34: warning: this tensor is made on the CPU
  // CHECK-FIXES: auto d = torch::full({n}, 1.5, torch::TensorOptions(a.device()));
  auto d = torch::full({n}, 1.5).to(a.device());
}

void thereOk(torch::Device device, int64_t n) {
  auto a = torch::zeros({n, 3}, device);
  auto b = torch::ones({n}, torch::TensorOptions(torch::kLong).device(device));
}

// Another generator makes other numbers.
void randomOk(torch::Device device) {
  auto a = torch::randn({3}).to(device);
  auto b = torch::randperm(8).to(device);
}

void otherOk(torch::Device device, int64_t n) {
  auto a = torch::zeros({n}).to(torch::kFloat16);
  auto b = torch::zeros({n}).to(torch::kCPU);
  auto c = torch::zeros({n}, torch::requires_grad()).to(device);
  auto d = torch::zeros({n}, torch::TensorOptions().device(torch::kCPU)).to(device);
  auto e = torch::zeros({n}).add(1).to(device);
  auto f = a.to(device);
  auto g = torch::zeros({n}).to(b);
  auto h = torch::zeros({n}).to(device, torch::kLong);
}
