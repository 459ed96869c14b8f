// RUN: %check_torch %s torch-view-rebind %t
// REQUIRES: libtorch
//
// Views that are replaced, and views that are read or written through.
#include <torch/torch.h>

#include <iostream>

void rowBad(torch::Tensor image) {
  auto row = image[0];
  // CHECK-MESSAGES: :[[@LINE+1]]:7: warning: 'row' becomes another tensor here: the values of 'image' stay as they are [torch-view-rebind]
  row = torch::zeros({3});
}

void sliceBad(torch::Tensor image, bool left) {
  torch::Tensor half = image.narrow(1, 0, 4);
  if (left)
    // CHECK-MESSAGES: :[[@LINE+1]]:10: warning: 'half' becomes another tensor here
    half = torch::ones({3, 4});
}

void writeOk(torch::Tensor image) {
  auto row = image[0];
  row.copy_(torch::zeros({3}));
  auto other = image[1];
  other += 1;
  image[2] = torch::zeros({3});
  auto last = image[3];
  last[0] = 1;
}

// The variable is used as one.
torch::Tensor walkOk(torch::Tensor x, int64_t n) {
  auto now = x[0];
  for (int64_t i = 0; i < n; ++i)
    now = now * 2;
  auto first = x[0];
  first = first + 1;
  std::cout << first;
  auto flat = x.view({-1});
  flat = torch::zeros({3});
  return now + flat;
}

// No view of anything that has a name.
void temporaryOk(torch::Tensor x) {
  auto row = torch::zeros({3, 3})[0];
  row = torch::ones({3});
  auto copy = x.clone();
  copy = torch::ones({3});
  torch::Tensor plain = x;
  plain = torch::ones({3});
  auto detached = x.detach();
  detached = torch::ones({3});
}
