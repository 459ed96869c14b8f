// published: bert-base-uncased
// BERT-base as an encoder with pooler, one class per layer, configuration in a struct.
#include <torch/torch.h>

#include <cmath>
#include <iostream>

struct BertConfig {
  int64_t vocab_size = 30522;
  int64_t hidden_size = 768;
  int64_t num_hidden_layers = 12;
  int64_t num_attention_heads = 12;
  int64_t intermediate_size = 3072; // vary: 1024 1536 2048
  int64_t max_position_embeddings = 512; // vary: 128 256 384
  int64_t type_vocab_size = 2; // vary: 1 3 4
  double hidden_dropout_prob = 0.1;
  double attention_probs_dropout_prob = 0.1;
  double layer_norm_eps = 1e-12;
};

class BertEmbeddingsImpl : public torch::nn::Module {
public:
  explicit BertEmbeddingsImpl(const BertConfig &config)
      : word_embeddings(torch::nn::EmbeddingOptions(config.vocab_size, config.hidden_size).padding_idx(0)),
        position_embeddings(config.max_position_embeddings, config.hidden_size),
        token_type_embeddings(config.type_vocab_size, config.hidden_size),
        LayerNorm(torch::nn::LayerNormOptions({config.hidden_size}).eps(config.layer_norm_eps)),
        dropout(config.hidden_dropout_prob) {
    register_module("word_embeddings", word_embeddings);
    register_module("position_embeddings", position_embeddings);
    register_module("token_type_embeddings", token_type_embeddings);
    register_module("LayerNorm", LayerNorm);
    register_module("dropout", dropout);
    position_ids = register_buffer("position_ids", torch::arange(config.max_position_embeddings).expand({1, -1}));
  }

  torch::Tensor forward(torch::Tensor input_ids, torch::Tensor token_type_ids) {
    const auto seq_length = input_ids.size(1);
    auto positions = position_ids.narrow(1, 0, seq_length);
    auto embeddings = word_embeddings->forward(input_ids) + token_type_embeddings->forward(token_type_ids);
    embeddings = embeddings + position_embeddings->forward(positions);
    return dropout->forward(LayerNorm->forward(embeddings));
  }

private:
  torch::nn::Embedding word_embeddings, position_embeddings, token_type_embeddings;
  torch::nn::LayerNorm LayerNorm;
  torch::nn::Dropout dropout;
  torch::Tensor position_ids;
};
TORCH_MODULE(BertEmbeddings);

class BertSelfAttentionImpl : public torch::nn::Module {
public:
  explicit BertSelfAttentionImpl(const BertConfig &config)
      : num_attention_heads(config.num_attention_heads),
        attention_head_size(config.hidden_size / config.num_attention_heads),
        all_head_size(num_attention_heads * attention_head_size) {
    query = register_module("query", torch::nn::Linear(config.hidden_size, all_head_size));
    key = register_module("key", torch::nn::Linear(config.hidden_size, all_head_size));
    value = register_module("value", torch::nn::Linear(config.hidden_size, all_head_size));
    dropout = register_module("dropout", torch::nn::Dropout(config.attention_probs_dropout_prob));
  }

  torch::Tensor transpose_for_scores(const torch::Tensor &x) const {
    auto new_shape = x.sizes().vec();
    new_shape.pop_back();
    new_shape.push_back(num_attention_heads);
    new_shape.push_back(attention_head_size);
    return x.view(new_shape).permute({0, 2, 1, 3});
  }

  torch::Tensor forward(const torch::Tensor &hidden_states, const torch::Tensor &attention_mask) {
    auto query_layer = transpose_for_scores(query(hidden_states));
    auto key_layer = transpose_for_scores(key(hidden_states));
    auto value_layer = transpose_for_scores(value(hidden_states));

    auto attention_scores = torch::matmul(query_layer, key_layer.transpose(-1, -2));
    attention_scores = attention_scores / std::sqrt(static_cast<double>(attention_head_size));
    attention_scores = attention_scores + attention_mask;
    auto attention_probs = dropout(torch::softmax(attention_scores, -1));

    auto context_layer = torch::matmul(attention_probs, value_layer).permute({0, 2, 1, 3}).contiguous();
    return context_layer.view({context_layer.size(0), context_layer.size(1), all_head_size});
  }

private:
  int64_t num_attention_heads, attention_head_size, all_head_size;
  torch::nn::Linear query{nullptr}, key{nullptr}, value{nullptr};
  torch::nn::Dropout dropout{nullptr};
};
TORCH_MODULE(BertSelfAttention);

