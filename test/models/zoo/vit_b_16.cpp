// Vision Transformer, ViT-B/16.
// published: vit_b_16
#include <torch/torch.h>

#include <cmath>
#include <iostream>

struct ViTConfig {
  int64_t image_size = 224;
  int64_t patch_size = 16;
  int64_t hidden_dim = 768; // vary: 192 384
  int64_t num_layers = 12;  // vary: 4 7
  int64_t num_heads = 12;
  int64_t mlp_ratio = 4;
  int64_t num_classes = 1000;
  double dropout = 0.0;
};

class MLPBlockImpl : public torch::nn::Module {
 public:
  MLPBlockImpl(int64_t in_dim, int64_t mlp_dim, double dropout)
      : linear_1(in_dim, mlp_dim), dropout_1(dropout), linear_2(mlp_dim, in_dim), dropout_2(dropout) {
    register_module("linear_1", linear_1);
    register_module("dropout_1", dropout_1);
    register_module("linear_2", linear_2);
    register_module("dropout_2", dropout_2);
    torch::nn::init::xavier_uniform_(linear_1->weight);
    torch::nn::init::normal_(linear_1->bias, 0.0, 1e-6);
  }
  torch::Tensor forward(torch::Tensor x) {
    x = dropout_1(torch::gelu(linear_1(x)));
    return dropout_2(linear_2(x));
  }

 private:
  torch::nn::Linear linear_1;
  torch::nn::Dropout dropout_1;
  torch::nn::Linear linear_2;
  torch::nn::Dropout dropout_2;
};
TORCH_MODULE(MLPBlock);

class EncoderBlockImpl : public torch::nn::Module {
 public:
  explicit EncoderBlockImpl(const ViTConfig& c)
      : ln_1(torch::nn::LayerNormOptions({c.hidden_dim}).eps(1e-6)),
        self_attention(torch::nn::MultiheadAttentionOptions(c.hidden_dim, c.num_heads).dropout(c.dropout)),
        ln_2(torch::nn::LayerNormOptions({c.hidden_dim}).eps(1e-6)),
        mlp(c.hidden_dim, c.hidden_dim * c.mlp_ratio, c.dropout) {
    register_module("ln_1", ln_1);
    register_module("self_attention", self_attention);
    register_module("ln_2", ln_2);
    register_module("mlp", mlp);
  }

  torch::Tensor forward(torch::Tensor input) {
    TORCH_CHECK(input.dim() == 3, "Expected (batch_size, seq_length, hidden_dim) got ", input.sizes());
    auto x = ln_1(input).transpose(0, 1); // attention of LibTorch 1.x has the sequence first
    auto [out, weights] = self_attention(x, x, x, /*key_padding_mask=*/torch::Tensor(), /*need_weights=*/false);
    x = out.transpose(0, 1) + input;
    return x + mlp(ln_2(x));
  }

 private:
  torch::nn::LayerNorm ln_1;
  torch::nn::MultiheadAttention self_attention;
  torch::nn::LayerNorm ln_2;
  MLPBlock mlp;
};
TORCH_MODULE(EncoderBlock);

class VisionTransformerImpl : public torch::nn::Module {
 public:
  explicit VisionTransformerImpl(const ViTConfig& config) : config(config) {
    TORCH_CHECK(config.image_size % config.patch_size == 0, "Input shape indivisible by patch size!");
    conv_proj = register_module("conv_proj", torch::nn::Conv2d(torch::nn::Conv2dOptions(3, config.hidden_dim, config.patch_size)
                                                                   .stride(config.patch_size)));
    const int64_t seq_length = std::pow(config.image_size / config.patch_size, 2) + 1;
    class_token = register_parameter("class_token", torch::zeros({1, 1, config.hidden_dim}));
    pos_embedding = register_parameter("pos_embedding", torch::empty({1, seq_length, config.hidden_dim}).normal_(0, 0.02));
    for (int64_t i = 0; i < config.num_layers; ++i)
      layers->push_back("encoder_layer_" + std::to_string(i), EncoderBlock(config));
    register_module("layers", layers);
    ln = register_module("ln", torch::nn::LayerNorm(torch::nn::LayerNormOptions({config.hidden_dim}).eps(1e-6)));
    head = register_module("head", torch::nn::Linear(config.hidden_dim, config.num_classes));

    const double fan_in = conv_proj->weight.size(1) * conv_proj->weight.size(2) * conv_proj->weight.size(3);
    torch::nn::init::normal_(conv_proj->weight, 0, std::sqrt(1 / fan_in));
    torch::nn::init::zeros_(head->weight);
  }

  torch::Tensor forward(torch::Tensor x) {
    const auto n = x.size(0);
    x = conv_proj->forward(x);
    x = x.flatten(2).permute({0, 2, 1});
    x = torch::cat({class_token.expand({n, -1, -1}), x}, 1);
    x = torch::dropout(x + pos_embedding, config.dropout, is_training());
    x = ln->forward(layers->forward(x));
    return head->forward(x.select(1, 0));
  }

 private:
  ViTConfig config;
  torch::nn::Conv2d conv_proj{nullptr};
  torch::Tensor class_token, pos_embedding;
  torch::nn::Sequential layers;
  torch::nn::LayerNorm ln{nullptr};
  torch::nn::Linear head{nullptr};
};
TORCH_MODULE(VisionTransformer);

int main() {
  VisionTransformer vit(ViTConfig{});
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
