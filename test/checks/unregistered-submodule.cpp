// torch-unregistered-submodule: finds layers and weights in a module's fields that no registry of it has.
// RUN: %check_torch %s torch-unregistered-submodule %t
// REQUIRES: libtorch

#include <torch/torch.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nn = torch::nn;

// --- Fields with one layer ------------------------------------------------------

struct ListBadImpl : nn::Module {
  // CHECK-FIXES: ListBadImpl() : fc(register_module("fc", nn::Linear(8, 4))), two(register_module("two", nn::Linear(4, 2))) {}
  ListBadImpl() : fc(nn::Linear(8, 4)), two(4, 2) {}
  torch::Tensor forward(torch::Tensor x) { return two(fc(x)); }
  // CHECK-MESSAGES: :[[@LINE+1]]:14: warning: 'fc' isn't registered in 'ListBad': parameters(), to() and torch::save() miss its 36 parameters {{.*}}[torch-unregistered-submodule]
  nn::Linear fc;
  // CHECK-MESSAGES: :[[@LINE+1]]:14: warning: 'two' isn't registered in 'ListBad'
  nn::Linear two;
};
TORCH_MODULE(ListBad);

struct AssignedBad : nn::Module {
  AssignedBad() {
    // CHECK-FIXES: conv = register_module("conv", nn::Conv2d(nn::Conv2dOptions(3, 8, 3)));
    conv = nn::Conv2d(nn::Conv2dOptions(3, 8, 3));
    bn = register_module("bn", nn::BatchNorm2d(8));
  }
  torch::Tensor forward(torch::Tensor x) { return bn(conv->forward(x)); }
  // CHECK-MESSAGES: :[[@LINE+1]]:14: warning: 'conv' isn't registered
  nn::Conv2d conv{nullptr};
  nn::BatchNorm2d bn{nullptr};
};

struct AtTheFieldBad : nn::Module {
  torch::Tensor forward(torch::Tensor x) { return drop(fc(x)); }
  // CHECK-MESSAGES: :[[@LINE+2]]:14: warning: 'fc' isn't registered
  // CHECK-FIXES: nn::Linear fc{register_module("fc", nn::Linear(8, 4))};
  nn::Linear fc{8, 4};
  // CHECK-MESSAGES: :[[@LINE+2]]:15: warning: 'drop' isn't registered in 'AtTheFieldBad': train() and eval() don't reach it
  // CHECK-FIXES: nn::Dropout drop{register_module("drop", nn::Dropout())};
  nn::Dropout drop;
};

struct PointerBad : nn::Module {
  // CHECK-FIXES: PointerBad() : inner(register_module("inner", std::make_shared<AssignedBad>())) {}
  PointerBad() : inner(std::make_shared<AssignedBad>()) {}
  torch::Tensor forward(torch::Tensor x) { return inner->forward(x); }
  // CHECK-MESSAGES: :[[@LINE+1]]:32: warning: 'inner' isn't registered
  std::shared_ptr<AssignedBad> inner;
};

// The wrong one twice.
struct TypingErrorBad : nn::Module {
  TypingErrorBad() : one(nn::Linear(4, 4)), two(nn::Linear(4, 4)) {
    register_module("one", one);
    register_module("two", one);
  }
  torch::Tensor forward(torch::Tensor x) { return two(one(x)); }
  nn::Linear one;
  // CHECK-MESSAGES: :[[@LINE+1]]:14: warning: 'two' isn't registered
  nn::Linear two;
};

struct ByValueBad : nn::Module {
  torch::Tensor forward(torch::Tensor x) { return fc.forward(x); }
  // CHECK-MESSAGES: :[[@LINE+1]]:18: warning: 'fc' isn't registered
  nn::LinearImpl fc{8, 4};
};

// --- Fields with several --------------------------------------------------------

