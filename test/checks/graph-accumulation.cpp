// RUN: %check_torch %s torch-graph-accumulation %t -- --gpu t4
// REQUIRES: libtorch
//
// Losses that are summed up or collected with their history, and look-alikes that
// need it or have none.
#include <torch/torch.h>

#include <iostream>
#include <vector>

struct Net : torch::nn::Module {
  Net() { fc = register_module("fc", torch::nn::Linear(10, 2)); }
  torch::Tensor forward(torch::Tensor x) { return fc->forward(x); }
  torch::nn::Linear fc{nullptr};
};

torch::Tensor batch();
torch::Tensor labels();

void addedBad(Net &net, torch::optim::Optimizer &sgd) {
  torch::Tensor total = torch::zeros({1});
  for (int i = 0; i < 100000; ++i) {
    auto loss = torch::nll_loss(net.forward(batch()), labels());
    sgd.zero_grad();
    loss.backward();
    sgd.step();
    // CHECK-MESSAGES: :[[@LINE+2]]:11: warning: 'total' keeps the autograd graph of every iteration: 'loss' is added with its history{{.*}} [torch-graph-accumulation]
    // CHECK-FIXES: total += loss.detach();
    total += loss;
  }
  std::cout << total.item<float>() / 100000;
}

void scaledBad(Net &net, torch::optim::Optimizer &sgd, int64_t n) {
  auto total = torch::zeros({});
  while (n-- > 0) {
    auto out = net.forward(batch());
    auto first = torch::mse_loss(out, labels());
    auto second = out.abs().mean();
    auto loss = first + 0.1 * second;
    // CHECK-MESSAGES: :[[@LINE+2]]:11: warning: 'total' keeps the autograd graph of every iteration: 'first' is added
    // CHECK-FIXES: total = total + (first * 32).detach();
    total = total + first * 32;
    // CHECK-MESSAGES: :[[@LINE+2]]:11: warning: 'total' keeps the autograd graph of every iteration: 'second' is added
    // CHECK-FIXES: total.add_(second.detach());
    total.add_(second);
    sgd.zero_grad();
    loss.backward();
    sgd.step();
  }
  auto mean = total / 32;
  std::cout << mean << '\n';
}

void listBad(Net &net, torch::optim::Optimizer &sgd) {
  std::vector<torch::Tensor> losses;
  for (int i = 0; i < 100; ++i) {
    auto loss = torch::nll_loss(net.forward(batch()), labels());
    sgd.zero_grad();
    loss.backward();
    sgd.step();
    // CHECK-MESSAGES: :[[@LINE+2]]:12: warning: 'losses' keeps the autograd graph of every iteration: 'loss' is stored with its history
    // CHECK-FIXES: losses.push_back(loss.detach());
    losses.push_back(loss);
  }
  std::cout << torch::stack(losses).mean().item<float>();
}

// ---- No history

void itemOk(Net &net, torch::optim::Optimizer &sgd) {
  double total = 0;
  torch::Tensor sum = torch::zeros({}), hits = torch::zeros({}), safe = torch::zeros({});
  std::vector<torch::Tensor> kept;
  for (int i = 0; i < 100; ++i) {
    auto y = labels();
    auto out = net.forward(batch());
    auto loss = torch::nll_loss(out, y);
    sgd.zero_grad();
    loss.backward();
    sgd.step();
    total += loss.item<double>();
    sum += loss.item<float>();
    sum = sum + loss.detach();
    hits += out.argmax(1).eq(y).sum();
    kept.push_back(loss.detach().cpu());
    {
      torch::NoGradGuard no_grad;
      safe += loss;
    }
  }
  std::cout << total << sum << hits << safe << kept.size();
}

// ---- History that is needed

void throughTimeOk(Net &net, torch::optim::Optimizer &sgd, std::vector<torch::Tensor> steps) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    torch::Tensor loss = torch::zeros({});
    for (const torch::Tensor &x : steps) {
      auto one = net.forward(x).sum();
      loss += one;
    }
    sgd.zero_grad();
    loss.backward();
    sgd.step();
  }
}

void policyOk(Net &net, torch::optim::Optimizer &sgd) {
  std::vector<torch::Tensor> rewards;
  for (int i = 0; i < 1000; ++i) {
    auto log = net.forward(batch()).log();
    rewards.push_back(log);
  }
  sgd.zero_grad();
  torch::cat(rewards).sum().backward();
  sgd.step();
}

void accumulatedOk(Net &net, torch::optim::Optimizer &sgd) {
  torch::Tensor sum = torch::zeros({});
  for (int i = 0; i < 1000; ++i) {
    auto loss = net.forward(batch()).sum();
    sum = sum + loss;
    if (i % 4 == 3) {
      sum.backward();
      sgd.step();
      sgd.zero_grad();
      sum = torch::zeros({});
    }
  }
}

// Emptied now and then.
void resetOk(Net &net, torch::optim::Optimizer &sgd) {
  torch::Tensor running = torch::zeros({});
  for (int i = 0; i < 1000; ++i) {
    auto loss = net.forward(batch()).sum();
    loss.backward();
    sgd.step();
    running += loss;
    if (i % 100 == 99) {
      std::cout << running.item<float>();
      running = torch::zeros({});
    }
  }
}

// ---- Unknown: who gets it may go back through it.

void use(torch::Tensor total);
torch::Tensor returnedOk(Net &net) {
  torch::Tensor total = torch::zeros({}), given = torch::zeros({});
  for (int i = 0; i < 100; ++i) {
    auto loss = net.forward(batch()).sum();
    loss.backward({}, /*retain_graph=*/true);
    total += loss;
    given += loss;
  }
  use(given);
  return total;
}

// Gradients of each sample, added up: no graph.
void gradientsOk(Net &net) {
  torch::Tensor total = torch::zeros({2, 10});
  for (int i = 0; i < 100; ++i) {
    net.zero_grad();
    net.forward(batch()).sum().backward();
    total += net.fc->weight.grad();
  }
  std::cout << total;
}

// Nothing is trained: that is torch-inference-without-no-grad's.
void testOk(Net &net) {
  torch::Tensor total = torch::zeros({});
  for (int i = 0; i < 100; ++i)
    total += torch::nll_loss(net.forward(batch()), labels());
  std::cout << total.item<float>();
}
