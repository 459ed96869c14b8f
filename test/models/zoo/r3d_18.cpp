// R3D-18 and R(2+1)D-18 from one template: the convolution is a parameter.
// published: r3d_18
#include <torch/torch.h>

#include <iostream>

namespace nn = torch::nn;

struct Plain {
  static constexpr bool factorized_stem = false;
  static nn::Sequential make(int64_t in, int64_t out, int64_t /*mid*/, int64_t stride) {
    return nn::Sequential(nn::Conv3d(nn::Conv3dOptions(in, out, 3).stride(stride).padding(1).bias(false)));
  }
};

struct Factorized {
  static constexpr bool factorized_stem = true;
  static nn::Sequential make(int64_t in, int64_t out, int64_t mid, int64_t stride) {
    return nn::Sequential(
        nn::Conv3d(nn::Conv3dOptions(in, mid, {1, 3, 3}).stride({1, stride, stride}).padding({0, 1, 1}).bias(false)),
        nn::BatchNorm3d(mid), nn::ReLU(true),
        nn::Conv3d(nn::Conv3dOptions(mid, out, {3, 1, 1}).stride({stride, 1, 1}).padding({1, 0, 0}).bias(false)));
  }
};

template <typename Conv>
class BasicBlock : public nn::Module {
 public:
  BasicBlock(int64_t in, int64_t out, int64_t stride) {
    const int64_t mid = (in * out * 27) / (in * 9 + 3 * out);
    conv1 = register_module("conv1", Conv::make(in, out, mid, stride));
    conv1->push_back(nn::BatchNorm3d(out));
    conv1->push_back(nn::ReLU(nn::ReLUOptions(true)));
    conv2 = register_module("conv2", Conv::make(out, out, mid, 1));
    conv2->push_back(nn::BatchNorm3d(out));
    if (stride != 1 || in != out)
      downsample = register_module(
          "downsample", nn::Sequential(nn::Conv3d(nn::Conv3dOptions(in, out, 1).stride(stride).bias(false)),
                                       nn::BatchNorm3d(out)));
  }
  torch::Tensor forward(torch::Tensor x) {
    auto residual = downsample.is_empty() ? x : downsample->forward(x);
    return (conv2->forward(conv1->forward(x)) + residual).relu_();
  }

 private:
  nn::Sequential conv1{nullptr}, conv2{nullptr}, downsample{nullptr};
};

template <typename Conv>
struct VideoResNetImpl : nn::Module {
  nn::Sequential stem, trunk;
  nn::Linear fc{nullptr};

  explicit VideoResNetImpl(int64_t classes) {
    if constexpr (Conv::factorized_stem) {
      stem->push_back(nn::Conv3d(nn::Conv3dOptions(3, 45, {1, 7, 7}).stride({1, 2, 2}).padding({0, 3, 3}).bias(false)));
      stem->push_back(nn::BatchNorm3d(45));
      stem->push_back(nn::ReLU(true));
      stem->push_back(nn::Conv3d(nn::Conv3dOptions(45, 64, {3, 1, 1}).stride(1).padding({1, 0, 0}).bias(false)));
    } else {
      stem->push_back(nn::Conv3d(nn::Conv3dOptions(3, 64, {3, 7, 7}).stride({1, 2, 2}).padding({1, 3, 3}).bias(false)));
    }
    stem->push_back(nn::BatchNorm3d(64));
    stem->push_back(nn::ReLU(true));
    this->register_module("stem", stem);
    int64_t in = 64;
    for (int64_t planes : {64, 128, 256, 512}) {
      trunk->push_back(BasicBlock<Conv>(in, planes, planes == 64 ? 1 : 2));
      trunk->push_back(BasicBlock<Conv>(planes, planes, 1));
      in = planes;
    }
    this->register_module("trunk", trunk);
    fc = this->register_module("fc", nn::Linear(in, classes));
  }

  torch::Tensor forward(torch::Tensor clips) { // N x C x T x H x W
    auto x = trunk->forward(stem->forward(clips));
    x = torch::adaptive_avg_pool3d(x, {1, 1, 1}).flatten(1);
    return fc->forward(x);
  }
};

template <typename Conv>
class VideoResNet : public nn::ModuleHolder<VideoResNetImpl<Conv>> {
 public:
  using nn::ModuleHolder<VideoResNetImpl<Conv>>::ModuleHolder;
};

int main() {
  VideoResNet<Plain> r3d(400); // vary: 51 101
  VideoResNet<Factorized> r2plus1d(400); // vary: 10 174
  // oracle: model(r3d)
  // oracle: model(r2plus1d)
  // matrix: auto clips = torch::rand({N, 3, 8, 56, 56});
  // matrix: auto a = r3d->forward(clips), b = r2plus1d->forward(clips);
  // matrix: auto loss = a.mean() + b.mean();
  r3d->eval();
  r2plus1d->eval();
  torch::NoGradGuard no_grad;
  auto clips = torch::rand({1, 3, 8, 56, 56});
  auto a = r3d->forward(clips);
  auto b = r2plus1d->forward(clips);
  // oracle: shape(a)
  // oracle: shape(b)
  std::cout << a.sizes() << b.sizes() << std::endl;
}
