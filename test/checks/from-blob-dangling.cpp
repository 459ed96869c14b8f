// RUN: %check_torch %s torch-from-blob-dangling %t -- --quiet -- -std=c++17 -I%S/../Inputs
//
// Tensors that outlive their memory, and those that own it or die before it.
#include <torch/torch.h>

#include "cv.h"
#include <array>
#include <cstdlib>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

std::vector<float> makeBuffer();

torch::Tensor returnedBad() {
  std::vector<float> v(4);
  // CHECK-MESSAGES: :[[@LINE+1]]:10: warning: this tensor uses the memory of local 'v', and is returned{{.*}} [torch-from-blob-dangling]
  return torch::from_blob(v.data(), {2, 2});
  // CHECK-FIXES: return torch::from_blob(v.data(), {2, 2}).clone();
}

torch::Tensor parameterBad(std::vector<float> v) {
  // CHECK-MESSAGES: :[[@LINE+1]]:12: warning: this tensor uses the memory of parameter 'v', passed by value, and is returned
  auto t = torch::from_blob(v.data(), {2, 2});
  // CHECK-FIXES: auto t = torch::from_blob(v.data(), {2, 2}).clone();
  return t.permute({1, 0});
}

torch::Tensor arrayBad() {
  float a[4] = {};
  // CHECK-MESSAGES: :[[@LINE+1]]:21: warning: this tensor uses the memory of local 'a', and is returned
  torch::Tensor t = torch::from_blob(a, {4});
  // CHECK-FIXES: torch::Tensor t = torch::from_blob(a, {4}).clone();
  t = t.view({2, 2});
  t.mul_(2);
  return t;
}

torch::Tensor deviceBad(std::vector<float> v, torch::Device device) {
  // CHECK-MESSAGES: :[[@LINE+1]]:10: warning: this tensor uses the memory of parameter 'v', passed by value, and is returned
  return torch::from_blob(v.data(), {4}).to(device);
  // CHECK-FIXES: return torch::from_blob(v.data(), {4}).clone().to(device);
}

void temporaryBad() {
  // CHECK-MESSAGES: :[[@LINE+1]]:12: warning: this tensor uses the memory of what makeBuffer() returns, destroyed at the end of this statement, and is used through 't' later
  auto t = torch::from_blob(makeBuffer().data(), {4});
  // CHECK-FIXES: auto t = torch::from_blob(makeBuffer().data(), {4}).clone();
  t.sum();
}

struct Holder {
  torch::Tensor value, other;
  std::vector<torch::Tensor> all;
  std::vector<float> buffer;

  // CHECK-MESSAGES: :[[@LINE+1]]:40: warning: this tensor uses the memory of parameter 'v', passed by value, and is stored in member 'value'
  Holder(std::vector<float> v) : value(torch::from_blob(v.data(), {4})) {}
  // CHECK-FIXES: value(torch::from_blob(v.data(), {4}).clone())
  void setBad() {
    std::array<float, 4> a{};
    // CHECK-MESSAGES: :[[@LINE+1]]:13: warning: this tensor uses the memory of local 'a', and is stored in member 'value'
    value = torch::from_blob(a.data(), {4});
    // CHECK-FIXES: value = torch::from_blob(a.data(), {4}).clone();
    // CHECK-MESSAGES: :[[@LINE+1]]:19: warning: this tensor uses the memory of local 'a', and is stored in member 'all'
    all.push_back(torch::from_blob(a.data(), {4}));
    // CHECK-FIXES: all.push_back(torch::from_blob(a.data(), {4}).clone());
  }
  // The buffer lives as long as the tensor.
  void memberOk() { value = torch::from_blob(buffer.data(), {4}); }
};

struct Data : torch::data::Dataset<Data> {
  torch::data::Example<> get(size_t) override {
    cv::Mat image = cv::imread("x.png");
    // CHECK-MESSAGES: :[[@LINE+1]]:14: warning: this tensor uses the memory of local 'image', and is returned
    auto x = torch::from_blob(image.data, {image.rows, image.cols, 3}, torch::kByte);
    // CHECK-FIXES: torch::kByte).clone();
    x = x.permute({2, 0, 1});
    return {x, torch::tensor(1)};
  }
  torch::optional<size_t> size() const override { return 1; }
};

void outParameterBad(torch::Tensor &out) {
  float a[2] = {1, 2};
  // CHECK-MESSAGES: :[[@LINE+1]]:9: warning: this tensor uses the memory of local 'a', and is stored in parameter 'out'
  out = torch::from_blob(a, {2});
  // CHECK-FIXES: out = torch::from_blob(a, {2}).clone();
}

