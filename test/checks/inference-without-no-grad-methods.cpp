// RUN: %check_torch %s torch-inference-without-no-grad %t
//
// Methods of a module class other than forward that run its parts.
#include <torch/torch.h>

#include <tuple>
#include <vector>

struct SamplerImpl : torch::nn::Module {
  torch::nn::Linear body{nullptr}, head{nullptr};
  SamplerImpl() {
    body = register_module("body", torch::nn::Linear(16, 16));
    head = register_module("head", torch::nn::Linear(16, 4));
  }
  torch::Tensor forward(torch::Tensor x) { return head(torch::relu(body(x))); }
  // The caller's matter.
  torch::Tensor sample(torch::Tensor z) { return torch::tanh(forward(z)); }
  std::vector<torch::Tensor> steps(torch::Tensor z, int n) {
    std::vector<torch::Tensor> all;
    for (int i = 0; i < n; ++i)
      all.push_back(sample(z));
    return all;
  }
  torch::Tensor safely(torch::Tensor z) {
    torch::NoGradGuard no_grad;
    return forward(z);
  }
  torch::Tensor predict(torch::Tensor z) {
    // CHECK-MESSAGES: :[[@LINE+1]]:18: warning: forward of 'body' records an autograd graph
    return body->forward(z).argmax(1);
  }
  torch::Tensor noise(int64_t n) { return torch::randn({n, 16}); }
  torch::Tensor elsewhere(torch::Tensor z);
  torch::Tensor mean() const;
  void init(double std) {}
};
TORCH_MODULE(Sampler);

void sampleBad(Sampler &model) {
  model->eval();
  torch::Tensor z = model->noise(8);
  // CHECK-MESSAGES: :[[@LINE+1]]:28: warning: sample of 'model' records an autograd graph
  torch::Tensor y = model->sample(z);
  // CHECK-FIXES: torch::NoGradGuard no_grad;
  torch::save(y, "y.pt");
}

void throughAnotherBad(Sampler &model) {
  model->eval();
  // CHECK-MESSAGES: :[[@LINE+1]]:10: warning: steps of 'model' records an autograd graph
  model->steps(torch::randn({1, 16}), 3);
}

// Its body is in another file; tensors go in and come out.
void elsewhereBad(Sampler &model, torch::Tensor z) {
  model->eval();
  // CHECK-MESSAGES: :[[@LINE+1]]:10: warning: elsewhere of 'model' records an autograd graph
  model->elsewhere(z);
}

void guardedOk(Sampler &model, torch::Tensor z) {
  torch::NoGradGuard no_grad;
  model->eval();
  model->sample(z);
}

void guardInsideOk(Sampler &model, torch::Tensor z) {
  model->eval();
  model->safely(z);
}

// One cause, one finding: predict is told of where it stands.
void reportedInsideOk(Sampler &model, torch::Tensor z) {
  model->eval();
  model->predict(z);
}

void noModelRunsOk(Sampler &model) {
  model->eval();
  model->init(0.02);
  model->noise(4);
  model->mean();
}

// Not told to be inference, and may be trained by whoever calls it.
torch::Tensor unknownOk(Sampler &model, torch::Tensor z) { return model->sample(z); }

void trainOk(Sampler &model, torch::optim::Optimizer &sgd, torch::Tensor z) {
  model->train();
  model->sample(z).sum().backward();
  sgd.step();
}
