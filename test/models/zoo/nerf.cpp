// NeRF: positional encoding, an eight-layer MLP with one skip, and volume
// rendering of a few rays.
#include <torch/torch.h>

#include <cmath>
#include <iostream>
#include <vector>

class Embedder {
public:
  Embedder(int input_dims, int num_freqs) : out_dim_(input_dims * (1 + 2 * num_freqs)) {
    for (int i = 0; i < num_freqs; ++i)
      freqs_.push_back(std::pow(2.0, i));
  }
  int out_dim() const { return out_dim_; }
  torch::Tensor embed(const torch::Tensor &x) const {
    std::vector<torch::Tensor> parts{x};
    for (double f : freqs_) {
      parts.push_back(torch::sin(x * f));
      parts.push_back(torch::cos(x * f));
    }
    return torch::cat(parts, -1);
  }

private:
  int out_dim_;
  std::vector<double> freqs_;
};

class NeRF : public torch::nn::Module {
public:
  NeRF(int D, int W, int input_ch, int input_ch_views, const std::vector<int> &skips)
      : skips_(skips), input_ch_(input_ch), input_ch_views_(input_ch_views) {
    pts_linears_->push_back(torch::nn::Linear(input_ch, W));
    for (int i = 0; i < D - 1; ++i)
      pts_linears_->push_back(has_skip(i) ? torch::nn::Linear(W + input_ch, W) : torch::nn::Linear(W, W));
    register_module("pts_linears", pts_linears_);
    feature_linear_ = register_module("feature_linear", torch::nn::Linear(W, W));
    alpha_linear_ = register_module("alpha_linear", torch::nn::Linear(W, 1));
    views_linear_ = register_module("views_linear", torch::nn::Linear(input_ch_views + W, W / 2));
    rgb_linear_ = register_module("rgb_linear", torch::nn::Linear(W / 2, 3));
  }

  torch::Tensor forward(const torch::Tensor &x) {
    auto inputs = torch::split_with_sizes(x, {input_ch_, input_ch_views_}, -1);
    auto h = inputs[0];
    for (int i = 0; i < static_cast<int>(pts_linears_->size()); ++i) {
      h = torch::relu(pts_linears_[i]->as<torch::nn::Linear>()->forward(h));
      if (has_skip(i))
        h = torch::cat({inputs[0], h}, -1);
    }
    auto alpha = alpha_linear_(h);
    h = torch::cat({feature_linear_(h), inputs[1]}, -1);
    auto rgb = rgb_linear_(torch::relu(views_linear_(h)));
    return torch::cat({rgb, alpha}, -1);
  }

private:
  bool has_skip(int layer) const { return std::find(skips_.begin(), skips_.end(), layer) != skips_.end(); }

  std::vector<int> skips_;
  int64_t input_ch_, input_ch_views_;
  torch::nn::ModuleList pts_linears_;
  torch::nn::Linear feature_linear_{nullptr}, alpha_linear_{nullptr}, views_linear_{nullptr}, rgb_linear_{nullptr};
};

struct Rendered {
  torch::Tensor rgb, depth, weights;
};

static Rendered render_rays(NeRF &net, const Embedder &points, const Embedder &views, torch::Tensor rays_o,
                            torch::Tensor rays_d, int n_samples) {
  auto z_vals = torch::linspace(2., 6., n_samples).expand({rays_o.size(0), n_samples});
  auto pts = rays_o.unsqueeze(1) + rays_d.unsqueeze(1) * z_vals.unsqueeze(2);
  auto viewdirs = (rays_d / rays_d.norm(2, -1, true)).unsqueeze(1).expand(pts.sizes());
  auto raw = net.forward(torch::cat({points.embed(pts), views.embed(viewdirs)}, -1));

  auto dists = z_vals.slice(1, 1) - z_vals.slice(1, 0, -1);
  dists = torch::cat({dists, torch::full({dists.size(0), 1}, 1e10)}, -1);
  auto alpha = 1. - torch::exp(-torch::relu(raw.select(-1, 3)) * dists);
  auto through = torch::cumprod(torch::cat({torch::ones({alpha.size(0), 1}), 1. - alpha + 1e-10}, -1), -1);
  auto weights = alpha * through.slice(-1, 0, -1);
  auto rgb = torch::sum(weights.unsqueeze(-1) * torch::sigmoid(raw.slice(-1, 0, 3)), -2);
  return {rgb, torch::sum(weights * z_vals, -1), weights};
}

int main() {
  const int D = 8; // vary: 6 7 10
  const int W = 256; // vary: 32 64 128
  const int samples = 64;
  Embedder points(3, 10), views(3, 4);
  NeRF net(D, W, points.out_dim(), views.out_dim(), {4});
  // oracle: model(net)
  // matrix: auto origins = torch::rand({8 * N, 3}), directions = torch::randn({8 * N, 3});
  // matrix: auto out = render_rays(net, points, views, origins, directions, samples);
  // matrix: auto loss = torch::mse_loss(out.rgb, torch::rand({8 * N, 3}));
  net.eval();
  torch::NoGradGuard guard;
  auto out = render_rays(net, points, views, torch::rand({32, 3}), torch::randn({32, 3}), samples);
  // oracle: shape(out.rgb)
  // oracle: shape(out.depth)
  // oracle: shape(out.weights)
  std::cout << out.rgb.sizes() << std::endl;
}
