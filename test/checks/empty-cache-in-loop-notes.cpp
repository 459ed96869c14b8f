// RUN: %check_torch %s torch-empty-cache-in-loop %t
//
// The notes of both kinds of finding, in full.
#include <torch/script.h>
#include <torch/torch.h>

namespace c10 {
namespace cuda {
namespace CUDACachingAllocator {
void emptyCache();
}
} // namespace cuda
} // namespace c10

torch::Tensor once(torch::jit::Module &module, torch::Tensor x) {
  torch::NoGradGuard no_grad;
  auto out = module.forward({x}).toTensor();
  // CHECK-NOTES: :[[@LINE+1]]:3: warning: emptyCache() in each call of 'once' waits for the GPU and gives the cache back to the driver: the next call allocates it anew{{.*}} [torch-empty-cache-in-loop]
  c10::cuda::CUDACachingAllocator::emptyCache();
  // CHECK-NOTES: :[[@LINE-3]]:21: note: the model runs here
  // CHECK-NOTES: :[[@LINE-2]]:3: note: it frees no memory that a tensor holds; remove it, or call it once where memory is handed over
  return out;
}

void loop(torch::jit::Module &module, torch::Tensor x) {
  while (true) {
    once(module, x);
    // CHECK-NOTES: :[[@LINE+1]]:5: warning: emptyCache() in each iteration waits for the GPU and gives the cache back to the driver: the next iteration allocates it anew
    c10::cuda::CUDACachingAllocator::emptyCache();
    // CHECK-NOTES: :[[@LINE-4]]:3: note: in this loop
    // CHECK-NOTES: :[[@LINE-2]]:5: note: it frees no memory that a tensor holds
  }
}
