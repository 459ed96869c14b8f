// RUN: %check_torch %s torch-jit-clone-shares %t
// REQUIRES: libtorch
//
// Copies of a TorchScript module that are moved apart from it, but share its weights.
#include <torch/script.h>
#include <torch/torch.h>

#include <utility>
#include <vector>

using Inputs = std::vector<torch::jit::IValue>;

std::vector<torch::jit::Module> devicesBad(torch::jit::Module base, int gpus) {
  std::vector<torch::jit::Module> all;
  for (int i = 0; i < gpus; ++i) {
    // CHECK-MESSAGES: :[[@LINE+2]]:24: warning: 'copy' shares its weights with 'base': to() moves them for both{{.*}} [torch-jit-clone-shares]
    // CHECK-FIXES: torch::jit::Module copy = base.deepcopy();
    torch::jit::Module copy = base;
    copy.to(torch::Device(torch::kCUDA, i));
    all.push_back(copy);
  }
  return all;
}

void halfBad(torch::jit::Module &full, Inputs in) {
  // CHECK-MESSAGES: :[[@LINE+2]]:8: warning: 'half' shares its weights with 'full'
  // CHECK-FIXES: auto half = full.deepcopy();
  auto half = full.copy();
  half.to(torch::kHalf);
  full.forward(in);
}

void inPlaceBad(torch::jit::Module &full) {
  // CHECK-MESSAGES: :[[@LINE+2]]:8: warning: 'gpu' shares its weights with 'full'
  // CHECK-FIXES: auto gpu = full.deepcopy();
  auto gpu = full.clone(true);
  gpu.to(torch::kCUDA);
  full.to(torch::kCPU);
}

// ---- Their own weights

void deepOk(torch::jit::Module &full, Inputs in) {
  auto half = full.deepcopy();
  half.to(torch::kHalf);
  auto other = full.clone();
  other.to(torch::kHalf);
  full.forward(in);
}

// ---- Sharing is no mistake

void readOk(torch::jit::Module &full, Inputs in) {
  auto copy = full;
  copy.forward(in);
  full.forward(in);
}
void lastOk(torch::jit::Module &full, Inputs in) {
  auto copy = full;
  copy.to(torch::kCUDA);
  copy.forward(in);
}
void movedOk(torch::jit::Module full, Inputs in) {
  auto model = std::move(full);
  model.to(torch::kCUDA);
  model.forward(in);
}
torch::jit::Module load();
void loadOk(Inputs in) {
  for (int i = 0; i < 4; ++i) {
    auto base = load();
    auto copy = base;
    copy.to(torch::Device(torch::kCUDA, i));
    copy.forward(in);
  }
}
void sameOk(torch::jit::Module base, torch::Device device, int n) {
  for (int i = 0; i < n; ++i) {
    auto copy = base;
    copy.to(device);
  }
}
