// Kim's convolutional sentence classifier: three filter widths, max over time.
#include <torch/torch.h>

#include <iostream>
#include <vector>

class TextCNN : public torch::nn::Module {
public:
  TextCNN(size_t vocab, size_t dim, std::vector<int64_t> kernel_sizes, size_t kernels, size_t classes, float dropout)
      : embed(vocab, dim), drop(dropout), fc(kernel_sizes.size() * kernels, classes) {
    register_module("embed", embed);
    for (auto K : kernel_sizes) {
      convs.emplace_back(torch::nn::Conv2dOptions(1, kernels, {K, static_cast<int64_t>(dim)}));
      register_module("conv_" + std::to_string(K), convs.back());
    }
    register_module("drop", drop);
    register_module("fc", fc);
  }

  torch::Tensor forward(torch::Tensor x) {
    x = embed(x).unsqueeze(1);
    std::vector<torch::Tensor> pooled;
    std::transform(convs.begin(), convs.end(), std::back_inserter(pooled), [&x](torch::nn::Conv2d &conv) {
      auto y = torch::relu(conv(x)).squeeze(3);
      return torch::max_pool1d(y, y.size(2)).squeeze(2);
    });
    return fc(drop(torch::cat(pooled, 1)));
  }

private:
  torch::nn::Embedding embed;
  std::vector<torch::nn::Conv2d> convs;
  torch::nn::Dropout drop;
  torch::nn::Linear fc;
};

int main() {
  std::vector<int64_t> sizes{3, 4, 5};
  const size_t kernels = 100; // vary: 8 16 64
  const size_t dim = 300; // vary: 20 50 128
  const size_t classes = 2; // vary: 3 5 20
  auto net = std::make_shared<TextCNN>(18765, dim, sizes, kernels, classes, 0.5f);
  // oracle: model(net)
  // matrix: auto text = torch::randint(18765, {N, 59}, torch::kLong);
  // matrix: auto y = net->forward(text);
  // matrix: auto loss = torch::nn::functional::cross_entropy(y, torch::ones({N}, torch::kLong));
  net->train(false);
  torch::NoGradGuard guard;
  auto y = net->forward(torch::randint(18765, {50, 59}, torch::kLong));
  // oracle: shape(y)
  std::cout << y.sizes() << std::endl;
}
