// RUN: %check_torch %s torch-inference-tensor-escape %t
// REQUIRES: libtorch
//
// What is made under InferenceMode and then used as an ordinary tensor.
#include <torch/torch.h>

#include <iostream>

void changedBad(torch::nn::Linear &net, torch::Tensor x) {
  torch::Tensor y, z;
  {
    // CHECK-FIXES: torch::NoGradGuard guard;
    c10::InferenceMode guard;
    y = net->forward(x);
    z = x.exp();
  }
  // CHECK-MESSAGES: :[[@LINE+1]]:5: warning: LibTorch throws here: 'y' was made under InferenceMode, and is changed in place outside of it{{.*}} [torch-inference-tensor-escape]
  y.mul_(2);
  // CHECK-MESSAGES: :[[@LINE+1]]:5: warning: LibTorch throws here: 'z' was made under InferenceMode, and is to require gradients outside of it
  z.requires_grad_(true);
}

// What the teacher says is the student's target.
void teachBad(torch::nn::Linear &teacher, torch::nn::Linear &student,
              torch::optim::Optimizer &sgd, torch::Tensor x) {
  torch::Tensor target;
  {
    // CHECK-FIXES: torch::NoGradGuard mode;
    torch::InferenceMode mode;
    target = teacher->forward(x);
  }
  auto out = student->forward(x);
  // CHECK-MESSAGES: :[[@LINE+1]]:15: warning: LibTorch throws here: 'target' was made under InferenceMode, and is kept for backward outside of it
  auto loss = torch::mse_loss(out, target);
  sgd.zero_grad();
  loss.backward();
  sgd.step();
}

// ---- Ordinary tensors

void noGradOk(torch::nn::Linear &net, torch::Tensor x) {
  torch::Tensor y;
  {
    torch::NoGradGuard guard;
    y = net->forward(x);
  }
  y.mul_(2);
}

void cloneOk(torch::nn::Linear &net, torch::Tensor x) {
  torch::Tensor y;
  {
    c10::InferenceMode guard;
    y = net->forward(x);
  }
  y = y.clone();
  y.mul_(2);
}

void readOk(torch::nn::Linear &net, torch::Tensor x) {
  torch::Tensor y, view;
  {
    c10::InferenceMode guard;
    y = net->forward(x);
    view = x.view({-1});
    y.mul_(2);
  }
  std::cout << y << y.argmax(1) << (y + 1);
  view.mul_(2); // x's memory, an ordinary tensor's.
}

void wholeOk(torch::nn::Linear &net, torch::Tensor x) {
  c10::InferenceMode guard;
  auto y = net->forward(x);
  y.mul_(2);
}

// ---- Unknown

void conditionOk(torch::nn::Linear &net, torch::Tensor x, bool fast) {
  torch::Tensor y;
  {
    c10::InferenceMode guard(fast);
    y = net->forward(x);
  }
  y.mul_(2);
}
