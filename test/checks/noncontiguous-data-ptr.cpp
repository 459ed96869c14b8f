// RUN: %check_torch %s torch-noncontiguous-data-ptr %t -- --quiet -- -std=c++17 -I%S/../Inputs
//
// Memory read in an order that the tensor doesn't have, and memory that is in
// order.
#include <torch/torch.h>

#include "cv.h"
#include <algorithm>
#include <cstring>
#include <vector>

void unknown(const float *);

void memcpyBad(torch::Tensor t, float *to) {
  t = t.permute({1, 2, 0});
  // CHECK-MESSAGES: :[[@LINE+1]]:21: warning: elements are not in order here: 'permute' changes strides only, and this pointer is used as if they lay one after the other{{.*}} [torch-noncontiguous-data-ptr]
  std::memcpy(to, t.data_ptr<float>(), 64);
  // CHECK-FIXES: std::memcpy(to, t.contiguous().data_ptr<float>(), 64);
}

cv::Mat matBad(torch::Tensor t) {
  auto image = t.squeeze().detach().permute({1, 2, 0}).mul(255).to(torch::kU8).cpu();
  // CHECK-MESSAGES: :[[@LINE+1]]:36: warning: elements are not in order here: 'permute'
  cv::Mat mat(8, 8, CV_8UC3, image.data_ptr());
  // CHECK-FIXES: cv::Mat mat(8, 8, CV_8UC3, image.contiguous().data_ptr());
  return mat.clone();
}

float loopBad(torch::Tensor t) {
  auto turned = t.transpose(0, 1);
  // CHECK-MESSAGES: :[[@LINE+1]]:27: warning: elements are not in order here: 'transpose'
  const float *p = turned.data_ptr<float>();
  // CHECK-FIXES: {{^  }}auto turned = t.transpose(0, 1).contiguous();
  float sum = 0;
  for (int i = 0; i < 12; ++i)
    sum += p[i];
  return sum;
}

void vectorBad(torch::Tensor t) {
  auto turned = t.t();
  // CHECK-MESSAGES: :[[@LINE+1]]:31: warning: elements are not in order here: 't'
  std::vector<float> v(turned.data_ptr<float>(), turned.data_ptr<float>() + 12);
  // CHECK-MESSAGES: :[[@LINE-1]]:57: warning: elements are not in order here: 't'
}

// Written to: a copy would be of no use, so there is no fix.
void writtenBad(torch::Tensor t, const float *from) {
  auto turned = t.permute({1, 0});
  // CHECK-MESSAGES: :[[@LINE+1]]:22: warning: elements are not in order here: 'permute'
  std::memcpy(turned.data_ptr<float>(), from, 64);
}

void contiguousOk(torch::Tensor t, float *to) {
  auto turned = t.permute({1, 2, 0}).contiguous();
  std::memcpy(to, turned.data_ptr<float>(), 64);
  std::memcpy(to, t.t().contiguous().data_ptr<float>(), 64);
  turned = t.permute({1, 2, 0});
  turned = turned.reshape({-1});
  std::memcpy(to, turned.data_ptr<float>(), 64);
}

void stridesOk(torch::Tensor t, float *to) {
  auto turned = t.t();
  const float *p = turned.data_ptr<float>();
  for (int i = 0; i < 3; ++i)
    to[i] = p[i * turned.stride(0)];
}

// The first dimension: still one after the other.
void firstDimensionOk(torch::Tensor t, float *to) {
  std::memcpy(to, t.slice(0, 1, 2).data_ptr<float>(), 64);
  std::memcpy(to, t[0].data_ptr<float>(), 64);
  std::memcpy(to, t.select(0, 1).data_ptr<float>(), 64);
}

// There and back again; as it was.
void backOk(torch::Tensor t, float *to, int64_t a, int64_t b) {
  std::memcpy(to, t.permute({2, 0, 1}).permute({1, 2, 0}).data_ptr<float>(), 64);
  std::memcpy(to, t.permute({0, 1, 2}).data_ptr<float>(), 64);
  std::memcpy(to, t.transpose(a, b).data_ptr<float>(), 64);
}

// What the pointer is for isn't known; or one element only.
void unknownOk(torch::Tensor t) {
  auto turned = t.t();
  unknown(turned.data_ptr<float>());
  float first = turned.data_ptr<float>()[0];
  unknown(&first);
}

// Another batch of elements by then.
void branchOk(torch::Tensor t, float *to, bool turn) {
  if (turn)
    t = t.t();
  std::memcpy(to, t.data_ptr<float>(), 64);
}

// FN: whether dimension 0 is longer than 1 isn't known.
void FN_slice(torch::Tensor t, float *to) {
  std::memcpy(to, t.slice(1, 0, 2).data_ptr<float>(), 64);
}

// Permuted the other way by a helper, and clone() keeps strides: in order again.
struct Sample {
  torch::Tensor image;
};
torch::Tensor readImage(unsigned char *pixels) {
  return torch::from_blob(pixels, {8, 8, 3}, torch::kByte).permute({2, 0, 1}).clone();
}
Sample readSample(unsigned char *pixels) { return {readImage(pixels)}; }
void helperOk(unsigned char *pixels, unsigned char *to) {
  std::memcpy(to, readImage(pixels).permute({1, 2, 0}).data_ptr(), 192);
  auto turned = readSample(pixels).image.permute({1, 2, 0});
  std::memcpy(to, turned.clamp(0, 9).data_ptr(), 192);
}
