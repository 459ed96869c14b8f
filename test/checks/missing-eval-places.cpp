// RUN: %check_torch %s torch-missing-eval %t
//
// Loaded models wherever they are kept, and trained ones that are evaluated.
#include <torch/script.h>
#include <torch/torch.h>

#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

using Inputs = std::vector<torch::jit::IValue>;

struct NetImpl : torch::nn::Module {
  NetImpl() {
    register_module("fc", fc);
    register_module("drop", drop);
  }
  torch::Tensor forward(torch::Tensor x) { return drop(fc(x)); }
  void load_weights(const std::string &path);
  torch::nn::Linear fc{8, 4};
  torch::nn::Dropout drop{0.5};
};
TORCH_MODULE(Net);

//===-- Loaded

void vectorBad(const std::vector<std::string> &paths, Inputs in) {
  torch::NoGradGuard no_grad;
  std::vector<torch::jit::Module> models;
  for (const auto &path : paths)
    // CHECK-MESSAGES: :[[@LINE+1]]:22: warning: {{'models?'}} runs in the mode it was saved in: no eval() follows torch::jit::load
    models.push_back(torch::jit::load(path));
  for (auto &model : models)
    model.forward(in);
}

void mapBad(Inputs in) {
  torch::NoGradGuard no_grad;
  std::map<std::string, torch::jit::Module> models;
  // CHECK-MESSAGES: :[[@LINE+1]]:22: warning: 'models' runs in the mode it was saved in
  models["encode"] = torch::jit::load("encode.pt");
  models.at("encode").forward(in);
}

struct Pipeline {
  torch::jit::Module detector;
  std::shared_ptr<torch::jit::Module> classifier;
};
void structBad(Pipeline &pipeline, Inputs in) {
  torch::NoGradGuard no_grad;
  // CHECK-MESSAGES: :[[@LINE+1]]:23: warning: 'detector' runs in the mode it was saved in
  pipeline.detector = torch::jit::load("detect.pt");
  // CHECK-FIXES: {{^  }}pipeline.detector.eval();
  // CHECK-MESSAGES: :[[@LINE+2]]:44: warning: 'classifier' runs in the mode it was saved in
  pipeline.classifier =
      std::make_shared<torch::jit::Module>(torch::jit::load("classify.pt"));
  pipeline.detector.to(torch::kCPU);
  pipeline.detector.forward(in);
  pipeline.classifier->forward(in);
}

class InitialisedBad {
public:
  explicit InitialisedBad(const std::string &path)
      // CHECK-MESSAGES: :[[@LINE+1]]:17: warning: 'module_' runs in the mode it was saved in
      : module_(torch::jit::load(path)) {
    module_.to(torch::kCPU);
  }
  void run(Inputs in) {
    torch::NoGradGuard no_grad;
    module_.forward(in);
  }

private:
  torch::jit::Module module_;
};

void archiveBad(torch::Tensor x) {
  torch::NoGradGuard no_grad;
  Net net;
  torch::serialize::InputArchive archive;
  archive.load_from("net.pt");
  // CHECK-MESSAGES: :[[@LINE+1]]:8: warning: 'net' runs in training mode: no eval() follows load
  net->load(archive);
  // CHECK-FIXES: net->eval();
  std::cout << net->forward(x);
}

void ownLoaderBad(torch::Tensor x) {
  torch::NoGradGuard no_grad;
  Net net;
  // CHECK-MESSAGES: :[[@LINE+1]]:8: warning: 'net' runs in training mode: no eval() follows load_weights
  net->load_weights("net.weights");
  // CHECK-FIXES: net->eval();
  std::cout << net->forward(x);
}

void vectorOk(const std::vector<std::string> &paths, Inputs in) {
  std::vector<torch::jit::Module> models;
  for (const auto &path : paths)
    models.push_back(torch::jit::load(path));
  for (auto &model : models)
    model.eval();
  models[0].forward(in);
}

struct QuietPipeline {
  torch::jit::Module detector;
};
void structOk(QuietPipeline &pipeline, Inputs in) {
  pipeline.detector = torch::jit::load("detect.pt");
  pipeline.detector.train(false);
  pipeline.detector.forward(in);
}

// It puts itself in evaluation mode.
struct QuietNetImpl : NetImpl {
  QuietNetImpl() { eval(); }
};
TORCH_MODULE(QuietNet);
void ownModeOk(torch::Tensor x) {
  QuietNet net;
  torch::load(net, "net.pt");
  std::cout << net->forward(x);
}

// A part gets its mode from the whole.
struct WholeImpl : torch::nn::Module {
  WholeImpl() { register_module("part", part); }
  void restore() { torch::load(part, "part.pt"); }
  torch::Tensor forward(torch::Tensor x) { return part(x); }
  Net part;
};
void wholeOk(WholeImpl &whole, torch::Tensor x) {
  whole.restore();
  whole.eval();
  std::cout << whole.part->forward(x);
}

//===-- Trained here

template <typename Loader> void train(Net &net, Loader &loader, torch::optim::SGD &sgd) {
  net->train();
  for (const torch::Tensor &x : loader) {
    sgd.zero_grad();
    net->forward(x).sum().backward();
    sgd.step();
  }
}
template <typename Loader> void testBad(Net &net, Loader &loader) {
  torch::NoGradGuard no_grad;
  for (const torch::Tensor &x : loader)
    // CHECK-MESSAGES: :[[@LINE+1]]:23: warning: 'net' is evaluated in training mode: no eval() stands anywhere in this file
    std::cout << net->forward(x);
  // CHECK-FIXES: net->eval();
}
void fitAndTest(std::vector<torch::Tensor> &loader) {
  Net net;
  torch::optim::SGD sgd(net->parameters(), 0.1);
  train(net, loader, sgd);
  testBad(net, loader);
}

void oneFunctionBad(std::vector<torch::Tensor> &loader) {
  Net other;
  torch::optim::SGD sgd(other->parameters(), 0.1);
  for (const torch::Tensor &x : loader) {
    other->forward(x).sum().backward();
    sgd.step();
  }
  {
    torch::NoGradGuard no_grad;
    for (const torch::Tensor &x : loader)
      // CHECK-MESSAGES: :[[@LINE+1]]:27: warning: 'other' is evaluated in training mode
      std::cout << other->forward(x);
  }
}

void evaluatedOk(std::vector<torch::Tensor> &loader) {
  Net net;
  torch::optim::SGD sgd(net->parameters(), 0.1);
  for (const torch::Tensor &x : loader) {
    net->forward(x).sum().backward();
    sgd.step();
  }
  net->eval();
  torch::NoGradGuard no_grad;
  for (const torch::Tensor &x : loader)
    std::cout << net->forward(x);
}

// A target for training, made without a graph.
void targetOk(std::vector<torch::Tensor> &loader) {
  Net net;
  torch::optim::SGD sgd(net->parameters(), 0.1);
  for (const torch::Tensor &x : loader) {
    torch::Tensor target;
    {
      torch::NoGradGuard no_grad;
      target = net->forward(x);
    }
    torch::mse_loss(net->forward(x), target).backward();
    sgd.step();
  }
}

// Nothing in it has a mode.
void plainOk(std::vector<torch::Tensor> &loader) {
  torch::nn::Linear fc(8, 4);
  torch::optim::SGD sgd(fc->parameters(), 0.1);
  for (const torch::Tensor &x : loader) {
    fc->forward(x).sum().backward();
    sgd.step();
  }
  torch::NoGradGuard no_grad;
  for (const torch::Tensor &x : loader)
    std::cout << fc->forward(x);
}
