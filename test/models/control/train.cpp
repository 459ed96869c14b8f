// Deep deterministic policy gradients: actor, critic, target nets and a replay
// buffer of preallocated tensors, on a pendulum that is a few lines of physics.
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

static const int64_t kState = 3, kAction = 1, kHidden = 128, kBatch = 64;

struct ActorImpl : torch::nn::Module {
  ActorImpl()
      : net(register_module("net", torch::nn::Sequential(torch::nn::Linear(kState, kHidden), torch::nn::ReLU(),
                                                         torch::nn::Linear(kHidden, kHidden), torch::nn::ReLU(),
                                                         torch::nn::Linear(kHidden, kAction), torch::nn::Tanh()))) {}
  torch::Tensor forward(const torch::Tensor &state) { return net->forward(state) * 2; }
  torch::nn::Sequential net;
};
TORCH_MODULE(Actor);

struct CriticImpl : torch::nn::Module {
  CriticImpl()
      : net(register_module("net", torch::nn::Sequential(torch::nn::Linear(kState + kAction, kHidden), torch::nn::ReLU(),
                                                         torch::nn::Linear(kHidden, kHidden), torch::nn::ReLU(),
                                                         torch::nn::Linear(kHidden, 1)))) {}
  torch::Tensor forward(const torch::Tensor &state, const torch::Tensor &action) {
    return net->forward(torch::cat({state, action}, 1));
  }
  torch::nn::Sequential net;
};
TORCH_MODULE(Critic);

class ReplayBuffer {
public:
  explicit ReplayBuffer(int64_t capacity)
      : capacity_(capacity), state_(torch::zeros({capacity, kState})), action_(torch::zeros({capacity, kAction})),
        reward_(torch::zeros({capacity, 1})), next_(torch::zeros({capacity, kState})) {}

  void push(const torch::Tensor &state, const torch::Tensor &action, double reward, const torch::Tensor &next) {
    state_[at_].copy_(state);
    action_[at_].copy_(action);
    reward_[at_].fill_(reward);
    next_[at_].copy_(next);
    at_ = (at_ + 1) % capacity_;
    size_ = std::min(size_ + 1, capacity_);
  }

  std::tuple<torch::Tensor, torch::Tensor, torch::Tensor, torch::Tensor> sample(int64_t n) const {
    auto index = torch::randint(size_, {n}, torch::kLong);
    return {state_.index_select(0, index), action_.index_select(0, index), reward_.index_select(0, index),
            next_.index_select(0, index)};
  }

private:
  int64_t capacity_, size_ = 0, at_ = 0;
  torch::Tensor state_, action_, reward_, next_;
};

struct Pendulum {
  double angle = 3.0, speed = 0;
  torch::Tensor observe() const { return torch::tensor({std::cos(angle), std::sin(angle), speed}, torch::kFloat); }
  double step(double force) {
    speed = std::clamp(speed + (15 * std::sin(angle) + 3 * force) * 0.05, -8.0, 8.0);
    angle += speed * 0.05;
    return -(angle * angle + 0.1 * speed * speed + 0.001 * force * force);
  }
};

static void softUpdate(torch::nn::Module &target, torch::nn::Module &source, double tau) {
  torch::NoGradGuard no_grad;
  auto to = target.parameters(), from = source.parameters();
  for (size_t i = 0; i < to.size(); ++i)
    to[i].mul_(1 - tau).add_(from[i], tau);
}

int main() {
  torch::manual_seed(5);
  Actor actor, actor_target;
  Critic critic, critic_target;
  softUpdate(*actor_target, *actor, 1.0);
  softUpdate(*critic_target, *critic, 1.0);
  torch::optim::Adam actor_optimizer(actor->parameters(), torch::optim::AdamOptions(1e-4));
  torch::optim::Adam critic_optimizer(critic->parameters(), torch::optim::AdamOptions(1e-3));
  ReplayBuffer buffer(10000);

  Pendulum world;
  auto state = world.observe();
  for (int step = 0; step < 500; ++step) {
    auto action = actor->forward(state.unsqueeze(0)).squeeze(0).detach();
    action = (action + 0.1 * torch::randn({kAction})).clamp(-2, 2);
    double reward = world.step(action.item<double>());
    auto next_state = world.observe();
    buffer.push(state, action, reward, next_state);
    state = next_state;

    auto [states, actions, rewards, nexts] = buffer.sample(kBatch);
    auto target = critic_target->forward(nexts, actor_target->forward(nexts));
    target = (rewards + 0.99 * target).detach();
    auto critic_loss = torch::mse_loss(critic->forward(states, actions), target);
    critic_optimizer.zero_grad();
    critic_loss.backward();
    critic_optimizer.step();

    auto actor_loss = -critic->forward(states, actor->forward(states)).mean();
    actor_optimizer.zero_grad();
    actor_loss.backward();
    actor_optimizer.step();

    softUpdate(*actor_target, *actor, 0.005);
    softUpdate(*critic_target, *critic, 0.005);
  }
  std::printf("angle %.3f\n", world.angle);
}
