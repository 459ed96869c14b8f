// RUN: %check_torch %s torch-oversized-linear %t
#include <torch/torch.h>

// AlexNet's head: its first Linear holds most of the model.
struct AlexHeadBadImpl : torch::nn::Module {
  AlexHeadBadImpl() {
    // CHECK-MESSAGES: :[[@LINE+1]]:{{[0-9]+}}: warning: Linear(9216, 4096) holds 37.8 M of the model's {{.*}} parameters {{.*}}[torch-oversized-linear]
    fc1 = register_module("fc1", torch::nn::Linear(256 * 6 * 6, 4096));
    fc2 = register_module("fc2", torch::nn::Linear(4096, 1000));
  }
  torch::Tensor forward(torch::Tensor x) { return fc2(fc1(x.flatten(1)).relu()); }
  torch::nn::Linear fc1{nullptr}, fc2{nullptr};
};
TORCH_MODULE(AlexHeadBad);

// A small MLP is all Linear, and no matter.
struct SmallOkImpl : torch::nn::Module {
  SmallOkImpl() { register_module("fc", fc); }
  torch::Tensor forward(torch::Tensor x) { return fc(x); }
  torch::nn::Linear fc{784, 256};
};
TORCH_MODULE(SmallOk);

// A classifier head behind convolutions of its own size.
struct HeadOkImpl : torch::nn::Module {
  HeadOkImpl() {
    register_module("body", body);
    register_module("head", head);
  }
  torch::Tensor forward(torch::Tensor x) { return head(body->forward(x).mean({2, 3})); }
  torch::nn::Sequential body{torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 2048, 3)),
                             torch::nn::Conv2d(torch::nn::Conv2dOptions(2048, 2048, 3))};
  torch::nn::Linear head{2048, 1000};
};
TORCH_MODULE(HeadOk);

// A size that nobody can know: silence.
struct UnknownOkImpl : torch::nn::Module {
  explicit UnknownOkImpl(int64_t width)
      : fc(register_module("fc", torch::nn::Linear(width, 4096))) {}
  torch::Tensor forward(torch::Tensor x) { return fc(x); }
  torch::nn::Linear fc;
};
TORCH_MODULE(UnknownOk);

int64_t width();

int main() {
  AlexHeadBad bad;
  SmallOk small;
  HeadOk head;
  UnknownOk unknown(width());
  torch::NoGradGuard no_grad;
  bad->forward(torch::randn({1, 256, 6, 6}));
}
