// RUN: %check_torch %s torch-grad-guard-thread %t
//
// The notes of a finding, in full.
#include <torch/script.h>

#include <thread>

void serve(torch::jit::Module module, torch::Tensor x) {
  torch::NoGradGuard no_grad;
  // CHECK-NOTES: :[[@LINE+1]]:15: warning: the guard does not hold on the thread that std::thread starts: gradients are recorded there{{.*}} [torch-grad-guard-thread]
  std::thread t([&] {
    // CHECK-NOTES: :[[@LINE-3]]:22: note: this guard is for its own thread only
    // CHECK-NOTES: :[[@LINE+1]]:12: note: the thread runs 'module' here
    module.forward({x});
    // CHECK-NOTES: :[[@LINE-4]]:22: note: put a guard at the start of what the thread runs (fix available: --fix)
  });
  t.join();
}
