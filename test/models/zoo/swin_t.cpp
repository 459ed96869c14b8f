// Swin Transformer, tiny: windows, shifted windows, relative position bias, patch merging.
// published: swin_t
#include <torch/torch.h>

#include <iostream>
#include <vector>

namespace nn = torch::nn;
namespace F = torch::nn::functional;
using torch::Tensor;
using torch::indexing::None;
using torch::indexing::Slice;

Tensor window_partition(Tensor x, int64_t window) {
  const auto B = x.size(0), H = x.size(1), W = x.size(2), C = x.size(3);
  x = x.view({B, H / window, window, W / window, window, C});
  return x.permute({0, 1, 3, 2, 4, 5}).contiguous().view({-1, window * window, C});
}

Tensor window_reverse(Tensor windows, int64_t window, int64_t H, int64_t W) {
  const int64_t B = windows.size(0) / (H * W / window / window);
  auto x = windows.view({B, H / window, W / window, window, window, -1});
  return x.permute({0, 1, 3, 2, 4, 5}).contiguous().view({B, H, W, -1});
}

class WindowAttentionImpl : public nn::Module {
 public:
  WindowAttentionImpl(int64_t dim, int64_t window, int64_t heads) : heads_(heads), area_(window * window) {
    scale_ = std::pow(dim / heads, -0.5);
    table_ = register_parameter("relative_position_bias_table",
                                torch::zeros({(2 * window - 1) * (2 * window - 1), heads}));
    auto coords = torch::stack(torch::meshgrid({torch::arange(window), torch::arange(window)}, "ij")).flatten(1);
    auto relative = coords.unsqueeze(2) - coords.unsqueeze(1);
    relative = relative.permute({1, 2, 0}).contiguous() + (window - 1);
    auto index = relative.index({Slice(), Slice(), 0}) * (2 * window - 1) + relative.index({Slice(), Slice(), 1});
    index_ = register_buffer("relative_position_index", index);
    qkv_ = register_module("qkv", nn::Linear(dim, 3 * dim));
    proj_ = register_module("proj", nn::Linear(dim, dim));
  }

  Tensor forward(Tensor x, const Tensor& mask) {
    const auto B = x.size(0), N = x.size(1), C = x.size(2);
    auto qkv = qkv_(x).reshape({B, N, 3, heads_, C / heads_}).permute({2, 0, 3, 1, 4});
    auto q = qkv[0] * scale_, k = qkv[1], v = qkv[2];
    auto attn = q.matmul(k.transpose(-2, -1));
    auto bias = table_.index({index_.view(-1)}).view({area_, area_, -1}).permute({2, 0, 1}).contiguous();
    attn = attn + bias.unsqueeze(0);
    if (mask.defined()) {
      const auto windows = mask.size(0);
      attn = attn.view({B / windows, windows, heads_, N, N}) + mask.unsqueeze(1).unsqueeze(0);
      attn = attn.view({-1, heads_, N, N});
    }
    attn = torch::softmax(attn, -1);
    return proj_(attn.matmul(v).transpose(1, 2).reshape({B, N, C}));
  }

 private:
  int64_t heads_, area_;
  double scale_;
  Tensor table_, index_;
  nn::Linear qkv_{nullptr}, proj_{nullptr};
};
TORCH_MODULE(WindowAttention);

class SwinBlockImpl : public nn::Module {
 public:
  SwinBlockImpl(int64_t dim, int64_t resolution, int64_t heads, int64_t window, int64_t shift)
      : window_(window), shift_(shift) {
    if (resolution <= window) {
      shift_ = 0;
      window_ = resolution;
    }
    norm1 = register_module("norm1", nn::LayerNorm(nn::LayerNormOptions({dim})));
    attn = register_module("attn", WindowAttention(dim, window_, heads));
    norm2 = register_module("norm2", nn::LayerNorm(nn::LayerNormOptions({dim})));
    mlp = register_module("mlp", nn::Sequential(nn::Linear(dim, dim * 4), nn::GELU(), nn::Linear(dim * 4, dim)));
    if (shift_ > 0) {
      auto image = torch::zeros({1, resolution, resolution, 1});
      int count = 0;
      const std::vector<Slice> slices{Slice(0, -window_), Slice(-window_, -shift_), Slice(-shift_, None)};
      for (const auto& h : slices)
        for (const auto& w : slices)
          image.index_put_({Slice(), h, w, Slice()}, count++);
      auto parts = window_partition(image, window_).view({-1, window_ * window_});
      mask = parts.unsqueeze(1) - parts.unsqueeze(2);
      mask = mask.masked_fill(mask != 0, -100.0).masked_fill(mask == 0, 0.0);
      mask = register_buffer("attn_mask", mask);
    }
  }

