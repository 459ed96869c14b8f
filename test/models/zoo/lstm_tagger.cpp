// A part-of-speech tagger: word LSTM over embeddings joined with the last state
// of a character LSTM. Words come from a dictionary built from sentences.
#include <torch/torch.h>

#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using Sentence = std::vector<std::string>;

static Sentence split(const std::string &text) {
  std::istringstream stream(text);
  Sentence words;
  for (std::string word; stream >> word;)
    words.push_back(word);
  return words;
}

struct Vocabulary {
  std::map<std::string, int64_t> ids;
  int64_t add(const std::string &word) { return ids.emplace(word, static_cast<int64_t>(ids.size())).first->second; }
  torch::Tensor encode(const Sentence &words) const {
    std::vector<int64_t> found;
    for (const auto &word : words) {
      const auto it = ids.find(word);
      found.push_back(it == ids.end() ? 0 : it->second);
    }
    return torch::tensor(found, torch::kLong);
  }
};

struct LSTMTagger : torch::nn::Module {
  LSTMTagger(int64_t words, int64_t chars, int64_t tags, int64_t embedding_dim, int64_t char_dim, int64_t hidden_dim)
      : hidden_dim(hidden_dim), word_embeddings(words, embedding_dim), char_embeddings(chars, char_dim),
        char_lstm(char_dim, char_dim), lstm(embedding_dim + char_dim, hidden_dim), hidden2tag(hidden_dim, tags) {
    register_module("word_embeddings", word_embeddings);
    register_module("char_embeddings", char_embeddings);
    register_module("char_lstm", char_lstm);
    register_module("lstm", lstm);
    register_module("hidden2tag", hidden2tag);
  }

  torch::Tensor forward(const torch::Tensor &sentence, const Sentence &words) {
    std::vector<torch::Tensor> spelled;
    for (const std::string &word : words) {
      std::vector<int64_t> letters(word.begin(), word.end());
      auto embedded = char_embeddings(torch::tensor(letters)).view({(int64_t)letters.size(), 1, -1});
      auto state = std::get<1>(char_lstm(embedded));
      spelled.push_back(std::get<0>(state).view({-1}));
    }
    auto embeds = torch::cat({word_embeddings(sentence), torch::stack(spelled)}, 1);
    auto [lstm_out, state] = lstm(embeds.view({sentence.size(0), 1, -1}));
    auto tag_space = hidden2tag(lstm_out.view({sentence.size(0), -1}));
    return torch::log_softmax(tag_space, 1);
  }

  int64_t hidden_dim;
  torch::nn::Embedding word_embeddings, char_embeddings;
  torch::nn::LSTM char_lstm, lstm;
  torch::nn::Linear hidden2tag;
};

int main() {
  const std::vector<std::pair<std::string, std::string>> training_data = {
      {"The dog ate the apple", "DET NN V DET NN"},
      {"Everybody read that book", "NN V DET NN"},
  };
  Vocabulary words, tags;
  for (const auto &[text, labels] : training_data) {
    for (const auto &word : split(text))
      words.add(word);
    for (const auto &tag : split(labels))
      tags.add(tag);
  }
  const int64_t hidden = 64; // vary: 6 16 32
  const int64_t embedding = 50; // vary: 6 10 30
  const int64_t char_dim = 25; // vary: 3 5 10
  auto net = std::make_shared<LSTMTagger>(words.ids.size(), 128, tags.ids.size(), embedding, char_dim, hidden);
  // oracle: model(net)
  // matrix: std::vector<std::string> sentence(4 * N, "dog");
  // matrix: auto scores = net->forward(words.encode(sentence), sentence);
  // matrix: auto loss = torch::nll_loss(scores, torch::zeros({4 * N}, torch::kLong));
  net->eval();
  torch::NoGradGuard guard;
  const auto sentence = split(training_data[0].first);
  auto scores = net->forward(words.encode(sentence), sentence);
  // oracle: shape(scores)
  std::cout << words.ids.size() << " words, " << tags.ids.size() << " tags, scores " << scores.sizes() << std::endl;
}
