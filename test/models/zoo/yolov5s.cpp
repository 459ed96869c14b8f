// YOLOv5s (v6): CSP blocks built from a table, convolutions not fused.
// published: yolov5s-unfused
#include <torch/torch.h>

#include <cmath>
#include <iostream>
#include <string>
#include <vector>

using torch::Tensor;

static int autopad(int k) { return k / 2; }

struct ConvImpl : torch::nn::Module {
  torch::nn::Conv2d conv{nullptr};
  torch::nn::BatchNorm2d bn{nullptr};
  torch::nn::SiLU act;

  ConvImpl(int c1, int c2, int k = 1, int s = 1, int p = -1) {
    conv = register_module("conv", torch::nn::Conv2d(torch::nn::Conv2dOptions(c1, c2, k)
                                                         .stride(s)
                                                         .padding(p < 0 ? autopad(k) : p)
                                                         .bias(false)));
    bn = register_module("bn", torch::nn::BatchNorm2d(torch::nn::BatchNorm2dOptions(c2).eps(1e-3).momentum(0.03)));
    register_module("act", act);
  }
  Tensor forward(Tensor x) { return act(bn(conv(x))); }
};
TORCH_MODULE(Conv);

struct BottleneckImpl : torch::nn::Module {
  Conv cv1, cv2;
  bool add;
  BottleneckImpl(int c, bool shortcut) : cv1(c, c, 1, 1), cv2(c, c, 3, 1), add(shortcut) {
    register_module("cv1", cv1);
    register_module("cv2", cv2);
  }
  Tensor forward(Tensor x) { return add ? x + cv2(cv1(x)) : cv2(cv1(x)); }
};
TORCH_MODULE(Bottleneck);

struct C3Impl : torch::nn::Module {
  Conv cv1, cv2, cv3;
  torch::nn::Sequential m;
  C3Impl(int c1, int c2, int n, bool shortcut = true) : cv1(c1, c2 / 2), cv2(c1, c2 / 2), cv3(c2, c2) {
    register_module("cv1", cv1);
    register_module("cv2", cv2);
    register_module("cv3", cv3);
    for (int i = 0; i < n; ++i)
      m->push_back(Bottleneck(c2 / 2, shortcut));
    register_module("m", m);
  }
  Tensor forward(Tensor x) { return cv3(torch::cat({m->forward(cv1(x)), cv2(x)}, 1)); }
};
TORCH_MODULE(C3);

struct SPPFImpl : torch::nn::Module {
  Conv cv1, cv2;
  torch::nn::MaxPool2d pool;
  SPPFImpl(int c1, int c2, int k = 5)
      : cv1(c1, c1 / 2), cv2(c1 * 2, c2), pool(torch::nn::MaxPool2dOptions(k).stride(1).padding(k / 2)) {
    register_module("cv1", cv1);
    register_module("cv2", cv2);
    register_module("m", pool);
  }
  Tensor forward(Tensor x) {
    x = cv1(x);
    auto y1 = pool(x), y2 = pool(y1);
    return cv2(torch::cat({x, y1, y2, pool(y2)}, 1));
  }
};
TORCH_MODULE(SPPF);

struct ConcatImpl : torch::nn::Module {
  Tensor forward(const std::vector<Tensor>& xs) { return torch::cat(xs, 1); }
};
TORCH_MODULE(Concat);

enum class Kind { Conv, C3, SPPF, Upsample, Concat };

struct Line {
  std::vector<int> from;
  int number;
  Kind kind;
  std::vector<int> args;
};

static const std::vector<Line> kModel = {
    {{-1}, 1, Kind::Conv, {64, 6, 2, 2}}, {{-1}, 1, Kind::Conv, {128, 3, 2}}, {{-1}, 3, Kind::C3, {128}},
    {{-1}, 1, Kind::Conv, {256, 3, 2}},   {{-1}, 6, Kind::C3, {256}},         {{-1}, 1, Kind::Conv, {512, 3, 2}},
    {{-1}, 9, Kind::C3, {512}},           {{-1}, 1, Kind::Conv, {1024, 3, 2}}, {{-1}, 3, Kind::C3, {1024}},
    {{-1}, 1, Kind::SPPF, {1024, 5}},     {{-1}, 1, Kind::Conv, {512, 1, 1}}, {{-1}, 1, Kind::Upsample, {}},
    {{-1, 6}, 1, Kind::Concat, {}},       {{-1}, 3, Kind::C3, {512, 0}},      {{-1}, 1, Kind::Conv, {256, 1, 1}},
    {{-1}, 1, Kind::Upsample, {}},        {{-1, 4}, 1, Kind::Concat, {}},     {{-1}, 3, Kind::C3, {256, 0}},
    {{-1}, 1, Kind::Conv, {256, 3, 2}},   {{-1, 14}, 1, Kind::Concat, {}},    {{-1}, 3, Kind::C3, {512, 0}},
    {{-1}, 1, Kind::Conv, {512, 3, 2}},   {{-1, 10}, 1, Kind::Concat, {}},    {{-1}, 3, Kind::C3, {1024, 0}}};

