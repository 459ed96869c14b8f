// RUN: %check_torch %s torch-ineffective-guard %t
//
// Guards that end before anything runs under them, and look-alikes that work.
#include <torch/torch.h>

#include <iostream>
#include <memory>
#include <optional>

struct OwnGuard : torch::NoGradGuard {
  OwnGuard() {}
};

void temporaryBad() {
  // CHECK-MESSAGES: :[[@LINE+1]]:3: warning: 'torch::NoGradGuard' without a name is destroyed at the end of this statement: gradients are recorded all the same{{.*}} [torch-ineffective-guard]
  torch::NoGradGuard();
  // CHECK-FIXES: torch::NoGradGuard no_grad;
}

void bracesBad() {
  // CHECK-MESSAGES: :[[@LINE+1]]:3: warning: 'at::NoGradGuard' without a name
  at::NoGradGuard{};
  // CHECK-FIXES: at::NoGradGuard no_grad;
}

void argumentBad() {
  // CHECK-MESSAGES: :[[@LINE+1]]:3: warning: 'torch::AutoGradMode' without a name
  torch::AutoGradMode(false);
  // CHECK-FIXES: torch::AutoGradMode grad_mode(false);
}

void inferenceModeBad() {
  // CHECK-MESSAGES: :[[@LINE+1]]:3: warning: 'c10::InferenceMode' without a name
  c10::InferenceMode();
  // CHECK-FIXES: c10::InferenceMode inference_guard;
}

void derivedBad() {
  // CHECK-MESSAGES: :[[@LINE+1]]:3: warning: 'OwnGuard' without a name
  OwnGuard();
  // CHECK-FIXES: OwnGuard guard;
}

void voidBad() {
  // CHECK-MESSAGES: :[[@LINE+1]]:3: warning: 'torch::NoGradGuard' without a name
  (void)torch::NoGradGuard();
}

void ownedBad() {
  // CHECK-MESSAGES: :[[@LINE+1]]:3: warning: the guard of 'std::make_unique<torch::NoGradGuard>' is destroyed
  std::make_unique<torch::NoGradGuard>();
}

void functionBad() {
  // CHECK-MESSAGES: :[[@LINE+1]]:22: warning: this declares a function 'guard' that returns 'torch::NoGradGuard', not a guard
  torch::NoGradGuard guard();
  // CHECK-FIXES: torch::NoGradGuard guard;
}

void branchBad(bool training) {
  if (!training)
    // CHECK-MESSAGES: :[[@LINE+1]]:24: warning: guard 'no_grad' ends with this block, before anything runs under it
    torch::NoGradGuard no_grad;
  if (!training) {
    // CHECK-MESSAGES: :[[@LINE+1]]:24: warning: guard 'no_grad' ends with this block
    torch::NoGradGuard no_grad;
  }
}

void shadowBad(bool flag) {
  {
    // CHECK-MESSAGES: :[[@LINE+1]]:24: warning: this declares a guard named 'flag'; it does not read the variable 'flag'
    c10::InferenceMode(flag);
    // CHECK-FIXES: c10::InferenceMode guard(flag);
  }
}

void deviceBad(torch::Device device) {
  // CHECK-MESSAGES: :[[@LINE+1]]:3: warning: 'c10::DeviceGuard' without a name is destroyed at the end of this statement: it has no effect on what follows
  c10::DeviceGuard{device};
  // CHECK-FIXES: c10::DeviceGuard guard{device};
}

void blockBad(torch::nn::Linear &net, torch::Tensor x) {
  {
    // CHECK-MESSAGES: :[[@LINE+1]]:24: warning: guard 'no_grad' ends with this block, before anything runs under it: gradients are recorded all the same
    torch::NoGradGuard no_grad;
    std::cout << "evaluating" << std::endl;
    int n = 3;
  }
  net->forward(x);
}

// Its callers would have to hold it.
void onlyGuardBad() {
  // CHECK-MESSAGES: :[[@LINE+1]]:22: warning: guard 'no_grad' ends with this function, before anything runs under it
  torch::NoGradGuard no_grad;
}

template <typename Model> void templateBad(Model &model) {
  // Reported once, not for each instantiation.
  // CHECK-MESSAGES: :[[@LINE+1]]:3: warning: 'torch::NoGradGuard' without a name
  torch::NoGradGuard();
  // CHECK-FIXES: torch::NoGradGuard no_grad;
  model->eval();
}
template void templateBad(torch::nn::Linear &);
template void templateBad(torch::nn::Conv2d &);

void namedOk(torch::Tensor t) {
  torch::NoGradGuard no_grad;
  auto again = torch::NoGradGuard();
  t.add_(1);
  {
    torch::NoGradGuard inner;
    std::cout << t;
  }
}

void commaOk(torch::nn::Linear &net, torch::Tensor x) {
  // Alive to the end of the full expression.
  torch::Tensor y = (torch::NoGradGuard(), net->forward(x));
}

void optionalOk(bool training, torch::nn::Linear &net, torch::Tensor x) {
  std::optional<torch::NoGradGuard> no_grad;
  if (!training)
    no_grad.emplace();
  net->forward(x);
}

// Static: it holds until the thread ends.
void staticOk() { static torch::NoGradGuard no_grad; }

// A C shim's handle.
extern "C" void *shimOk() { return new torch::NoGradGuard(); }

// Leaked on purpose: it holds for the whole thread.
void threadInitialiserOk() { new c10::InferenceMode(); }

void branchOk(bool training, torch::nn::Linear &net, torch::Tensor x) {
  if (!training) {
    torch::NoGradGuard no_grad;
    net->forward(x);
  }
}

void enableOk(torch::nn::Linear &net, torch::Tensor x) {
  torch::AutoGradMode enable(true);
  net->forward(x).sum().backward();
}

struct NotAGuard {};
void otherTypesOk() {
  NotAGuard();
  NotAGuard{};
}
