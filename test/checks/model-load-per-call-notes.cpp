// RUN: %check_torch %s torch-model-load-per-call %t
//
// The notes of each kind of finding, in full.
#include <torch/script.h>

void loop(torch::Tensor x) {
  while (true) {
    // CHECK-NOTES: :[[@LINE+1]]:18: warning: torch::jit::load reads the same file in each iteration{{.*}} [torch-model-load-per-call]
    auto model = torch::jit::load("model.pt");
    // CHECK-NOTES: :[[@LINE-3]]:3: note: in this loop; load the model before it
    model.forward({x});
  }
}

torch::Tensor predict(torch::Tensor image) {
  // CHECK-NOTES: :[[@LINE+1]]:16: warning: torch::jit::load reads the file in each call of 'predict'
  auto model = torch::jit::load("model.pt");
  // CHECK-NOTES: :[[@LINE+2]]:16: note: the model is run here and dropped at the end of the call
  // CHECK-NOTES: :[[@LINE-4]]:15: note: it takes one input at a time; keep the model where it outlives the call
  return model.forward({image}).toTensor();
}

static void score(torch::Tensor image) {
  // CHECK-NOTES: :[[@LINE+1]]:16: warning: torch::jit::load reads the file in each call of 'score'
  auto model = torch::jit::load("score.pt");
  // CHECK-NOTES: :[[@LINE+1]]:9: note: the model is run here
  model.forward({image});
}
void scoreAll(torch::Tensor image) {
  while (true)
    // CHECK-NOTES: :[[@LINE+1]]:5: note: called in a loop; load the model once, outside of it
    score(image);
}
