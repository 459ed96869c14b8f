// An input whose size changes: drawn at random, or by a schedule far into a loop that
// is cut short. The peak is that of the largest size that can be reached, and the
// output says which one it is.
// REQUIRES: libtorch, vramlint
//
// RUN: %vramlint summary --device cpu --args fixed %s | FileCheck --check-prefixes=FIXED,PEAK %s
// RUN: %vramlint summary --device cpu --args once %s | FileCheck --check-prefixes=SCHEDULE,PEAK %s
// RUN: %vramlint summary --device cpu --args cycle %s | FileCheck --check-prefixes=SCHEDULE,PEAK %s
// RUN: %vramlint summary --device cpu --args drawn %s | FileCheck --check-prefixes=FIXED,PEAK %s
// RUN: %vramlint summary --device cpu --args element %s | FileCheck --check-prefixes=FIXED,PEAK %s
// RUN: %vramlint summary --device cpu --args tensor %s | FileCheck --check-prefixes=FIXED,PEAK %s
//
// The verdict names the draw; one that no size hangs on is not mentioned.
// RUN: %vramlint --device cpu --args drawn %s 2>&1 | FileCheck --check-prefix=VERDICT %s
// RUN: %vramlint --device cpu --args alike %s 2>&1 | FileCheck --check-prefix=ALIKE %s
//
// SCHEDULE: Net{{.*}}training   input 8×3×608×608 float32 (the largest of {{2|3}} sizes)   SGD
// FIXED: Net{{.*}}training   input 8×3×608×608 float32   SGD
// PEAK: peak {{.*}}699.44 MiB
// VERDICT: drawn 608 of 320 to 608 ({{.*}}sizes.cpp:46), LibTorch
// ALIKE-NOT: drawn
// ALIKE: 8×3×320×320
#include <torch/torch.h>

#include <cstdlib>
#include <string>
#include <vector>

struct Net : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) {
    x = torch::relu(conv(x));
    return fc(torch::adaptive_avg_pool2d(x, {1, 1}).flatten(1));
  }
  torch::nn::Conv2d conv = register_module(
      "conv", torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 16, 3).padding(1)));
  torch::nn::Linear fc = register_module("fc", torch::nn::Linear(16, 10));
};

int side(const std::string &kind, int i) {
  const std::vector<int> sizes{320, 352, 608, 320};
  if (kind == "once")
    return i == 700 ? 608 : 320;
  if (kind == "cycle")
    return sizes[(i / 40) % sizes.size()];
  if (kind == "drawn")
    return 320 + 32 * (rand() % 10);
  if (kind == "element")
    return sizes[rand() % sizes.size()];
  if (kind == "tensor")
    return 32 * torch::randint(10, 20, {1}).item<int>();
  if (kind == "alike")
    return 320 + 0 * (rand() % 10);
  return 608;
}

int main(int argc, char **argv) {
  Net net;
  torch::optim::SGD optimizer(net.parameters(), 0.1);
  for (int i = 0; i < 1000; ++i) {
    int size = side(argv[1], i);
    auto x = torch::randn({8, 3, size, size});
    auto y = torch::randint(0, 10, {8});
    optimizer.zero_grad();
    torch::cross_entropy_loss(net.forward(x), y).backward();
    optimizer.step();
  }
}
