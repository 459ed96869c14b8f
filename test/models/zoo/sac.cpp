// SAC: a squashed Gaussian actor and two critics; MLPs made by one template.
#include <torch/torch.h>

#include <initializer_list>
#include <iostream>
#include <tuple>

template <typename Activation, typename Last = torch::nn::Identity>
torch::nn::Sequential mlp(std::initializer_list<int64_t> sizes) {
  torch::nn::Sequential net;
  auto in = sizes.begin();
  for (auto out = std::next(in); out != sizes.end(); ++in, ++out) {
    net->push_back(torch::nn::Linear(*in, *out));
    if (std::next(out) != sizes.end())
      net->push_back(Activation());
    else
      net->push_back(Last());
  }
  return net;
}

struct Actor : torch::nn::Module {
  static constexpr double LOG_STD_MAX = 2, LOG_STD_MIN = -20;
  torch::nn::Sequential net;
  torch::nn::Linear mu_layer, log_std_layer;
  double act_limit;

  Actor(int64_t obs, int64_t act, int64_t hidden, double limit)
      : net(mlp<torch::nn::ReLU, torch::nn::ReLU>({obs, hidden, hidden})), mu_layer(hidden, act), log_std_layer(hidden, act),
        act_limit(limit) {
    register_module("net", net);
    register_module("mu_layer", mu_layer);
    register_module("log_std_layer", log_std_layer);
  }

  std::tuple<torch::Tensor, torch::Tensor> forward(torch::Tensor obs, bool deterministic = false) {
    auto out = net->forward(obs);
    auto mu = mu_layer(out);
    auto std = torch::exp(torch::clamp(log_std_layer(out), LOG_STD_MIN, LOG_STD_MAX));
    auto action = deterministic ? mu : mu + std * torch::randn_like(mu);
    auto logp = (-((action - mu).pow(2)) / (2 * std.pow(2)) - std.log() - 0.5 * std::log(2 * M_PI)).sum(-1);
    logp = logp - (2 * (std::log(2.) - action - torch::softplus(-2 * action))).sum(1);
    return {act_limit * torch::tanh(action), logp};
  }
};

struct Critic : torch::nn::Module {
  torch::nn::Sequential q;
  Critic(int64_t obs, int64_t act, int64_t hidden)
      : q(register_module("q", mlp<torch::nn::ReLU>({obs + act, hidden, hidden, 1}))) {}
  torch::Tensor forward(const torch::Tensor &obs, const torch::Tensor &act) {
    return q->forward(torch::cat({obs, act}, -1)).squeeze(-1);
  }
};

struct SAC : torch::nn::Module {
  std::shared_ptr<Actor> pi;
  std::shared_ptr<Critic> q1, q2;
  SAC(int64_t obs, int64_t act, int64_t hidden) {
    pi = register_module("pi", std::make_shared<Actor>(obs, act, hidden, 1.0));
    q1 = register_module("q1", std::make_shared<Critic>(obs, act, hidden));
    q2 = register_module("q2", std::make_shared<Critic>(obs, act, hidden));
  }
};

int main() {
  const int64_t hidden = 256; // vary: 32 64 128
  const int64_t obs = 17; // vary: 3 11 24
  const int64_t act = 6; // vary: 1 2 4
  SAC agent(obs, act, hidden);
  // oracle: model(agent)
  // matrix: auto o = torch::randn({25 * N, obs});
  // matrix: auto [sampled, logp] = agent.pi->forward(o);
  // matrix: auto q = torch::min(agent.q1->forward(o, sampled), agent.q2->forward(o, sampled));
  // matrix: auto loss = (0.2 * logp - q).mean();
  agent.train();
  torch::optim::Adam pi_optimizer(agent.pi->parameters(), 1e-3);
  std::vector<torch::Tensor> q_params = agent.q1->parameters();
  for (auto &p : agent.q2->parameters())
    q_params.push_back(p);
  torch::optim::Adam q_optimizer(q_params, torch::optim::AdamOptions(1e-3));

  auto o = torch::randn({100, obs}), a = torch::rand({100, act}), r = torch::rand({100});
  auto q1 = agent.q1->forward(o, a), q2 = agent.q2->forward(o, a);
  auto loss_q = torch::mse_loss(q1, r) + torch::mse_loss(q2, r);
  q_optimizer.zero_grad();
  loss_q.backward();
  q_optimizer.step();
  // oracle: shape(q1)

  for (auto &p : q_params)
    p.set_requires_grad(false);
  auto [sampled, logp] = agent.pi->forward(o);
  // oracle: shape(sampled)
  // oracle: shape(logp)
  auto loss_pi = (0.2 * logp - torch::min(agent.q1->forward(o, sampled), agent.q2->forward(o, sampled))).mean();
  pi_optimizer.zero_grad();
  loss_pi.backward();
  pi_optimizer.step();
  // oracle: shape(loss_pi)
  std::cout << sampled.sizes() << std::endl;
}
