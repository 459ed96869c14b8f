// RUN: %check_torch %s torch-retain-graph-in-loop %t
// REQUIRES: libtorch
//
// Graphs that are kept although nothing uses them again, and those that are needed.
#include <torch/torch.h>

#include <tuple>

torch::Tensor batch();

void plainBad(torch::nn::Linear &net, torch::optim::Optimizer &sgd) {
  auto y = torch::zeros({8, 2});
  for (int i = 0; i < 1000; ++i) {
    auto out = net->forward(torch::randn({8, 3}));
    auto loss = torch::mse_loss(out, y);
    sgd.zero_grad();
    // CHECK-MESSAGES: :[[@LINE+2]]:10: warning: this backward() retains the graph of each iteration, and nothing goes back through it again{{.*}} [torch-retain-graph-in-loop]
    // CHECK-FIXES: loss.backward();
    loss.backward({}, true);
    sgd.step();
  }
}

void gradientBad(torch::nn::Linear &net, torch::optim::Optimizer &sgd) {
  for (int i = 0; i < 1000; ++i) {
    auto out = net->forward(torch::randn({8, 3}));
    // CHECK-MESSAGES: :[[@LINE+2]]:9: warning: this backward() retains the graph
    // CHECK-FIXES: out.backward(torch::ones_like(out));
    out.backward(torch::ones_like(out), /*retain_graph=*/true, /*create_graph=*/false);
    sgd.step();
    sgd.zero_grad();
  }
}

// ---- Needed

// A row of the Jacobian at a time.
void jacobianOk(torch::nn::Linear &net) {
  auto x = torch::randn({3}, torch::requires_grad());
  auto out = net->forward(x);
  for (int row = 0; row < 2; ++row) {
    auto one = out[row];
    one.backward({}, /*retain_graph=*/true);
  }
}

void twiceOk(torch::nn::Linear &net, torch::optim::Optimizer &sgd) {
  for (int i = 0; i < 1000; ++i) {
    auto out = net->forward(torch::randn({8, 3}));
    out.sum().backward({}, true);
    out.mean().backward();
    sgd.step();
  }
}

void penaltyOk(torch::nn::Linear &net, torch::optim::Optimizer &sgd) {
  for (int i = 0; i < 1000; ++i) {
    auto x = torch::randn({8, 3}, torch::requires_grad());
    auto out = net->forward(x);
    auto grad = torch::autograd::grad({out.sum()}, {x}, {}, true, true)[0];
    (out.sum() + grad.norm()).backward({}, true);
    sgd.step();
  }
}

void secondOrderOk(torch::nn::Linear &net) {
  for (int i = 0; i < 1000; ++i) {
    auto out = net->forward(torch::randn({8, 3}));
    out.sum().backward({}, true, /*create_graph=*/true);
  }
}

// The target's graph is older than the loop.
void styleOk(torch::nn::Linear &net, torch::optim::Optimizer &sgd) {
  auto target = net->forward(torch::randn({8, 3}));
  for (int i = 0; i < 1000; ++i) {
    auto out = net->forward(torch::randn({8, 3}));
    torch::mse_loss(out, target).backward({}, true);
    sgd.step();
  }
}

void stateOk(torch::nn::GRU &gru, torch::optim::Optimizer &sgd) {
  torch::Tensor out, h = torch::zeros({1, 8, 32});
  for (int i = 0; i < 1000; ++i) {
    std::tie(out, h) = gru->forward(torch::randn({4, 8, 3}), h);
    out.sum().backward({}, true);
    sgd.step();
  }
}

// ---- Unknown: what is given may have a history.

void parameterOk(torch::nn::Linear &net, torch::Tensor x) {
  for (int i = 0; i < 1000; ++i) {
    auto out = net->forward(x);
    out.sum().backward({}, true);
  }
}
torch::Tensor shared();
void functionOk(torch::nn::Linear &net, bool keep) {
  for (int i = 0; i < 1000; ++i) {
    auto out = net->forward(shared());
    out.sum().backward({}, true);
  }
  for (int i = 0; i < 1000; ++i) {
    auto out = net->forward(torch::randn({8, 3}));
    out.sum().backward({}, keep);
  }
}

// Once.
void onceOk(torch::nn::Linear &net) {
  auto out = net->forward(torch::randn({8, 3}));
  out.sum().backward({}, true);
}
