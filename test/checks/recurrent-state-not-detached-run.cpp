// RUN: %check_torch %s torch-recurrent-state-not-detached,torch-graph-accumulation,torch-invalid-operation %t -- --gpu t4
// REQUIRES: libtorch
//
// The run knows that the second pass throws: it has one cause, and is one finding.
#include <torch/torch.h>

#include <tuple>

int main() {
  torch::nn::GRU gru(torch::nn::GRUOptions(16, 512));
  gru->to(torch::kCUDA);
  torch::optim::SGD sgd(gru->parameters(), 0.1);
  auto x = torch::randn({64, 8, 16}, torch::kCUDA);
  torch::Tensor out, h = torch::zeros({1, 8, 512}, torch::kCUDA);
  for (int i = 0; i < 10; ++i) {
    // CHECK-NOTES: :[[@LINE+1]]:5: warning: the state 'h' carries the autograd graph of each iteration into the next: all of them stay in memory [torch-recurrent-state-not-detached]
    std::tie(out, h) = gru->forward(x, h);
    auto loss = out.sum();
    // CHECK-NOTES: :[[@LINE+1]]:10: note: backward() goes through all iterations so far, since retain_graph keeps them
    loss.backward({}, /*retain_graph=*/true);
    // CHECK-NOTES: :[[@LINE-4]]:29: note: detach 'h' before it is given back to 'gru'
    sgd.step();
    sgd.zero_grad();
  }

  torch::Tensor state = torch::zeros({1, 8, 512}, torch::kCUDA);
  for (int i = 0; i < 100000; ++i) {
    auto result = gru->forward(x, state);
    // CHECK-NOTES: :[[@LINE+1]]:5: warning: the state 'state' carries the autograd graph of each iteration into the next: the second backward() throws{{.*}} [torch-recurrent-state-not-detached]
    state = std::get<1>(result);
    // CHECK-NOTES: :[[@LINE+2]]:31: note: backward() goes through all iterations so far, and frees what the next one needs again
    // CHECK-NOTES: :[[@LINE-4]]:24: note: detach 'state' before it is given back to 'gru'
    std::get<0>(result).sum().backward();
  }
}
