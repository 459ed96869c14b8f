// Faster R-CNN as a graph: backbone, pyramid, region proposals, box head. No NMS;
// regions are cropped and pooled.
// published: fasterrcnn_resnet50_fpn
#include <torch/torch.h>

#include <iostream>
#include <tuple>
#include <vector>

using torch::Tensor;
using torch::indexing::Slice;

struct FrozenBatchNormImpl : torch::nn::Cloneable<FrozenBatchNormImpl> {
  explicit FrozenBatchNormImpl(int64_t features) : features(features) { reset(); }
  void reset() override {
    weight = register_buffer("weight", torch::ones({features}));
    bias = register_buffer("bias", torch::zeros({features}));
    running_mean = register_buffer("running_mean", torch::zeros({features}));
    running_var = register_buffer("running_var", torch::ones({features}));
  }
  Tensor forward(const Tensor& x) {
    return torch::batch_norm(x, weight, bias, running_mean, running_var, /*training=*/false, 0.0, 1e-5, false);
  }
  int64_t features;
  Tensor weight, bias, running_mean, running_var;
};
TORCH_MODULE(FrozenBatchNorm);

template <typename Norm>
struct BlockImpl : torch::nn::Module {
  BlockImpl(int64_t in, int64_t planes, int64_t stride) {
    using torch::nn::Conv2d;
    using torch::nn::Conv2dOptions;
    conv1 = register_module("conv1", Conv2d(Conv2dOptions(in, planes, 1).bias(false)));
    bn1 = register_module("bn1", Norm(planes));
    conv2 = register_module("conv2", Conv2d(Conv2dOptions(planes, planes, 3).stride(stride).padding(1).bias(false)));
    bn2 = register_module("bn2", Norm(planes));
    conv3 = register_module("conv3", Conv2d(Conv2dOptions(planes, planes * 4, 1).bias(false)));
    bn3 = register_module("bn3", Norm(planes * 4));
    if (in != planes * 4) {
      down = register_module("down", Conv2d(Conv2dOptions(in, planes * 4, 1).stride(stride).bias(false)));
      bn_down = register_module("bn_down", Norm(planes * 4));
    }
  }
  Tensor forward(Tensor x) {
    Tensor y = torch::relu(bn1(conv1(x)));
    y = torch::relu(bn2(conv2(y)));
    y = bn3(conv3(y));
    return torch::relu(y + (down ? bn_down(down(x)) : x));
  }
  torch::nn::Conv2d conv1{nullptr}, conv2{nullptr}, conv3{nullptr}, down{nullptr};
  Norm bn1{nullptr}, bn2{nullptr}, bn3{nullptr}, bn_down{nullptr};
};

template <typename Norm>
class BackboneWithFPN : public torch::nn::Module {
 public:
  BackboneWithFPN() {
    stem = register_module("conv1", torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 64, 7).stride(2).padding(3).bias(false)));
    norm = register_module("bn1", Norm(64));
    int64_t in = 64;
    const int depths[4] = {3, 4, 6, 3};
    for (int s = 0; s < 4; ++s) {
      const int64_t planes = int64_t(64) << s;
      for (int b = 0; b < depths[s]; ++b) {
        stages[s]->push_back(BlockImpl<Norm>(in, planes, b == 0 && s ? 2 : 1));
        in = 4 * planes;
      }
      register_module("layer" + std::to_string(s + 1), stages[s]);
      inner[s] = register_module("inner" + std::to_string(s), torch::nn::Conv2d(in, 256, 1));
      outer[s] = register_module("outer" + std::to_string(s), torch::nn::Conv2d(torch::nn::Conv2dOptions(256, 256, 3).padding(1)));
    }
  }
  std::vector<Tensor> forward(Tensor x) {
    x = torch::max_pool2d(torch::relu(norm(stem(x))), 3, 2, 1);
    std::array<Tensor, 4> c;
    for (int s = 0; s < 4; ++s)
      x = c[s] = stages[s]->forward(x);
    std::vector<Tensor> p(4);
    Tensor top = inner[3](c[3]);
    p[3] = outer[3](top);
    for (int s = 2; s >= 0; --s) {
      auto side = inner[s](c[s]);
      top = side + torch::upsample_nearest2d(top, {side.size(2), side.size(3)});
      p[s] = outer[s](top);
    }
    p.push_back(torch::max_pool2d(p[3], 1, 2, 0));
    return p;
  }

 private:
  torch::nn::Conv2d stem{nullptr};
  Norm norm{nullptr};
  torch::nn::Sequential stages[4];
  torch::nn::Conv2d inner[4] = {nullptr, nullptr, nullptr, nullptr};
  torch::nn::Conv2d outer[4] = {nullptr, nullptr, nullptr, nullptr};
};

