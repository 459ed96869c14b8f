// RUN: %check_torch %s torch-empty-cache-in-loop %t
//
// Where emptyCache() costs each iteration something, and where it has a reason.
#include <torch/script.h>
#include <torch/torch.h>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

// As c10/cuda/CUDACachingAllocator.h declares it, which needs CUDA's headers.
namespace c10 {
namespace cuda {
namespace CUDACachingAllocator {
void emptyCache();
}
} // namespace cuda
} // namespace c10

using Inputs = std::vector<torch::jit::IValue>;

void loopBad(torch::jit::Module &module, const std::vector<Inputs> &frames) {
  torch::NoGradGuard no_grad;
  for (const Inputs &in : frames) {
    module.forward(in);
    // CHECK-MESSAGES: :[[@LINE+1]]:5: warning: emptyCache() in each iteration waits for the GPU and gives the cache back to the driver: the next iteration allocates it anew{{.*}} [torch-empty-cache-in-loop]
    c10::cuda::CUDACachingAllocator::emptyCache();
  }
}

// Whether there is a GPU doesn't change from frame to frame.
void availableBad(torch::jit::Module &module, Inputs in, bool cuda) {
  torch::NoGradGuard no_grad;
  while (true) {
    module.forward(in);
    if (torch::cuda::is_available()) {
      // CHECK-MESSAGES: :[[@LINE+1]]:7: warning: emptyCache() in each iteration
      c10::cuda::CUDACachingAllocator::emptyCache();
    }
    if (cuda)
      // CHECK-MESSAGES: :[[@LINE+1]]:7: warning: emptyCache() in each iteration
      c10::cuda::CUDACachingAllocator::emptyCache();
  }
}

class Detector {
public:
  explicit Detector(const std::string &path) : module_(torch::jit::load(path)) {
    module_.eval();
    module_.forward({torch::rand({1, 3, 640, 640})});
    // Once, after warming up.
    c10::cuda::CUDACachingAllocator::emptyCache();
  }
  ~Detector() { c10::cuda::CUDACachingAllocator::emptyCache(); }

  torch::Tensor detectBad(torch::Tensor image) {
    torch::NoGradGuard no_grad;
    auto out = module_.forward({image}).toTensor();
    // CHECK-MESSAGES: :[[@LINE+1]]:5: warning: emptyCache() in each call of 'detectBad' waits for the GPU and gives the cache back to the driver: the next call allocates it anew
    c10::cuda::CUDACachingAllocator::emptyCache();
    return out;
  }

  void unloadOk() {
    module_ = torch::jit::Module();
    c10::cuda::CUDACachingAllocator::emptyCache();
  }

  // Called in a loop, through a function.
  void runBad(const std::vector<torch::Tensor> &images) {
    for (const auto &image : images) {
      detectBad(image);
      // CHECK-MESSAGES: :[[@LINE+1]]:7: warning: emptyCache() in each iteration
      c10::cuda::CUDACachingAllocator::emptyCache();
    }
  }

private:
  torch::jit::Module module_;
};

void handlerOk(torch::jit::Module &module, Inputs in) {
  torch::NoGradGuard no_grad;
  for (int attempt = 0; attempt < 3; ++attempt) {
    try {
      module.forward(in);
      return;
    } catch (const c10::Error &) {
      c10::cuda::CUDACachingAllocator::emptyCache();
    }
  }
}

// A new model each time: the old one's memory has other sizes.
void modelsOk(const std::vector<std::string> &paths, Inputs in) {
  torch::NoGradGuard no_grad;
  for (const std::string &path : paths) {
    torch::jit::Module module = torch::jit::load(path);
    module.eval();
    module.forward(in);
    c10::cuda::CUDACachingAllocator::emptyCache();
  }
}

void dropOk(std::vector<std::shared_ptr<torch::jit::Module>> &modules, Inputs in) {
  torch::NoGradGuard no_grad;
  for (auto &module : modules) {
    module->forward(in);
    module.reset();
    c10::cuda::CUDACachingAllocator::emptyCache();
  }
}

void nowAndThenOk(torch::jit::Module &module, Inputs in) {
  torch::NoGradGuard no_grad;
  for (int i = 0; i < 100000; ++i) {
    module.forward(in);
    if (i % 1000 == 0)
      c10::cuda::CUDACachingAllocator::emptyCache();
  }
}

size_t reservedBytes();
void thresholdOk(torch::jit::Module &module, Inputs in) {
  torch::NoGradGuard no_grad;
  while (true) {
    module.forward(in);
    if (reservedBytes() > (size_t(8) << 30))
      c10::cuda::CUDACachingAllocator::emptyCache();
  }
}

// Once per epoch.
void epochsOk(torch::jit::Module &module, const std::vector<Inputs> &batches) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    for (const Inputs &in : batches)
      module.forward(in).toTensor().sum().backward();
    c10::cuda::CUDACachingAllocator::emptyCache();
  }
}

void afterLoopOk(torch::jit::Module &module, const std::vector<Inputs> &frames) {
  torch::NoGradGuard no_grad;
  for (const Inputs &in : frames)
    module.forward(in);
  c10::cuda::CUDACachingAllocator::emptyCache();
}

// Nothing runs on the GPU in it.
void idleOk(const std::vector<std::string> &names) {
  for (const std::string &name : names) {
    std::cout << name;
    c10::cuda::CUDACachingAllocator::emptyCache();
  }
}

// Another library's.
namespace other {
void emptyCache();
}
void otherOk(torch::jit::Module &module, Inputs in) {
  torch::NoGradGuard no_grad;
  while (true) {
    module.forward(in);
    other::emptyCache();
  }
}

// A helper that only empties the cache is not looked into.
static void tidyUp() { c10::cuda::CUDACachingAllocator::emptyCache(); }
void FN_helperOk(torch::jit::Module &module, Inputs in) {
  torch::NoGradGuard no_grad;
  while (true) {
    module.forward(in);
    tidyUp();
  }
}