// Dense, dropout, residual, layer norm: BertSelfOutput and BertOutput in one.
class BertAddNormImpl : public torch::nn::Module {
public:
  BertAddNormImpl(int64_t in, const BertConfig &config)
      : dense(register_module("dense", torch::nn::Linear(in, config.hidden_size))),
        LayerNorm(register_module("LayerNorm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({config.hidden_size}).eps(
                                                   config.layer_norm_eps)))),
        dropout(register_module("dropout", torch::nn::Dropout(config.hidden_dropout_prob))) {}

  torch::Tensor forward(torch::Tensor hidden_states, torch::Tensor input_tensor) {
    hidden_states = dropout(dense(hidden_states));
    return LayerNorm(hidden_states + input_tensor);
  }

private:
  torch::nn::Linear dense;
  torch::nn::LayerNorm LayerNorm;
  torch::nn::Dropout dropout;
};
TORCH_MODULE(BertAddNorm);

class BertLayerImpl : public torch::nn::Module {
public:
  explicit BertLayerImpl(const BertConfig &config)
      : attention(config), attention_output(config.hidden_size, config),
        intermediate(config.hidden_size, config.intermediate_size), output(config.intermediate_size, config) {
    register_module("attention", attention);
    register_module("attention_output", attention_output);
    register_module("intermediate", intermediate);
    register_module("output", output);
  }

  torch::Tensor forward(torch::Tensor hidden_states, torch::Tensor attention_mask) {
    auto attended = attention_output(attention(hidden_states, attention_mask), hidden_states);
    return output(torch::gelu(intermediate(attended)), attended);
  }

private:
  BertSelfAttention attention;
  BertAddNorm attention_output;
  torch::nn::Linear intermediate;
  BertAddNorm output;
};
TORCH_MODULE(BertLayer);

struct BertOutputs {
  torch::Tensor last_hidden_state;
  torch::Tensor pooler_output;
};

class BertModelImpl : public torch::nn::Module {
public:
  explicit BertModelImpl(BertConfig config_) : config(std::move(config_)), embeddings(config) {
    register_module("embeddings", embeddings);
    for (int64_t i = 0; i < config.num_hidden_layers; ++i)
      layer->push_back(BertLayer(config));
    register_module("layer", layer);
    pooler = register_module("pooler", torch::nn::Linear(config.hidden_size, config.hidden_size));
  }

  BertOutputs forward(torch::Tensor input_ids, torch::Tensor attention_mask = {}) {
    if (!attention_mask.defined())
      attention_mask = torch::ones_like(input_ids);
    auto extended = attention_mask.unsqueeze(1).unsqueeze(2).to(torch::kFloat);
    extended = (1.0 - extended) * -10000.0;

    auto hidden_states = embeddings->forward(input_ids, torch::zeros_like(input_ids));
    for (auto &module : *layer)
      hidden_states = module->as<BertLayerImpl>()->forward(hidden_states, extended);
    auto pooled = torch::tanh(pooler(hidden_states.select(1, 0)));
    return {hidden_states, pooled};
  }

private:
  BertConfig config;
  BertEmbeddings embeddings;
  torch::nn::ModuleList layer;
  torch::nn::Linear pooler{nullptr};
};
TORCH_MODULE(BertModel);

int main() {
  torch::manual_seed(1);
  BertModel net(BertConfig{});
  // oracle: model(net)
  // matrix: auto ids = torch::randint(0, 30000, {N, 32}, torch::kLong);
  // matrix: auto out = net->forward(ids);
  // matrix: auto loss = out.last_hidden_state.mean() + out.pooler_output.mean();
  net->eval();
  torch::NoGradGuard no_grad;
  auto ids = torch::randint(0, 30000, {1, 32}, torch::kLong);
  auto out = net->forward(ids);
  // oracle: shape(out.last_hidden_state)
  // oracle: shape(out.pooler_output)
  std::cout << out.last_hidden_state.sizes() << " " << out.pooler_output.sizes() << std::endl;
}
