// RUN: %check_torch %s torch-functional-dropout-training %t
//
// Functional dropout in modules: with the module's mode, and without.
#include <torch/torch.h>

namespace F = torch::nn::functional;

struct NetImpl : torch::nn::Module {
  NetImpl() { register_module("fc", fc); }

  torch::Tensor literalBad(torch::Tensor x) {
    // CHECK-MESSAGES: :[[@LINE+1]]:9: warning: torch::dropout drops values in evaluation mode too: its mode is a literal true{{.*}} [torch-functional-dropout-training]
    x = torch::dropout(fc(x), 0.5, true);
    // CHECK-FIXES: x = torch::dropout(fc(x), 0.5, is_training());
    // CHECK-MESSAGES: :[[@LINE+1]]:5: warning: torch::dropout_ drops values
    torch::dropout_(x, 0.1, /*train=*/true);
    // CHECK-FIXES: torch::dropout_(x, 0.1, /*train=*/is_training());
    // CHECK-MESSAGES: :[[@LINE+1]]:12: warning: at::feature_dropout drops values
    return at::feature_dropout(x, 0.5, true);
    // CHECK-FIXES: return at::feature_dropout(x, 0.5, is_training());
  }

  torch::Tensor optionsBad(torch::Tensor x) {
    // CHECK-MESSAGES: :[[@LINE+1]]:9: warning: F::dropout drops values in evaluation mode too: its options have training(true) by default
    x = F::dropout(x);
    // CHECK-FIXES: x = F::dropout(x, F::DropoutFuncOptions().training(is_training()));
    // CHECK-MESSAGES: :[[@LINE+1]]:9: warning: F::dropout drops values
    x = F::dropout(x, F::DropoutFuncOptions().p(0.3));
    // CHECK-FIXES: x = F::dropout(x, F::DropoutFuncOptions().p(0.3).training(is_training()));
    // CHECK-MESSAGES: :[[@LINE+1]]:9: warning: F::dropout2d drops values
    x = F::dropout2d(x, F::Dropout2dFuncOptions().p(0.3).inplace(true));
    // CHECK-FIXES: x = F::dropout2d(x, F::Dropout2dFuncOptions().p(0.3).inplace(true).training(is_training()));
    // CHECK-MESSAGES: :[[@LINE+1]]:9: warning: F::dropout drops values in evaluation mode too: its mode is a literal true
    x = F::dropout(x, F::DropoutFuncOptions().training(true).p(0.3));
    // CHECK-FIXES: x = F::dropout(x, F::DropoutFuncOptions().training(is_training()).p(0.3));
    auto options = F::Dropout3dFuncOptions().p(0.2);
    // CHECK-MESSAGES: :[[@LINE+1]]:12: warning: torch::nn::functional::dropout3d drops values
    return torch::nn::functional::dropout3d(x, options);
    // CHECK-FIXES: return torch::nn::functional::dropout3d(x, options.training(is_training()));
  }

  // The opposite: off by default.
  torch::Tensor alphaBad(torch::Tensor x) {
    // CHECK-MESSAGES: :[[@LINE+1]]:9: warning: F::alpha_dropout never drops anything: its options have training(false) by default
    x = F::alpha_dropout(x, F::AlphaDropoutFuncOptions().p(0.5));
    // CHECK-FIXES: x = F::alpha_dropout(x, F::AlphaDropoutFuncOptions().p(0.5).training(is_training()));
    // CHECK-MESSAGES: :[[@LINE+1]]:12: warning: F::feature_alpha_dropout never drops anything
    return F::feature_alpha_dropout(x);
    // CHECK-FIXES: return F::feature_alpha_dropout(x, F::FeatureAlphaDropoutFuncOptions().training(is_training()));
  }

  torch::Tensor rateBad(torch::Tensor x) {
    if (rate > 0)
      // CHECK-MESSAGES: :[[@LINE+1]]:11: warning: F::dropout drops values
      x = F::dropout(x, F::DropoutFuncOptions().p(rate));
    // CHECK-FIXES: x = F::dropout(x, F::DropoutFuncOptions().p(rate).training(is_training()));
    return x;
  }

  torch::Tensor givenOk(torch::Tensor x, bool on) {
    x = torch::dropout(x, 0.5, is_training());
    x = torch::dropout(x, 0.5, on);
    x = torch::dropout(x, 0.5, false);
    x = F::dropout(x, F::DropoutFuncOptions().training(is_training()));
    x = F::dropout(x, F::DropoutFuncOptions().training(false));
    x = F::alpha_dropout(x, F::AlphaDropoutFuncOptions().training(is_training()));
    auto options = F::DropoutFuncOptions().p(0.2);
    options.training(is_training());
    x = F::dropout(x, options);
    return F::dropout(x, memberOptions);
  }

  torch::Tensor conditionOk(torch::Tensor x) {
    if (is_training())
      x = torch::dropout(x, 0.5, true);
    x = this->is_training() ? F::dropout(x) : x;
    const bool active = is_training();
    if (active && rate > 0) {
      x = F::dropout(x);
    }
    return x;
  }

  torch::Tensor earlyReturnOk(torch::Tensor x) {
    if (!is_training())
      return x;
    return torch::dropout(x, 0.5, true);
  }

  torch::Tensor helperOk(torch::Tensor x) { return torch::dropout(x, rate, true); }
  torch::Tensor callsHelperOk(torch::Tensor x) {
    return is_training() ? helperOk(x) : x;
  }

  // Monte Carlo dropout is on at all times.
  torch::Tensor mcForwardOk(torch::Tensor x) {
    return torch::dropout(x, 0.5, true);
  }

  torch::Tensor moduleOk(torch::Tensor x) { return dropout(x); }

  torch::nn::Linear fc{8, 4};
  torch::nn::Dropout dropout{0.5};
  F::DropoutFuncOptions memberOptions;
  double rate = 0.5;
};

struct BayesianNetImpl : torch::nn::Module {
  torch::Tensor forwardOk(torch::Tensor x) { return F::dropout(x); }
};

// Not in a module: there is no mode to follow.
torch::Tensor noiseOk(torch::Tensor x) { return torch::dropout(x, 0.5, true); }

// The setter changes the options for good: here to the right value.
struct OtherImpl : torch::nn::Module {
  torch::Tensor forwardOk(torch::Tensor x, F::DropoutFuncOptions options) {
    return F::dropout(x, options);
  }
};
