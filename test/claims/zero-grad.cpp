// One source, two peaks: zero_grad() keeps the gradients in LibTorch 1.13 and frees them
// in 2.x. Which of them holds is read from the headers in use.
// REQUIRES: vramlint, libtorch-1, headers-2.6.0, headers-2.14.1
//
// RUN: %vramlint --device cpu %s -- -std=c++17 2>&1 | FileCheck --check-prefix=KEPT %s
// RUN: %vramlint --device cpu %s -- %flags-2.6.0 2>&1 | FileCheck --check-prefix=FREED %s
// RUN: %vramlint --device cpu %s -- %flags-2.14.1 2>&1 | FileCheck --check-prefix=FREED %s
// RUN: %vramlint annotate --device cpu %s -- -std=c++17 | FileCheck --check-prefix=STAY %s
// RUN: %vramlint annotate --device cpu %s -- %flags-2.6.0 | FileCheck --check-prefix=GO %s
//
// KEPT: LibTorch 1.13
// KEPT: peak 12.0 MiB
// FREED: LibTorch 2.{{6.0|14.1}}
// FREED: peak 8.20 MiB
//
// The gradients, 3949.3 KiB, go before the forward pass, or stay beside it.
// STAY: {{· +· .*}}optimizer.zero_grad();
// GO: {{· +3949.3 KiB .*}}optimizer.zero_grad();
#include <torch/script.h>
#include <torch/torch.h>

#include <type_traits>
#include <utility>
#include <vector>

int main() {
  torch::nn::Sequential net(torch::nn::Linear(1000, 1000), torch::nn::ReLU(),
                            torch::nn::Linear(1000, 10));
  torch::optim::SGD optimizer(net->parameters(), 0.01);
  for (int i = 0; i < 10; ++i) {
    auto x = torch::randn({64, 1000});
    auto y = torch::randint(0, 10, {64});
    optimizer.zero_grad();
    auto loss = torch::cross_entropy_loss(net->forward(x), y);
    loss.backward();
    optimizer.step();
  }
}
