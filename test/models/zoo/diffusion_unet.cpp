// A denoising U-Net (DDPM): sinusoidal time embedding, residual blocks with
// group norm, attention at one resolution, skips kept on a stack; then two
// steps of ancestral sampling.
#include <torch/torch.h>

#include <cmath>
#include <iostream>
#include <set>
#include <stack>

using torch::Tensor;
using torch::nn::Conv2d;
using torch::nn::Conv2dOptions;
using torch::nn::GroupNorm;
using torch::nn::Linear;

Tensor timestep_embedding(const Tensor &timesteps, int64_t dim, double max_period = 10000) {
  const int64_t half = dim / 2;
  Tensor freqs = torch::exp(-std::log(max_period) * torch::arange(half, torch::kFloat32) / half);
  Tensor args = timesteps.to(torch::kFloat32).unsqueeze(1) * freqs.unsqueeze(0);
  Tensor embedding = torch::cat({torch::cos(args), torch::sin(args)}, /*dim=*/-1);
  if (dim % 2)
    embedding = torch::cat({embedding, torch::zeros_like(embedding.slice(1, 0, 1))}, -1);
  return embedding;
}

struct ResBlockImpl : torch::nn::Module {
  GroupNorm norm1, norm2;
  Conv2d conv1, conv2, shortcut{nullptr};
  Linear temb_proj;

  ResBlockImpl(int64_t in, int64_t out, int64_t temb)
      : norm1(torch::nn::GroupNormOptions(32, in).eps(1e-6)), norm2(torch::nn::GroupNormOptions(32, out).eps(1e-6)),
        conv1(Conv2dOptions(in, out, 3).padding(1)), conv2(Conv2dOptions(out, out, 3).padding(1)), temb_proj(temb, out) {
    register_module("norm1", norm1);
    register_module("conv1", conv1);
    register_module("temb_proj", temb_proj);
    register_module("norm2", norm2);
    register_module("conv2", conv2);
    if (in != out) {
      shortcut = Conv2d(Conv2dOptions(in, out, 1));
      register_module("shortcut", shortcut);
    }
  }

  Tensor forward(const Tensor &x, const Tensor &temb) {
    using torch::indexing::None;
    auto h = conv1(torch::silu(norm1(x)));
    h = h + temb_proj(torch::silu(temb)).index({"...", None, None});
    h = conv2(torch::dropout(torch::silu(norm2(h)), 0.1, is_training()));
    return (shortcut.is_empty() ? x : shortcut(x)) + h;
  }
};
TORCH_MODULE(ResBlock);

struct AttnBlockImpl : torch::nn::Module {
  GroupNorm norm{nullptr};
  Conv2d qkv{nullptr}, proj{nullptr};
  explicit AttnBlockImpl(int64_t c) {
    norm = register_module("norm", GroupNorm(32, c));
    qkv = register_module("qkv", Conv2d(c, 3 * c, 1));
    proj = register_module("proj", Conv2d(c, c, 1));
  }
  Tensor forward(const Tensor &x) {
    const auto b = x.size(0), c = x.size(1), h = x.size(2), w = x.size(3);
    auto parts = qkv(norm(x)).reshape({b, 3, c, h * w}).unbind(1);
    auto weights = torch::bmm(parts[0].transpose(1, 2), parts[1]).mul_(std::pow(c, -0.5)).softmax(2);
    return x + proj(torch::bmm(parts[2], weights.transpose(1, 2)).reshape({b, c, h, w}));
  }
};
TORCH_MODULE(AttnBlock);

