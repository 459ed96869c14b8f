// A bidirectional GRU over packed sequences, tagging tokens of unequal sentences.
#include <torch/torch.h>

#include <iostream>

namespace rnn_utils = torch::nn::utils::rnn;

class GruTaggerImpl : public torch::nn::Module {
public:
  struct Options {
    int64_t vocab{20000}; // vary: 100 500 1000
    int64_t embed{100}; // vary: 8 32 64
    int64_t hidden{128}; // vary: 8 16 32
    int64_t layers{2}; // vary: 1 3
    int64_t tags{17}; // vary: 3 9 12
  };

  explicit GruTaggerImpl(Options o)
      : embed(torch::nn::EmbeddingOptions(o.vocab, o.embed).padding_idx(0)),
        gru(torch::nn::GRUOptions(o.embed, o.hidden).num_layers(o.layers).bidirectional(true).batch_first(true).dropout(0.2)),
        drop(torch::nn::Dropout(0.5)), out(torch::nn::Linear(o.hidden * 2, o.tags)) {
    register_module("embed", embed);
    register_module("gru", gru);
    register_module("drop", drop);
    register_module("out", out);
  }

  torch::Tensor forward(torch::Tensor tokens, torch::Tensor lengths) {
    auto packed = rnn_utils::pack_padded_sequence(embed(tokens), lengths, /*batch_first=*/true, /*enforce_sorted=*/false);
    auto [output, hidden] = gru->forward_with_packed_input(packed);
    auto [padded, sizes] = rnn_utils::pad_packed_sequence(output, /*batch_first=*/true, 0.0, tokens.size(1));
    last_hidden = hidden;
    return out(drop(padded));
  }

  torch::Tensor last_hidden;

private:
  torch::nn::Embedding embed;
  torch::nn::GRU gru;
  torch::nn::Dropout drop;
  torch::nn::Linear out;
};
TORCH_MODULE(GruTagger);

int main() {
  GruTagger tagger(GruTaggerImpl::Options{});
  // oracle: model(tagger)
  // matrix: auto tokens = torch::randint(1, 100, {N, 12}, torch::kLong);
  // matrix: std::vector<int64_t> lengths(N, 12);
  // matrix: auto logits = tagger(tokens, torch::tensor(lengths));
  // matrix: auto loss = logits.mean();
  tagger->eval();
  torch::NoGradGuard no_grad;

  std::vector<torch::Tensor> sentences;
  std::vector<int64_t> lengths = {12, 7, 3, 9};
  for (auto n : lengths)
    sentences.push_back(torch::randint(1, 100, {n}, torch::kLong));
  auto batch = rnn_utils::pad_sequence(sentences, true);
  // oracle: shape(batch)
  auto logits = tagger(batch, torch::tensor(lengths));
  // oracle: shape(logits)
  auto hidden = tagger->last_hidden;
  // oracle: shape(hidden)
  std::cout << logits.sizes() << " " << hidden.sizes() << std::endl;
}
