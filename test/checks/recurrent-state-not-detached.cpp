// RUN: %check_torch %s torch-recurrent-state-not-detached,torch-graph-accumulation,torch-invalid-operation %t -- --gpu t4
// REQUIRES: libtorch
//
// States of recurrent layers that live on with their graph; one cause, one finding.
#include <torch/torch.h>

#include <iostream>
#include <tuple>

torch::Tensor batch();
torch::Tensor labels();

void tieBad(torch::nn::GRU &gru, torch::optim::Optimizer &sgd) {
  torch::Tensor out, h = torch::zeros({1, 8, 32});
  for (int i = 0; i < 1000; ++i) {
    // CHECK-MESSAGES: :[[@LINE+3]]:5: warning: the state 'h' carries the autograd graph of each iteration into the next: the second backward() throws{{.*}} [torch-recurrent-state-not-detached]
    // CHECK-FIXES: std::tie(out, h) = gru->forward(batch(), h);
    // CHECK-FIXES-NEXT: h = h.detach();
    std::tie(out, h) = gru->forward(batch(), h);
    auto loss = torch::mse_loss(out, labels());
    sgd.zero_grad();
    loss.backward();
    sgd.step();
  }
}

void tupleBad(torch::nn::LSTM &lstm, torch::optim::Optimizer &sgd) {
  auto state = std::make_tuple(torch::zeros({1, 8, 32}), torch::zeros({1, 8, 32}));
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (int i = 0; i < 1000; ++i) {
      auto result = lstm->forward(batch(), state);
      auto loss = torch::mse_loss(std::get<0>(result), labels());
      sgd.zero_grad();
      loss.backward();
      sgd.step();
      // CHECK-MESSAGES: :[[@LINE+3]]:7: warning: the state 'state' carries the autograd graph
      // CHECK-FIXES: state = std::get<1>(result);
      // CHECK-FIXES-NEXT: state = std::make_tuple(std::get<0>(state).detach(), std::get<1>(state).detach());
      state = std::get<1>(result);
    }
  }
}

void bindingBad(torch::nn::GRU gru, torch::optim::Adam &adam) {
  auto h = torch::zeros({1, 8, 32});
  while (true) {
    auto [out, next] = gru(batch(), h);
    adam.zero_grad();
    torch::mse_loss(out, labels()).backward();
    adam.step();
    // CHECK-MESSAGES: :[[@LINE+1]]:5: warning: the state 'h' carries the autograd graph
    h = next;
  }
}

// The project's own model hands the state through.
struct Language : torch::nn::Module {
  Language() { gru = register_module("gru", torch::nn::GRU(16, 32)); }
  std::tuple<torch::Tensor, torch::Tensor> forward(torch::Tensor x, torch::Tensor h) {
    return gru->forward(x, h);
  }
  torch::nn::GRU gru{nullptr};
};

// Kept on purpose, so nothing throws, and the memory grows.
void retainBad(Language &model, torch::optim::Optimizer &sgd) {
  torch::Tensor out, h = torch::zeros({1, 8, 32});
  for (int i = 0; i < 1000; ++i) {
    // CHECK-MESSAGES: :[[@LINE+1]]:5: warning: the state 'h' carries the autograd graph of each iteration into the next: all of them stay in memory
    std::tie(out, h) = model.forward(batch(), h);
    sgd.zero_grad();
    torch::mse_loss(out, labels()).backward({}, true);
    sgd.step();
  }
}

// ---- Detached, or made anew

void detachOk(torch::nn::GRU &gru, torch::nn::LSTM &lstm, torch::optim::Optimizer &sgd) {
  torch::Tensor out, a = torch::zeros({1, 8, 32}), b = a.clone(), c = a.clone();
  auto state = std::make_tuple(torch::zeros({1, 8, 32}), torch::zeros({1, 8, 32}));
  for (int i = 0; i < 1000; ++i) {
    std::tie(out, a) = gru->forward(batch(), a.detach());
    auto loss = out.sum();
    auto second = gru->forward(batch(), b);
    loss = loss + std::get<0>(second).sum();
    b = std::get<1>(second).detach();
    std::tie(out, c) = gru->forward(batch(), c);
    loss = loss + out.sum();
    auto third = lstm->forward(batch(), state);
    loss = loss + std::get<0>(third).sum();
    loss.backward();
    sgd.step();
    c.detach_();
    auto [h, cell] = std::get<1>(third);
    state = std::make_tuple(h.detach(), cell.detach());
  }
}

void anewOk(torch::nn::GRU &gru, torch::optim::Optimizer &sgd) {
  torch::Tensor out, h;
  for (int i = 0; i < 1000; ++i) {
    h = torch::zeros({1, 8, 32});
    std::tie(out, h) = gru->forward(batch(), h);
    out.sum().backward();
    sgd.step();
  }
}

// Through time: one backward pass for all steps.
void throughTimeOk(torch::nn::GRUCell &cell, torch::optim::Optimizer &sgd) {
  for (int i = 0; i < 100; ++i) {
    auto h = torch::zeros({8, 32});
    auto loss = torch::zeros({});
    for (int t = 0; t < 20; ++t) {
      h = cell->forward(batch(), h);
      loss = loss + h.sum();
    }
    sgd.zero_grad();
    loss.backward();
    sgd.step();
  }
}

void everyFewOk(torch::nn::GRU &gru, torch::optim::Optimizer &sgd) {
  torch::Tensor out, h = torch::zeros({1, 8, 32}), loss = torch::zeros({});
  for (int i = 0; i < 1000; ++i) {
    std::tie(out, h) = gru->forward(batch(), h);
    loss = loss + out.sum();
    if (i % 20 == 19) {
      loss.backward();
      sgd.step();
      h = h.detach();
      loss = torch::zeros({});
    }
  }
}

// ---- Unknown

void repackage(torch::Tensor &h);
torch::Tensor cut(torch::Tensor h);
void helperOk(torch::nn::GRU &gru, torch::optim::Optimizer &sgd) {
  torch::Tensor out, a = torch::zeros({1, 8, 32}), b = a.clone();
  for (int i = 0; i < 1000; ++i) {
    std::tie(out, a) = gru->forward(batch(), a);
    auto loss = out.sum();
    std::tie(out, b) = gru->forward(batch(), cut(b));
    (loss + out.sum()).backward();
    sgd.step();
    repackage(a);
  }
}

struct Cutting : torch::nn::Module {
  Cutting() { gru = register_module("gru", torch::nn::GRU(16, 32)); }
  std::tuple<torch::Tensor, torch::Tensor> forward(torch::Tensor x, torch::Tensor h) {
    return gru->forward(x, h.detach());
  }
  torch::nn::GRU gru{nullptr};
};
void insideOk(Cutting &model, torch::optim::Optimizer &sgd) {
  torch::Tensor out, h = torch::zeros({1, 8, 32});
  for (int i = 0; i < 1000; ++i) {
    std::tie(out, h) = model.forward(batch(), h);
    out.sum().backward();
    sgd.step();
  }
}

// No gradients are kept while a text is written.
void generateOk(torch::nn::GRU &gru) {
  torch::NoGradGuard no_grad;
  torch::Tensor out, h = torch::zeros({1, 8, 32});
  for (int i = 0; i < 1000; ++i)
    std::tie(out, h) = gru->forward(batch(), h);
}
