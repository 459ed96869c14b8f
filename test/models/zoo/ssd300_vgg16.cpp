// SSD300 on VGG-16.
// published: ssd300_vgg16
#include <torch/torch.h>

#include <iostream>
#include <vector>

namespace ssd {

using torch::Tensor;
namespace nn = torch::nn;

constexpr int M = -1, C = -2; // max pooling, with ceil_mode

struct SSDOutput {
  Tensor boxes;
  Tensor scores;
};

static void vgg(nn::Sequential& seq, const std::vector<int>& cfg, int64_t& in) {
  for (int v : cfg) {
    if (v < 0) {
      seq->push_back(nn::MaxPool2d(nn::MaxPool2dOptions(2).stride(2).ceil_mode(v == C)));
      continue;
    }
    seq->push_back(nn::Conv2d(nn::Conv2dOptions(in, v, 3).padding(1)));
    seq->push_back(nn::ReLU(true));
    in = v;
  }
}

class L2NormImpl : public nn::Module {
 public:
  L2NormImpl(int64_t channels, double scale) {
    weight = register_parameter("scale_weight", torch::ones({channels}) * scale);
  }
  Tensor forward(Tensor x) {
    namespace F = nn::functional;
    return weight.view({1, -1, 1, 1}) * F::normalize(x, F::NormalizeFuncOptions().p(2).dim(1));
  }

 private:
  Tensor weight;
};
TORCH_MODULE(L2Norm);

class SSD300Impl : public nn::Module {
 public:
  explicit SSD300Impl(int64_t classes) : classes_(classes) {
    int64_t in = 3;
    vgg(features_, {64, 64, M, 128, 128, M, 256, 256, 256, C, 512, 512, 512}, in);
    vgg(tail_, {M, 512, 512, 512}, in);
    tail_->push_back(nn::MaxPool2d(nn::MaxPool2dOptions(3).stride(1).padding(1)));
    tail_->push_back(nn::Conv2d(nn::Conv2dOptions(512, 1024, 3).padding(6).dilation(6)));
    tail_->push_back(nn::ReLU(true));
    tail_->push_back(nn::Conv2d(1024, 1024, 1));
    tail_->push_back(nn::ReLU(true));

    struct Extra {
      int64_t in, mid, out, stride, padding;
    };
    for (const Extra& e : {Extra{1024, 256, 512, 2, 1}, Extra{512, 128, 256, 2, 1}, Extra{256, 128, 256, 1, 0},
                           Extra{256, 128, 256, 1, 0}}) {
      extras_->push_back(nn::Sequential(
          nn::Conv2d(e.in, e.mid, 1), nn::ReLU(),
          nn::Conv2d(nn::Conv2dOptions(e.mid, e.out, 3).stride(e.stride).padding(e.padding)), nn::ReLU()));
    }
    const std::vector<int64_t> channels{512, 1024, 512, 256, 256, 256};
    const std::vector<int64_t> anchors{4, 6, 6, 6, 4, 4};
    for (size_t i = 0; i < channels.size(); ++i) {
      cls_->push_back(nn::Conv2d(nn::Conv2dOptions(channels[i], anchors[i] * classes, 3).padding(1)));
      reg_->push_back(nn::Conv2d(nn::Conv2dOptions(channels[i], anchors[i] * 4, 3).padding(1)));
    }
    register_module("features", features_);
    norm_ = register_module("norm", L2Norm(512, 20));
    register_module("tail", tail_);
    register_module("extras", extras_);
    register_module("cls", cls_);
    register_module("reg", reg_);
    for (auto& p : named_parameters())
      if (p.key().find("bias") != std::string::npos)
        torch::nn::init::zeros_(p.value());
      else if (p.value().dim() > 1)
        torch::nn::init::xavier_uniform_(p.value());
  }

  SSDOutput forward(Tensor x) {
    std::vector<Tensor> maps;
    x = features_->forward(x);
    maps.push_back(norm_(x));
    x = tail_->forward(x);
    maps.push_back(x);
    for (const auto& block : *extras_)
      maps.push_back(x = block->as<nn::Sequential>()->forward(x));

    SSDOutput out;
    std::vector<Tensor> boxes, scores;
    for (size_t i = 0; i < maps.size(); ++i) {
      boxes.push_back(flat(reg_->at<nn::Conv2dImpl>(i).forward(maps[i]), 4));
      scores.push_back(flat(cls_->at<nn::Conv2dImpl>(i).forward(maps[i]), classes_));
    }
    out.boxes = torch::cat(boxes, 1);
    out.scores = torch::cat(scores, 1);
    return out;
  }

 private:
  static Tensor flat(const Tensor& t, int64_t columns) {
    const auto n = t.size(0);
    return t.permute({0, 2, 3, 1}).reshape({n, -1, columns});
  }

  int64_t classes_;
  nn::Sequential features_, tail_;
  nn::ModuleList extras_, cls_, reg_;
  L2Norm norm_{nullptr};
};
TORCH_MODULE(SSD300);

} // namespace ssd

int main() {
  auto net = ssd::SSD300(91); // vary: 2 21 81
  net->eval();
  // oracle: model(net)
  // matrix: auto image = torch::rand({N, 3, 300, 300});
  // matrix: auto out = net->forward(image);
  // matrix: auto loss = out.boxes.mean() + out.scores.mean();
  torch::NoGradGuard no_grad;
  const ssd::SSDOutput out = net->forward(torch::rand({1, 3, 300, 300}));
  // oracle: shape(out.boxes)
  // oracle: shape(out.scores)
  std::cout << out.boxes.size(1) << " boxes" << std::endl;
}
