// RUN: %check_torch %s torch-cat-in-loop %t
// REQUIRES: libtorch
//
// Tensors that grow by being copied whole, and loops that need the joined tensor.
#include <torch/torch.h>

#include <vector>

torch::Tensor read(int64_t i);

torch::Tensor appendBad(int64_t n) {
  torch::Tensor all = torch::empty({0, 3});
  for (int64_t i = 0; i < n; ++i) {
    auto next = read(i);
    // CHECK-MESSAGES: :[[@LINE+1]]:11: warning: each iteration copies all of 'all' to append to it [torch-cat-in-loop]
    all = torch::cat({all, next}, 0);
    // CHECK-MESSAGES: :[[@LINE-4]]:3: note: in this loop; collect the parts in a std::vector<torch::Tensor> and join them once, after it
  }
  return all;
}

torch::Tensor firstBad(const std::vector<torch::Tensor> &parts) {
  torch::Tensor all;
  for (const auto &part : parts) {
    if (!all.defined())
      all = part;
    else
      // CHECK-MESSAGES: :[[@LINE+1]]:13: warning: each iteration copies all of 'all'
      all = torch::cat({all, part});
  }
  return all;
}

// ---- The joined tensor is needed each time

torch::Tensor decodeOk(torch::nn::Linear &net, torch::Tensor tokens, int64_t n) {
  torch::Tensor text = tokens.clone();
  for (int64_t i = 0; i < n; ++i) {
    auto next = net->forward(text).argmax(1);
    text = torch::cat({text, next}, 1);
  }
  return text;
}

std::vector<torch::Tensor> windowsOk(int64_t n) {
  std::vector<torch::Tensor> windows;
  torch::Tensor window = torch::zeros({4});
  for (int64_t i = 0; i < n; ++i) {
    window = torch::cat({window, read(i)});
    windows.push_back(window);
  }
  return windows;
}

// ---- Something else

torch::Tensor onceOk(int64_t n) {
  std::vector<torch::Tensor> parts;
  for (int64_t i = 0; i < n; ++i)
    parts.push_back(read(i));
  torch::Tensor all = torch::cat(parts);
  all = torch::cat({all, read(n)});
  return all;
}

torch::Tensor fewOk() {
  torch::Tensor all = read(0);
  for (int i = 1; i < 4; ++i)
    all = torch::cat({all, read(i)});
  return all;
}

void anewOk(int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    torch::Tensor pair = read(i);
    pair = torch::cat({pair, read(i + 1)});
  }
}

void othersOk(int64_t n) {
  torch::Tensor pair;
  for (int64_t i = 0; i < n; ++i)
    pair = torch::cat({read(i), read(i + 1)});
}
