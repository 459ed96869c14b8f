// A Transformer encoder that classifies sequences, attention written by hand.
#include <torch/torch.h>

#include <cmath>
#include <iostream>
#include <vector>

struct MultiHeadAttentionImpl : torch::nn::Module {
  MultiHeadAttentionImpl(int64_t dim, int64_t heads)
      : heads(heads), head_dim(dim / heads), qkv(torch::nn::Linear(dim, 3 * dim)), proj(torch::nn::Linear(dim, dim)) {
    register_module("qkv", qkv);
    register_module("proj", proj);
  }

  torch::Tensor forward(const torch::Tensor &x) {
    const auto b = x.size(0), n = x.size(1), c = x.size(2);
    auto parts = qkv(x).reshape({b, n, 3, heads, head_dim}).permute({2, 0, 3, 1, 4});
    auto q = parts[0], k = parts[1], v = parts[2];
    auto attention = torch::matmul(q, k.transpose(-2, -1)) * std::pow(head_dim, -0.5);
    attention = attention.softmax(-1);
    auto y = torch::matmul(attention, v).transpose(1, 2).reshape({b, n, c});
    return proj(y);
  }

  int64_t heads, head_dim;
  torch::nn::Linear qkv, proj;
};
TORCH_MODULE(MultiHeadAttention);

struct EncoderLayerImpl : torch::nn::Module {
  EncoderLayerImpl(int64_t dim, int64_t heads, int64_t hidden, double p)
      : attention(dim, heads), norm1(torch::nn::LayerNormOptions({dim})), norm2(torch::nn::LayerNormOptions({dim})),
        linear1(dim, hidden), linear2(hidden, dim), dropout(p) {
    register_module("attention", attention);
    register_module("norm1", norm1);
    register_module("norm2", norm2);
    register_module("linear1", linear1);
    register_module("linear2", linear2);
    register_module("dropout", dropout);
  }

  torch::Tensor forward(torch::Tensor x) {
    x = x + dropout(attention(norm1(x)));
    x = x + dropout(linear2(torch::gelu(linear1(norm2(x)))));
    return x;
  }

  MultiHeadAttention attention;
  torch::nn::LayerNorm norm1, norm2;
  torch::nn::Linear linear1, linear2;
  torch::nn::Dropout dropout;
};
TORCH_MODULE(EncoderLayer);

struct ClassifierImpl : torch::nn::Module {
  ClassifierImpl(int64_t vocab, int64_t length, int64_t dim, int64_t heads, int64_t layers, int64_t classes)
      : embedding(vocab, dim), norm(torch::nn::LayerNormOptions({dim})), head(dim, classes) {
    register_module("embedding", embedding);
    positions = register_parameter("positions", torch::randn({1, length, dim}) * 0.02);
    for (int64_t i = 0; i < layers; ++i)
      encoder->push_back(EncoderLayer(dim, heads, 4 * dim, 0.1));
    register_module("encoder", encoder);
    register_module("norm", norm);
    register_module("head", head);
  }

  torch::Tensor forward(const torch::Tensor &tokens) {
    auto x = embedding(tokens) + positions.narrow(1, 0, tokens.size(1));
    x = encoder->forward(x);
    return head(norm(x).mean(1));
  }

  torch::nn::Embedding embedding;
  torch::Tensor positions;
  torch::nn::Sequential encoder;
  torch::nn::LayerNorm norm;
  torch::nn::Linear head;
};
TORCH_MODULE(Classifier);

int main() {
  const int64_t vocab = 1000, length = 48, batch = 24;
  auto train_x = torch::randint(vocab, {480, length}, torch::kLong);
  auto train_y = train_x.sum(1) % 4;

  Classifier model(vocab, length, 128, 4, 3, 4);
  torch::optim::AdamW optimizer(model->parameters(), torch::optim::AdamWOptions(3e-4).weight_decay(0.01));
  std::cout << model->parameters().size() << " tensors" << std::endl;

  for (int epoch = 0; epoch < 5; ++epoch) {
    model->train();
    auto order = torch::randperm(train_x.size(0), torch::kLong);
    for (int64_t at = 0; at + batch <= train_x.size(0); at += batch) {
      auto index = order.slice(0, at, at + batch);
      auto x = train_x.index_select(0, index);
      auto y = train_y.index_select(0, index);
      auto logits = model->forward(x);
      auto loss = torch::nn::functional::cross_entropy(logits, y);
      optimizer.zero_grad();
      loss.backward();
      optimizer.step();
    }

    model->eval();
    torch::NoGradGuard no_grad;
    auto test_x = torch::randint(vocab, {60, length}, torch::kLong);
    auto test_y = test_x.sum(1) % 4;
    auto predicted = model->forward(test_x).argmax(1);
    auto correct = predicted.eq(test_y).sum().item<int64_t>();
    std::cout << "epoch " << epoch << ": " << correct << " of 60" << std::endl;
  }
}
