// RUN: %check_torch %s torch-inference-without-no-grad %t
//
// Programs that train and evaluate in one function.
#include <torch/torch.h>

#include <iostream>
#include <vector>

using Data = std::vector<torch::Tensor>;
torch::nn::Sequential make();

void eachEpochBad(torch::nn::Sequential net, torch::optim::Optimizer &sgd,
                  const Data &training, const Data &testing) {
  for (int epoch = 0; epoch < 3; ++epoch) {
    net->train();
    for (const torch::Tensor &x : training) {
      sgd.zero_grad();
      net->forward(x).sum().backward();
      sgd.step();
    }
    net->eval();
    float right = 0;
    for (const torch::Tensor &x : testing)
      // CHECK-MESSAGES: :[[@LINE+1]]:21: warning: forward of 'net' records an autograd graph
      right += net->forward(x).argmax(1).sum().item<float>();
    std::cout << right;
  }
}

void atTheEndBad(torch::nn::Sequential net, torch::optim::Optimizer &sgd,
                 const Data &training, const Data &testing) {
  for (const torch::Tensor &x : training) {
    net->forward(x).sum().backward();
    sgd.step();
  }
  net->eval();
  // CHECK-FIXES: {{^  }}for (const torch::Tensor &x : testing) {
  // CHECK-FIXES-NEXT: {{^    }}torch::NoGradGuard no_grad;
  for (const torch::Tensor &x : testing) {
    // CHECK-MESSAGES: :[[@LINE+1]]:23: warning: forward of 'net' records an autograd graph
    std::cout << net->forward(x).argmax(1);
  }
}

// Trained on what it gave in evaluation mode.
void rolloutOk(torch::nn::Sequential policy, torch::optim::Optimizer &sgd,
               const Data &states) {
  for (int update = 0; update < 3; ++update) {
    policy->eval();
    Data actions;
    for (const torch::Tensor &s : states)
      actions.push_back(policy->forward(s));
    torch::stack(actions).sum().backward();
    sgd.step();
  }
}

// Frozen statistics, and trained all the same.
void frozenStatisticsOk(torch::nn::Sequential net, torch::optim::Optimizer &sgd,
                        const Data &training) {
  net->eval();
  for (const torch::Tensor &x : training) {
    torch::Tensor loss = net->forward(x).sum();
    loss.backward();
    sgd.step();
  }
}

// Another network is in evaluation mode.
void teacherOk(torch::nn::Sequential teacher, torch::nn::Sequential student,
               torch::optim::Optimizer &sgd, const Data &training) {
  teacher->eval();
  for (const torch::Tensor &x : training) {
    torch::Tensor loss = torch::mse_loss(student->forward(x), x);
    loss.backward();
    sgd.step();
  }
}

// Back in training when it runs.
void modeGoesBackOk(torch::nn::Sequential net, torch::optim::Optimizer &sgd,
                    const Data &training, Data &kept) {
  for (const torch::Tensor &x : training) {
    net->forward(x).sum().backward();
    sgd.step();
  }
  net->eval();
  net->train();
  kept.push_back(net->forward(training.front()));
}
