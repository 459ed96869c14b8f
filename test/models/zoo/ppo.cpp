// PPO's actor-critic with a Gaussian policy, one update over a short rollout.
#include <torch/torch.h>

#include <cmath>
#include <iostream>
#include <vector>

struct ActorCriticImpl : public torch::nn::Module {
  torch::nn::Linear a_lin1_, a_lin2_, a_lin3_;
  torch::Tensor mu_, log_std_;
  torch::nn::Linear c_lin1_, c_lin2_, c_lin3_, c_val_;

  ActorCriticImpl(int64_t n_in, int64_t n_out, double std)
      : a_lin1_(torch::nn::Linear(n_in, 16)), a_lin2_(torch::nn::Linear(16, 32)), a_lin3_(torch::nn::Linear(32, n_out)),
        mu_(torch::full(n_out, 0.)), log_std_(torch::full(n_out, std)), c_lin1_(torch::nn::Linear(n_in, 16)),
        c_lin2_(torch::nn::Linear(16, 32)), c_lin3_(torch::nn::Linear(32, n_out)), c_val_(torch::nn::Linear(n_out, 1)) {
    register_module("a_lin1", a_lin1_);
    register_module("a_lin2", a_lin2_);
    register_module("a_lin3", a_lin3_);
    register_parameter("log_std", log_std_);
    register_module("c_lin1", c_lin1_);
    register_module("c_lin2", c_lin2_);
    register_module("c_lin3", c_lin3_);
    register_module("c_val", c_val_);
  }

  std::tuple<torch::Tensor, torch::Tensor> forward(torch::Tensor x) {
    mu_ = torch::relu(a_lin1_->forward(x));
    mu_ = torch::relu(a_lin2_->forward(mu_));
    mu_ = torch::tanh(a_lin3_->forward(mu_));
    torch::Tensor val = torch::relu(c_lin1_->forward(x));
    val = torch::relu(c_lin2_->forward(val));
    val = torch::tanh(c_lin3_->forward(val));
    val = c_val_->forward(val);
    if (this->is_training()) {
      torch::NoGradGuard no_grad;
      return std::make_tuple(at::normal(mu_, log_std_.exp().expand_as(mu_)), val);
    }
    return std::make_tuple(mu_, val);
  }

  torch::Tensor entropy() { return 0.5 + 0.5 * std::log(2 * M_PI) + log_std_; }

  torch::Tensor log_prob(torch::Tensor action) {
    torch::Tensor var = (log_std_ + log_std_).exp();
    return -((action - mu_) * (action - mu_)) / (2 * var) - log_std_ - std::log(std::sqrt(2 * M_PI));
  }
};
TORCH_MODULE(ActorCritic);

int main() {
  const int64_t n_in = 4; // vary: 2 3 8
  const int64_t n_out = 2; // vary: 1 3 6
  ActorCritic ac(n_in, n_out, 2e-2);
  // oracle: model(ac)
  // matrix: auto state = torch::rand({8 * N, n_in});
  // matrix: auto [action, value] = ac->forward(state);
  // matrix: auto old = (ac->log_prob(action) - 0.1).detach();
  // matrix: auto ratio = (ac->log_prob(action.detach()) - old).exp();
  // matrix: auto loss = (torch::rand({8 * N, 1}) - value).pow(2).mean() - ratio.mean() - 1e-3 * ac->entropy().mean();
  torch::optim::Adam opt(ac->parameters(), 1e-3);
  ac->train();

  std::vector<torch::Tensor> states, actions, log_probs, values;
  for (int step = 0; step < 8; ++step) {
    auto state = torch::rand({1, n_in});
    auto [action, value] = ac->forward(state);
    states.push_back(state);
    actions.push_back(action);
    values.push_back(value.detach());
    log_probs.push_back(ac->log_prob(action).detach());
  }
  auto rewards = torch::rand({8, 1});
  auto all_states = torch::cat(states), all_actions = torch::cat(actions), old = torch::cat(log_probs);
  auto advantages = rewards - torch::cat(values);

  auto value = std::get<1>(ac->forward(all_states));
  auto entropy = ac->entropy().mean();
  auto ratio = (ac->log_prob(all_actions) - old).exp();
  auto surr1 = ratio * advantages;
  auto surr2 = torch::clamp(ratio, 1. - 0.2, 1. + 0.2) * advantages;
  auto actor_loss = -torch::min(surr1, surr2).mean();
  auto critic_loss = (rewards - value).pow(2).mean();
  auto loss = 0.5 * critic_loss + actor_loss - 1e-3 * entropy;
  opt.zero_grad();
  loss.backward();
  opt.step();
  // oracle: shape(ratio)
  // oracle: shape(loss)
  std::cout << ratio.sizes() << std::endl;
}
