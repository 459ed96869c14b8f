// RUN: %check_torch %s torch-missing-eval %t
#include <torch/script.h>

#include <memory>
#include <string>
#include <vector>

using Inputs = std::vector<torch::jit::IValue>;

void localBad(Inputs in) {
  torch::NoGradGuard no_grad;
  torch::jit::Module model;
  // CHECK-NOTES: :[[@LINE+1]]:11: warning: 'model' runs in the mode it was saved in: no eval() follows torch::jit::load{{.*}} [torch-missing-eval]
  model = torch::jit::load("model.pt");
  // CHECK-FIXES: {{^  }}model.eval();
  model.to(torch::kCPU);
  // CHECK-NOTES: :[[@LINE+1]]:9: note: run here; if it was saved in training mode, dropout drops values and batch norm uses and updates statistics
  model.forward(in);
}

class DetectorBad {
public:
  explicit DetectorBad(const std::string &path) {
    // CHECK-NOTES: :[[@LINE+1]]:15: warning: 'module_' runs in the mode it was saved in
    module_ = torch::jit::load(path);
    // CHECK-FIXES: {{^    }}module_.eval();
  }
  torch::Tensor detect(torch::Tensor x) {
    torch::NoGradGuard no_grad;
    // CHECK-NOTES: :[[@LINE+1]]:20: note: run here
    return module_.forward({x}).toTensor();
  }

private:
  torch::jit::Module module_;
};

void pointerBad(Inputs in) {
  // CHECK-NOTES: :[[@LINE+1]]:53: warning: 'model' runs in the mode it was saved in
  auto model = std::make_shared<torch::jit::Module>(torch::jit::load("m.pt"));
  // CHECK-NOTES: :[[@LINE+1]]:10: note: run here
  model->forward(in);
}

void evalOk(Inputs in) {
  auto model = torch::jit::load("model.pt");
  model.eval();
  model.forward(in);
}

void trainFalseOk(Inputs in) {
  auto model = torch::jit::load("model.pt");
  model.train(false);
  model.forward(in);
}

// The mode is set where the model is made.
torch::jit::Module loadModel(const std::string &path) {
  auto model = torch::jit::load(path);
  model.eval();
  return model;
}
void helperOk(Inputs in) {
  auto model = loadModel("model.pt");
  model.forward(in);
}

// … or by a function that gets it; TorchScript modules are handles.
void prepare(torch::jit::Module module) { module.eval(); }
void preparedOk(Inputs in) {
  auto model = torch::jit::load("model.pt");
  prepare(model);
  model.forward(in);
}

// … or perhaps by one that we don't see.
void prepareElsewhere(torch::jit::Module &module);
void unknownOk(Inputs in) {
  auto model = torch::jit::load("model.pt");
  prepareElsewhere(model);
  model.forward(in);
}

class MemberOk {
public:
  MemberOk() { module_ = torch::jit::load("model.pt"); }
  void start() { module_.eval(); }
  void run(Inputs in) { module_.forward(in); }

private:
  torch::jit::Module module_;
};

void trainedOk(Inputs in) {
  auto model = torch::jit::load("model.pt");
  model.forward(in).toTensor().sum().backward();
}

void neverRunOk() { auto model = torch::jit::load("model.pt"); }
