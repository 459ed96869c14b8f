// RUN: %check_torch --suffix=SMALL %s torch-vram-overflow %t -- --gpu t4
// RUN: %check_torch --suffix=LARGE %s torch-vram-overflow %t -- --gpu h100
// RUN: %check_torch --suffix=NONE %s torch-vram-overflow %t
#include <torch/torch.h>

int64_t count();

int main() {
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  torch::nn::Linear wide(32768, 32768); // 4 GiB of weights
  wide->to(device);
  torch::optim::Adam adam(wide->parameters(), 1e-3);
  for (int step = 0; step < 100; ++step) {
    auto x = torch::randn({16, 32768}, device);
    adam.zero_grad();
    auto loss = wide->forward(x).sum();
    loss.backward();
    // Weights, gradients and two states: 16 GiB and the step's temporaries. An
    // H100 has room for them; without a GPU there is nothing to judge.
    // CHECK-MESSAGES-SMALL: :[[@LINE+1]]:{{[0-9]+}}: warning: training does not fit NVIDIA T4: needs at least {{.*}} usable [torch-vram-overflow]
    adam.step();
  }
}
