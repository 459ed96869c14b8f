// Lite R-ASPP on MobileNetV3-Large.
// published: lraspp_mobilenet_v3_large
#include <torch/torch.h>

#include <iostream>
#include <memory>
#include <vector>

namespace tnn = torch::nn;

using Block = std::shared_ptr<tnn::Module>;

struct ConvBlock : tnn::Module {
  ConvBlock(int64_t i, int64_t o, int64_t k, int64_t s, int64_t g, int64_t d, const std::string& act) : act(act) {
    conv = std::make_shared<tnn::Conv2dImpl>(
        tnn::Conv2dOptions(i, o, k).stride(s).padding((k - 1) / 2 * d).dilation(d).groups(g).bias(false));
    bn = std::make_shared<tnn::BatchNorm2dImpl>(tnn::BatchNorm2dOptions(o).eps(1e-3).momentum(0.01));
    register_module("conv", conv);
    register_module("bn", bn);
  }
  torch::Tensor forward(const torch::Tensor& x) {
    auto y = bn->forward(conv->forward(x));
    if (act == "RE")
      return torch::relu(y);
    if (act == "HS")
      return torch::hardswish(y);
    return y;
  }
  std::string act;
  std::shared_ptr<tnn::Conv2dImpl> conv;
  std::shared_ptr<tnn::BatchNorm2dImpl> bn;
};

struct Bneck : tnn::Module {
  Bneck(int64_t in, int64_t k, int64_t exp, int64_t out, bool se, const std::string& act, int64_t s, int64_t d)
      : residual(s == 1 && in == out) {
    if (exp != in)
      layers.push_back(std::make_shared<ConvBlock>(in, exp, 1, 1, 1, 1, act));
    layers.push_back(std::make_shared<ConvBlock>(exp, exp, k, d > 1 ? 1 : s, exp, d, act));
    int index = 0;
    for (auto& layer : layers)
      register_module("layer" + std::to_string(index++), layer);
    if (se) {
      int64_t squeeze = std::max<int64_t>(8, (exp / 4 + 4) / 8 * 8);
      if (squeeze < 0.9 * (exp / 4))
        squeeze += 8;
      reduce = register_module("reduce", tnn::Conv2d(exp, squeeze, 1));
      expand = register_module("expand", tnn::Conv2d(squeeze, exp, 1));
    }
    project = register_module("project", std::make_shared<ConvBlock>(exp, out, 1, 1, 1, 1, ""));
  }
  torch::Tensor forward(const torch::Tensor& x) {
    torch::Tensor y = x;
    for (auto& layer : layers)
      y = layer->forward(y);
    if (!reduce.is_empty()) {
      auto s = torch::relu(reduce(torch::adaptive_avg_pool2d(y, {1, 1})));
      y = torch::hardsigmoid(expand(s)) * y;
    }
    y = project->forward(y);
    return residual ? y + x : y;
  }
  bool residual;
  std::vector<std::shared_ptr<ConvBlock>> layers;
  std::shared_ptr<ConvBlock> project;
  tnn::Conv2d reduce{nullptr}, expand{nullptr};
};

class LRASPP : public tnn::Module {
 public:
  LRASPP(int64_t classes, int64_t inter) {
    struct Row {
      int64_t k, exp, out;
      bool se;
      const char* act;
      int64_t s, d;
    };
    static const Row rows[] = {
        {3, 16, 16, false, "RE", 1, 1},  {3, 64, 24, false, "RE", 2, 1},  {3, 72, 24, false, "RE", 1, 1},
        {5, 72, 40, true, "RE", 2, 1},   {5, 120, 40, true, "RE", 1, 1},  {5, 120, 40, true, "RE", 1, 1},
        {3, 240, 80, false, "HS", 2, 1}, {3, 200, 80, false, "HS", 1, 1}, {3, 184, 80, false, "HS", 1, 1},
        {3, 184, 80, false, "HS", 1, 1}, {3, 480, 112, true, "HS", 1, 1}, {3, 672, 112, true, "HS", 1, 1},
        {5, 672, 160, true, "HS", 2, 2}, {5, 960, 160, true, "HS", 1, 2}, {5, 960, 160, true, "HS", 1, 2}};
    stem_ = register_module("stem", std::make_shared<ConvBlock>(3, 16, 3, 2, 1, 1, "HS"));
    int64_t in = 16, i = 0;
    for (const Row& r : rows) {
      blocks_.push_back(std::make_shared<Bneck>(in, r.k, r.exp, r.out, r.se, r.act, r.s, r.d));
      register_module("block" + std::to_string(i++), blocks_.back());
      in = r.out;
    }
    last_ = register_module("last", std::make_shared<ConvBlock>(in, in * 6, 1, 1, 1, 1, "HS"));
    cbr_ = register_module("cbr", tnn::Sequential(tnn::Conv2d(tnn::Conv2dOptions(in * 6, inter, 1).bias(false)),
                                                  tnn::BatchNorm2d(inter), tnn::ReLU()));
    scale_ = register_module("scale", tnn::Sequential(tnn::AdaptiveAvgPool2d(1),
                                                      tnn::Conv2d(tnn::Conv2dOptions(in * 6, inter, 1).bias(false)),
                                                      tnn::Sigmoid()));
    low_ = register_module("low_classifier", tnn::Conv2d(40, classes, 1));
    high_ = register_module("high_classifier", tnn::Conv2d(inter, classes, 1));
  }

  torch::Tensor forward(torch::Tensor input) {
    namespace F = tnn::functional;
    auto bilinear = [](const torch::Tensor& x, int64_t h, int64_t w) {
      return F::interpolate(x, F::InterpolateFuncOptions().size(std::vector<int64_t>{h, w}).mode(torch::kBilinear).align_corners(false));
    };
    auto x = stem_->forward(input);
    torch::Tensor low;
    for (size_t i = 0; i < blocks_.size(); ++i) {
      x = blocks_[i]->forward(x);
      if (i == 5)
        low = x;
    }
    auto high = last_->forward(x);
    x = cbr_->forward(high) * scale_->forward(high);
    x = bilinear(x, low.size(-2), low.size(-1));
    x = low_(low) + high_(x);
    return bilinear(x, input.size(-2), input.size(-1));
  }

 private:
  std::shared_ptr<ConvBlock> stem_, last_;
  std::vector<std::shared_ptr<Bneck>> blocks_;
  tnn::Sequential cbr_{nullptr}, scale_{nullptr};
  tnn::Conv2d low_{nullptr}, high_{nullptr};
};

int main() {
  int64_t inter = 128; // vary: 64 96
  LRASPP net(21, inter);
  // oracle: model(net)
  // matrix: batch 2 4
  // matrix: auto image = torch::rand({N, 3, 260, 260});
  // matrix: auto masks = net.forward(image);
  // matrix: auto loss = masks.mean();
  net.eval();
  c10::InferenceMode guard;
  auto masks = net.forward(torch::rand({1, 3, 260, 260}));
  // oracle: shape(masks)
  std::cout << masks.sizes() << std::endl;
  return 0;
}
