// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What optimizers allocate: construction, the first three steps, zero_grad.
// Parameters: 6×4 and 5 float32; both have gradients before each step.
#include "probe.h"

namespace nn = torch::nn;
namespace optim = torch::optim;
using torch::Tensor;
using torch::NoGradGuard;

template <typename Optimizer, typename Options>
void probeOptimizer(const std::string &Name, Options O) {
  std::vector<Tensor> P{torch::rand({6, 4}).set_requires_grad(true),
                        torch::rand({5}).set_requires_grad(true)};
  auto Opt = probe::run(Name + ".construct", [&] { return std::make_unique<Optimizer>(std::vector<Tensor>(P), O); });
  auto makeGradients = [&] {
    for (auto &T : P)
      T.mutable_grad() = torch::rand(T.sizes());
  };
  probe::run(Name + ".zero_grad.none", [&] { Opt->zero_grad(); return 0; });
  for (int I = 1; I <= 3; ++I) {
    makeGradients();
    probe::run(Name + ".step" + std::to_string(I), [&] { Opt->step(); return 0; });
  }
  probe::run(Name + ".zero_grad", [&] { Opt->zero_grad(); return 0; });
  probe::run(Name + ".die", [&] { Opt.reset(); return 0; });
}

void probeLBFGS(const std::string &Name, optim::LBFGSOptions O) {
  std::vector<Tensor> P{torch::rand({6, 4}).set_requires_grad(true),
                        torch::rand({5}).set_requires_grad(true)};
  auto A = torch::rand({6, 4}), B = torch::rand({5});
  optim::LBFGS Opt(P, O);
  auto Closure = [&] {
    Opt.zero_grad();
    auto Loss = (P[0] - A).pow(2).sum() + (P[1] - B).pow(2).sum();
    Loss.backward();
    return Loss;
  };
  for (int I = 1; I <= 3; ++I) {
    probe::run(Name + ".closure" + std::to_string(I), [&] { Closure(); return 0; });
    probe::run(Name + ".step" + std::to_string(I), [&] { Opt.step(Closure); return 0; });
  }
}

int main() {
  probe::Session Session;
  using namespace optim;
  probeOptimizer<SGD>("SGD", SGDOptions(0.1));
  probeOptimizer<SGD>("SGD.momentum", SGDOptions(0.1).momentum(0.5));
  probeOptimizer<SGD>("SGD.decay", SGDOptions(0.1).weight_decay(0.5));
  probeOptimizer<SGD>("SGD.momentum.decay", SGDOptions(0.1).momentum(0.5).weight_decay(0.1));
  probeOptimizer<SGD>("SGD.nesterov", SGDOptions(0.1).momentum(0.5).nesterov(true));
  probeOptimizer<SGD>("SGD.nesterov.decay", SGDOptions(0.1).momentum(0.5).nesterov(true).weight_decay(0.1));
  probeOptimizer<Adam>("Adam", AdamOptions(0.1));
  probeOptimizer<Adam>("Adam.decay", AdamOptions(0.1).weight_decay(0.1));
  probeOptimizer<Adam>("Adam.amsgrad", AdamOptions(0.1).amsgrad(true));
  probeOptimizer<AdamW>("AdamW", AdamWOptions(0.1));
  probeOptimizer<AdamW>("AdamW.nodecay", AdamWOptions(0.1).weight_decay(0));
  probeOptimizer<AdamW>("AdamW.amsgrad", AdamWOptions(0.1).amsgrad(true));
  probeOptimizer<RMSprop>("RMSprop", RMSpropOptions(0.1));
  probeOptimizer<RMSprop>("RMSprop.decay", RMSpropOptions(0.1).weight_decay(0.1));
  probeOptimizer<RMSprop>("RMSprop.momentum", RMSpropOptions(0.1).momentum(0.5));
  probeOptimizer<RMSprop>("RMSprop.centered", RMSpropOptions(0.1).centered(true));
  probeOptimizer<RMSprop>("RMSprop.centered.momentum", RMSpropOptions(0.1).centered(true).momentum(0.5));
  probeOptimizer<Adagrad>("Adagrad", AdagradOptions(0.1));
  probeOptimizer<Adagrad>("Adagrad.decay", AdagradOptions(0.1).weight_decay(0.1).lr_decay(0.1));
  probeLBFGS("LBFGS", LBFGSOptions(0.1).max_iter(3));
  probeLBFGS("LBFGS.history", LBFGSOptions(0.1).max_iter(3).history_size(2));
}
