// A siamese network for pairs of images with the contrastive loss; pairs are drawn
// from a tensor that holds all images.
#include <torch/torch.h>

#include <iostream>

struct SiameseNetworkImpl : torch::nn::Module {
  SiameseNetworkImpl() {
    cnn1 = register_module("cnn1", torch::nn::Sequential(
        torch::nn::ReflectionPad2d(1), torch::nn::Conv2d(1, 4, 3), torch::nn::ReLU(torch::nn::ReLUOptions(true)), torch::nn::BatchNorm2d(4),
        torch::nn::ReflectionPad2d(1), torch::nn::Conv2d(4, 8, 3), torch::nn::ReLU(torch::nn::ReLUOptions(true)), torch::nn::BatchNorm2d(8),
        torch::nn::ReflectionPad2d(1), torch::nn::Conv2d(8, 8, 3), torch::nn::ReLU(torch::nn::ReLUOptions(true)), torch::nn::BatchNorm2d(8)));
    fc1 = register_module("fc1", torch::nn::Sequential(torch::nn::Linear(8 * 50 * 50, 250), torch::nn::ReLU(torch::nn::ReLUOptions(true)),
                                                       torch::nn::Linear(250, 250), torch::nn::ReLU(torch::nn::ReLUOptions(true)),
                                                       torch::nn::Linear(250, 5)));
  }

  torch::Tensor forward_once(torch::Tensor x) {
    auto output = cnn1->forward(x);
    output = output.view({output.size(0), -1});
    return fc1->forward(output);
  }

  std::pair<torch::Tensor, torch::Tensor> forward(torch::Tensor input1, torch::Tensor input2) {
    return {forward_once(input1), forward_once(input2)};
  }

  torch::nn::Sequential cnn1{nullptr}, fc1{nullptr};
};
TORCH_MODULE(SiameseNetwork);

class ContrastiveLoss {
public:
  explicit ContrastiveLoss(double margin) : margin(margin) {}
  torch::Tensor operator()(const torch::Tensor &output1, const torch::Tensor &output2, const torch::Tensor &label) const {
    auto distance = torch::pairwise_distance(output1, output2);
    auto same = (1 - label) * torch::pow(distance, 2);
    auto other = label * torch::pow(torch::clamp(margin - distance, 0.0), 2);
    return torch::mean(same + other);
  }

private:
  double margin;
};

int main() {
  const int64_t people = 20, images = 5, batch = 16;
  auto faces = torch::rand({people, images, 1, 50, 50});
  SiameseNetwork net;
  ContrastiveLoss criterion(2.0);
  torch::optim::SGD optimizer(net->parameters(), torch::optim::SGDOptions(5e-4).momentum(0.9));

  for (int epoch = 0; epoch < 3; ++epoch) {
    net->train();
    for (int i = 0; i < 10; ++i) {
      auto first = torch::randint(people, {batch}, torch::kLong);
      auto label = torch::randint(2, {batch}, torch::kLong);
      auto second = (first + label) % people;
      auto img0 = faces.index({first, torch::randint(images, {batch}, torch::kLong)});
      auto img1 = faces.index({second, torch::randint(images, {batch}, torch::kLong)});
      optimizer.zero_grad();
      auto [output1, output2] = net->forward(img0, img1);
      auto loss = criterion(output1, output2, label);
      loss.backward();
      optimizer.step();
    }
  }

  net->eval();
  torch::NoGradGuard no_grad;
  auto [a, b] = net->forward(faces.select(1, 0), faces.select(1, 1));
  auto distance = torch::pairwise_distance(a, b).mean();
  std::cout << "mean distance " << distance.item<float>() << std::endl;
}
