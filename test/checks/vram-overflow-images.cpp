// A network that takes images of any size: the largest that would fit, and the stage
// to recompute.
// RUN: not %vramlint --gpu "gtx 1650" --checks=-*,torch-vram-overflow %s > %t
// RUN: FileCheck %s < %t
// REQUIRES: libtorch, vramlint
//
// CHECK: warning: training does not fit GeForce GTX 1650
// CHECK: note: would fit: {{.*}}[[SIZE:[0-9]+]]×[[SIZE]] images ~
// CHECK: note: would not be enough alone: {{.*}}recomputing stem{{.*}} in backward -
#include <torch/torch.h>

struct Net : torch::nn::Module {
  Net() {
    for (int i = 0; i < 12; ++i) {
      stem->push_back(torch::nn::Conv2d(torch::nn::Conv2dOptions(i ? 64 : 3, 64, 3).padding(1)));
      stem->push_back(torch::nn::BatchNorm2d(64));
      stem->push_back(torch::nn::ReLU());
    }
    register_module("stem", stem);
    register_module("head", head);
  }
  torch::Tensor forward(torch::Tensor x) {
    return head(torch::adaptive_avg_pool2d(stem->forward(x), {1, 1}).flatten(1));
  }
  torch::nn::Sequential stem;
  torch::nn::Linear head{64, 10};
};

constexpr int kImageSize = 224;

struct Images : torch::data::Dataset<Images> {
  torch::data::Example<> get(size_t) override {
    return {torch::rand({3, kImageSize, kImageSize}), torch::tensor(int64_t(1))};
  }
  torch::optional<size_t> size() const override { return 10000; }
};

int main() {
  Net net;
  net.to(torch::kCUDA);
  torch::optim::SGD sgd(net.parameters(), 1e-3);
  auto loader = torch::data::make_data_loader(
      Images().map(torch::data::transforms::Stack<>()), 64);
  for (auto &batch : *loader) {
    auto out = net.forward(batch.data.to(torch::kCUDA));
    auto loss = torch::nn::functional::cross_entropy(out, batch.target.to(torch::kCUDA));
    sgd.zero_grad();
    loss.backward();
    sgd.step();
  }
}
