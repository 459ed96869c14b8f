// RUN: %check_torch %s torch-inference-without-no-grad %t
//
// The notes of a finding, in full.
#include <torch/script.h>

void serve() {
  torch::jit::Module model = torch::jit::load("model.pt");
  model.eval();
  while (true) {
    auto x = torch::rand({1, 3, 32, 32});
    // CHECK-NOTES: :[[@LINE+1]]:22: warning: forward of 'model' records an autograd graph: no NoGradGuard or InferenceMode is active on this thread{{.*}} [torch-inference-without-no-grad]
    auto out = model.forward({x}).toTensor();
    // CHECK-NOTES: :[[@LINE-4]]:17: note: put a guard at the start of this block (fix available: --fix)
    // CHECK-NOTES: :[[@LINE-7]]:30: note: taken for inference: 'model' comes from torch::jit::load, and the program calls no backward()
    // CHECK-NOTES: :[[@LINE-9]]:6: note: no caller in this file; a guard in every caller would do too
    // CHECK-NOTES: :[[@LINE-4]]:22: note: what the graph keeps stays until 'out' dies (line [[@LINE+2]]): a higher peak, not a leak; its size is unknown, 'model.pt' is not here (--archive model.pt=PATH)
    // CHECK-FIXES: {{^    }}torch::NoGradGuard no_grad;
  }
}
