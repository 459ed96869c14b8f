// RUN: %check_torch %s torch-data-ptr-escapes-tensor %t -- -- -std=c++17 -I%S/../Inputs
// REQUIRES: libtorch
//
// Pointers into tensors that die before them, and those whose tensor lives on.
#include <torch/torch.h>

#include <cstdlib>
#include <cstring>
#include <vector>

float *freshBad(torch::Tensor x) {
  auto y = x.mul(2);
  // CHECK-MESSAGES: :[[@LINE+1]]:12: warning: the returned pointer points into 'y', which is destroyed at the end of this function [torch-data-ptr-escapes-tensor]
  return y.data_ptr<float>();
}

float *factoryBad(int64_t n) {
  torch::Tensor buffer = torch::zeros({n});
  // CHECK-MESSAGES: :[[@LINE+1]]:21: warning: the returned pointer points into 'buffer'
  float *p = buffer.data_ptr<float>();
  p[0] = 1;
  return p + 1;
}
float *offsetBad(int64_t n) {
  torch::Tensor buffer = torch::zeros({n});
  // CHECK-MESSAGES: :[[@LINE+1]]:17: warning: the returned pointer points into 'buffer'
  return buffer.data_ptr<float>() + 4;
}

float *maybeBad(torch::Tensor x) {
  auto y = x.contiguous();
  // CHECK-MESSAGES: :[[@LINE+1]]:12: warning: the returned pointer points into 'y', which is destroyed at the end of this function, unless 'contiguous' had nothing to do and gave its caller's tensor
  return y.data_ptr<float>();
}

static float *Last;
class Reader {
public:
  void readBad(torch::Tensor x) {
    auto y = x.exp();
    // CHECK-MESSAGES: :[[@LINE+1]]:14: warning: 'data' points into 'y', which is destroyed at the end of this function
    data = y.data_ptr<float>();
    auto z = x + y;
    // CHECK-MESSAGES: :[[@LINE+1]]:14: warning: 'Last' points into 'z'
    Last = z.data_ptr<float>();
  }
  void keepOk(torch::Tensor x) {
    auto y = x.exp();
    kept = y;
    data = y.data_ptr<float>();
    data = kept.data_ptr<float>();
  }

private:
  float *data = nullptr;
  torch::Tensor kept;
};

// ---- The tensor lives on

float *parameterOk(torch::Tensor x) { return x.data_ptr<float>(); }
float *viewOk(torch::Tensor &x) {
  auto row = x[0];
  return row.data_ptr<float>();
}
float *staticOk() {
  static torch::Tensor table = torch::zeros({16});
  return table.data_ptr<float>();
}
float *givenOk(std::vector<torch::Tensor> &owner, torch::Tensor x) {
  auto y = x.mul(2);
  owner.push_back(y);
  return y.data_ptr<float>();
}
float *outOk(torch::Tensor &out, torch::Tensor x) {
  auto y = x.mul(2);
  out = y;
  return y.data_ptr<float>();
}
float valueOk(torch::Tensor x) {
  auto y = x.mul(2);
  return *y.data_ptr<float>();
}
float *copyOk(torch::Tensor x) {
  auto y = x.mul(2);
  float *p = static_cast<float *>(std::malloc(y.nbytes()));
  std::memcpy(p, y.data_ptr<float>(), y.nbytes());
  return p;
}
std::vector<float> vectorOk(torch::Tensor x) {
  auto y = x.mul(2);
  return std::vector<float>(y.data_ptr<float>(), y.data_ptr<float>() + y.numel());
}

// ---- Unknown: who else has it?

torch::Tensor find();
float *functionOk() {
  auto y = find();
  return y.data_ptr<float>();
}
float *bufferOk(torch::nn::BatchNorm1d &norm) {
  torch::Tensor y = norm->running_mean;
  return y.data_ptr<float>();
}
