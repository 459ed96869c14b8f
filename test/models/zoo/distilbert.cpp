// published: distilbert-base-uncased
// DistilBERT: six layers, no token types, no pooler. Modules are shared pointers.
#include <torch/torch.h>

#include <iostream>
#include <memory>
#include <tuple>
#include <vector>

using namespace torch;
using namespace torch::nn;

struct MultiHeadSelfAttention : Module {
  int64_t n_heads, dim;
  Linear q_lin, k_lin, v_lin, out_lin;
  Dropout dropout;

  MultiHeadSelfAttention(int64_t dim_, int64_t n_heads_, double p)
      : n_heads(n_heads_), dim(dim_), q_lin(dim, dim), k_lin(dim, dim), v_lin(dim, dim), out_lin(dim, dim), dropout(p) {
    TORCH_CHECK(dim % n_heads == 0, "dim must be a multiple of n_heads");
    register_module("q_lin", q_lin);
    register_module("k_lin", k_lin);
    register_module("v_lin", v_lin);
    register_module("out_lin", out_lin);
    register_module("dropout", dropout);
  }

  std::tuple<Tensor, Tensor> forward(const Tensor &x, const Tensor &mask) {
    const auto bs = x.size(0), len = x.size(1), head = dim / n_heads;
    auto shape = [&](const Tensor &t) { return t.view({bs, -1, n_heads, head}).transpose(1, 2); };
    auto unshape = [&](const Tensor &t) { return t.transpose(1, 2).contiguous().view({bs, -1, n_heads * head}); };

    auto q = shape(q_lin(x)) / std::sqrt(double(head));
    auto scores = matmul(q, shape(k_lin(x)).transpose(2, 3));
    auto hidden = (mask == 0).view({bs, 1, 1, len}).expand_as(scores);
    scores = scores.masked_fill(hidden, -std::numeric_limits<float>::infinity());
    auto weights = dropout(softmax(scores, -1));
    return std::make_tuple(out_lin(unshape(matmul(weights, shape(v_lin(x))))), weights);
  }
};

struct TransformerBlock : Module {
  std::shared_ptr<MultiHeadSelfAttention> attention;
  LayerNorm sa_layer_norm, output_layer_norm;
  Sequential ffn;

  TransformerBlock(int64_t dim, int64_t heads, int64_t hidden, double p)
      : attention(std::make_shared<MultiHeadSelfAttention>(dim, heads, p)),
        sa_layer_norm(LayerNormOptions({dim}).eps(1e-12)), output_layer_norm(LayerNormOptions({dim}).eps(1e-12)),
        ffn(Linear(dim, hidden), GELU(), Linear(hidden, dim), Dropout(p)) {
    register_module("attention", attention);
    register_module("sa_layer_norm", sa_layer_norm);
    register_module("ffn", ffn);
    register_module("output_layer_norm", output_layer_norm);
  }

  Tensor forward(Tensor x, Tensor mask) {
    Tensor attended, weights;
    std::tie(attended, weights) = attention->forward(x, mask);
    x = sa_layer_norm(attended + x);
    return output_layer_norm(ffn->forward(x) + x);
  }
};

class DistilBert : public Module {
public:
  DistilBert(int64_t vocab, int64_t dim, int64_t heads, int64_t hidden, int64_t layers, int64_t max_positions) {
    word_embeddings = register_module("word_embeddings", Embedding(EmbeddingOptions(vocab, dim).padding_idx(0)));
    position_embeddings = register_module("position_embeddings", Embedding(max_positions, dim));
    norm = register_module("norm", LayerNorm(LayerNormOptions({dim}).eps(1e-12)));
    drop = register_module("drop", Dropout(0.1));
    for (int64_t i = 0; i < layers; i++) {
      blocks.push_back(std::make_shared<TransformerBlock>(dim, heads, hidden, 0.1));
      register_module("layer_" + std::to_string(i), blocks.back());
    }
  }

  Tensor forward(Tensor ids, Tensor mask) {
    auto positions = torch::arange(ids.size(1), ids.options()).unsqueeze(0).expand_as(ids);
    auto x = drop(norm(word_embeddings(ids) + position_embeddings(positions)));
    for (const auto &block : blocks)
      x = block->forward(x, mask);
    return x;
  }

private:
  Embedding word_embeddings{nullptr}, position_embeddings{nullptr};
  LayerNorm norm{nullptr};
  Dropout drop{nullptr};
  std::vector<std::shared_ptr<TransformerBlock>> blocks;
};

int main() {
  const int64_t vocab = 30522, dim = 768, heads = 12;
  const int64_t hidden = 3072; // vary: 512 1024 2048
  const int64_t layers = 6; // vary: 2 3 4
  const int64_t positions = 512; // vary: 64 128 256
  auto net = std::make_shared<DistilBert>(vocab, dim, heads, hidden, layers, positions);
  // oracle: model(net)
  // matrix: auto ids = torch::randint(vocab, {N, 24}, kInt64);
  // matrix: auto y = net->forward(ids, torch::ones({N, 24}));
  // matrix: auto loss = y.mean();
  net->eval();

  NoGradGuard guard;
  auto ids = torch::randint(vocab, {2, 24}, kInt64);
  auto mask = torch::ones({2, 24});
  mask.slice(1, 20).zero_();
  auto y = net->forward(ids, mask);
  // oracle: shape(y)
  std::cout << y.sizes() << '\n';
}
