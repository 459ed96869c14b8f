// A small convolutional network on MNIST: trains for some epochs, tests after each.
#include <torch/torch.h>

#include <iostream>
#include <string>

namespace F = torch::nn::functional;

struct Net : torch::nn::Module {
  Net() : conv1(torch::nn::Conv2dOptions(1, 10, /*kernel_size=*/5)),
          conv2(torch::nn::Conv2dOptions(10, 20, /*kernel_size=*/5)), fc1(320, 50), fc2(50, 10) {
    register_module("conv1", conv1);
    register_module("conv2", conv2);
    register_module("drop", drop);
    register_module("fc1", fc1);
    register_module("fc2", fc2);
  }
  torch::Tensor forward(torch::Tensor x) {
    x = torch::relu(torch::max_pool2d(conv1->forward(x), 2));
    x = torch::relu(torch::max_pool2d(drop->forward(conv2->forward(x)), 2));
    x = x.view({-1, 320});
    x = torch::relu(fc1->forward(x));
    x = torch::dropout(x, /*p=*/0.5, /*train=*/is_training());
    x = fc2->forward(x);
    return torch::log_softmax(x, /*dim=*/1);
  }
  torch::nn::Conv2d conv1, conv2;
  torch::nn::Dropout2d drop;
  torch::nn::Linear fc1, fc2;
};

const int64_t kBatchSize = 64;
const int64_t kTestBatchSize = 1000;
const int64_t kEpochs = 10;
const int64_t kLogInterval = 100;

template <typename Loader>
void train(int64_t epoch, Net& model, torch::Device device, Loader& loader, torch::optim::Optimizer& optimizer, size_t dataset_size) {
  model.train();
  size_t batch_idx = 0;
  for (auto& batch : loader) {
    auto data = batch.data.to(device);
    auto targets = batch.target.to(device);
    optimizer.zero_grad();
    auto output = model.forward(data);
    auto loss = torch::nll_loss(output, targets);
    if (std::isnan(loss.template item<float>())) {
      std::cerr << "loss is not a number" << std::endl;
      return;
    }

    loss.backward();
    optimizer.step();

    if (batch_idx++ % kLogInterval == 0) {
      std::cout << "epoch " << epoch << " [" << batch_idx * batch.data.size(0) << "/" << dataset_size
                << "] loss " << loss.template item<float>() << std::endl;
    }
  }
}

template <typename Loader>
void test(Net& model, torch::Device device, Loader& loader, size_t dataset_size) {
  torch::NoGradGuard no_grad;
  model.eval();
  double test_loss = 0;
  int64_t correct = 0;
  for (const auto& batch : loader) {
    auto data = batch.data.to(device);
    auto targets = batch.target.to(device);
    auto output = model.forward(data);
    test_loss += F::nll_loss(output, targets, F::NLLLossFuncOptions().reduction(torch::kSum)).template item<float>();
    auto pred = output.argmax(1);
    correct += pred.eq(targets).sum().template item<int64_t>();
  }
  test_loss /= dataset_size;
  std::cout << "test loss " << test_loss << " accuracy " << static_cast<double>(correct) / dataset_size << std::endl;
}

int main(int argc, char* argv[]) {
  const std::string data_root = argc > 1 ? argv[1] : "./data";
  torch::manual_seed(1);

  torch::DeviceType device_type = torch::cuda::is_available() ? torch::kCUDA : torch::kCPU;
  torch::Device device(device_type);

  Net model;
  model.to(device);

  auto train_dataset = torch::data::datasets::MNIST(data_root)
                           .map(torch::data::transforms::Normalize<>(0.1307, 0.3081))
                           .map(torch::data::transforms::Stack<>());
  const size_t train_size = train_dataset.size().value();
  auto train_loader = torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(std::move(train_dataset), kBatchSize);

  auto test_dataset = torch::data::datasets::MNIST(data_root, torch::data::datasets::MNIST::Mode::kTest)
                          .map(torch::data::transforms::Normalize<>(0.1307, 0.3081))
                          .map(torch::data::transforms::Stack<>());
  const size_t test_size = test_dataset.size().value();
  auto test_loader = torch::data::make_data_loader(std::move(test_dataset), kTestBatchSize);

  torch::optim::SGD optimizer(model.parameters(), torch::optim::SGDOptions(0.01).momentum(0.5));

  for (int64_t epoch = 1; epoch <= kEpochs; ++epoch) {
    train(epoch, model, device, *train_loader, optimizer, train_size);
    test(model, device, *test_loader, test_size);
  }
  return 0;
}
