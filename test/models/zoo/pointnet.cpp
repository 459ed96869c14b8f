// PointNet for classification, with the input and feature transforms as one template.
#include <torch/torch.h>

#include <iostream>

template <int K> class TNetImpl : public torch::nn::Module {
public:
  TNetImpl()
      : conv1(K, 64, 1), conv2(64, 128, 1), conv3(128, 1024, 1), fc1(1024, 512), fc2(512, 256), fc3(256, K * K), bn1(64),
        bn2(128), bn3(1024), bn4(512), bn5(256) {
    register_module("conv1", conv1);
    register_module("conv2", conv2);
    register_module("conv3", conv3);
    register_module("fc1", fc1);
    register_module("fc2", fc2);
    register_module("fc3", fc3);
    register_module("bn1", bn1);
    register_module("bn2", bn2);
    register_module("bn3", bn3);
    register_module("bn4", bn4);
    register_module("bn5", bn5);
  }

  torch::Tensor forward(torch::Tensor x) {
    const auto batchsize = x.size(0);
    x = torch::relu(bn1(conv1(x)));
    x = torch::relu(bn2(conv2(x)));
    x = torch::relu(bn3(conv3(x)));
    x = std::get<0>(torch::max(x, 2, true)).view({-1, 1024});
    x = torch::relu(bn4(fc1(x)));
    x = torch::relu(bn5(fc2(x)));
    x = fc3(x);
    auto iden = torch::eye(K).view({1, K * K}).repeat({batchsize, 1});
    return (x + iden).view({-1, K, K});
  }

private:
  torch::nn::Conv1d conv1, conv2, conv3;
  torch::nn::Linear fc1, fc2, fc3;
  torch::nn::BatchNorm1d bn1, bn2, bn3, bn4, bn5;
};

struct PointNet : torch::nn::Module {
  std::shared_ptr<TNetImpl<3>> stn = std::make_shared<TNetImpl<3>>();
  std::shared_ptr<TNetImpl<64>> fstn = std::make_shared<TNetImpl<64>>();
  torch::nn::Conv1d conv1{3, 64, 1}, conv2{64, 128, 1}, conv3{128, 1024, 1};
  torch::nn::BatchNorm1d bn1{64}, bn2{128}, bn3{1024};
  torch::nn::Sequential head;

  explicit PointNet(int64_t classes)
      : head(torch::nn::Linear(1024, 512), torch::nn::BatchNorm1d(512), torch::nn::ReLU(), torch::nn::Linear(512, 256),
             torch::nn::Dropout(0.3), torch::nn::BatchNorm1d(256), torch::nn::ReLU(), torch::nn::Linear(256, classes)) {
    register_module("stn", stn);
    register_module("fstn", fstn);
    register_module("conv1", conv1);
    register_module("conv2", conv2);
    register_module("conv3", conv3);
    register_module("bn1", bn1);
    register_module("bn2", bn2);
    register_module("bn3", bn3);
    register_module("head", head);
  }

  std::tuple<torch::Tensor, torch::Tensor, torch::Tensor> forward(torch::Tensor x) {
    auto trans = stn->forward(x);
    x = torch::bmm(x.transpose(2, 1), trans).transpose(2, 1);
    x = torch::relu(bn1(conv1(x)));
    auto trans_feat = fstn->forward(x);
    x = torch::bmm(x.transpose(2, 1), trans_feat).transpose(2, 1);
    x = torch::relu(bn2(conv2(x)));
    x = bn3(conv3(x));
    x = std::get<0>(torch::max(x, 2, true)).view({-1, 1024});
    return {torch::log_softmax(head->forward(x), 1), trans, trans_feat};
  }
};

static torch::Tensor feature_transform_regularizer(const torch::Tensor &trans) {
  const auto d = trans.size(1);
  auto I = torch::eye(d).unsqueeze(0);
  return torch::mean(torch::norm(torch::bmm(trans, trans.transpose(2, 1)) - I, 2, {1, 2}));
}

int main() {
  const int64_t classes = 40; // vary: 5 10 16
  auto net = std::make_shared<PointNet>(classes);
  // oracle: model(net)
  // matrix: batch 2 4
  // matrix: auto points = torch::rand({N, 3, 500});
  // matrix: auto [pred, trans, trans_feat] = net->forward(points);
  // matrix: auto penalty = feature_transform_regularizer(trans_feat);
  // matrix: auto loss = pred.mean() + 0.001 * penalty;
  net->eval();
  torch::NoGradGuard guard;
  auto [pred, trans, trans_feat] = net->forward(torch::rand({4, 3, 500}));
  auto penalty = feature_transform_regularizer(trans_feat);
  // oracle: shape(pred)
  // oracle: shape(trans)
  // oracle: shape(trans_feat)
  // oracle: shape(penalty)
  std::cout << pred.sizes() << std::endl;
}
