// RUN: %check_torch %s torch-loss-target-dtype,torch-invalid-operation %t
// REQUIRES: libtorch
//
// Targets of losses over classes: int64 where classes are meant.
#include <torch/torch.h>

#include <exception>
#include <iostream>

namespace F = torch::nn::functional;

// The run knows shapes and types.
void runBad() {
  auto x = torch::zeros({4, 3}).log_softmax(1);
  auto y = torch::zeros({4});
  // CHECK-MESSAGES: :[[@LINE+2]]:3: warning: LibTorch throws here: nll_loss: expected a target of type int64, got float32{{.*}} [torch-loss-target-dtype]
  // CHECK-FIXES: F::nll_loss(x, y.to(torch::kLong));
  F::nll_loss(x, y);
}
void runModuleBad() {
  torch::nn::NLLLoss criterion;
  auto x = torch::zeros({4, 3}), y = torch::zeros({4});
  // CHECK-MESSAGES: :[[@LINE+2]]:3: warning: LibTorch throws here: nll_loss: expected a target of type int64, got float32
  // CHECK-FIXES: criterion(x, y.to(torch::kLong));
  criterion(x, y);
}

void runIntBad() {
  auto x = torch::zeros({4, 3}), y = torch::zeros({4}, torch::kInt);
  // CHECK-MESSAGES: :[[@LINE+2]]:3: warning: LibTorch throws here: nll_loss: expected a target of type int64, got int32
  // CHECK-FIXES: F::cross_entropy(x, y.to(torch::kLong));
  F::cross_entropy(x, y);
}
void runOk() {
  F::cross_entropy(torch::zeros({4, 3}), torch::zeros({4}, torch::kByte));
  F::cross_entropy(torch::zeros({4, 3}), torch::zeros({4, 3}));
  F::nll_loss(torch::zeros({4, 3}), torch::zeros({4}, torch::kLong));
}

// The text is enough where the target is converted to what no shape allows.
void textBad(torch::nn::Linear &net, torch::Tensor x, torch::Tensor y) {
  auto target = y.to(torch::kInt);
  // CHECK-MESSAGES: :[[@LINE+2]]:3: warning: LibTorch throws here: expected a target of type int64, got kInt
  // CHECK-FIXES: F::cross_entropy(net->forward(x), target.to(torch::kLong));
  F::cross_entropy(net->forward(x), target);
  // CHECK-MESSAGES: :[[@LINE+2]]:3: warning: LibTorch throws here: expected a target of type int64, got kFloat
  // CHECK-FIXES: F::nll_loss(net->forward(x), y.toType(torch::kFloat).to(torch::kLong));
  F::nll_loss(net->forward(x), y.toType(torch::kFloat));
}

void longOk(torch::nn::Linear &net, torch::Tensor x, torch::Tensor y) {
  F::nll_loss(torch::zeros({4, 3}), torch::zeros({4}, torch::kLong));
  F::nll_loss(net->forward(x), y.to(torch::kLong));
  F::cross_entropy(net->forward(x), y.to(torch::kInt64));
}

// Probabilities of each class.
void softOk(torch::nn::Linear &net, torch::Tensor x, torch::Tensor y) {
  F::cross_entropy(torch::zeros({4, 3}), torch::zeros({4, 3}));
  F::cross_entropy(net->forward(x), y.to(torch::kFloat));
}

// On a GPU bytes are classes as well.
void bytesOk(torch::nn::Linear &net, torch::Tensor x, torch::Tensor y) {
  F::cross_entropy(net->forward(x), y.to(torch::kByte));
}

// Losses over numbers, and unknown types.
void othersOk(torch::nn::Linear &net, torch::Tensor x, torch::Tensor y, torch::Dtype type) {
  F::mse_loss(net->forward(x), y.to(torch::kFloat));
  F::binary_cross_entropy_with_logits(net->forward(x), y.to(torch::kFloat));
  F::nll_loss(net->forward(x), y.to(type));
  F::nll_loss(net->forward(x), y);
}

template <typename Fn> void step(Fn f) {
  try {
    f();
  } catch (const std::exception &e) {
    std::cerr << e.what();
  }
}

int main() {
  step(runBad);
  step(runModuleBad);
  step(runIntBad);
  step(runOk);
}
