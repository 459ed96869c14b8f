// Classifies the frames on standard input: 640x640 colour pixels as raw floats.
#include <torch/script.h>
#include <torch/torch.h>

#include <cstdio>
#include <iostream>
#include <vector>

static const int64_t kSide = 640;

static bool readFrame(std::vector<float> &frame) {
  return std::fread(frame.data(), sizeof(float), frame.size(), stdin) == frame.size();
}

int main() {
  torch::jit::script::Module model;
  // Written in Python by torch.jit.script(net).save("model.pt").
  model = torch::jit::load("model.pt");
  torch::Device device(torch::kCPU);
  if (torch::cuda::is_available())
    device = torch::Device(torch::kCUDA);
  model.to(device);
  model.eval();

  std::vector<float> frame(3 * kSide * kSide);
  if (!readFrame(frame))
    return 0;

  while (true) {
    auto x = torch::from_blob(frame.data(), {1, 3, kSide, kSide}).to(device);
    auto out = model.forward({x}).toTensor();
    auto best = torch::softmax(out, 1).max(1);
    std::cout << std::get<1>(best).item<int64_t>() << '\n';
    if (!readFrame(frame))
      return 0;
  }
}
