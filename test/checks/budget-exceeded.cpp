// The limits that a project sets itself: exceeded, met, not shown to hold.
// RUN: rm -rf %t && mkdir %t && cp %s %t/train.cpp && cd %t
//
// RUN: echo "{Checks: '-*,torch-budget-exceeded', CheckOptions: {torch-budget-exceeded.Parameters: 'Net:10K, Other:1', torch-budget-exceeded.Training: '1MiB, other.cpp:1'}}" > .clang-tidy
// RUN: %exits 1 %vramlint train.cpp 2>&1 | FileCheck %s --check-prefix=OVER
// OVER: train.cpp:{{.*}}: warning: 'Net' has 1,050,624 parameters, the budget is 10,000 [torch-budget-exceeded]
// OVER: train.cpp:{{.*}}: warning: training takes {{.*}} MiB, the budget is 1.00 MiB [torch-budget-exceeded]
// OVER: 2 warnings
//
// RUN: echo "{Checks: '-*,torch-budget-exceeded', CheckOptions: {torch-budget-exceeded.Parameters: '2M', torch-budget-exceeded.Training: '1GiB, t4=14GiB', torch-budget-exceeded.Inference: 1}}" > .clang-tidy
// RUN: %exits 0 %vramlint train.cpp --require-known 2>&1 | FileCheck %s --check-prefix=MET
// MET: Nothing found
//
// An unknown figure never meets its budget.
// RUN: %exits 0 %vramlint train.cpp -- -DUNKNOWN 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: %exits 1 %vramlint train.cpp --require-known -- -DUNKNOWN 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: remark: budget of 2,000,000 not shown to hold: 'Net' has ? parameters (at least {{.*}}) [torch-budget-exceeded]
// UNKNOWN: not shown to hold
//
// RUN: echo "CheckOptions: {torch-budget-exceeded.Parameters: many}" > .clang-tidy
// RUN: %exits 2 %vramlint train.cpp 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: torch-budget-exceeded.Parameters: not a count: 'many' (as 25M or 1000000)
// RUN: echo "CheckOptions: {torch-budget-exceeded.Training: 'nosuchcard=1GiB'}" > .clang-tidy
// RUN: %exits 2 %vramlint train.cpp 2>&1 | FileCheck %s --check-prefix=CARD
// CARD: nosuchcard
#include <torch/torch.h>

#ifdef UNKNOWN
#include <cstdlib>
static const int kWidth = std::atoi(std::getenv("WIDTH"));
#else
static const int kWidth = 1024;
#endif

struct Net : torch::nn::Module {
  Net() { register_module("fc", fc); }
  torch::Tensor forward(torch::Tensor x) { return fc->forward(x); }
  torch::nn::Linear fc{1025, kWidth};
};

int main() {
  auto net = std::make_shared<Net>();
  net->to(torch::kCUDA);
  torch::optim::SGD sgd(net->parameters(), 0.1);
  for (int i = 0; i < 3; ++i) {
    sgd.zero_grad();
    auto loss = net->forward(torch::rand({8, 1025}, torch::kCUDA)).sum();
    loss.backward();
    sgd.step();
  }
}
