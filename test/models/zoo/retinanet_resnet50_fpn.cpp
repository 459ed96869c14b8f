// RetinaNet: ResNet-50 with frozen batch norm, feature pyramid to P7, shared heads.
// published: retinanet_resnet50_fpn
#include <torch/torch.h>

#include <cmath>
#include <iostream>
#include <utility>
#include <vector>

using torch::Tensor;
using torch::nn::Conv2d;
using torch::nn::Conv2dOptions;
using torch::nn::Sequential;

// Fixed statistics and affine: buffers, nothing to learn.
class FrozenBatchNorm2dImpl : public torch::nn::Module {
 public:
  explicit FrozenBatchNorm2dImpl(int64_t n, double eps = 1e-5) : eps_(eps) {
    weight = register_buffer("weight", torch::ones(n));
    bias = register_buffer("bias", torch::zeros(n));
    mean = register_buffer("running_mean", torch::zeros(n));
    var = register_buffer("running_var", torch::ones(n));
  }
  Tensor forward(Tensor x) {
    auto scale = weight.reshape({1, -1, 1, 1}) * (var.reshape({1, -1, 1, 1}) + eps_).rsqrt();
    return x * scale + (bias.reshape({1, -1, 1, 1}) - mean.reshape({1, -1, 1, 1}) * scale);
  }

 private:
  double eps_;
  Tensor weight, bias, mean, var;
};
TORCH_MODULE(FrozenBatchNorm2d);

struct UnitImpl : torch::nn::Module {
  Conv2d conv;
  FrozenBatchNorm2d norm;
  UnitImpl(int64_t in, int64_t out, int64_t k, int64_t s = 1)
      : conv(Conv2dOptions(in, out, k).stride(s).padding(k / 2).bias(false)), norm(out) {
    register_module("conv", conv);
    register_module("norm", norm);
  }
  Tensor forward(Tensor x) { return norm(conv(x)); }
};
TORCH_MODULE(Unit);

struct BottleneckImpl : torch::nn::Module {
  Unit a, b, c, d{nullptr};
  BottleneckImpl(int64_t in, int64_t mid, int64_t s) : a(in, mid, 1), b(mid, mid, 3, s), c(mid, 4 * mid, 1) {
    register_module("a", a);
    register_module("b", b);
    register_module("c", c);
    if (in != 4 * mid)
      d = register_module("d", Unit(in, 4 * mid, 1, s));
  }
  Tensor forward(Tensor x) {
    auto y = c(b(a(x).relu()).relu());
    return (y + (d ? d(x) : x)).relu();
  }
};
TORCH_MODULE(Bottleneck);

class PyramidImpl : public torch::nn::Module {
 public:
  PyramidImpl(std::vector<int64_t> in, int64_t out) {
    for (size_t i = 0; i < in.size(); ++i) {
      inner.push_back(register_module("inner" + std::to_string(i), Conv2d(in[i], out, 1)));
      outer.push_back(register_module("layer" + std::to_string(i), Conv2d(Conv2dOptions(out, out, 3).padding(1))));
    }
    p6 = register_module("p6", Conv2d(Conv2dOptions(out, out, 3).stride(2).padding(1)));
    p7 = register_module("p7", Conv2d(Conv2dOptions(out, out, 3).stride(2).padding(1)));
  }
  std::vector<Tensor> forward(const std::vector<Tensor>& c) {
    std::vector<Tensor> out(c.size());
    Tensor last;
    for (int i = int(c.size()) - 1; i >= 0; --i) {
      auto lateral = inner[i]->forward(c[i]);
      if (last.defined())
        lateral = lateral + torch::upsample_nearest2d(last, lateral.sizes().slice(2));
      last = lateral;
      out[i] = outer[i]->forward(last);
    }
    out.push_back(p6->forward(out.back()));
    out.push_back(p7->forward(torch::relu(out.back())));
    return out;
  }

 private:
  std::vector<Conv2d> inner, outer;
  Conv2d p6{nullptr}, p7{nullptr};
};
TORCH_MODULE(Pyramid);

Sequential head(int64_t channels, int64_t outputs, double bias) {
  Sequential tower;
  for (int i = 0; i < 4; ++i) {
    tower->push_back(Conv2d(Conv2dOptions(channels, channels, 3).padding(1)));
    tower->push_back(torch::nn::ReLU());
  }
  Conv2d last(Conv2dOptions(channels, outputs, 3).padding(1));
  torch::nn::init::normal_(last->weight, 0, 0.01);
  torch::nn::init::constant_(last->bias, bias);
  tower->push_back(last);
  return tower;
}

class RetinaNetImpl : public torch::nn::Module {
 public:
  RetinaNetImpl(int64_t classes, int64_t channels = 256, int64_t anchors = 9) : classes(classes) {
    stem = register_module("stem", Unit(3, 64, 7, 2));
    int64_t in = 64, mid = 64;
    for (int depth : {3, 4, 6, 3}) {
      Sequential stage;
      for (int i = 0; i < depth; ++i, in = 4 * mid)
        stage->push_back(Bottleneck(in, mid, i == 0 && mid > 64 ? 2 : 1));
      stages.push_back(register_module("layer" + std::to_string(stages.size() + 1), stage));
      mid *= 2;
    }
    fpn = register_module("fpn", Pyramid(std::vector<int64_t>{512, 1024, 2048}, channels));
    cls = register_module("classification_head", head(channels, anchors * classes, -std::log((1 - 0.01) / 0.01)));
    reg = register_module("regression_head", head(channels, anchors * 4, 0));
  }

  std::pair<Tensor, Tensor> forward(Tensor x) {
    x = torch::max_pool2d(stem(x).relu(), 3, 2, 1);
    std::vector<Tensor> maps;
    for (size_t i = 0; i < stages.size(); ++i) {
      x = stages[i]->forward(x);
      if (i)
        maps.push_back(x);
    }
    std::vector<Tensor> scores, boxes;
    for (auto& level : fpn->forward(maps)) {
      auto n = level.size(0);
      scores.push_back(cls->forward(level).permute({0, 2, 3, 1}).reshape({n, -1, classes}));
      boxes.push_back(reg->forward(level).permute({0, 2, 3, 1}).reshape({n, -1, 4}));
    }
    return std::make_pair(torch::cat(scores, 1).sigmoid(), torch::cat(boxes, 1));
  }

 private:
  int64_t classes;
  Unit stem{nullptr};
  std::vector<Sequential> stages;
  Pyramid fpn{nullptr};
  Sequential cls{nullptr}, reg{nullptr};
};
TORCH_MODULE(RetinaNet);

int main() {
  const int64_t classes = 91; // vary: 4 20 80
  RetinaNet net(classes);
  // oracle: model(net)
  // matrix: auto image = torch::rand({N, 3, 256, 192});
  // matrix: auto [scores, boxes] = net->forward(image);
  // matrix: auto loss = scores.mean() + boxes.mean();
  net->eval();
  torch::NoGradGuard no_grad;
  Tensor scores, boxes;
  std::tie(scores, boxes) = net->forward(torch::rand({1, 3, 256, 192}));
  // oracle: shape(scores)
  // oracle: shape(boxes)
  std::cout << scores.sizes() << boxes.sizes() << std::endl;
}
