// RUN: %check_torch %s torch-discarded-tensor-result %t
//
// Results that are thrown away, and statements that only look like it.
#include <torch/torch.h>

#include <chrono>
#include <vector>

void memberBad(torch::Tensor x, torch::Device device) {
  // CHECK-MESSAGES: :[[@LINE+1]]:5: warning: the result of 'to' is discarded: 'x' stays as it is{{.*}} [torch-discarded-tensor-result]
  x.to(device);
  // CHECK-FIXES: {{^  }}x = x.to(device);
}

void inPlaceBad(torch::Tensor x) {
  // CHECK-MESSAGES: :[[@LINE+1]]:5: warning: the result of 'clamp' is discarded: 'x' stays as it is ('clamp_' works in place)
  x.clamp(0, 1);
  // CHECK-FIXES: {{^  }}x = x.clamp(0, 1);
}

struct Detector {
  torch::Tensor anchors;
  void moveBad(torch::Device device) {
    // CHECK-MESSAGES: :[[@LINE+1]]:13: warning: the result of 'to' is discarded: 'anchors' stays as it is
    anchors.to(device);
    // CHECK-FIXES: {{^    }}anchors = anchors.to(device);
  }
  // Nothing to assign to: no fix.
  void constBad(torch::Device device) const {
    // CHECK-MESSAGES: :[[@LINE+1]]:13: warning: the result of 'to' is discarded: 'anchors'
    anchors.to(device);
  }
};

void chainBad(torch::Tensor x) {
  // CHECK-MESSAGES: :[[@LINE+1]]:18: warning: the result of 'permute' is discarded: 'x' stays as it is
  x.unsqueeze(0).permute({0, 3, 1, 2});
  // CHECK-FIXES: {{^  }}x = x.unsqueeze(0).permute({0, 3, 1, 2});
}

// A copy: 'clamp_' would not reach x either, and x isn't to become its part.
void partBad(torch::Tensor x, torch::Tensor mask) {
  // CHECK-MESSAGES: :[[@LINE+1]]:19: warning: the result of 'clamp' is discarded: 'x' stays as it is [torch-discarded-tensor-result]
  x.index({mask}).clamp(0, 1);
  // CHECK-FIXES: {{^  }}x.index({mask}).clamp(0, 1);
  // CHECK-MESSAGES: :[[@LINE+1]]:18: warning: the result of 'clamp' is discarded: 'x' stays as it is ('clamp_' works in place)
  x.select(0, 1).clamp(0, 1);
  // CHECK-FIXES: {{^  }}x.select(0, 1).clamp(0, 1);
}

void functionBad(torch::Tensor x) {
  // CHECK-MESSAGES: :[[@LINE+1]]:3: warning: the result of 'relu' is discarded: 'x' stays as it is ('relu_' works in place)
  torch::relu(x);
}

void elementsBad(std::vector<torch::Tensor> &all, torch::Device device) {
  for (auto &each : all)
    // CHECK-MESSAGES: :[[@LINE+1]]:10: warning: the result of 'to' is discarded: 'each' stays as it is
    each.to(device);
  // CHECK-MESSAGES: :[[@LINE+1]]:10: warning: the result of 'detach' is discarded: 'all[0]' stays as it is ('detach_' works in place)
  all[0].detach();
}

template <typename T> void templateBad(torch::Tensor x, T value) {
  // Reported once, not for each instantiation.
  // CHECK-MESSAGES: :[[@LINE+1]]:5: warning: the result of 'add' is discarded
  x.add(value);
  // CHECK-FIXES: {{^  }}x = x.add(value);
}
template void templateBad(torch::Tensor, int);
template void templateBad(torch::Tensor, float);

void mainWrapperBad(torch::Tensor x, torch::Device device) {
  try {
    // CHECK-MESSAGES: :[[@LINE+1]]:7: warning: the result of 'to' is discarded
    x.to(device);
    // CHECK-FIXES: {{^    }}x = x.to(device);
    x.add_(1);
  } catch (const c10::Error &) {
  }
}

// nn::Module::to moves the module itself.
void moduleOk(torch::nn::Linear net, torch::Device device) {
  net->to(device);
  net->to(torch::kDouble);
}

void inPlaceOk(torch::Tensor x) {
  x.clamp_(0, 1);
  x.requires_grad_();
  torch::relu_(x);
  torch::nn::init::uniform_(x);
  x.zero_().to(torch::kDouble);
}

void usedOk(torch::Tensor x, torch::Device device) {
  x = x.to(device);
  auto y = x.clamp(0, 1);
  (void)x.contiguous();
  y.sum().backward();
}

// Moved once to make the device start.
void warmUpOk(torch::Device device) {
  torch::zeros({1}).to(device);
  torch::rand({8, 8}).to(device);
}

void functionalOk(torch::Tensor x) {
  namespace F = torch::nn::functional;
  F::relu(x, F::ReLUFuncOptions().inplace(true));
}

double measureOk(torch::Tensor x, torch::Device device) {
  auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; ++i)
    x.to(device);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

bool throwsOk(torch::Tensor x) {
  try {
    x.view({7, 11});
    return false;
  } catch (const c10::Error &) {
    return true;
  }
}

bool throwsLastOk(torch::Tensor x) {
  try {
    x.view({7, 11});
  } catch (const c10::Error &) {
    return true;
  }
  return false;
}

#define EXPECT_THROW_LIKE(statement)                                           \
  try {                                                                        \
    statement;                                                                 \
    throw 1;                                                                   \
  } catch (const c10::Error &) {                                               \
  }
void macroOk(torch::Tensor x) {
  EXPECT_THROW_LIKE(x.view({7, 11}))
}

// A type of the program's own with a method of that name.
struct Buffer {
  Buffer to(torch::Device);
};
void otherTypeOk(Buffer b, torch::Device device) { b.to(device); }

void DoNotOptimize(const torch::Tensor &);
void benchmarkOk(torch::Tensor x) { DoNotOptimize(x.clone()); }
