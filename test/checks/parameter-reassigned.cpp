// RUN: %check_torch %s torch-parameter-reassigned %t
// REQUIRES: libtorch
//
// Weights that are replaced behind their registry's back, and those that are changed.
#include <torch/torch.h>

torch::Tensor load(const char *name);

void builtinBad(torch::nn::Linear &fc, torch::nn::Conv2d conv) {
  // CHECK-MESSAGES: :[[@LINE+1]]:7: warning: 'fc->weight' gets another tensor, but its module's registry keeps the old one: to(), parameters() and torch::save() don't see the new one [torch-parameter-reassigned]
  fc->weight = load("weight");
  // CHECK-MESSAGES: :[[@LINE-1]]:7: note: change the tensor itself, under a NoGradGuard: 'fc->weight.copy_(…)', or set_data(…) for another shape
  // CHECK-MESSAGES: :[[@LINE+1]]:9: warning: 'conv->weight' gets another tensor
  conv->weight = conv->weight * 0.5;
}

struct Net : torch::nn::Module {
  Net() : scale(register_parameter("scale", torch::ones({3}))) {
    mean = register_buffer("mean", torch::zeros({3}));
    cache = torch::zeros({3});
    fc = register_module("fc", torch::nn::Linear(3, 3));
    // CHECK-MESSAGES: :[[@LINE+1]]:9: warning: 'fc->bias' gets another tensor
    fc->bias = torch::zeros({3});
  }
  torch::Tensor forward(torch::Tensor x) {
    // CHECK-MESSAGES: :[[@LINE+1]]:5: warning: 'mean' gets another tensor
    mean = 0.9 * mean + 0.1 * x.mean(0);
    cache = x; // Not registered.
    return (x - mean) * scale;
  }
  // CHECK-MESSAGES: :[[@LINE+1]]:31: warning: 'scale' gets another tensor
  void set(torch::Tensor s) { scale = s; }
  torch::Tensor scale, mean, cache;
  torch::nn::Linear fc{nullptr};
};

// ---- The tensor itself

void copyOk(torch::nn::Linear &fc, torch::nn::Conv2d &conv) {
  torch::NoGradGuard no_grad;
  fc->weight.copy_(load("weight"));
  fc->weight = fc->weight.mul_(2);
  fc->weight.set_data(load("weight"));
  conv->weight[0] = torch::zeros({3, 3, 3});
  torch::nn::init::xavier_uniform_(fc->weight);
}

// A function that fills its argument and gives it back.
torch::Tensor assign(torch::Tensor left, const torch::Tensor &right);
void assignOk(torch::nn::Linear &fc) { fc->weight = assign(fc->weight, load("weight")); }

// Tied weights.
void tiedOk(torch::nn::Linear &decoder, torch::nn::Embedding &encoder) {
  decoder->weight = encoder->weight;
}

struct Anew : torch::nn::Module {
  Anew() { reset(); }
  void reset() {
    w = torch::empty({3});
    w = register_parameter("w", w);
  }
  void grow(int64_t n) {
    w = torch::zeros({n});
    parameters_.clear();
    w = register_parameter("w", w);
  }
  torch::Tensor w;
};

// A plain struct's field.
struct Weights {
  torch::Tensor weight;
};
void plainOk(Weights &w) { w.weight = load("weight"); }
