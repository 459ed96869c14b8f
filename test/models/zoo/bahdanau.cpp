// Sequence to sequence with additive (Bahdanau) attention on GRUs, greedy decoding.
#include <torch/torch.h>

#include <iostream>
#include <tuple>
#include <vector>

const int64_t SOS_token = 0;
const int64_t MAX_LENGTH = 10;

class EncoderRNNImpl : public torch::nn::Module {
  int64_t hidden_size;
  torch::nn::Embedding embedding;
  torch::nn::GRU gru;
  torch::nn::Dropout dropout;

public:
  EncoderRNNImpl(int64_t input_size, int64_t hidden, double dropout_p = 0.1)
      : hidden_size(hidden), embedding(register_module("embedding", torch::nn::Embedding(input_size, hidden))),
        gru(register_module("gru", torch::nn::GRU(torch::nn::GRUOptions(hidden, hidden).batch_first(true)))),
        dropout(register_module("dropout", torch::nn::Dropout(dropout_p))) {}

  std::tuple<torch::Tensor, torch::Tensor> forward(torch::Tensor input) {
    auto embedded = dropout(embedding(input));
    return gru->forward(embedded);
  }
};
TORCH_MODULE(EncoderRNN);

class BahdanauAttentionImpl : public torch::nn::Module {
  torch::nn::Linear Wa{nullptr}, Ua{nullptr}, Va{nullptr};

public:
  BahdanauAttentionImpl(int64_t hidden_size) {
    Wa = register_module("Wa", torch::nn::Linear(hidden_size, hidden_size));
    Ua = register_module("Ua", torch::nn::Linear(hidden_size, hidden_size));
    Va = register_module("Va", torch::nn::Linear(hidden_size, 1));
  }

  std::pair<torch::Tensor, torch::Tensor> forward(torch::Tensor query, torch::Tensor keys) {
    auto scores = Va(torch::tanh(Wa(query) + Ua(keys)));
    scores = scores.squeeze(2).unsqueeze(1);
    auto weights = torch::nn::functional::softmax(scores, -1);
    auto context = torch::bmm(weights, keys);
    return std::make_pair(context, weights);
  }
};
TORCH_MODULE(BahdanauAttention);

class AttnDecoderRNNImpl : public torch::nn::Module {
  torch::nn::Embedding embedding{nullptr};
  BahdanauAttention attention{nullptr};
  torch::nn::GRU gru{nullptr};
  torch::nn::Linear out{nullptr};
  torch::nn::Dropout dropout;

  struct Step {
    torch::Tensor output, hidden, weights;
  };

  Step forward_step(torch::Tensor input, torch::Tensor hidden, torch::Tensor encoder_outputs) {
    auto embedded = dropout(embedding(input));
    auto query = hidden.permute({1, 0, 2});
    auto [context, attn_weights] = attention(query, encoder_outputs);
    auto input_gru = torch::cat({embedded, context}, 2);
    auto [output, next] = gru(input_gru, hidden);
    return {out(output), next, attn_weights};
  }

public:
  AttnDecoderRNNImpl(int64_t hidden_size, int64_t output_size, double dropout_p = 0.1) : dropout(dropout_p) {
    embedding = register_module("embedding", torch::nn::Embedding(output_size, hidden_size));
    attention = register_module("attention", BahdanauAttention(hidden_size));
    gru = register_module("gru", torch::nn::GRU(torch::nn::GRUOptions(2 * hidden_size, hidden_size).batch_first(true)));
    out = register_module("out", torch::nn::Linear(hidden_size, output_size));
    register_module("dropout", dropout);
  }

  std::tuple<torch::Tensor, torch::Tensor, torch::Tensor> forward(torch::Tensor encoder_outputs, torch::Tensor encoder_hidden,
                                                                  torch::Tensor target = torch::Tensor()) {
    auto batch_size = encoder_outputs.size(0);
    auto decoder_input = torch::empty({batch_size, 1}, torch::kLong).fill_(SOS_token);
    auto decoder_hidden = encoder_hidden;
    std::vector<torch::Tensor> decoder_outputs, attentions;

    for (int64_t i = 0; i < MAX_LENGTH; i++) {
      Step step = forward_step(decoder_input, decoder_hidden, encoder_outputs);
      decoder_hidden = step.hidden;
      decoder_outputs.push_back(step.output);
      attentions.push_back(step.weights);
      if (target.defined())
        decoder_input = target.select(1, i).unsqueeze(1); // Teacher forcing.
      else
        decoder_input = std::get<1>(step.output.topk(1)).squeeze(-1).detach();
    }
    auto outputs = torch::log_softmax(torch::cat(decoder_outputs, 1), -1);
    return std::make_tuple(outputs, decoder_hidden, torch::cat(attentions, 1));
  }
};
TORCH_MODULE(AttnDecoderRNN);

class Seq2SeqImpl : public torch::nn::Module {
public:
  EncoderRNN encoder;
  AttnDecoderRNN decoder;
  Seq2SeqImpl(int64_t source_words, int64_t target_words, int64_t hidden)
      : encoder(source_words, hidden), decoder(hidden, target_words) {
    register_module("encoder", encoder);
    register_module("decoder", decoder);
  }
};
TORCH_MODULE(Seq2Seq);

int main() {
  const int64_t hidden_size = 128; // vary: 16 32 64
  const int64_t source_words = 4601; // vary: 100 200 300
  const int64_t target_words = 2991; // vary: 100 200 300
  Seq2Seq net(source_words, target_words, hidden_size);
  // oracle: model(net)
  // matrix: auto source = torch::randint(0, 100, {N, MAX_LENGTH}, torch::kLong);
  // matrix: auto [encoded, state] = net->encoder(source);
  // matrix: auto forced = std::get<0>(net->decoder(encoded, state, source));
  // matrix: auto loss = forced.mean();
  net->eval();

  torch::NoGradGuard guard;
  auto source = torch::randint(0, 100, {32, MAX_LENGTH}, torch::kLong);
  auto [encoder_outputs, encoder_hidden] = net->encoder(source);
  torch::Tensor decoded, hidden, attention;
  std::tie(decoded, hidden, attention) = net->decoder(encoder_outputs, encoder_hidden);
  // oracle: shape(encoder_outputs)
  // oracle: shape(decoded)
  // oracle: shape(attention)
  auto forced = std::get<0>(net->decoder(encoder_outputs, encoder_hidden, source));
  // oracle: shape(forced)
  std::cout << decoded.sizes() << attention.sizes() << forced.sizes() << std::endl;
}
