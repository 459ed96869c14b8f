// LeNet-5 in its modern form (ReLU, max pooling), one training step on noise.
// published: lenet-5
#include <torch/torch.h>

#include <iostream>

constexpr int kClasses = 10; // vary: 2 26 62 100

struct LeNet5 : torch::nn::Module {
  LeNet5()
      : c1(register_module("c1", torch::nn::Conv2d(1, 6, 5))),
        c3(register_module("c3", torch::nn::Conv2d(6, 16, 5))),
        c5(register_module("c5", torch::nn::Conv2d(16, 120, 5))),
        f6(register_module("f6", torch::nn::Linear(120, 84))),
        out(register_module("out", torch::nn::Linear(84, kClasses))) {}

  torch::Tensor forward(torch::Tensor x) {
    x = torch::max_pool2d(torch::relu(c1(x)), 2);
    x = torch::max_pool2d(torch::relu(c3(x)), 2);
    x = torch::relu(c5(x)).flatten(1);
    x = torch::relu(f6(x));
    return torch::log_softmax(out(x), 1);
  }

  torch::nn::Conv2d c1, c3, c5;
  torch::nn::Linear f6, out;
};

int main() {
  torch::manual_seed(1);
  LeNet5 net;
  // matrix: auto images = torch::rand({N, 1, 32, 32});
  // matrix: auto labels = torch::randint(kClasses, {N}, torch::kLong);
  // matrix: auto scores = net.forward(images);
  // matrix: auto loss = torch::nll_loss(scores, labels);
  torch::optim::SGD sgd(net.parameters(), torch::optim::SGDOptions(0.01).momentum(0.9));

  auto images = torch::rand({64, 1, 32, 32});
  auto labels = torch::randint(kClasses, {64}, torch::kLong);

  net.train();
  sgd.zero_grad();
  auto scores = net.forward(images);
  auto loss = torch::nll_loss(scores, labels);
  loss.backward();
  sgd.step();
  // oracle: model(net)
  // oracle: shape(scores)
  // oracle: shape(loss)
  std::cout << "loss " << loss.item<float>() << std::endl;
  return 0;
}
