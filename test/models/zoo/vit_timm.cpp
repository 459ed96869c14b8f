// Vision Transformer, ViT-B/16, as timm has it: one projection for query, key and value,
// and LibTorch's own attention, which is fused where the release has such kernels.
// published: vit_b_16
#include <torch/torch.h>

#include <iostream>
#include <tuple>

struct VitOptions {
  int64_t image_size = 224, patch_size = 16;
  int64_t embed_dim = 768; // vary: 192 384
  int64_t depth = 12;      // vary: 5 7
  int64_t heads = 12, mlp_ratio = 4, classes = 1000;
};

struct AttentionImpl : torch::nn::Module {
  AttentionImpl(int64_t dim, int64_t heads)
      : heads(heads), qkv(register_module("qkv", torch::nn::Linear(dim, 3 * dim))),
        proj(register_module("proj", torch::nn::Linear(dim, dim))) {}

  torch::Tensor forward(torch::Tensor x) {
    const auto b = x.size(0), n = x.size(1), c = x.size(2);
    auto parts = qkv(x).reshape({b, n, 3, heads, c / heads}).permute({2, 0, 3, 1, 4}).unbind(0);
#if TORCH_VERSION_MAJOR >= 2
    x = at::scaled_dot_product_attention(parts[0], parts[1], parts[2]);
#else
    x = std::get<0>(at::_scaled_dot_product_attention(parts[0], parts[1], parts[2]));
#endif
    return proj(x.transpose(1, 2).reshape({b, n, c}));
  }

  int64_t heads;
  torch::nn::Linear qkv, proj;
};
TORCH_MODULE(Attention);

struct BlockImpl : torch::nn::Module {
  BlockImpl(int64_t dim, int64_t heads, int64_t mlp_ratio)
      : norm1(register_module("norm1", torch::nn::LayerNorm(torch::nn::LayerNormOptions({dim}).eps(1e-6)))),
        attn(register_module("attn", Attention(dim, heads))),
        norm2(register_module("norm2", torch::nn::LayerNorm(torch::nn::LayerNormOptions({dim}).eps(1e-6)))),
        fc1(register_module("fc1", torch::nn::Linear(dim, dim * mlp_ratio))),
        fc2(register_module("fc2", torch::nn::Linear(dim * mlp_ratio, dim))) {}

  torch::Tensor forward(torch::Tensor x) {
    x = x + attn(norm1(x));
    return x + fc2(torch::gelu(fc1(norm2(x))));
  }

  torch::nn::LayerNorm norm1;
  Attention attn;
  torch::nn::LayerNorm norm2;
  torch::nn::Linear fc1, fc2;
};
TORCH_MODULE(Block);

struct VitImpl : torch::nn::Module {
  explicit VitImpl(const VitOptions& o = {}) {
    const int64_t side = o.image_size / o.patch_size;
    patch_embed = register_module("patch_embed", torch::nn::Conv2d(torch::nn::Conv2dOptions(3, o.embed_dim, o.patch_size).stride(o.patch_size)));
    cls_token = register_parameter("cls_token", torch::zeros({1, 1, o.embed_dim}));
    pos_embed = register_parameter("pos_embed", 0.02 * torch::randn({1, side * side + 1, o.embed_dim}));
    for (int64_t i = 0; i < o.depth; ++i)
      blocks->push_back(Block(o.embed_dim, o.heads, o.mlp_ratio));
    register_module("blocks", blocks);
    norm = register_module("norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({o.embed_dim}).eps(1e-6)));
    head = register_module("head", torch::nn::Linear(o.embed_dim, o.classes));
  }

  torch::Tensor forward(torch::Tensor x) {
    x = patch_embed(x).flatten(2).transpose(1, 2);
    x = torch::cat({cls_token.expand({x.size(0), -1, -1}), x}, 1) + pos_embed;
    x = norm(blocks->forward(x));
    return head(x.select(1, 0));
  }

  torch::nn::Conv2d patch_embed{nullptr};
  torch::Tensor cls_token, pos_embed;
  torch::nn::Sequential blocks;
  torch::nn::LayerNorm norm{nullptr};
  torch::nn::Linear head{nullptr};
};
TORCH_MODULE(Vit);

int main() {
  Vit vit(VitOptions{});
  // oracle: model(vit)
  // matrix: auto input = torch::randn({N, 3, 224, 224});
  // matrix: auto scores = vit->forward(input);
  // matrix: auto loss = torch::nll_loss(torch::log_softmax(scores, 1), torch::randint(10, {N}, torch::kLong));
  vit->eval();
  torch::NoGradGuard no_grad;
  auto logits = vit->forward(torch::randn({2, 3, 224, 224}));
  // oracle: shape(logits)
  std::cout << logits.argmax(1) << std::endl;
}
