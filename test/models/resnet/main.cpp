// usage: main [resnet18|resnet50]
// Measures how many images a second a residual network trains and classifies.
#include "resnet.h"

#include <chrono>
#include <iostream>
#include <string>

constexpr int64_t kClasses = 1000;
constexpr int64_t kBatch = 4;
constexpr int kTrainIterations = 50;
constexpr int kTestIterations = 50;

using Clock = std::chrono::steady_clock;

static double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

template <class Net>
void benchmark(Net net, torch::Device device) {
  net->to(device);
  torch::optim::SGD optimizer(net->parameters(), torch::optim::SGDOptions(0.1).momentum(0.9).weight_decay(1e-4));
  torch::nn::CrossEntropyLoss criterion;

  net->train();
  auto start = Clock::now();
  for (int i = 0; i < kTrainIterations; i++) {
    auto images = torch::randn({kBatch, 3, 224, 224}).to(device);
    auto labels = torch::randint(kClasses, {kBatch}, torch::kLong).to(device);
    optimizer.zero_grad();
    auto output = net->forward(images);
    auto loss = criterion(output, labels);
    loss.backward();
    optimizer.step();
  }
  std::cout << "training: " << kTrainIterations * kBatch / seconds_since(start) << " images/s\n";

  torch::NoGradGuard no_grad;
  net->eval();
  start = Clock::now();
  for (int i = 0; i < kTestIterations; i++) {
    auto images = torch::randn({kBatch, 3, 224, 224}, device);
    auto output = net->forward(images);
    auto best = output.argmax(1);
  }
  std::cout << "inference: " << kTestIterations * kBatch / seconds_since(start) << " images/s\n";
}

int main(int argc, char** argv) {
  std::string name = argc > 1 ? argv[1] : "resnet18";
  torch::Device device = torch::cuda::is_available() ? torch::kCUDA : torch::kCPU;

  if (name == "resnet18") {
    benchmark(resnet18(kClasses), device);
  } else if (name == "resnet50") {
    benchmark(resnet50(kClasses), device);
  } else {
    std::cerr << "unknown network " << name << "\n";
    return 1;
  }
  return 0;
}
