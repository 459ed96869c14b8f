// RUN: %check_torch %s torch-data-ptr-of-temporary %t -- --quiet -- -std=c++17 -I%S/../Inputs
//
// Pointers into tensors that die with the statement, and into living ones.
#include <torch/torch.h>

#include "cv.h"
#include <cstring>
#include <vector>

void use(const float *);
torch::Tensor &cached();
torch::Tensor made();

void cpuBad(torch::Tensor t) {
  // CHECK-MESSAGES: :[[@LINE+1]]:21: warning: 'p' points into the copy that 'cpu' makes of 't' unless there is nothing to do; it is destroyed at the end of this statement{{.*}} [torch-data-ptr-of-temporary]
  auto *p = t.cpu().data_ptr<float>();
  // CHECK-FIXES: {{^  }}auto p_tensor = t.cpu();
  // CHECK-FIXES-NEXT: {{^  }}auto *p = p_tensor.data_ptr<float>();
  use(p);
}

void toBad(torch::Tensor t) {
  // CHECK-MESSAGES: :[[@LINE+1]]:36: warning: 'p' points into the copy that 'to' makes of 't'
  const float *p = t.to("cpu").t().data_ptr<float>() + 4;
  // CHECK-FIXES: {{^  }}auto p_tensor = t.to("cpu").t();
  // CHECK-FIXES-NEXT: {{^  }}const float *p = p_tensor.data_ptr<float>() + 4;
  use(p);
}

void copyBad(torch::Tensor t) {
  // CHECK-MESSAGES: :[[@LINE+1]]:23: warning: 'p' points into the tensor that 'clone' returns, destroyed at the end of this statement
  auto *p = t.clone().data_ptr<float>();
  // CHECK-FIXES: {{^  }}auto p_tensor = t.clone();
  // CHECK-MESSAGES: :[[@LINE+1]]:45: warning: 'q' points into the tensor that 'operator' returns
  auto *q = static_cast<float *>((t * 2.0f).data_ptr());
  // CHECK-FIXES: {{^  }}auto *q = static_cast<float *>((q_tensor).data_ptr());
  use(p);
  use(q);
  // CHECK-MESSAGES: :[[@LINE+1]]:20: warning: 'p' points into the tensor that 'clone' returns
  p = t[0].clone().data_ptr<float>();
  use(p);
}

void modelBad(torch::nn::Linear net, torch::Tensor x) {
  // CHECK-MESSAGES: :[[@LINE+1]]:29: warning: 'p' points into the tensor that 'forward' returns
  auto *p = net->forward(x).data_ptr<float>();
  // CHECK-FIXES: {{^  }}auto p_tensor = net->forward(x);
  use(p);
}

void matBad(torch::Tensor t) {
  // CHECK-MESSAGES: :[[@LINE+1]]:47: warning: 'image' points into the copy that 'contiguous' makes of 't'
  cv::Mat image(8, 8, CV_8UC3, t.contiguous().data_ptr());
  // CHECK-FIXES: {{^  }}auto image_tensor = t.contiguous();
  // CHECK-FIXES-NEXT: {{^  }}cv::Mat image(8, 8, CV_8UC3, image_tensor.data_ptr());
  cv::imwrite("x.png", image);
}

void blobBad(torch::Tensor t) {
  // CHECK-MESSAGES: :[[@LINE+1]]:48: warning: 'b' points into the copy that 'cpu' makes of 't'
  auto b = torch::from_blob(t.cpu().view({-1}).data_ptr(), {4});
  b.sum();
}

// A view shares the memory of the tensor that lives on.
void viewOk(torch::Tensor t, std::vector<torch::Tensor> &all) {
  auto *p = t.view({-1}).data_ptr<float>();
  auto *q = t[0].data_ptr<float>();
  auto *r = all[0].squeeze().detach().data_ptr<float>();
  use(p);
  use(q);
  use(r);
}

// Whether anybody else holds what a function returns isn't known.
void functionsOk() {
  auto *p = cached().data_ptr<float>();
  auto *q = made().data_ptr<float>();
  use(p);
  use(q);
}

void sameExpressionOk(torch::Tensor t, float *to) {
  use(t.cpu().data_ptr<float>());
  std::memcpy(to, t.contiguous().data_ptr<float>(), 16);
  float first = *t.cpu().data_ptr<float>();
  float second = t.cpu().data_ptr<float>()[1];
  use(&first);
  use(&second);
}

void namedOk(torch::Tensor t) {
  auto host = t.cpu();
  auto *p = host.data_ptr<float>();
  // Nothing left to do: the tensor itself.
  auto *q = host.cpu().data_ptr<float>();
  use(p);
  use(q);
}

cv::Mat clonedOk(torch::Tensor t) {
  return cv::Mat(8, 8, CV_8UC3, t.cpu().data_ptr()).clone();
}
