// RUN: %check_torch %s torch-model-load-per-call %t
//
// Models loaded once per iteration or call, and loads that look alike.
#include <torch/script.h>
#include <torch/torch.h>

#include <iostream>
#include <string>
#include <vector>

using Inputs = std::vector<torch::jit::IValue>;

void loopBad(const std::vector<Inputs> &frames, const std::string &path) {
  torch::NoGradGuard no_grad;
  for (const Inputs &in : frames) {
    // CHECK-MESSAGES: :[[@LINE+1]]:18: warning: torch::jit::load reads the same file in each iteration{{.*}} [torch-model-load-per-call]
    auto model = torch::jit::load(path);
    model.eval();
    model.forward(in);
  }
}

void holderBad(torch::nn::Sequential &net) {
  while (true) {
    // CHECK-MESSAGES: :[[@LINE+1]]:5: warning: torch::load reads the same file in each iteration
    torch::load(net, "net.pt");
    std::cout << net->forward(torch::rand({1, 8}));
  }
}

torch::Tensor predictBad(torch::Tensor image) {
  torch::NoGradGuard no_grad;
  // CHECK-MESSAGES: :[[@LINE+1]]:16: warning: torch::jit::load reads the file in each call of 'predictBad'
  auto model = torch::jit::load("model.pt");
  model.eval();
  return model.forward({image}).toTensor();
}

static float scoreBad(torch::Tensor image) {
  torch::NoGradGuard no_grad;
  // CHECK-MESSAGES: :[[@LINE+1]]:16: warning: torch::jit::load reads the file in each call of 'scoreBad'
  auto model = torch::jit::load("score.pt");
  model.eval();
  return model.forward({image}).toTensor().item<float>();
}
void scoreAll(const std::vector<torch::Tensor> &images) {
  for (const auto &image : images)
    std::cout << scoreBad(image);
}

void onceOk(const std::vector<Inputs> &frames) {
  torch::NoGradGuard no_grad;
  auto model = torch::jit::load("model.pt");
  model.eval();
  for (const Inputs &in : frames)
    model.forward(in);
}

void otherPathsOk(const std::vector<std::string> &paths, Inputs in) {
  torch::NoGradGuard no_grad;
  for (const std::string &path : paths)
    torch::jit::load(path).forward(in);
  for (int fold = 0; fold < 5; ++fold) {
    auto model = torch::jit::load("fold" + std::to_string(fold) + ".pt");
    model.forward(in);
  }
  for (size_t i = 0; i < paths.size(); ++i)
    torch::jit::load(paths[i]).forward(in);
}

void untilLoadedOk(Inputs in) {
  torch::jit::Module model;
  while (true) {
    try {
      model = torch::jit::load("model.pt");
      break;
    } catch (const c10::Error &) {
    }
  }
  model.forward(in);
}

void whenChangedOk(bool (*changed)(), Inputs in) {
  auto model = torch::jit::load("model.pt");
  while (true) {
    if (changed())
      model = torch::jit::load("model.pt");
    model.forward(in);
  }
}

void tensorsOk(std::vector<torch::Tensor> &tensors) {
  for (torch::Tensor &t : tensors)
    torch::load(t, "one.pt");
}

// Loaded when first called.
torch::Tensor detectOk(torch::Tensor image) {
  static torch::jit::Module model = torch::jit::load("model.pt");
  return model.forward({image}).toTensor();
}

// Once, for one file each.
static float scoreOk(const std::string &path, torch::Tensor image) {
  auto model = torch::jit::load(path);
  return model.forward({image}).toTensor().item<float>();
}
void compareOk(const std::vector<std::string> &paths, torch::Tensor image) {
  for (const auto &path : paths)
    std::cout << scoreOk(path, image);
}

static void smokeTestOk(torch::Tensor image) {
  auto model = torch::jit::load("model.pt");
  model.forward({image});
}
int main() { smokeTestOk(torch::rand({1, 3, 8, 8})); }
