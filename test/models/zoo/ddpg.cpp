// DDPG: actor and critic with uniform initialisation by fan-in, target nets, soft updates.
#include <torch/torch.h>

#include <iostream>
#include <utility>

static std::pair<double, double> hidden_init(torch::nn::Linear &layer) {
  const double lim = 1. / sqrt(layer->weight.sizes()[0]);
  return std::make_pair(-lim, lim);
}

class Actor : public torch::nn::Module {
 public:
  Actor(int64_t state_size, int64_t action_size, int64_t seed = 0, int64_t fc1_units = 400, int64_t fc2_units = 300) {
    torch::manual_seed(seed);
    fc1 = register_module("fc1", torch::nn::Linear(state_size, fc1_units));
    fc2 = register_module("fc2", torch::nn::Linear(fc1_units, fc2_units));
    fc3 = register_module("fc3", torch::nn::Linear(fc2_units, action_size));
    bn1 = register_module("bn1", torch::nn::BatchNorm1d(fc1_units));
    reset_parameters();
  }
  void reset_parameters() {
    auto fc1_init = hidden_init(fc1);
    torch::nn::init::uniform_(fc1->weight, fc1_init.first, fc1_init.second);
    auto fc2_init = hidden_init(fc2);
    torch::nn::init::uniform_(fc2->weight, fc2_init.first, fc2_init.second);
    torch::nn::init::uniform_(fc3->weight, -3e-3, 3e-3);
  }
  torch::Tensor forward(torch::Tensor x) {
    x = torch::relu(bn1->forward(fc1->forward(x)));
    x = torch::relu(fc2->forward(x));
    return torch::tanh(fc3->forward(x));
  }

 private:
  torch::nn::Linear fc1{nullptr}, fc2{nullptr}, fc3{nullptr};
  torch::nn::BatchNorm1d bn1{nullptr};
};

class Critic : public torch::nn::Module {
 public:
  Critic(int64_t state_size, int64_t action_size, int64_t fcs1_units = 400, int64_t fc2_units = 300)
      : fcs1(register_module("fcs1", torch::nn::Linear(state_size, fcs1_units))),
        fc2(register_module("fc2", torch::nn::Linear(fcs1_units + action_size, fc2_units))),
        fc3(register_module("fc3", torch::nn::Linear(fc2_units, 1))) {}
  torch::Tensor forward(torch::Tensor state, torch::Tensor action) {
    auto xs = torch::relu(fcs1->forward(state));
    auto x = torch::cat({xs, action}, /*dim=*/1);
    return fc3->forward(torch::relu(fc2->forward(x)));
  }

 private:
  torch::nn::Linear fcs1, fc2, fc3;
};

template <typename Net> void soft_update(Net& local, Net& target, double tau) {
  torch::NoGradGuard no_grad;
  auto from = local.parameters(), to = target.parameters();
  for (size_t i = 0; i < to.size(); i++)
    to[i].copy_(tau * from[i] + (1.0 - tau) * to[i]);
}

int main() {
  const int64_t state = 33; // vary: 3 8 24
  const int64_t action = 4; // vary: 1 2 6
  Actor actor_local(state, action), actor_target(state, action);
  Critic critic_local(state, action), critic_target(state, action);
  // oracle: model(actor_local)
  // oracle: model(critic_local)
  // matrix: batch 2 4
  // matrix: auto states = torch::rand({N, state});
  // matrix: auto actions = actor_local.forward(states);
  // matrix: auto value = critic_local.forward(states, actions);
  // matrix: auto loss = -value.mean();
  torch::optim::Adam actor_optimizer(actor_local.parameters(), 1e-4);
  torch::optim::Adam critic_optimizer(critic_local.parameters(), torch::optim::AdamOptions(1e-3).weight_decay(1e-2));

  auto states = torch::rand({128, state}), next_states = torch::rand({128, state}), actions = torch::rand({128, action});
  auto rewards = torch::rand({128, 1}), dones = torch::zeros({128, 1});

  auto actions_next = actor_target.forward(next_states);
  auto Q_targets_next = critic_target.forward(next_states, actions_next);
  auto Q_targets = rewards + (0.99 * Q_targets_next * (1 - dones));
  auto critic_loss = torch::mse_loss(critic_local.forward(states, actions), Q_targets.detach());
  critic_optimizer.zero_grad();
  critic_loss.backward();
  critic_optimizer.step();

  auto actor_loss = -critic_local.forward(states, actor_local.forward(states)).mean();
  actor_optimizer.zero_grad();
  actor_loss.backward();
  actor_optimizer.step();
  soft_update(critic_local, critic_target, 1e-3);
  soft_update(actor_local, actor_target, 1e-3);
  // oracle: shape(Q_targets)
  // oracle: shape(actor_loss)
  std::cout << Q_targets.sizes() << std::endl;
}
