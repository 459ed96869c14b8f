// RUN: %check_torch %s torch-accessor-long %t
// RUN: rm -rf %t.dir && mkdir -p %t.dir && cp %s %t.dir/linux.cpp
// RUN: echo "CheckOptions: {torch-accessor-long.Portable: false}" > %t.dir/.clang-tidy
// RUN: %check_torch --suffix=LINUX %t.dir/linux.cpp torch-accessor-long %t.dir/out
//
// Types with and without a definition in LibTorch. What links was tried with
// the libraries of 1.13.1 on Linux.
#include <torch/torch.h>

#include <cstddef>

void longBad(torch::Tensor t) {
  // CHECK-MESSAGES: :[[@LINE+1]]:24: warning: 'long' is int64_t on some platforms only: elsewhere 'data_ptr<long>' has no definition to link with{{.*}} [torch-accessor-long]
  long *p = t.data_ptr<long>();
  // CHECK-FIXES: {{^  }}int64_t *p = t.data_ptr<int64_t>();
  // CHECK-MESSAGES: :[[@LINE+1]]:23: warning: {{.*}} elsewhere 'accessor<long>' has no definition
  auto a = t.accessor<long, 2>();
  // CHECK-FIXES: {{^  }}auto a = t.accessor<int64_t, 2>();
  // CHECK-MESSAGES: :[[@LINE+1]]:23: warning: {{.*}} elsewhere 'item<long>' has no definition
  long first = t.item<long>();
  // CHECK-FIXES: {{^  }}long first = t.item<int64_t>();
}

void longLongBad(torch::Tensor t) {
  // CHECK-MESSAGES: :[[@LINE+2]]:29: warning: LibTorch has no definition of 'data_ptr<long long>': the program does not link
  // CHECK-MESSAGES-LINUX: :[[@LINE+1]]:29: warning: LibTorch has no definition of 'data_ptr<long long>': the program does not link
  long long *p = t.data_ptr<long long>();
  // CHECK-FIXES: {{^  }}int64_t *p = t.data_ptr<int64_t>();
  // CHECK-MESSAGES: :[[@LINE+2]]:19: warning: LibTorch has no definition of 'item<long long>'
  // CHECK-MESSAGES-LINUX: :[[@LINE+1]]:19: warning: LibTorch has no definition of 'item<long long>'
  auto n = t.item<long long>();
  // CHECK-FIXES: {{^  }}auto n = t.item<int64_t>();
}

// No fix: which type is meant depends on the tensor.
void charBad(torch::Tensor t) {
  // CHECK-MESSAGES: :[[@LINE+2]]:14: warning: LibTorch has no definition of 'data_ptr<char>'
  // CHECK-MESSAGES-LINUX: :[[@LINE+1]]:14: warning: LibTorch has no definition of 'data_ptr<char>'
  t.data_ptr<char>();
}

int64_t definedOk(torch::Tensor t) {
  auto a = t.accessor<int64_t, 1>();
  t.data_ptr<uint8_t>();
  t.data_ptr<int>();
  t.data_ptr<short>();
  t.data_ptr<bool>();
  t.data_ptr<c10::Half>();
  t.item<double>();
  return a[0] + t.data_ptr<int64_t>()[0] + t.item<int64_t>() + t.item().toLong();
}

// The caller's type, whatever it is.
template <typename T> T *templateOk(torch::Tensor t) { return t.data_ptr<T>(); }
template long *templateOk(torch::Tensor);

// Not a tensor's.
struct Value {
  template <typename T> T item() const { return T(); }
};
long otherOk(Value v) { return v.item<long>(); }
