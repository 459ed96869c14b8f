// published: torchinfo-lstm
// An LSTM language model whose forward returns a tuple with the state in it.
#include <torch/torch.h>

#include <iostream>

class LSTMNetImpl : public torch::nn::Module {
public:
  using State = std::tuple<torch::Tensor, torch::Tensor>;

  LSTMNetImpl(int64_t vocab_size, int64_t embed_dim, int64_t hidden_dim, int64_t num_layers)
      : hidden_dim(hidden_dim), embedding(vocab_size, embed_dim),
        encoder(torch::nn::LSTMOptions(embed_dim, hidden_dim).num_layers(num_layers).batch_first(true)),
        decoder(hidden_dim, vocab_size) {
    register_module("embedding", embedding);
    register_module("encoder", encoder);
    register_module("decoder", decoder);
  }

  std::tuple<torch::Tensor, State> forward(torch::Tensor x, torch::optional<State> state = {}) {
    auto embed = embedding(x);
    torch::Tensor out;
    State next;
    std::tie(out, next) = state ? encoder(embed, *state) : encoder(embed);
    out = decoder(out);
    out = out.view({-1, out.size(2)});
    return {out, next};
  }

private:
  int64_t hidden_dim;
  torch::nn::Embedding embedding;
  torch::nn::LSTM encoder;
  torch::nn::Linear decoder;
};
TORCH_MODULE(LSTMNet);

int main() {
  const int64_t hidden = 512; // vary: 64 128 200
  const int64_t layers = 2; // vary: 1 3
  const int64_t embed = 300; // vary: 20 100 150
  LSTMNet net(20, embed, hidden, layers);
  // oracle: model(net)
  // matrix: auto x = torch::randint(20, {N, 100}, torch::kLong);
  // matrix: auto [out, state] = net->forward(x);
  // matrix: auto loss = out.mean();
  net->eval();
  torch::NoGradGuard guard;
  auto x = torch::randint(20, {1, 100}, torch::kLong);
  auto [out, state] = net->forward(x);
  // oracle: shape(out)
  auto [again, last] = net->forward(x, state);
  auto cell = std::get<1>(last);
  // oracle: shape(again)
  // oracle: shape(cell)
  std::cout << out.sizes() << cell.sizes() << std::endl;
}
