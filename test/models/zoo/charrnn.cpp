// A character model of LSTM cells unrolled by hand, sampling text.
#include <torch/torch.h>

#include <iostream>
#include <string>
#include <vector>

struct State {
  torch::Tensor h, c;
};

class CharRNN final : public torch::nn::Module {
 public:
  CharRNN(std::string alphabet, int64_t hidden, int depth) : alphabet_(std::move(alphabet)), hidden_(hidden) {
    const int64_t letters = alphabet_.length();
    embed_ = register_module("embed", torch::nn::Embedding(letters, hidden));
    cells_.reserve(depth);
    for (int i = 0; i < depth; ++i) {
      cells_.push_back(torch::nn::LSTMCell(torch::nn::LSTMCellOptions(hidden, hidden)));
      register_module("cell" + std::to_string(i), cells_.back());
    }
    out_ = register_module("out", torch::nn::Linear(hidden, letters));
  }

  std::vector<State> start(int64_t batch) const {
    return std::vector<State>(cells_.size(), State{torch::zeros({batch, hidden_}), torch::zeros({batch, hidden_})});
  }

  torch::Tensor step(const torch::Tensor& letter, std::vector<State>& states) {
    auto x = embed_(letter);
    for (size_t i = 0; i < cells_.size(); ++i) {
      std::tie(states[i].h, states[i].c) = cells_[i](x, std::make_tuple(states[i].h, states[i].c));
      x = states[i].h;
    }
    return out_(x);
  }

  torch::Tensor forward(const torch::Tensor& text) {
    auto states = start(text.size(1));
    std::vector<torch::Tensor> logits;
    for (const auto& letter : text.unbind(0))
      logits.emplace_back(step(letter, states));
    return torch::stack(logits, 0);
  }

  std::string sample(char first, size_t length) {
    std::string text(1, first);
    auto states = start(1);
    auto letter = torch::full({1}, static_cast<int64_t>(alphabet_.find(first)), torch::kLong);
    while (text.size() < length) {
      auto probabilities = torch::softmax(step(letter, states) / 0.8, 1);
      letter = torch::multinomial(probabilities, 1).squeeze(1);
      text += alphabet_[letter.item<int64_t>()];
    }
    return text;
  }

 private:
  std::string alphabet_;
  int64_t hidden_;
  torch::nn::Embedding embed_{nullptr};
  std::vector<torch::nn::LSTMCell> cells_;
  torch::nn::Linear out_{nullptr};
};

int main() {
  std::string alphabet;
  for (char c = ' '; c <= '~'; ++c)
    alphabet.push_back(c);
  const int64_t hidden = 512; // vary: 32 64 128
  const int depth = 2; // vary: 1 3 4
  CharRNN net(alphabet, hidden, depth);
  // oracle: model(net)
  // matrix: auto text = torch::randint(0, 95, {20, N}, torch::kLong);
  // matrix: auto logits = net.forward(text);
  // matrix: auto loss = torch::nn::functional::cross_entropy(logits.flatten(0, 1), text.flatten());
  net.eval();
  torch::NoGradGuard no_grad;
  auto logits = net.forward(torch::randint(0, 95, {20, 8}, torch::kLong));
  // oracle: shape(logits)
  std::cout << net.sample('T', 12).size() << " letters, " << logits.sizes() << std::endl;
}
