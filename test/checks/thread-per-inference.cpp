// RUN: %check_torch %s torch-thread-per-inference %t
// REQUIRES: libtorch
//
// Threads that live for one inference, and those that live longer.
#include <torch/script.h>
#include <torch/torch.h>

#include <future>
#include <thread>
#include <vector>

using Inputs = std::vector<torch::jit::IValue>;

static void infer(torch::jit::Module &module, const Inputs &in) {
  torch::NoGradGuard no_grad;
  module.forward(in);
}

void joinBad(torch::jit::Module &module, const std::vector<Inputs> &frames) {
  for (const Inputs &in : frames) {
    // CHECK-MESSAGES: :[[@LINE+1]]:17: warning: a thread is started for each inference: starting it, its CUDA state and its guards are paid for each time [torch-thread-per-inference]
    std::thread worker([&] { infer(module, in); });
    worker.join();
  }
}

void detachBad(torch::jit::Module &module, Inputs in) {
  while (true) {
    // CHECK-MESSAGES: :[[@LINE+1]]:5: warning: a thread is started for each inference
    std::thread(infer, std::ref(module), in).detach();
  }
}

// ---- Workers

void workersOk(torch::jit::Module &module, const std::vector<Inputs> &frames) {
  std::vector<std::thread> workers;
  for (const Inputs &in : frames)
    workers.emplace_back([&] { infer(module, in); });
  for (std::thread &worker : workers)
    worker.join();
}

void onceOk(torch::jit::Module &module, const std::vector<Inputs> &frames) {
  std::thread worker([&] {
    for (const Inputs &in : frames)
      infer(module, in);
  });
  worker.join();
}

void fewOk(torch::jit::Module &module, Inputs in) {
  for (int i = 0; i < 4; ++i) {
    std::thread worker([&] { infer(module, in); });
    worker.join();
  }
}

// No model runs in it.
void log(int frame);
void logOk(torch::jit::Module &module, const std::vector<Inputs> &frames) {
  torch::NoGradGuard no_grad;
  for (const Inputs &in : frames) {
    module.forward(in);
    std::thread writer([] { log(1); });
    writer.join();
  }
}
