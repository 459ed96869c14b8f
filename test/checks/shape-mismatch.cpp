// RUN: %check_torch %s torch-shape-mismatch %t
// REQUIRES: libtorch
//
// Each function is a program's step; main runs them all.
#include <torch/torch.h>

#include <exception>
#include <iostream>

struct NetImpl : torch::nn::Module {
  explicit NetImpl(int64_t features) : fc(features, 10) {
    conv = register_module("conv", torch::nn::Conv2d(1, 10, 5));
    register_module("fc", fc);
  }
  torch::Tensor forward(torch::Tensor x) {
    x = torch::max_pool2d(conv->forward(x), 2);
    x = x.flatten(1);
    // CHECK-MESSAGES: :[[@LINE+1]]:16: warning: LibTorch throws here: mat1 and mat2 cannot be multiplied: 4×1440 by 1000×10 [torch-shape-mismatch]
    return fc->forward(x);
  }
  torch::nn::Conv2d conv{nullptr};
  torch::nn::Linear fc;
};
TORCH_MODULE(Net);

void linearBad() { Net(1000)->forward(torch::zeros({4, 1, 28, 28})); }
void linearOk() { Net(1440)->forward(torch::zeros({4, 1, 28, 28})); }

// 64 × 20 × 5 × 5 holds 100 rows of 320: no error before the loss.
void viewBad() {
  torch::nn::Linear fc(320, 10);
  auto x = torch::zeros({64, 20, 5, 5});
  // CHECK-MESSAGES: :[[@LINE+1]]:9: warning: this view mixes samples: 64×20×5×5 becomes 100×320, a batch of 100 instead of 64
  x = x.view({-1, 320});
  auto y = torch::log_softmax(fc(x), 1);
  torch::nll_loss(y, torch::zeros({64}, torch::kLong)); // The same cause.
}
// Time steps as samples, samples as groups of steps, parts of a sample.
void viewOk() {
  torch::nn::Linear fc(8, 4), wide(16, 4);
  fc(torch::zeros({5, 7, 8}).view({-1, 8}));
  wide(torch::zeros({6, 8}).view({3, 16}));
  fc(torch::zeros({4, 32}).view({-1, 8}));
}

void channelsBad() {
  torch::nn::Conv2d conv(3, 8, 3);
  // CHECK-MESSAGES: :[[@LINE+1]]:9: warning: LibTorch throws here: expected input with 3 channels, got 1: input 2×1×32×32, weight 8×3×3×3
  conv->forward(torch::zeros({2, 1, 32, 32}));
}

void reshapeBad() {
  // CHECK-MESSAGES: :[[@LINE+1]]:24: warning: LibTorch throws here: shape 3×5 is invalid for an input of 4×4
  torch::zeros({4, 4}).view({3, 5});
}

void catBad() {
  // CHECK-MESSAGES: :[[@LINE+1]]:3: warning: LibTorch throws here: sizes of tensors must match except in dimension 1
  torch::cat({torch::zeros({2, 3}), torch::zeros({4, 3})}, 1);
}
void catOk() { torch::cat({torch::zeros({2, 3}), torch::zeros({2, 5})}, 1); }

void broadcastBad(torch::Tensor a) {
  // CHECK-MESSAGES: :[[@LINE+1]]:14: warning: LibTorch throws here: shapes cannot be broadcast together: 2×3 and 4
  auto b = a + torch::zeros({4});
}
void broadcastOk(torch::Tensor a) { auto b = a + torch::zeros({2, 1}); }

void indexBad(torch::Tensor a) {
  // CHECK-MESSAGES: :[[@LINE+1]]:{{[0-9]+}}: warning: LibTorch throws here: index 5 is out of range for dimension 0 of 2×3
  auto row = a[5];
}

void normBad(torch::Tensor a) {
  torch::nn::BatchNorm1d norm(8);
  // CHECK-MESSAGES: :[[@LINE+1]]:9: warning: LibTorch throws here: batch_norm: expected 8 channels, got 3
  norm->forward(a);
}

// Unknown sizes: silent.
torch::Tensor load();
void unknownOk() {
  torch::nn::Linear fc(320, 10);
  fc(load().view({-1, 321}));
}

// It depends on an answer that nobody knows.
bool isGray();
void dependsOk() {
  torch::nn::Conv2d conv(isGray() ? 1 : 3, 8, 3);
  if (isGray())
    conv->forward(torch::zeros({1, 1, 8, 8}));
  else
    conv->forward(torch::zeros({1, 3, 8, 8}));
}

template <typename Fn> void step(Fn fn) {
  try {
    fn();
  } catch (const std::exception &e) {
    std::cerr << e.what();
  }
}

int main() {
  auto a = torch::zeros({2, 3});
  step([] { linearBad(); });
  step([] { linearOk(); });
  step([] { viewBad(); });
  step([] { viewOk(); });
  step([] { channelsBad(); });
  step([] { reshapeBad(); });
  step([] { catBad(); });
  step([] { catOk(); });
  step([&] { broadcastBad(a); });
  step([&] { broadcastOk(a); });
  step([&] { indexBad(a); });
  step([&] { normBad(a); });
  step([] { unknownOk(); });
  step([] { dependsOk(); });
}
