// RUN: %check_torch %s torch-grad-guard-thread,torch-inference-without-no-grad %t
//
// Guards count for one thread. One cause, one finding: where this check speaks,
// torch-inference-without-no-grad does not.
#include <torch/script.h>

#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using Inputs = std::vector<torch::jit::IValue>;

void threadBad(torch::jit::Module module, Inputs in) {
  torch::NoGradGuard no_grad;
  // CHECK-MESSAGES: :[[@LINE+1]]:15: warning: the guard does not hold on the thread that std::thread starts: gradients are recorded there{{.*}} [torch-grad-guard-thread]
  std::thread t([&] {
    module.forward(in);
    // CHECK-FIXES: torch::NoGradGuard no_grad;
  });
  t.join();
}

void temporaryBad(torch::jit::Module module, Inputs in) {
  c10::InferenceMode guard;
  // CHECK-MESSAGES: :[[@LINE+1]]:3: warning: the guard does not hold on the thread that std::thread starts
  std::thread([module, in]() mutable { module.forward(in); }).detach();
  // CHECK-FIXES: c10::InferenceMode no_grad;
}

void asyncBad(torch::jit::Module module, Inputs in) {
  torch::NoGradGuard no_grad;
  // CHECK-MESSAGES: :[[@LINE+1]]:12: warning: the guard does not hold on the thread that std::async starts
  auto a = std::async(std::launch::async, [&] { return module.forward(in); });
  // By default it may be either.
  // CHECK-MESSAGES: :[[@LINE+1]]:12: warning: the guard does not hold on the thread that std::async starts
  auto b = std::async([&] { return module.forward(in); });
}

// A function by its name.
static void work(torch::jit::Module &module, const Inputs &in) {
  module.forward(in);
  // CHECK-FIXES: torch::NoGradGuard no_grad;
}
void functionBad(torch::jit::Module module, Inputs in) {
  torch::NoGradGuard no_grad;
  // CHECK-MESSAGES: :[[@LINE+1]]:15: warning: the guard does not hold on the thread that std::thread starts
  std::thread t(work, std::ref(module), in);
  t.join();
}

class Server {
public:
  void runBad() {
    torch::NoGradGuard no_grad;
    for (int i = 0; i < 4; ++i)
      // CHECK-MESSAGES: :[[@LINE+1]]:7: warning: the guard does not hold on the thread that std::thread starts
      workers_.emplace_back(&Server::loop, this);
  }

private:
  void loop() {
    while (true)
      step();
  }
  void step() { module_.forward(in_); }
  std::vector<std::thread> workers_;
  torch::jit::Module module_;
  Inputs in_;
};

// The guard is the caller's.
static void startBad(torch::jit::Module &module, Inputs in) {
  // CHECK-MESSAGES: :[[@LINE+1]]:15: warning: the guard does not hold on the thread that std::thread starts
  std::thread t([&] { module.forward(in); });
  t.join();
}
void callsStart(torch::jit::Module module, Inputs in) {
  torch::NoGradGuard no_grad;
  startBad(module, in);
}

class ThreadPool {
public:
  template <typename Task> void submit(Task task) { tasks_.emplace_back(task); }

private:
  std::vector<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
};
void poolBad(ThreadPool &pool, torch::jit::Module module, Inputs in) {
  torch::NoGradGuard no_grad;
  // CHECK-MESSAGES: :[[@LINE+1]]:3: warning: the guard does not hold on the thread that ThreadPool starts
  pool.submit([&] { module.forward(in); });
}

// There is no guard at all: the other check's.
void noGuardBad(torch::jit::Module module, Inputs in) {
  // CHECK-MESSAGES: :[[@LINE+1]]:30: warning: forward of 'module' records an autograd graph
  std::thread t([&] { module.forward(in); });
  t.join();
}

void ownGuardOk(torch::jit::Module module, Inputs in) {
  torch::NoGradGuard no_grad;
  std::thread t([&] {
    torch::NoGradGuard no_grad;
    module.forward(in);
  });
  t.join();
}

void deferredOk(torch::jit::Module module, Inputs in) {
  torch::NoGradGuard no_grad;
  auto a = std::async(std::launch::deferred, [&] { return module.forward(in); });
  a.get();
}

void sameThreadOk(torch::jit::Module module, Inputs in) {
  torch::NoGradGuard no_grad;
  auto run = [&] { module.forward(in); };
  run();
}

// The thread trains.
void trainingOk(torch::jit::Module module, Inputs in) {
  torch::NoGradGuard no_grad;
  std::thread t([&] {
    torch::AutoGradMode enable(true);
    module.forward(in).toTensor().sum().backward();
  });
  t.join();
}

// The guard has ended, or turns gradients on.
void noModelOk(torch::jit::Module module, Inputs in) {
  torch::NoGradGuard no_grad;
  std::thread t([&] { in.clear(); });
  t.join();
}

// Its threads hold one for good.
class GuardedPool {
public:
  GuardedPool() {
    threads_.emplace_back([this] {
      torch::NoGradGuard no_grad;
      for (auto &task : tasks_)
        task();
    });
  }
  template <typename Task> void submit(Task task) { tasks_.emplace_back(task); }

private:
  std::vector<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
};
void guardedPoolOk(GuardedPool &pool, torch::jit::Module module, Inputs in) {
  torch::NoGradGuard no_grad;
  pool.submit([&] { module.forward(in); });
}

// Calls what it gets itself.
struct ThreadPoolRunner {
  template <typename Task> void run(Task task) { task(); }
};
void directOk(ThreadPoolRunner &pool, torch::jit::Module module, Inputs in) {
  torch::NoGradGuard no_grad;
  pool.run([&] { module.forward(in); });
}
