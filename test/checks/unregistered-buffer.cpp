// torch-unregistered-buffer: finds constant tensors in a module's fields that to() and torch::save() don't reach.
// RUN: %check_torch %s torch-unregistered-buffer %t
// REQUIRES: libtorch

#include <torch/torch.h>

struct NormalizeBad : torch::nn::Module {
  // CHECK-FIXES: NormalizeBad() : mean(register_buffer("mean", torch::tensor({0.4, 0.5}))) {}
  NormalizeBad() : mean(torch::tensor({0.4, 0.5})) {}
  torch::Tensor forward(torch::Tensor x) { return x - mean; }
  // CHECK-MESSAGES: :[[@LINE+1]]:17: warning: 'mean' is no buffer of 'NormalizeBad': to() leaves it where it is, and torch::save() misses it{{.*}} [torch-unregistered-buffer]
  torch::Tensor mean;
};

struct RegisteredOk : torch::nn::Module {
  RegisteredOk() : mean(register_buffer("mean", torch::zeros({2}))) {}
  torch::Tensor forward(torch::Tensor x) { return x - mean; }
  torch::Tensor mean;
};

// Moved where it is used.
struct MovedOk : torch::nn::Module {
  MovedOk() : mean(torch::zeros({2})) {}
  torch::Tensor forward(torch::Tensor x) { return x - mean.to(x.device()); }
  torch::Tensor mean;
};

// Kept from call to call, and a weight, which torch-unregistered-submodule finds.
struct StateOk : torch::nn::Module {
  StateOk() : sum(torch::zeros({2})), attn_mask(torch::ones({4, 4})),
              w(torch::randn({2}, torch::requires_grad())) {}
  torch::Tensor forward(torch::Tensor x) {
    sum = sum + x.sum() * w;
    return sum * attn_mask;
  }
  torch::Tensor sum, attn_mask, w;
};

// Where it comes from isn't known.
struct GivenUnknownOk : torch::nn::Module {
  explicit GivenUnknownOk(torch::Tensor mean) : mean(mean) {}
  torch::Tensor forward(torch::Tensor x) { return x - mean; }
  torch::Tensor mean;
};
