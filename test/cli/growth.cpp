// A loop that leaves more behind with each iteration: how much, what, and by which
// line; where a container is bounded by its size, nothing is said to grow.
// REQUIRES: libtorch, vramlint
//
// RUN: %vramlint --quiet --gpu t4 --checks=-* %s
// RUN: %vramlint --gpu t4 --checks=-* %s 2>&1 | FileCheck %s
//
// CHECK: The loop at {{.*}}growth.cpp:23 keeps 250 KiB more with each iteration (most of it made at {{.*}}growth.cpp:24, kept by the graph that grows at {{.*}}growth.cpp:26); NVIDIA T4 is full after about 5{{[0-9],[0-9]+}}; 23.8 GiB after all 99,99{{[0-9]}} that follow
// CHECK-NEXT: The loop at {{.*}}growth.cpp:30 keeps 4.00 KiB more with each iteration (most of it made at {{.*}}growth.cpp:31, held by a container); 312 MiB after all
// CHECK-NOT: The loop at
// CHECK: NVIDIA T4 (--gpu): not judged
#include <torch/torch.h>

#include <deque>
#include <vector>

int main() {
  torch::nn::Linear net(1000, 1000);
  net->to(torch::kCUDA);

  // The graph of each iteration hangs on the sum.
  torch::Tensor total = torch::zeros({}, torch::kCUDA);
  for (int i = 0; i < 100000; ++i) {
    auto x = torch::randn({64, 1000}, torch::kCUDA);
    auto loss = net->forward(x).sum();
    total += loss;
  }

  std::vector<torch::Tensor> kept;
  for (int i = 0; i < 100000; ++i) {
    auto noise = torch::randn({1024}, torch::kCUDA);
    kept.push_back(noise);
  }

  // Few enough to be run one by one: known, not growing.
  std::vector<torch::Tensor> samples;
  for (int i = 0; i < 100; ++i)
    samples.push_back(torch::randn({16}));
  if (torch::stack(samples).size(0) != 100)
    net->to(torch::kDouble);

  std::deque<torch::Tensor> last;
  for (int i = 0; i < 1000; ++i) {
    last.push_back(torch::randn({1024}, torch::kCUDA));
    if (last.size() > 50)
      last.pop_front();
  }
}
