// RUN: %check_torch %s torch-invalid-operation %t
// REQUIRES: libtorch
#include <torch/torch.h>

#include <exception>
#include <iostream>

void deviceBad() {
  torch::nn::Linear fc(4, 2);
  fc->to(torch::kCUDA);
  // CHECK-MESSAGES: :[[@LINE+1]]:7: warning: LibTorch throws here: expected all tensors to be on the same device, but found cuda and cpu [torch-invalid-operation]
  fc->forward(torch::zeros({1, 4}));
}
void deviceOk() {
  torch::nn::Linear fc(4, 2);
  fc->to(torch::kCUDA);
  fc->forward(torch::zeros({1, 4}, torch::kCUDA));
}

void typeBad() {
  torch::nn::Linear fc(4, 2);
  // CHECK-MESSAGES: :[[@LINE+1]]:7: warning: LibTorch throws here: expected both matrices to have the same dtype, got float64 and float32
  fc->forward(torch::zeros({1, 4}, torch::kDouble));
}

// torch-loss-target-dtype tells.
void targetOk() {
  torch::nll_loss(torch::zeros({4, 3}), torch::zeros({4}));
}
void longTargetOk() { torch::nll_loss(torch::zeros({4, 3}), torch::zeros({4}, torch::kLong)); }

void leafBad() {
  auto w = torch::zeros({3}, torch::requires_grad());
  // CHECK-MESSAGES: :[[@LINE+1]]:5: warning: LibTorch throws here: a leaf Variable that requires grad is being used in an in-place operation
  w.add_(1);
}
void leafOk() {
  auto w = torch::zeros({3}, torch::requires_grad());
  torch::NoGradGuard no_grad;
  w.add_(1);
}

void meanBad() {
  // CHECK-MESSAGES: :[[@LINE+1]]:35: warning: LibTorch throws here: mean(): expected a floating point tensor, got int64
  torch::zeros({3}, torch::kLong).mean();
}

// Loaded weights are where they were when they were saved.
void loadOk() {
  torch::nn::Linear fc(4, 2);
  torch::load(fc, "fc.pt");
  fc->forward(torch::zeros({1, 4}, torch::kCUDA));
}

// Whether there is a GPU is not known here, and the program asks.
void askOk() {
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  torch::nn::Linear fc(4, 2);
  fc->to(device);
  fc->forward(torch::zeros({1, 4}).to(device));
}

void holderBad() {
  torch::nn::Sequential steps;
  torch::nn::Linear later{nullptr};
  // CHECK-MESSAGES: :[[@LINE+1]]:{{[0-9]+}}: warning: LibTorch throws here: Accessing empty ModuleHolder [torch-invalid-operation]
  steps->push_back(later);
}

void holderOk() {
  torch::nn::Sequential steps;
  torch::nn::Linear later{nullptr};
  later = torch::nn::Linear(2, 3);
  steps->push_back(later);
}

template <typename Fn> void step(Fn fn) {
  try {
    fn();
  } catch (const std::exception &e) {
    std::cerr << e.what();
  }
}

int main() {
  step(deviceBad);
  step(deviceOk);
  step(typeBad);
  step(targetOk);
  step(longTargetOk);
  step(leafBad);
  step(leafOk);
  step(meanBad);
  step(loadOk);
  step(askOk);
  step(holderBad);
  step(holderOk);
}
