// RUN: %check_torch %s torch-foreign-free %t
//
// Memory freed by who doesn't own it, and by who does.
#include <torch/torch.h>

#include <cstdlib>
#include <vector>

void tensorBad(int64_t n) {
  auto t = torch::zeros({n});
  auto u = torch::ones({n}) + 1;
  // CHECK-MESSAGES: :[[@LINE+1]]:3: warning: 'free' frees memory that belongs to tensor 't', which frees it again{{.*}} [torch-foreign-free]
  free(t.data_ptr());
  float *p = u.data_ptr<float>();
  // CHECK-MESSAGES: :[[@LINE+1]]:3: warning: 'delete[]' frees memory that belongs to tensor 'u', which frees it again
  delete[] p;
}

float usedBad(int64_t n) {
  float *p = new float[n];
  auto t = torch::from_blob(p, {n});
  auto u = t.view({1, n});
  // CHECK-MESSAGES: :[[@LINE+1]]:3: warning: 'delete[]' frees 'p' while a tensor still uses it
  delete[] p;
  return u.sum().item<float>();
}

torch::Tensor returnedBad(int64_t n) {
  auto *p = static_cast<float *>(malloc(n * sizeof(float)));
  auto t = torch::from_blob(p, {n});
  // CHECK-MESSAGES: :[[@LINE+1]]:3: warning: 'free' frees 'p' while a tensor still uses it
  std::free(p);
  return t;
}

torch::Tensor deleterBad(int64_t n) {
  float *p = new float[n];
  // CHECK-MESSAGES: :[[@LINE+1]]:37: warning: expected 'delete[]' for memory from 'new[]', got a deleter that calls 'free'
  auto t = torch::from_blob(p, {n}, free);
  auto *q = static_cast<float *>(malloc(n * sizeof(float)));
  // CHECK-MESSAGES: :[[@LINE+1]]:37: warning: expected 'free' for memory from 'malloc', got a deleter that calls 'delete[]'
  auto u = torch::from_blob(q, {n}, [](void *data) { delete[] static_cast<float *>(data); });
  return t + u;
}

torch::Tensor twiceBad(int64_t n) {
  auto *p = static_cast<float *>(malloc(n * sizeof(float)));
  auto t = torch::from_blob(p, {n}, ::free);
  auto u = t.clone();
  // CHECK-MESSAGES: :[[@LINE+1]]:3: warning: 'free' frees 'p', and the deleter of the tensor made from it frees it again
  free(p);
  return u;
}

// The buffer is the program's.
torch::Tensor ownOk(int64_t n) {
  float *p = new float[n];
  auto t = torch::from_blob(p, {n}).clone();
  delete[] p;
  return t;
}
float afterUseOk(int64_t n) {
  float *p = new float[n];
  auto t = torch::from_blob(p, {n});
  float sum = t.sum().item<float>();
  delete[] p;
  return sum;
}
torch::Tensor errorPathOk(int64_t n, bool broken) {
  auto *p = static_cast<float *>(malloc(n * sizeof(float)));
  auto t = torch::from_blob(p, {n});
  if (broken) {
    free(p);
    return torch::Tensor();
  }
  return t;
}
// The tensor is made of foreign memory, and this is how that is freed.
void blobOk(int64_t n) {
  auto *p = static_cast<float *>(malloc(n * sizeof(float)));
  auto t = torch::from_blob(p, {n});
  free(t.data_ptr());
}
void unknownOk(torch::Tensor t) { free(t.data_ptr()); }

torch::Tensor deleterOk(int64_t n) {
  float *p = new float[n];
  auto *q = malloc(n * 4);
  return torch::from_blob(p, {n}, [](void *data) { delete[] static_cast<float *>(data); }) +
         torch::from_blob(q, {n}, ::free);
}
