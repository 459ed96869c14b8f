// BiLSTM-CRF for named entities: forward algorithm and Viterbi written by hand.
#include <torch/torch.h>

#include <iostream>
#include <unordered_map>

using namespace torch::indexing;

static torch::Tensor log_sum_exp(const torch::Tensor &vec) { return torch::logsumexp(vec, 1); }

class BiLSTM_CRF : public torch::nn::Module {
private:
  int64_t embedding_dim, hidden_dim, vocab_size, tagset_size;
  std::unordered_map<std::string, int64_t> tag_to_ix;
  torch::nn::Embedding word_embeds{nullptr};
  torch::nn::LSTM lstm{nullptr};
  torch::nn::Linear hidden2tag{nullptr};
  torch::Tensor transitions;

public:
  BiLSTM_CRF(int64_t vocab_size, std::unordered_map<std::string, int64_t> tag_to_ix, int64_t embedding_dim, int64_t hidden_dim)
      : embedding_dim(embedding_dim), hidden_dim(hidden_dim), vocab_size(vocab_size), tagset_size(tag_to_ix.size()),
        tag_to_ix(tag_to_ix) {
    word_embeds = register_module("word_embeds", torch::nn::Embedding(vocab_size, embedding_dim));
    lstm = register_module("lstm", torch::nn::LSTM(torch::nn::LSTMOptions(embedding_dim, hidden_dim / 2).num_layers(1).bidirectional(true)));
    hidden2tag = register_module("hidden2tag", torch::nn::Linear(hidden_dim, tagset_size));
    transitions = register_parameter("transitions", torch::randn({tagset_size, tagset_size}));
    torch::NoGradGuard guard;
    transitions.index_put_({this->tag_to_ix["<START>"], Slice()}, -10000);
    transitions.index_put_({Slice(), this->tag_to_ix["<STOP>"]}, -10000);
  }

  std::tuple<torch::Tensor, torch::Tensor> init_hidden() const {
    return std::make_tuple(torch::randn({2, 1, hidden_dim / 2}), torch::randn({2, 1, hidden_dim / 2}));
  }

  torch::Tensor features(const torch::Tensor &sentence) {
    auto embeds = word_embeds(sentence).view({sentence.size(0), 1, -1});
    auto [out, state] = lstm->forward(embeds, init_hidden());
    return hidden2tag(out.view({sentence.size(0), hidden_dim}));
  }

  torch::Tensor partition(const torch::Tensor &feats) {
    auto alpha = torch::full({1, tagset_size}, -10000.);
    alpha[0][tag_to_ix.at("<START>")] = 0.;
    for (int64_t t = 0; t < feats.size(0); ++t) {
      std::vector<torch::Tensor> alphas_t;
      for (int64_t next = 0; next < tagset_size; ++next) {
        auto emit = feats[t][next].view({1, -1}).expand({1, tagset_size});
        auto trans = transitions[next].view({1, -1});
        alphas_t.push_back(log_sum_exp(alpha + trans + emit).view(1));
      }
      alpha = torch::cat(alphas_t).view({1, -1});
    }
    return log_sum_exp(alpha + transitions[tag_to_ix.at("<STOP>")]);
  }

  torch::Tensor score(const torch::Tensor &feats, const torch::Tensor &tags) {
    auto total = torch::zeros(1);
    auto path = torch::cat({torch::tensor({tag_to_ix.at("<START>")}), tags});
    for (int64_t i = 0; i < feats.size(0); ++i)
      total = total + transitions.index({path[i + 1], path[i]}) + feats.index({i, path[i + 1]});
    return total + transitions.index({tag_to_ix.at("<STOP>"), path[-1]});
  }

  torch::Tensor neg_log_likelihood(const torch::Tensor &sentence, const torch::Tensor &tags) {
    auto feats = features(sentence);
    return partition(feats) - score(feats, tags);
  }

  std::pair<torch::Tensor, std::vector<int64_t>> forward(const torch::Tensor &sentence) {
    auto feats = features(sentence);
    std::vector<torch::Tensor> backpointers;
    auto best = torch::full({tagset_size}, -10000.);
    best[tag_to_ix["<START>"]] = 0;
    for (auto i = 0; i < feats.size(0); ++i) {
      auto [value, index] = (best.unsqueeze(0) + transitions).max(1);
      best = value + feats[i];
      backpointers.push_back(index);
    }
    auto terminal = best + transitions[tag_to_ix["<STOP>"]];
    int64_t tag = terminal.argmax().item<int64_t>();
    auto path_score = terminal[tag];
    std::vector<int64_t> path{tag};
    for (auto it = backpointers.rbegin(); it != backpointers.rend(); ++it) {
      tag = (*it)[tag].item<int64_t>();
      path.push_back(tag);
    }
    path.pop_back();
    std::reverse(path.begin(), path.end());
    return {path_score, path};
  }
};

int main() {
  std::unordered_map<std::string, int64_t> tag_to_ix{{"B", 0}, {"I", 1}, {"O", 2}, {"<START>", 3}, {"<STOP>", 4}};
  const int EMBEDDING_DIM = 100; // vary: 5 16 64
  const int HIDDEN_DIM = 200; // vary: 4 16 100
  const int VOCAB = 8000; // vary: 50 100 1000
  BiLSTM_CRF model(VOCAB, tag_to_ix, EMBEDDING_DIM, HIDDEN_DIM);
  // oracle: model(model)
  // matrix: auto sentence = torch::randint(0, 50, {3 * N}, torch::kLong), tags = torch::randint(0, 3, {3 * N}, torch::kLong);
  // matrix: auto loss = model.neg_log_likelihood(sentence, tags);
  torch::optim::SGD optimizer(model.parameters(), torch::optim::SGDOptions(0.01).weight_decay(1e-4));

  auto sentence = torch::randint(0, 50, {11}, torch::kLong);
  auto tags = torch::randint(0, 3, {11}, torch::kLong);
  for (int epoch = 0; epoch < 2; ++epoch) {
    model.zero_grad();
    auto loss = model.neg_log_likelihood(sentence, tags);
    loss.backward();
    optimizer.step();
    // oracle: shape(loss)
  }

  torch::NoGradGuard guard;
  auto [value, path] = model.forward(sentence);
  // oracle: shape(value)
  std::cout << path.size() << " tags" << std::endl;
}