struct LoopBad : nn::Module {
  LoopBad() {
    for (int i = 0; i < 3; ++i)
      layers.push_back(nn::Linear(4, 4));
  }
  torch::Tensor forward(torch::Tensor x) {
    for (auto &layer : layers)
      x = layer(x);
    return x;
  }
  // CHECK-MESSAGES: :[[@LINE+1]]:27: warning: 'layers' isn't registered
  std::vector<nn::Linear> layers;
};

struct MapBad : nn::Module {
  MapBad() { heads.emplace("a", nn::Linear(4, 4)); }
  torch::Tensor forward(torch::Tensor x) { return heads.at("a")->forward(x); }
  // CHECK-MESSAGES: :[[@LINE+1]]:37: warning: 'heads' isn't registered
  std::map<std::string, nn::Linear> heads;
};

struct SequentialBad : nn::Module {
  SequentialBad() {
    body->push_back(nn::Linear(4, 4));
    body->push_back(nn::ReLU());
  }
  torch::Tensor forward(torch::Tensor x) { return body->forward(x); }
  // CHECK-MESSAGES: :[[@LINE+1]]:18: warning: 'body' isn't registered
  nn::Sequential body;
};

nn::Sequential makeBlock(int width) {
  nn::Sequential block;
  block->push_back(nn::Linear(width, width));
  return block;
}

struct MadeByHelperBad : nn::Module {
  // CHECK-FIXES: MadeByHelperBad() : block(register_module("block", makeBlock(4))) {}
  MadeByHelperBad() : block(makeBlock(4)) {}
  torch::Tensor forward(torch::Tensor x) { return block->forward(x); }
  // CHECK-MESSAGES: :[[@LINE+1]]:18: warning: 'block' isn't registered
  nn::Sequential block;
};

// --- Weights that are tensors ---------------------------------------------------

struct WeightBad : nn::Module {
  // CHECK-FIXES: WeightBad() : w(register_parameter("w", torch::randn({4, 4}, torch::requires_grad()))) {}
  WeightBad() : w(torch::randn({4, 4}, torch::requires_grad())) {}
  torch::Tensor forward(torch::Tensor x) { return x.mm(w); }
  // CHECK-MESSAGES: :[[@LINE+1]]:17: warning: 'w' isn't registered in 'WeightBad': parameters(), to() and torch::save() miss it
  torch::Tensor w;
};

struct InitialisedBad : nn::Module {
  InitialisedBad() {
    w = torch::empty({4, 4});
    nn::init::xavier_uniform_(w);
  }
  torch::Tensor forward(torch::Tensor x) { return x.mm(w); }
  // CHECK-MESSAGES: :[[@LINE+1]]:17: warning: 'w' isn't registered
  torch::Tensor w;
};

// --- Registered -----------------------------------------------------------------

struct AllOk : nn::Module {
  AllOk() : listed(register_module("listed", nn::Linear(4, 4))) {
    after = nn::Linear(4, 4);
    register_module("after", after);
    for (int i = 0; i < 3; ++i) {
      layers.push_back(nn::Linear(4, 4));
      register_module("layer" + std::to_string(i), layers.back());
    }
    for (int i = 0; i < 3; ++i) {
      auto one = nn::Linear(4, 4);
      register_module("more" + std::to_string(i), one);
      more.push_back(one);
    }
    ranged = {nn::Linear(4, 4), nn::Linear(4, 4)};
    for (auto &layer : ranged)
      register_module("ranged" + std::to_string(count++), layer);
    body->push_back(inBody);
    register_module("body", body);
    registerIt("helped", helped);
    w = register_parameter("w", torch::randn({4, 4}));
    scale = register_buffer("scale", torch::ones({1}));
  }
  template <typename M> void registerIt(std::string name, M &module) {
    register_module(name, module);
  }
  torch::Tensor forward(torch::Tensor x) {
    x = helped(after(listed(x))) + x.mm(w) * scale;
    for (auto &layer : layers)
      x = layer(x);
    for (auto &layer : more)
      x = layer(x);
    for (auto &layer : ranged)
      x = layer(x);
    return body->forward(inBody(x));
  }
  int count = 0;
  nn::Linear listed, after{nullptr}, inBody{4, 4}, helped{4, 4};
  std::vector<nn::Linear> layers, more, ranged;
  nn::Sequential body;
  torch::Tensor w, scale;
};