class UNetImpl : public torch::nn::Module {
public:
  UNetImpl(int64_t ch, std::vector<int> ch_mult, int num_res_blocks, std::set<int> attn_resolutions, int resolution)
      : ch(ch), levels(ch_mult.size()), blocks(num_res_blocks) {
    const int64_t temb = ch * 4;
    time = register_module("time", torch::nn::Sequential(Linear(ch, temb), torch::nn::SiLU(), Linear(temb, temb)));
    conv_in = register_module("conv_in", Conv2d(Conv2dOptions(3, ch, 3).padding(1)));

    std::stack<int64_t> widths;
    widths.push(ch);
    int64_t now = ch;
    for (size_t level = 0; level < levels; ++level) {
      for (int i = 0; i < blocks; ++i) {
        down_res->push_back(ResBlock(now, ch * ch_mult[level], temb));
        now = ch * ch_mult[level];
        down_attn.push_back(attn_resolutions.count(resolution) ? AttnBlock(now) : AttnBlock(nullptr));
        widths.push(now);
      }
      if (level + 1 != levels) {
        downsample->push_back(Conv2d(Conv2dOptions(now, now, 3).stride(2).padding(1)));
        resolution /= 2;
        widths.push(now);
      }
    }
    mid1 = register_module("mid1", ResBlock(now, now, temb));
    mid_attn = register_module("mid_attn", AttnBlock(now));
    mid2 = register_module("mid2", ResBlock(now, now, temb));
    for (int level = static_cast<int>(levels) - 1; level >= 0; --level) {
      for (int i = 0; i <= blocks; ++i) {
        up_res->push_back(ResBlock(now + widths.top(), ch * ch_mult[level], temb));
        widths.pop();
        now = ch * ch_mult[level];
        up_attn.push_back(attn_resolutions.find(resolution) != attn_resolutions.end() ? AttnBlock(now) : AttnBlock(nullptr));
      }
      if (level > 0) {
        upsample->push_back(Conv2d(Conv2dOptions(now, now, 3).padding(1)));
        resolution *= 2;
      }
    }
    register_module("down_res", down_res);
    register_module("downsample", downsample);
    register_module("up_res", up_res);
    register_module("upsample", upsample);
    for (size_t i = 0; i < down_attn.size(); ++i)
      if (down_attn[i])
        register_module("down_attn" + std::to_string(i), down_attn[i]);
    for (size_t i = 0; i < up_attn.size(); ++i)
      if (!up_attn[i].is_empty())
        register_module("up_attn" + std::to_string(i), up_attn[i]);
    norm_out = register_module("norm_out", GroupNorm(32, now));
    conv_out = register_module("conv_out", Conv2d(Conv2dOptions(now, 3, 3).padding(1)));
  }

  Tensor forward(Tensor x, Tensor t) {
    auto temb = time->forward(timestep_embedding(t, ch));
    std::vector<Tensor> skips{conv_in(x)};
    size_t n = 0;
    for (size_t level = 0; level < levels; ++level) {
      for (int i = 0; i < blocks; ++i, ++n) {
        auto h = down_res[n]->as<ResBlock>()->forward(skips.back(), temb);
        skips.push_back(down_attn[n] ? down_attn[n]->forward(h) : h);
      }
      if (level + 1 < levels)
        skips.push_back(downsample[level]->as<Conv2d>()->forward(skips.back()));
    }
    auto h = mid2(mid_attn(mid1(skips.back(), temb)), temb);
    n = 0;
    for (size_t level = 0; level < levels; ++level) {
      for (int i = 0; i <= blocks; ++i, ++n) {
        h = up_res[n]->as<ResBlock>()->forward(torch::cat({h, skips.back()}, 1), temb);
        skips.pop_back();
        if (up_attn[n])
          h = up_attn[n]->forward(h);
      }
      if (level + 1 < levels) {
        namespace F = torch::nn::functional;
        h = F::interpolate(h, F::InterpolateFuncOptions().scale_factor(std::vector<double>{2, 2}).mode(torch::kNearest));
        h = upsample[level]->as<Conv2d>()->forward(h);
      }
    }
    return conv_out(torch::silu(norm_out(h)));
  }

private:
  int64_t ch;
  size_t levels;
  int blocks;
  torch::nn::Sequential time{nullptr};
  Conv2d conv_in{nullptr}, conv_out{nullptr};
  torch::nn::ModuleList down_res, downsample, up_res, upsample;
  std::vector<AttnBlock> down_attn, up_attn;
  ResBlock mid1{nullptr}, mid2{nullptr};
  AttnBlock mid_attn{nullptr};
  GroupNorm norm_out{nullptr};
};
TORCH_MODULE(UNet);

int main() {
  const int64_t ch = 128; // vary: 32 64 96
  const int res_blocks = 2; // vary: 1 3
  UNet net(ch, std::vector<int>{1, 2, 2, 2}, res_blocks, std::set<int>{16}, 32);
  // oracle: model(net)
  // matrix: auto x = torch::randn({N, 3, 32, 32});
  // matrix: auto t = torch::full({N}, 7, torch::kLong);
  // matrix: auto eps = net(x, t);
  // matrix: auto loss = torch::mse_loss(eps, torch::randn_like(x));
  net->eval();
  torch::NoGradGuard guard;

  const int T = 1000;
  auto betas = torch::linspace(1e-4, 0.02, T);
  auto alphas = 1 - betas;
  auto alphas_bar = torch::cumprod(alphas, 0);
  auto x = torch::randn({1, 3, 32, 32});
  for (int step = T - 1; step >= T - 2; --step) {
    auto t = torch::full({x.size(0)}, step, torch::kLong);
    auto eps = net(x, t);
    // oracle: shape(eps)
    auto mean = (x - betas[step] / torch::sqrt(1 - alphas_bar[step]) * eps) / alphas[step].sqrt();
    x = step > 0 ? mean + betas[step].sqrt() * torch::randn_like(x) : mean;
  }
  // oracle: shape(x)
  std::cout << x.sizes() << std::endl;
}
