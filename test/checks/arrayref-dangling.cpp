// RUN: %check_torch %s torch-arrayref-dangling %t
//
// References to elements that are gone, and those whose elements live on.
#include <torch/torch.h>

#include <vector>

std::vector<int64_t> shape();
int64_t count(torch::IntArrayRef sizes);
void take(torch::TensorList tensors);

void listBad(int64_t n) {
  // CHECK-MESSAGES: :[[@LINE+1]]:22: warning: 'sizes' refers to elements of the list in braces, which are destroyed at the end of this statement{{.*}} [torch-arrayref-dangling]
  torch::IntArrayRef sizes = {n, 3};
  // CHECK-FIXES: {{^  }}std::vector<int64_t> sizes = {n, 3};
  torch::zeros(sizes);
  for (int64_t size : sizes)
    count({size});
}

void initBad() {
  // CHECK-MESSAGES: :[[@LINE+1]]:19: warning: 'sizes' refers to elements of the list in braces
  at::IntArrayRef sizes({2, 3});
  // CHECK-FIXES: {{^  }}std::vector<int64_t> sizes({2, 3});
  count(sizes);
}

void temporaryBad(torch::Tensor t) {
  // CHECK-MESSAGES: :[[@LINE+1]]:22: warning: 'sizes' refers to elements of a temporary 'std::vector<{{.*}}>'
  torch::IntArrayRef sizes = shape();
  // CHECK-FIXES: {{^  }}std::vector<int64_t> sizes = shape();
  // CHECK-MESSAGES: :[[@LINE+1]]:22: warning: 'other' refers to elements of a temporary 'std::vector<{{.*}}>'
  torch::IntArrayRef other = t.sizes().vec();
  // CHECK-FIXES: {{^  }}std::vector<int64_t> other = t.sizes().vec();
  count(sizes);
  count(other);
}

void tensorsBad(torch::Tensor a, torch::Tensor b) {
  // CHECK-MESSAGES: :[[@LINE+1]]:21: warning: 'list' refers to elements of the list in braces
  torch::TensorList list = {a, b};
  // CHECK-FIXES: {{^  }}std::vector<at::Tensor> list = {a, b};
  take(list);
}

// A method that std::vector lacks: no fix.
void methodBad() {
  // CHECK-MESSAGES: :[[@LINE+1]]:22: warning: 'sizes' refers to elements of the list in braces
  torch::IntArrayRef sizes = {2, 3};
  sizes.slice(1);
}

// The sizes lie in the tensor, which is a temporary.
void sizesBad(torch::Tensor a) {
  // CHECK-MESSAGES: :[[@LINE+1]]:8: warning: 'sizes' refers to elements of the tensor that 'permute' returns
  auto sizes = a.permute({1, 0}).sizes();
  // CHECK-MESSAGES: :[[@LINE+1]]:22: warning: 'summed' refers to elements of the tensor that 'operator' returns
  torch::IntArrayRef summed = (a + a).sizes();
  count(sizes);
  count(summed);
}

struct Options {
  // CHECK-MESSAGES: :[[@LINE+1]]:22: warning: 'kernel' refers to elements of the list in braces
  torch::IntArrayRef kernel = {3, 3};
  torch::IntArrayRef sizes, others;
  // CHECK-MESSAGES: :[[@LINE+1]]:15: warning: 'sizes' refers to elements of a temporary
  Options() : sizes(shape()) {}
  // The caller's elements.
  explicit Options(torch::IntArrayRef given) : kernel(given), sizes(given) {}
  void assignBad() {
    // CHECK-MESSAGES: :[[@LINE+1]]:5: warning: 'others' refers to elements of a temporary
    others = shape();
  }
};

// An argument lives until the call is done.
int64_t argumentOk(torch::IntArrayRef sizes = {2, 3}) {
  return count({2, 3}) + count(shape()) + torch::zeros({2, 3}).sizes()[0] + sizes[0];
}

void livingOk(torch::Tensor t, const std::vector<int64_t> &given) {
  torch::IntArrayRef sizes = t.sizes();
  torch::IntArrayRef empty = {};
  torch::IntArrayRef none;
  torch::IntArrayRef same = given;
  torch::IntArrayRef copy = sizes;
  std::vector<int64_t> own = {2, 3};
  torch::IntArrayRef of = own;
  static const int64_t table[] = {1, 2};
  torch::IntArrayRef fixed = table;
  // contiguous() may return t itself, and then its sizes live on.
  auto maybe = t.contiguous().sizes();
  for (auto each : {sizes, empty, none, same, copy, of, fixed, maybe})
    count(each);
}
