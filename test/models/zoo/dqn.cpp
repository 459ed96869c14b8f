// The convolutional DQN of Atari: flatten size computed from the input shape,
// an epsilon-greedy policy and one step of learning with a target net.
#include <torch/torch.h>

#include <array>
#include <iostream>

struct DQN : torch::nn::Module {
  DQN(std::array<int64_t, 3> input_shape, int64_t num_actions) : input_shape_(input_shape) {
    features = register_module("features", torch::nn::Sequential(
                                               torch::nn::Conv2d(torch::nn::Conv2dOptions(input_shape[0], 32, 8).stride(4)),
                                               torch::nn::ReLU(),
                                               torch::nn::Conv2d(torch::nn::Conv2dOptions(32, 64, 4).stride(2)),
                                               torch::nn::ReLU(),
                                               torch::nn::Conv2d(torch::nn::Conv2dOptions(64, 64, 3).stride(1)),
                                               torch::nn::ReLU()));
    fc = register_module("fc", torch::nn::Sequential(torch::nn::Linear(feature_size(), 512), torch::nn::ReLU(),
                                                     torch::nn::Linear(512, num_actions)));
  }

  torch::Tensor forward(torch::Tensor x) {
    x = features->forward(x / 255.0);
    x = x.view({x.size(0), -1});
    return fc->forward(x);
  }

  int64_t feature_size() {
    return features->forward(torch::zeros({1, input_shape_[0], input_shape_[1], input_shape_[2]})).view({1, -1}).size(1);
  }

  int64_t act(torch::Tensor state, double epsilon) {
    torch::NoGradGuard no_grad;
    if (torch::rand(1).item<double>() < epsilon)
      return torch::randint(0, 4, {1}).item<int64_t>();
    return std::get<1>(forward(state.unsqueeze(0)).max(1)).item<int64_t>();
  }

  std::array<int64_t, 3> input_shape_;
  torch::nn::Sequential features{nullptr}, fc{nullptr};
};

static void copy_weights(torch::nn::Module &from, torch::nn::Module &to) {
  torch::NoGradGuard guard;
  auto source = from.named_parameters();
  for (auto &item : to.named_parameters())
    item.value().copy_(source[item.key()]);
}

int main() {
  const int64_t actions = 6; // vary: 2 4 18
  const int64_t frames = 4; // vary: 1 2 3
  DQN current({frames, 84, 84}, actions), target({frames, 84, 84}, actions);
  copy_weights(current, target);
  // oracle: model(current)
  // oracle: model(target)
  // matrix: auto states = torch::rand({N, frames, 84, 84}), next_states = torch::rand({N, frames, 84, 84});
  // matrix: auto taken = torch::randint(0, actions, {N}, torch::kLong);
  // matrix: auto q_value = current.forward(states).gather(1, taken.unsqueeze(1)).squeeze(1);
  // matrix: auto next_q = std::get<0>(target.forward(next_states).max(1));
  // matrix: auto loss = (q_value - (torch::rand({N}) + 0.99 * next_q).detach()).pow(2).mean();
  torch::optim::RMSprop optimizer(current.parameters(), torch::optim::RMSpropOptions(2.5e-4).alpha(0.95).eps(0.01));

  auto states = torch::rand({32, frames, 84, 84}), next_states = torch::rand({32, frames, 84, 84});
  auto taken = torch::randint(0, actions, {32}, torch::kLong);
  auto rewards = torch::rand({32}), done = torch::zeros({32});

  auto q_value = current.forward(states).gather(1, taken.unsqueeze(1)).squeeze(1);
  auto next_q = std::get<0>(target.forward(next_states).max(1));
  auto expected = rewards + 0.99 * next_q * (1 - done);
  auto loss = (q_value - expected.detach()).pow(2).mean();
  optimizer.zero_grad();
  loss.backward();
  for (auto &p : current.parameters())
    p.grad().data().clamp_(-1, 1);
  optimizer.step();
  // oracle: shape(q_value)
  // oracle: shape(loss)
  std::cout << "action " << (current.act(states[0], 0.05) >= 0) << std::endl;
}
