// An Elman network that names the language of a surname, step by step, with
// its hidden layer written out.
#include <torch/torch.h>

#include <iostream>
#include <string>
#include <vector>

static const std::string all_letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ .,;'-";
static const int64_t n_letters = all_letters.size();

class RNN : public torch::nn::Module {
public:
  RNN(int input_size, int hidden_size, int output_size)
      : hidden_size(hidden_size), i2h(input_size + hidden_size, hidden_size), i2o(input_size + hidden_size, output_size),
        softmax(torch::nn::LogSoftmaxOptions(1)) {
    register_module("i2h", i2h);
    register_module("i2o", i2o);
    register_module("softmax", softmax);
  }

  std::pair<torch::Tensor, torch::Tensor> forward(torch::Tensor input, torch::Tensor hidden) {
    auto combined = torch::cat({input, hidden}, 1);
    hidden = torch::tanh(i2h(combined));
    auto output = softmax(i2o(combined));
    return {output, hidden};
  }

  torch::Tensor initHidden() { return torch::zeros({1, hidden_size}); }

private:
  int hidden_size;
  torch::nn::Linear i2h, i2o;
  torch::nn::LogSoftmax softmax;
};

static torch::Tensor lineToTensor(const std::string &line) {
  auto tensor = torch::zeros({(int64_t)line.size(), 1, n_letters});
  for (size_t li = 0; li < line.size(); li++)
    tensor[li][0][all_letters.find(line[li])] = 1;
  return tensor;
}

int main() {
  const int n_hidden = 128; // vary: 16 32 64
  const std::vector<std::string> categories = {"Czech", "Dutch", "Greek", "Irish", "Polish"};
  RNN rnn(n_letters, n_hidden, categories.size());
  // oracle: model(rnn)
  // matrix: auto word = torch::zeros({5, N, n_letters}), labels = torch::randint(5, {N}, torch::kLong);
  // matrix: torch::Tensor output, hidden = torch::zeros({N, n_hidden});
  // matrix: for (int64_t i = 0; i < word.size(0); i++) std::tie(output, hidden) = rnn.forward(word[i], hidden);
  // matrix: auto loss = torch::nll_loss(output, labels);
  torch::nn::NLLLoss criterion;
  torch::Tensor output;
  const std::vector<std::pair<std::string, int>> names = {{"Novak", 0}, {"Janssen", 1}, {"O'Neill", 3}};
  for (const auto &[name, category] : names) {
    auto category_tensor = torch::tensor({category}, torch::kLong);
    auto line_tensor = lineToTensor(name);
    auto hidden = rnn.initHidden();
    rnn.zero_grad();
    for (int64_t i = 0; i < line_tensor.size(0); i++)
      std::tie(output, hidden) = rnn.forward(line_tensor[i], hidden);
    auto loss = criterion(output, category_tensor);
    loss.backward();
    for (auto &p : rnn.parameters())
      p.data().add_(p.grad().data(), -0.005);
  }
  // oracle: shape(output)
  std::cout << "trained on " << names.size() << " names" << std::endl;
}
