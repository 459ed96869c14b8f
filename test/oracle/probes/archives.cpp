// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes two TorchScript archives, a module and what is left of it when it is
// frozen, and says what LibTorch reads from them. With $ORACLE_RECORDED they go
// there: recorded/net.pt and recorded/frozen.pt, which unit tests read.
// LibTorch keeps the texts of pickles and code in CPU memory while it loads, and
// the debug text after it: those allocations are in the lists too.
#include "probe.h"

#include <torch/script.h>

using torch::jit::Module;

static Module makeNet() {
  Module Conv("Conv"), Norm("Norm"), Net("Net");
  Conv.register_parameter("weight", torch::randn({8, 3, 3, 3}), false);
  Conv.register_parameter("bias", torch::randn({8}), false);
  Conv.define("def forward(self, x):\n"
              "  return torch.conv2d(x, self.weight, self.bias)\n");
  Norm.register_parameter("weight", torch::ones({8}), false);
  Norm.register_parameter("bias", torch::zeros({8}), false);
  Norm.register_buffer("running_mean", torch::zeros({8}));
  Norm.register_buffer("running_var", torch::ones({8}));
  Norm.register_buffer("num_batches_tracked", torch::zeros({}, torch::kLong));
  Norm.define("def forward(self, x):\n"
              "  return torch.batch_norm(x, self.weight, self.bias, self.running_mean, "
              "self.running_var, False, 0.1, 1e-05, True)\n");
  Net.register_module("conv", Conv);
  Net.register_module("norm", Norm);
  // Two parameters on one storage, and a tensor that is neither parameter nor buffer.
  auto Tied = torch::randn({16, 8});
  Net.register_parameter("embed", Tied, false);
  Net.register_parameter("head", Tied.t(), false);
  Net.register_attribute("scale", c10::TensorType::get(),
                         torch::full({2, 2}, 2.0, torch::kDouble));
  Net.define("def forward(self, x):\n"
             "  y = torch.relu(self.norm.forward(self.conv.forward(x))).mean([2, 3])\n"
             "  return torch.mm(y, torch.mm(self.head, self.embed)) * self.scale.sum()\n");
  return Net;
}

template <typename List> static void print(const char *Name, const List &Tensors) {
  std::printf(",\n  \"%s\": [", Name);
  bool First = true;
  for (const auto &T : Tensors) {
    std::printf("%s%lld", First ? "" : ", ", (long long)T.value.numel());
    First = false;
  }
  std::printf("]");
}

int main() {
  probe::Session Session;
  torch::manual_seed(1);
  const char *Dir = std::getenv("ORACLE_RECORDED");
  std::string Prefix = Dir ? std::string(Dir) + "/" : "";
  Module Net = makeNet();
  Net.save(Prefix + "net.pt");
  Net.eval();
  torch::jit::freeze(Net).save(Prefix + "frozen.pt");

  auto M = probe::run("net.load", [&] { return torch::jit::load(Prefix + "net.pt"); });
  print("net.parameters", M.named_parameters());
  print("net.buffers", M.named_buffers());
  probe::run("net.to.same", [&] { M.to(torch::kCPU); return 0; });
  probe::run("net.to.half", [&] { M.to(torch::kHalf); return 0; });
  auto F = probe::run("frozen.load", [&] { return torch::jit::load(Prefix + "frozen.pt"); });
  print("frozen.parameters", F.named_parameters());
  probe::run("frozen.to.half", [&] { F.to(torch::kHalf); return 0; });
}