  Tensor forward(Tensor x) { // B x H x W x C
    const auto H = x.size(1), W = x.size(2), C = x.size(3);
    auto y = norm1(x);
    if (shift_ > 0)
      y = torch::roll(y, {-shift_, -shift_}, {1, 2});
    y = window_partition(y, window_);
    y = attn(y, mask).view({-1, window_, window_, C});
    y = window_reverse(y, window_, H, W);
    if (shift_ > 0)
      y = torch::roll(y, {shift_, shift_}, {1, 2});
    x = x + y;
    return x + mlp->forward(norm2(x));
  }

 private:
  int64_t window_, shift_;
  nn::LayerNorm norm1{nullptr}, norm2{nullptr};
  WindowAttention attn{nullptr};
  nn::Sequential mlp{nullptr};
  Tensor mask;
};
TORCH_MODULE(SwinBlock);

struct PatchMergingImpl : nn::Module {
  explicit PatchMergingImpl(int64_t dim)
      : norm(nn::LayerNormOptions({4 * dim})), reduction(nn::LinearOptions(4 * dim, 2 * dim).bias(false)) {
    register_module("norm", norm);
    register_module("reduction", reduction);
  }
  Tensor forward(Tensor x) {
    auto x0 = x.index({"...", Slice(0, None, 2), Slice(0, None, 2), Slice()});
    auto x1 = x.index({"...", Slice(1, None, 2), Slice(0, None, 2), Slice()});
    auto x2 = x.index({"...", Slice(0, None, 2), Slice(1, None, 2), Slice()});
    auto x3 = x.index({"...", Slice(1, None, 2), Slice(1, None, 2), Slice()});
    return reduction(norm(torch::cat({x0, x1, x2, x3}, -1)));
  }
  nn::LayerNorm norm;
  nn::Linear reduction;
};
TORCH_MODULE(PatchMerging);

class SwinTransformerImpl : public nn::Module {
 public:
  SwinTransformerImpl(int64_t image, int64_t embed, std::vector<int> depths, std::vector<int> heads, int64_t window,
                      int64_t classes) {
    patch = register_module("patch_embed", nn::Conv2d(nn::Conv2dOptions(3, embed, 4).stride(4)));
    patch_norm = register_module("patch_norm", nn::LayerNorm(nn::LayerNormOptions({embed})));
    int64_t dim = embed, resolution = image / 4;
    for (size_t i = 0; i < depths.size(); ++i) {
      for (int j = 0; j < depths[i]; ++j)
        blocks->push_back(SwinBlock(dim, resolution, heads[i], window, j % 2 == 0 ? 0 : window / 2));
      if (i + 1 < depths.size()) {
        blocks->push_back(PatchMerging(dim));
        dim *= 2;
        resolution /= 2;
      }
    }
    register_module("layers", blocks);
    norm = register_module("norm", nn::LayerNorm(nn::LayerNormOptions({dim})));
    head = register_module("head", nn::Linear(dim, classes));
  }

  Tensor forward(Tensor x) {
    x = patch_norm(patch(x).permute({0, 2, 3, 1}));
    x = norm(blocks->forward(x));
    return head(x.mean({1, 2}));
  }

 private:
  nn::Conv2d patch{nullptr};
  nn::LayerNorm patch_norm{nullptr}, norm{nullptr};
  nn::Sequential blocks;
  nn::Linear head{nullptr};
};
TORCH_MODULE(SwinTransformer);

int main() {
  int64_t embed = 96; // vary: 48 72 120
  SwinTransformer net(224, embed, std::vector<int>{2, 2, 6, 2}, std::vector<int>{3, 6, 12, 24}, 7, 1000);
  // oracle: model(net)
  // matrix: auto input = torch::randn({N, 3, 224, 224});
  // matrix: auto scores = net(input);
  // matrix: auto loss = torch::nll_loss(torch::log_softmax(scores, 1), torch::randint(10, {N}, torch::kLong));
  net->eval();
  torch::NoGradGuard guard;
  auto y = net->forward(torch::randn({1, 3, 224, 224}));
  // oracle: shape(y)
  std::cout << y.sizes() << std::endl;
}
