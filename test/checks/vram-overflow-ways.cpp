// What would make a program fit, each found by running it again. Other images are no
// way out: the first Linear fixes their size.
// RUN: not %vramlint --gpu "gtx 1650" --checks=-*,torch-vram-overflow %s > %t
// RUN: FileCheck %s < %t
// REQUIRES: libtorch, vramlint
//
// CHECK: warning: training does not fit GeForce GTX 1650
// CHECK: note: batch 512 is set here; {{.*}} fits for certain{{.*}}; gradients of several such batches can be added up before each step
// CHECK-NOT: images ~
// CHECK: note: would not be enough alone: {{.*}}training the last layer only -{{.*}}float16 autocast -{{.*}}global average pooling before Linear(200704, 256) -{{.*}}SGD instead of Adam -
// CHECK: note: would save nothing at the peak: in-place activations
#include <torch/torch.h>

struct Net : torch::nn::Module {
  Net() {
    stem->push_back(torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 64, 3).padding(1)));
    stem->push_back(torch::nn::ReLU());
    stem->push_back(torch::nn::Conv2d(torch::nn::Conv2dOptions(64, 64, 3).padding(1)));
    stem->push_back(torch::nn::ReLU());
    stem->push_back(torch::nn::MaxPool2d(4));
    register_module("stem", stem);
    register_module("first", first);
    register_module("last", last);
  }
  torch::Tensor forward(torch::Tensor x) {
    x = stem->forward(x).flatten(1);
    return last(torch::relu(first(x)));
  }
  torch::nn::Sequential stem;
  torch::nn::Linear first{64 * 56 * 56, 256}, last{256, 10};
};

int main() {
  const int image_size = 224;
  Net net;
  net.to(torch::kCUDA);
  torch::optim::Adam adam(net.parameters(), 1e-3);
  for (int step = 0; step < 100; ++step) {
    auto images = torch::randn({512, 3, image_size, image_size}, torch::kCUDA);
    auto labels = torch::randint(10, {512}, torch::TensorOptions(torch::kLong).device(torch::kCUDA));
    auto loss = torch::nn::functional::cross_entropy(net.forward(images), labels);
    adam.zero_grad();
    loss.backward();
    adam.step();
  }
}
