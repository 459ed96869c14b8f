// A translator: GRU encoder, GRU decoder with dot-product attention, teacher
// forcing, an optimizer for each half. Sentences are random words.
#include <torch/torch.h>

#include <cstdio>
#include <vector>

struct EncoderImpl : torch::nn::Module {
  EncoderImpl(int64_t words, int64_t hidden) : embedding(words, hidden), gru(torch::nn::GRUOptions(hidden, hidden).batch_first(true)) {
    register_module("embedding", embedding);
    register_module("gru", gru);
  }
  std::tuple<torch::Tensor, torch::Tensor> forward(torch::Tensor source) {
    auto embedded = embedding(source);
    return gru(embedded);
  }
  torch::nn::Embedding embedding;
  torch::nn::GRU gru;
};
TORCH_MODULE(Encoder);

struct DecoderImpl : torch::nn::Module {
  DecoderImpl(int64_t words, int64_t hidden)
      : embedding(words, hidden), cell(hidden, hidden), combine(2 * hidden, hidden), out(hidden, words) {
    register_module("embedding", embedding);
    register_module("cell", cell);
    register_module("combine", combine);
    register_module("out", out);
  }
  std::tuple<torch::Tensor, torch::Tensor> forward(torch::Tensor word, torch::Tensor hidden, torch::Tensor memory) {
    hidden = cell(embedding(word), hidden);
    auto scores = torch::bmm(memory, hidden.unsqueeze(2)).squeeze(2);
    auto weights = torch::softmax(scores, 1);
    auto context = torch::bmm(weights.unsqueeze(1), memory).squeeze(1);
    auto mixed = torch::tanh(combine(torch::cat({context, hidden}, 1)));
    return {out(mixed), hidden};
  }
  torch::nn::Embedding embedding;
  torch::nn::GRUCell cell;
  torch::nn::Linear combine, out;
};
TORCH_MODULE(Decoder);

static torch::Tensor translationLoss(Encoder &encoder, Decoder &decoder, torch::Tensor source, torch::Tensor target) {
  auto [memory, state] = encoder->forward(source);
  auto hidden = state.squeeze(0);
  auto word = torch::zeros({source.size(0)}, torch::kLong);
  std::vector<torch::Tensor> logits;
  for (int64_t t = 0; t < target.size(1); ++t) {
    auto [scores, next] = decoder->forward(word, hidden, memory);
    logits.push_back(scores);
    hidden = next;
    word = target.select(1, t);
  }
  auto all = torch::stack(logits, 1);
  return torch::nn::functional::cross_entropy(all.flatten(0, 1), target.flatten());
}

int main() {
  const int64_t words = 1200, hidden = 128, batch = 32, length = 10;
  Encoder encoder(words, hidden);
  Decoder decoder(words, hidden);
  torch::optim::Adam encoder_optimizer(encoder->parameters(), torch::optim::AdamOptions(1e-3));
  torch::optim::Adam decoder_optimizer(decoder->parameters(), torch::optim::AdamOptions(1e-3));

  for (int step = 0; step < 100; ++step) {
    auto source = torch::randint(1, words, {batch, length}, torch::kLong);
    auto target = source.flip(1);
    encoder_optimizer.zero_grad();
    decoder_optimizer.zero_grad();
    auto loss = translationLoss(encoder, decoder, source, target);
    loss.backward();
    encoder_optimizer.step();
    decoder_optimizer.step();
  }

  torch::NoGradGuard no_grad;
  auto sentence = torch::randint(1, words, {1, length}, torch::kLong);
  auto [memory, state] = encoder->forward(sentence);
  auto context = state.squeeze(0);
  auto word = torch::zeros({1}, torch::kLong);
  for (int64_t t = 0; t < length; ++t) {
    auto [scores, next] = decoder->forward(word, context, memory);
    context = next;
    word = scores.argmax(1);
    std::printf("%ld ", word.item<long>());
  }
  std::printf("\n");
}
