// RUN: %check_torch %s torch-inference-without-no-grad %t
//
// Where models are kept, and where guards are held.
#include <torch/script.h>
#include <torch/torch.h>

#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

using Inputs = std::vector<torch::jit::IValue>;

//===-- Where models are kept

void anyModuleBad(torch::nn::AnyModule &any, torch::Tensor image) {
  any.ptr()->eval();
  // CHECK-MESSAGES: :[[@LINE+1]]:16: warning: forward of 'any' records an autograd graph
  auto y = any.forward(image);
}

void sequentialBad(torch::Tensor x) {
  torch::nn::Sequential net(torch::nn::Linear(8, 4), torch::nn::ReLU());
  torch::load(net, "net.pt");
  net->eval();
  torch::nn::Sequential copy = net;
  // CHECK-MESSAGES: :[[@LINE+1]]:22: warning: forward of 'copy' records an autograd graph
  std::cout << copy->forward(x);
}

void vectorBad(const std::vector<std::string> &paths, Inputs in) {
  std::vector<torch::jit::Module> models;
  for (const auto &path : paths) {
    models.push_back(torch::jit::load(path));
    models.back().eval();
  }
  for (auto &model : models)
    // CHECK-MESSAGES: :[[@LINE+1]]:11: warning: forward of 'model' records an autograd graph
    model.forward(in);
}

void mapBad(std::map<std::string, torch::nn::Sequential> &nets, torch::Tensor x) {
  for (auto &[name, net] : nets)
    net->eval();
  // CHECK-MESSAGES: :[[@LINE+1]]:31: warning: forward of 'nets' records an autograd graph
  std::cout << nets["front"]->forward(x);
  auto found = nets.find("back");
  std::cout << found->second->forward(x);
}

struct Models {
  torch::jit::Module encoder, decoder;
};
void structBad(Models &models, Inputs in) {
  // CHECK-MESSAGES: :[[@LINE+1]]:18: warning: forward of 'encoder' records an autograd graph
  models.encoder.forward(in);
  models.decoder.forward(in);
}

void pointerBad(Inputs in) {
  std::unique_ptr<torch::jit::Module> model;
  model.reset(new torch::jit::Module(torch::jit::load("model.pt")));
  // CHECK-MESSAGES: :[[@LINE+1]]:10: warning: forward of 'model' records an autograd graph
  model->forward(in);
}

//===-- Where they run

void lambdaBad(torch::jit::Module model, Inputs in) {
  // CHECK-MESSAGES: :[[@LINE+1]]:33: warning: forward of 'model' records an autograd graph
  auto run = [&] { return model.forward(in); };
  run();
}

class Server {
public:
  explicit Server(const std::string &path) : model_(torch::jit::load(path)) {
    model_.eval();
    worker_ = std::thread(&Server::loop, this);
  }

private:
  void loop() {
    while (running_) {
      Inputs in = next();
      // CHECK-MESSAGES: :[[@LINE+1]]:14: warning: forward of 'model_' records an autograd graph
      model_.forward(in);
    }
  }
  Inputs next();
  bool running_ = true;
  torch::jit::Module model_;
  std::thread worker_;
};

// Guarded in one way in, on a thread of its own in the other.
static void shared(torch::jit::Module &model, Inputs in) {
  // CHECK-MESSAGES: :[[@LINE+1]]:9: warning: forward of 'model' records an autograd graph
  model.forward(in);
}
void startsShared(torch::jit::Module model, Inputs in) {
  std::thread(shared, std::ref(model), in).join();
}
void callsShared(torch::jit::Module model, Inputs in) {
  c10::InferenceMode guard;
  shared(model, in);
}

//===-- Where guards are held

struct NoGradScope { // A wrapper that holds one.
  std::unique_ptr<torch::NoGradGuard> guard = std::make_unique<torch::NoGradGuard>();
};
void wrapperOk(torch::jit::Module model, Inputs in) {
  NoGradScope scope;
  model.forward(in);
}

struct OwnGuard : torch::NoGradGuard {};
void derivedOk(torch::jit::Module model, Inputs in) {
  OwnGuard guard;
  model.forward(in);
}

class Base {
protected:
  std::optional<c10::InferenceMode> guard_{std::in_place};
};
class DerivedSession : Base {
public:
  void runOk(Inputs in) { model_.forward(in); }

private:
  torch::jit::Module model_;
};

class Session {
public:
  Session() : guard_(std::make_unique<torch::NoGradGuard>()) {}
  void runOk(Inputs in) { model_.forward(in); }

private:
  std::unique_ptr<torch::NoGradGuard> guard_;
  torch::jit::Module model_;
};

// Set up once for the thread, by a function that says so.
static void setUpThread() { torch::GradMode::set_enabled(false); }
void setUpOk(torch::jit::Module model, Inputs in) {
  setUpThread();
  model.forward(in);
}

void staticGuardOk(torch::jit::Module model, Inputs in) {
  static torch::NoGradGuard no_grad;
  model.forward(in);
}

// All ways in hold one, through two functions.
static void inner(torch::jit::Module &model, Inputs in) { model.forward(in); }
static void middle(torch::jit::Module &model, Inputs in) { inner(model, in); }
void outerOk(torch::jit::Module model, Inputs in) {
  torch::NoGradGuard no_grad;
  middle(model, in);
  middle(model, in);
}

void threadOk(torch::jit::Module model, Inputs in) {
  std::thread([&] {
    torch::NoGradGuard no_grad;
    model.forward(in);
  }).join();
}

// Each thread of the pool leaks one on purpose.
class ThreadPool {
public:
  ThreadPool(int threads, std::function<void()> initialise);
  void submit(std::function<void()> task);
};
void poolOk(torch::jit::Module model, Inputs in) {
  ThreadPool pool(4, [] { new c10::InferenceMode(); });
  pool.submit([&] { model.forward(in); });
}

// A C shim: the guard's lifetime is the other language's matter.
extern "C" {
void *guard_new() { return new torch::NoGradGuard(); }
void guard_free(void *guard) { delete static_cast<torch::NoGradGuard *>(guard); }
void module_forwardOk(torch::jit::Module *model, Inputs *in) { model->forward(*in); }
}

//===-- What records nothing

void optimizedOk(Inputs in) {
  auto model = torch::jit::load("model.pt");
  model.eval();
  model = torch::jit::optimize_for_inference(model);
  model.forward(in);
}

void frozenInPlaceOk(Inputs in) {
  auto model = torch::jit::freeze(torch::jit::load("model.pt"));
  model.forward(in);
}

// As torch/csrc/inductor/aoti_package/model_package_loader.h declares it.
namespace torch::inductor {
class AOTIModelPackageLoader {
public:
  explicit AOTIModelPackageLoader(const std::string &path);
  std::vector<at::Tensor> run(const std::vector<at::Tensor> &inputs);
};
} // namespace torch::inductor
void predictPackageOk(torch::Tensor x) {
  torch::inductor::AOTIModelPackageLoader loader("model.pt2");
  loader.run({x});
}

struct WrapperImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) { return script.forward({x}).toTensor(); }
  torch::jit::Module script;
};