torch::Tensor loopBad(int n) {
  std::vector<torch::Tensor> rows;
  for (int i = 0; i < n; ++i) {
    std::vector<float> row(4);
    // CHECK-MESSAGES: :[[@LINE+1]]:20: warning: this tensor uses the memory of local 'row', destroyed at the end of its block, and is used through 'rows' later
    rows.push_back(torch::from_blob(row.data(), {4}));
    // CHECK-FIXES: rows.push_back(torch::from_blob(row.data(), {4}).clone());
  }
  return torch::stack(rows);
}

std::pair<torch::Tensor, int> pairBad(int n) {
  auto buffer = std::make_unique<float[]>(n);
  // CHECK-MESSAGES: :[[@LINE+1]]:12: warning: this tensor uses the memory of local 'buffer', and is returned
  auto t = torch::from_blob(buffer.get(), {n});
  // CHECK-FIXES: auto t = torch::from_blob(buffer.get(), {n}).clone();
  return {t, n};
}

std::function<torch::Tensor()> lambdaBad() {
  std::vector<float> v(4);
  // CHECK-MESSAGES: :[[@LINE+1]]:12: warning: this tensor uses the memory of local 'v', and is returned
  auto t = torch::from_blob(v.data(), {4});
  // CHECK-FIXES: auto t = torch::from_blob(v.data(), {4}).clone();
  return [t] { return t.sum(); };
}

// Copies.
torch::Tensor cloneOk(std::vector<float> v) {
  auto t = torch::from_blob(v.data(), {4}).clone();
  return t.view({2, 2});
}
torch::Tensor arithmeticOk(std::vector<float> v) {
  auto t = torch::from_blob(v.data(), {4});
  return t / 255;
}
torch::Tensor catOk(std::vector<float> v) {
  auto t = torch::from_blob(v.data(), {4});
  return torch::cat({t, t});
}
torch::Tensor cudaOk(std::vector<float> v) {
  auto t = torch::from_blob(v.data(), {4});
  return t.to(torch::kCUDA);
}
torch::Tensor convertedOk(std::vector<uint8_t> v) {
  auto t = torch::from_blob(v.data(), {4}, torch::kByte);
  return t.to(torch::kFloat);
}
torch::Tensor copyFlagOk(std::vector<float> v, torch::Device device) {
  return torch::from_blob(v.data(), {4}).to(device, torch::kFloat, false, true);
}
torch::Tensor reassignedOk(std::vector<float> v) {
  auto t = torch::from_blob(v.data(), {4});
  t = t.clone();
  return t;
}
torch::Tensor transposedOk(std::vector<float> v) {
  auto t = torch::from_blob(v.data(), {2, 2}).permute({1, 0}).contiguous();
  return t;
}

// Someone else owns the memory, and keeps it.
torch::Tensor deleterOk(int n) {
  auto *p = static_cast<float *>(malloc(n * sizeof(float)));
  return torch::from_blob(p, {n}, ::free);
}
torch::Tensor ownerOk(int n) {
  auto v = std::make_shared<std::vector<float>>(n);
  return torch::from_blob(v->data(), {n}, [v](void *) {});
}
torch::Tensor referenceOk(std::vector<float> &v, float *p) {
  return torch::from_blob(v.data(), {4}) + torch::from_blob(p, {4});
}
torch::Tensor staticOk() {
  static float table[4] = {};
  return torch::from_blob(table, {4});
}
std::pair<torch::Tensor, std::vector<float>> movedOk(int n) {
  std::vector<float> v(n);
  auto t = torch::from_blob(v.data(), {n});
  return {t, std::move(v)};
}
// A cv::Mat is a handle: the caller's may hold the data.
torch::Tensor matOk(cv::Mat image) {
  return torch::from_blob(image.data, {image.rows, image.cols}, torch::kByte);
}

// A class of the program's own: what its insert() does isn't known.
struct Storage {
  torch::Tensor rows = torch::zeros({4, 4});
  void insert(torch::Tensor row) { rows[0].copy_(row); }
};
torch::Tensor ownClassOk() {
  Storage storage;
  for (int i = 0; i < 4; ++i) {
    std::vector<float> row(4);
    storage.insert(torch::from_blob(row.data(), {4}));
  }
  return storage.rows;
}

// Used while the memory is there.
float localOk(torch::nn::Linear net) {
  std::vector<float> v(4);
  auto t = torch::from_blob(v.data(), {4});
  return net->forward(t).item<float>();
}
torch::Tensor unknownOk(std::vector<float> v, torch::nn::Linear net) {
  auto t = torch::from_blob(v.data(), {4});
  return net->forward(t);
}
void innerOk(int n) {
  for (int i = 0; i < n; ++i) {
    std::vector<float> row(4);
    auto t = torch::from_blob(row.data(), {4});
    t.sum();
  }
}