class YoloV5 : public torch::nn::Module {
 public:
  YoloV5(int classes, double depth, double width) : outputs_(classes + 5) {
    std::vector<int> channels;
    auto scaled = [width](int c) { return int(std::ceil(c * width / 8) * 8); };
    auto channelsOf = [&](int from) { return from < 0 ? (channels.empty() ? 3 : channels.back()) : channels[from]; };
    for (size_t i = 0; i < kModel.size(); ++i) {
      const auto& [from, number, kind, args] = kModel[i];
      const int c1 = channelsOf(from[0]);
      const int n = number > 1 ? std::max(int(std::round(number * depth)), 1) : number;
      int c2 = args.empty() ? c1 : scaled(args[0]);
      torch::nn::AnyModule module;
      switch (kind) {
        case Kind::Conv:
          module = torch::nn::AnyModule(Conv(c1, c2, args[1], args[2], args.size() > 3 ? args[3] : -1));
          break;
        case Kind::C3:
          module = torch::nn::AnyModule(C3(c1, c2, n, args.size() < 2));
          break;
        case Kind::SPPF:
          module = torch::nn::AnyModule(SPPF(c1, c2, args[1]));
          break;
        case Kind::Upsample:
          module = torch::nn::AnyModule(torch::nn::Upsample(
              torch::nn::UpsampleOptions().scale_factor(std::vector<double>{2, 2}).mode(torch::kNearest)));
          break;
        case Kind::Concat:
          c2 = 0;
          for (int f : from)
            c2 += channelsOf(f);
          module = torch::nn::AnyModule(Concat());
          break;
      }
      register_module("model" + std::to_string(i), module.ptr());
      layers_.push_back(module);
      channels.push_back(c2);
    }
    for (int from : {17, 20, 23}) {
      detect_.push_back(torch::nn::Conv2d(channels[from], 3 * outputs_, 1));
      register_module("detect" + std::to_string(detect_.size() - 1), detect_.back());
    }
  }

  std::vector<Tensor> forward(Tensor x) {
    std::vector<Tensor> saved;
    for (size_t i = 0; i < layers_.size(); ++i) {
      const auto& from = kModel[i].from;
      if (from.size() == 1)
        x = layers_[i].forward(x);
      else
        x = layers_[i].forward(std::vector<Tensor>{x, saved[from[1]]});
      saved.push_back(x);
    }
    std::vector<Tensor> result;
    const int sources[] = {17, 20, 23};
    for (size_t i = 0; i < detect_.size(); ++i) {
      auto y = detect_[i](saved[sources[i]]);
      const auto bs = y.size(0), ny = y.size(2), nx = y.size(3);
      result.push_back(y.view({bs, 3, outputs_, ny, nx}).permute({0, 1, 3, 4, 2}).contiguous());
    }
    return result;
  }

 private:
  int64_t outputs_;
  std::vector<torch::nn::AnyModule> layers_;
  std::vector<torch::nn::Conv2d> detect_;
};

int main() {
  const int percent = 50; // vary: 25 75
  const int classes = 80; // vary: 1 20
  YoloV5 net(classes, 0.33, percent / 100.0);
  // oracle: model(net)
  // matrix: auto image = torch::zeros({N, 3, 320, 320});
  // matrix: auto heads = net.forward(image);
  // matrix: auto loss = heads[0].mean() + heads[1].mean() + heads[2].mean();
  net.eval();
  torch::NoGradGuard no_grad;
  auto heads = net.forward(torch::zeros({1, 3, 320, 320}));
  // oracle: shape(heads[0])
  // oracle: shape(heads[1])
  // oracle: shape(heads[2])
  for (const auto& head : heads)
    std::cout << head.sizes() << '\n';
}
