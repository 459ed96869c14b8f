// Matrix factorisation with biases on MovieLens sizes: embeddings by value, a few
// steps of SGD over ratings that are made up.
#include <torch/torch.h>

#include <iostream>

class MatrixFactorization : public torch::nn::Module {
 public:
  MatrixFactorization(int64_t users, int64_t items, int64_t factors)
      : user_factors(torch::nn::EmbeddingOptions(users, factors)),
        item_factors(torch::nn::EmbeddingOptions(items, factors)),
        user_biases(users, 1),
        item_biases(items, 1) {
    for (auto& [name, module] : {std::pair<std::string, torch::nn::Embedding>{"user_factors", user_factors},
                                 {"item_factors", item_factors},
                                 {"user_biases", user_biases},
                                 {"item_biases", item_biases}})
      register_module(name, module);
    global_bias = register_parameter("global_bias", torch::zeros({}));
  }

  torch::Tensor forward(const torch::Tensor& user, const torch::Tensor& item) {
    auto pred = user_biases->forward(user) + item_biases->forward(item);
    pred += (user_factors->forward(user) * item_factors->forward(item)).sum(1, /*keepdim=*/true);
    return pred.squeeze() + global_bias;
  }

 private:
  torch::nn::Embedding user_factors, item_factors, user_biases, item_biases;
  torch::Tensor global_bias;
};

int main() {
  const int64_t n_users = 943; // vary: 50 100 500
  const int64_t n_items = 1682; // vary: 60 150 700
  const int64_t n_factors = 20; // vary: 5 8 64
  MatrixFactorization model(n_users, n_items, n_factors);
  // oracle: model(model)
  // matrix: auto users = torch::randint(n_users, {N}, torch::kLong), items = torch::randint(n_items, {N}, torch::kLong);
  // matrix: auto ratings = torch::randint(1, 6, {N}).to(torch::kFloat);
  // matrix: auto prediction = model.forward(users, items);
  // matrix: auto loss = torch::nn::functional::mse_loss(prediction, ratings);
  torch::optim::SGD optimizer(model.parameters(), torch::optim::SGDOptions(1e-2).momentum(0.9).nesterov(true));
  torch::Tensor prediction;
  for (int i = 0; i < 3; ++i) {
    auto users = torch::randint(n_users, {256}, torch::kLong);
    auto items = torch::randint(n_items, {256}, torch::kLong);
    auto ratings = torch::randint(1, 6, {256}).to(torch::kFloat);
    optimizer.zero_grad();
    prediction = model.forward(users, items);
    auto loss = torch::nn::functional::mse_loss(prediction, ratings);
    loss.backward();
    optimizer.step();
  }
  // oracle: shape(prediction)
  std::cout << prediction.sizes() << std::endl;
}