struct CloneOkImpl : nn::Cloneable<CloneOkImpl> {
  CloneOkImpl() { reset(); }
  void reset() override { fc = register_module("fc", nn::Linear(4, 4)); }
  torch::Tensor forward(torch::Tensor x) { return fc(x); }
  nn::Linear fc{nullptr};
};
TORCH_MODULE(CloneOk);

struct ChainOk : nn::SequentialImpl {
  ChainOk() { push_back(fc); }
  torch::Tensor forward(torch::Tensor x) { return fc(x); }
  nn::Linear fc{4, 4};
};

// Each layer is registered; the Sequential only runs them.
struct SeparatelyOk : nn::Module {
  SeparatelyOk() {
    register_module("fc", fc);
    body->push_back(fc);
  }
  torch::Tensor forward(torch::Tensor x) { return body->forward(x); }
  nn::Linear fc{4, 4};
  nn::Sequential body;
};

// --- Not to be registered -------------------------------------------------------

// Nothing in them is trained, saved or switched.
struct StatelessOk : nn::Module {
  torch::Tensor forward(torch::Tensor x) { return pool(relu(x)); }
  nn::ReLU relu;
  nn::MaxPool2d pool{2};
};

// The parent has registered it.
struct SharesOk : nn::Module {
  explicit SharesOk(nn::Linear shared) : shared(shared) {}
  torch::Tensor forward(torch::Tensor x) { return shared(x); }
  nn::Linear shared;
};

// A target network is kept out of the optimizer on purpose.
struct TargetOk : nn::Module {
  TargetOk() : policy(register_module("policy", nn::Linear(4, 2))), target(4, 2) {
    for (auto &p : target->parameters())
      p.set_requires_grad(false);
  }
  torch::Tensor forward(torch::Tensor x) { return policy(x) - target(x); }
  nn::Linear policy, target;
};

// Not a module itself.
struct TrainerOk {
  torch::Tensor run(torch::Tensor x) { return net(x); }
  nn::Linear net{4, 4};
};

// Never run here.
struct UnusedOk : nn::Module {
  nn::Linear fc{4, 4};
};

void registerElsewhere(nn::Module &owner, nn::Linear &layer);

// Seen by a function of another file.
struct ElsewhereUnknownOk : nn::Module {
  ElsewhereUnknownOk() { registerElsewhere(*this, fc); }
  torch::Tensor forward(torch::Tensor x) { return fc(x); }
  nn::Linear fc{4, 4};
};

// Its constructor is in another file.
struct DeclaredOnlyUnknownOk : nn::Module {
  DeclaredOnlyUnknownOk();
  torch::Tensor forward(torch::Tensor x) { return fc(x); }
  nn::Linear fc{4, 4};
};

// Constants and what is kept from call to call are no parameters.
struct ConstantsOk : nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    last = x;
    return x * scale;
  }
  torch::Tensor scale = torch::ones({1}), last;
};

// Given to the optimizer by hand.
struct ByHandOk : nn::Module {
  ByHandOk() : w(torch::randn({4, 4}, torch::requires_grad())) {}
  torch::Tensor forward(torch::Tensor x) { return x.mm(w); }
  std::vector<torch::Tensor> weights() { return {w}; }
  torch::Tensor w;
};

// A getter may hand it to whoever registers it: not followed.
struct FN_Getter : nn::Module {
  torch::Tensor forward(torch::Tensor x) { return fc(x); }
  nn::Linear &layer() { return fc; }
  nn::Linear fc{4, 4};
};

int main() {
  torch::NoGradGuard no_grad;
  ListBad()->forward(torch::ones({2, 8}));
}