class RPNHeadImpl : public torch::nn::Module {
 public:
  RPNHeadImpl(int64_t channels, int64_t anchors)
      : conv(torch::nn::Conv2dOptions(channels, channels, 3).padding(1)), cls_logits(torch::nn::Conv2dOptions(channels, anchors, 1)),
        bbox_pred(torch::nn::Conv2dOptions(channels, anchors * 4, 1)) {
    register_module("conv", conv);
    register_module("cls_logits", cls_logits);
    register_module("bbox_pred", bbox_pred);
  }
  std::tuple<Tensor, Tensor> forward(const std::vector<Tensor>& maps) {
    std::vector<Tensor> logits, boxes;
    for (const auto& map : maps) {
      auto t = torch::relu(conv(map));
      logits.push_back(cls_logits(t).permute({0, 2, 3, 1}).flatten(1));
      boxes.push_back(bbox_pred(t).permute({0, 2, 3, 1}).reshape({t.size(0), -1, 4}));
    }
    return {torch::cat(logits, 1), torch::cat(boxes, 1)};
  }

 private:
  torch::nn::Conv2d conv, cls_logits, bbox_pred;
};
TORCH_MODULE(RPNHead);

class FasterRCNN : public torch::nn::Module {
 public:
  FasterRCNN(int64_t classes, int64_t representation) {
    backbone = register_module("backbone", std::make_shared<BackboneWithFPN<FrozenBatchNorm>>());
    rpn = register_module("rpn", RPNHead(256, 3));
    fc6 = register_module("fc6", torch::nn::Linear(256 * 7 * 7, representation));
    fc7 = register_module("fc7", torch::nn::Linear(representation, representation));
    cls_score = register_module("cls_score", torch::nn::Linear(representation, classes));
    bbox_pred = register_module("bbox_pred", torch::nn::Linear(representation, classes * 4));
  }

  std::tuple<Tensor, Tensor, Tensor> forward(Tensor images, int64_t regions) {
    auto maps = backbone->forward(images);
    auto [objectness, deltas] = rpn(maps);
    auto [best, index] = objectness.topk(regions, 1);
    auto proposals = deltas.gather(1, index.unsqueeze(-1).expand({-1, -1, 4}));
    std::vector<Tensor> crops;
    const auto& map = maps.front();
    for (int64_t r = 0; r < regions; ++r) {
      const int64_t y = r % 3, x = r % 5;
      auto crop = map.index({Slice(), Slice(), Slice(y, y + 9), Slice(x, x + 11)});
      crops.push_back(std::get<0>(torch::adaptive_max_pool2d(crop, {7, 7})));
    }
    auto x = torch::cat(crops).flatten(1);
    x = torch::relu(fc7(torch::relu(fc6(x))));
    return {torch::softmax(cls_score(x), -1), bbox_pred(x), proposals};
  }

 private:
  std::shared_ptr<BackboneWithFPN<FrozenBatchNorm>> backbone;
  RPNHead rpn{nullptr};
  torch::nn::Linear fc6{nullptr}, fc7{nullptr}, cls_score{nullptr}, bbox_pred{nullptr};
};

int main() {
  const int64_t representation = 1024; // vary: 128 512
  const int64_t regions = 16; // vary: 5 10
  FasterRCNN net(91, representation);
  // oracle: model(net)
  // matrix: auto image = torch::rand({N, 3, 224, 256});
  // matrix: auto [scores, boxes, proposals] = net.forward(image, regions);
  // matrix: auto loss = scores.mean() + boxes.mean() + proposals.mean();
  net.eval();
  torch::NoGradGuard no_grad;
  auto [scores, boxes, proposals] = net.forward(torch::rand({1, 3, 224, 256}), regions);
  // oracle: shape(scores)
  // oracle: shape(boxes)
  // oracle: shape(proposals)
  std::cout << scores.sizes() << boxes.sizes() << proposals.sizes() << std::endl;
}
