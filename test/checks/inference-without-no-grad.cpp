// RUN: %check_torch %s torch-inference-without-no-grad %t
//
// TorchScript modules in all the ways they are run, with and without a guard.
#include <torch/script.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

using Inputs = std::vector<torch::jit::IValue>;

torch::Tensor callOperatorBad(torch::jit::script::Module &module, Inputs in) {
  // CHECK-MESSAGES: :[[@LINE+1]]:10: warning: forward of 'module' records an autograd graph
  return module(in).toTensor();
}

void methodBad(torch::jit::Module module, Inputs in) {
  // CHECK-MESSAGES: :[[@LINE+1]]:10: warning: encode of 'module' records an autograd graph
  module.get_method("encode")(in);
}

void storedMethodBad(torch::jit::Module module, Inputs in) {
  auto encode = module.get_method("encode");
  // CHECK-MESSAGES: :[[@LINE+1]]:3: warning: {{.*}} of 'module' records an autograd graph
  encode(in);
}

void runMethodBad(torch::jit::Module module, torch::Tensor x) {
  // CHECK-MESSAGES: :[[@LINE+1]]:10: warning: decode of 'module' records an autograd graph
  module.run_method("decode", x);
}

class Detector {
public:
  explicit Detector(const std::string &path)
      : module_(std::make_shared<torch::jit::Module>(torch::jit::load(path))) {
    module_->eval();
  }
  // A method of the library's interface, with no caller in sight.
  torch::Tensor detect(torch::Tensor image) {
    // CHECK-MESSAGES: :[[@LINE+1]]:21: warning: forward of 'module_' records an autograd graph
    return module_->forward({image}).toTensor();
    // CHECK-FIXES: torch::NoGradGuard no_grad;
  }

private:
  std::shared_ptr<torch::jit::Module> module_;
};

// One guard covers both: one finding.
void twoCallsBad(torch::jit::Module a, torch::jit::Module b, Inputs in) {
  // CHECK-MESSAGES: :[[@LINE+1]]:5: warning: forward of 'a' records an autograd graph
  a.forward(in);
  b.forward(in);
}

static void helperBad(torch::jit::Module &module, Inputs in) {
  // CHECK-MESSAGES: :[[@LINE+1]]:10: warning: forward of 'module' records an autograd graph
  module.forward(in);
}
void guardedCaller(torch::jit::Module module, Inputs in) {
  torch::NoGradGuard no_grad;
  helperBad(module, in);
}
void unguardedCaller(torch::jit::Module module, Inputs in) {
  helperBad(module, in);
}

void endedGuardBad(torch::jit::Module module, Inputs in) {
  {
    torch::NoGradGuard no_grad;
    module.forward(in);
  }
  // CHECK-MESSAGES: :[[@LINE+1]]:10: warning: forward of 'module' records an autograd graph
  module.forward(in);
}

void guardOk(torch::jit::Module module, Inputs in) {
  torch::NoGradGuard no_grad;
  while (true)
    module.forward(in);
}

void inferenceModeOk(torch::jit::Module module, Inputs in) {
  c10::InferenceMode guard;
  module.forward(in);
}

void copiedGuardOk(torch::jit::Module module, Inputs in) {
  auto guard = torch::NoGradGuard();
  module.forward(in);
}

void gradModeOk(torch::jit::Module module, Inputs in) {
  at::AutoGradMode guard(false);
  module.forward(in);
}

// On purpose.
void enabledAgainOk(torch::jit::Module module, Inputs in) {
  torch::NoGradGuard no_grad;
  {
    at::AutoGradMode enable(true);
    module.forward(in);
  }
}

void setEnabledOk(torch::jit::Module module, Inputs in) {
  if (true) {
    at::GradMode::set_enabled(false);
  }
  module.forward(in);
}

void commaOk(torch::jit::Module module, Inputs in) {
  auto out = (torch::NoGradGuard(), module.forward(in));
}

void optionalOk(bool training, torch::jit::Module module, Inputs in) {
  std::optional<torch::NoGradGuard> guard;
  if (!training)
    guard.emplace();
  module.forward(in);
}

void newOk(torch::jit::Module module, Inputs in) {
  auto *guard = new torch::NoGradGuard();
  module.forward(in);
  delete guard;
}

struct Session {
  torch::NoGradGuard guard;
  torch::jit::Module module;
  void runOk(Inputs in) { module.forward(in); }
};

static void helperOk(torch::jit::Module &module, Inputs in) {
  module.forward(in);
}
void callerOk(torch::jit::Module module, Inputs in) {
  c10::InferenceMode guard;
  helperOk(module, in);
}

template <typename Function> void withoutGrad(Function run) {
  torch::NoGradGuard no_grad;
  run();
}
void lambdaOk(torch::jit::Module module, Inputs in) {
  withoutGrad([&] { module.forward(in); });
}

void trainedOk(torch::jit::Module module, Inputs in) {
  auto loss = module.forward(in).toTensor().sum();
  loss.backward();
}

torch::Tensor lossOk(torch::jit::Module &module, Inputs in) {
  return module.forward(in).toTensor().sum();
}
void trainerOk(torch::jit::Module module, Inputs in) {
  lossOk(module, in).backward();
}

void frozenOk(Inputs in) {
  auto module = torch::jit::load("model.pt");
  module.eval();
  auto frozen = torch::jit::freeze(module);
  frozen.forward(in);
}

// One cause, one finding: torch-ineffective-guard's.
void ineffectiveOk(torch::jit::Module module, Inputs in) {
  torch::NoGradGuard();
  module.forward(in);
}
