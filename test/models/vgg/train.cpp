// Trains VGG-16 from scratch and reports the accuracy on held-out images.
#include "data.h"
#include "vgg.h"

#include <iomanip>
#include <iostream>

struct TrainOptions {
  int64_t num_classes = 1000;
  int64_t image_size = 224;
  size_t batch_size = 2;
  size_t train_images = 1000;
  size_t test_images = 100;
  int epochs = 3;
  double learning_rate = 1e-4;
};

// Puts a model into evaluation mode and back.
class EvalScope {
public:
  explicit EvalScope(vgg::VGG &model) : model_(model) { model_->eval(); }
  ~EvalScope() { model_->train(); }

private:
  vgg::VGG &model_;
};

int main()
{
  const TrainOptions options;
  const auto device = torch::cuda::is_available() ? torch::Device(torch::kCUDA, 0) : torch::Device(torch::kCPU);

  auto model = vgg::vgg16(options.num_classes);
  model->to(device);

  auto train_set = Photos(options.train_images, options.image_size, options.num_classes)
                       .map(torch::data::transforms::Stack<>());
  auto train_loader = torch::data::make_data_loader<torch::data::samplers::RandomSampler>(
      train_set, torch::data::DataLoaderOptions().batch_size(options.batch_size).drop_last(true));
  auto test_set = Photos(options.test_images, options.image_size, options.num_classes)
                      .map(torch::data::transforms::Stack<>());
  auto test_loader = torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(
      test_set, options.batch_size);

  torch::nn::CrossEntropyLoss criterion;
  torch::optim::Adam optimizer(model->parameters(), torch::optim::AdamOptions(options.learning_rate));

  for (int epoch = 0; epoch != options.epochs; ++epoch) {
    double running_loss = 0;
    for (auto &batch : *train_loader) {
      auto images = batch.data.to(device), labels = batch.target.to(device);
      auto output = model->forward(images);
      auto loss = criterion->forward(output, labels);
      optimizer.zero_grad();
      loss.backward();
      optimizer.step();
      running_loss += loss.item<double>() * images.size(0);
    }

    EvalScope eval(model);
    torch::NoGradGuard no_grad;
    int64_t hits = 0;
    for (auto &batch : *test_loader) {
      auto images = batch.data.to(device), labels = batch.target.to(device);
      auto predictions = std::get<1>(torch::max(model->forward(images), 1));
      hits += predictions.eq(labels).sum().item<int64_t>();
    }
    std::cout << "epoch " << epoch << std::fixed << std::setprecision(4)
              << ": loss " << running_loss / options.train_images
              << ", accuracy " << double(hits) / options.test_images << '\n';
  }
}
