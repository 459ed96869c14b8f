// MLP-Mixer B/16: token mixing and channel mixing.
#include <torch/torch.h>
#include <iostream>

struct MlpBlockImpl : torch::nn::Module {
  torch::nn::Linear fc1{nullptr}, fc2{nullptr};
  MlpBlockImpl(int dim, int hidden) {
    fc1 = register_module("fc1", torch::nn::Linear(dim, hidden));
    fc2 = register_module("fc2", torch::nn::Linear(hidden, dim));
  }
  torch::Tensor forward(torch::Tensor x) { return fc2(torch::gelu(fc1(x))); }
};
TORCH_MODULE(MlpBlock);

template <int Patches, int Dim>
struct MixerBlock : torch::nn::Module {
  torch::nn::LayerNorm norm1 = register_module("norm1", torch::nn::LayerNorm(torch::nn::LayerNormOptions({Dim}).eps(1e-6)));
  MlpBlock tokens = register_module("mlp_tokens", MlpBlock(Patches, Dim / 2));
  torch::nn::LayerNorm norm2 = register_module("norm2", torch::nn::LayerNorm(torch::nn::LayerNormOptions({Dim}).eps(1e-6)));
  MlpBlock channels = register_module("mlp_channels", MlpBlock(Dim, Dim * 4));

  torch::Tensor forward(torch::Tensor x) {
    x = x + tokens(norm1(x).transpose(1, 2)).transpose(1, 2);
    return x + channels(norm2(x));
  }
};

template <int Image, int Patch, int Dim, int Depth>
class MlpMixer : public torch::nn::Module {
  static constexpr int kPatches = (Image / Patch) * (Image / Patch);
  static_assert(Image % Patch == 0, "the image must divide into patches");

  torch::nn::Conv2d stem{torch::nn::Conv2dOptions(3, Dim, Patch).stride(Patch)};
  torch::nn::Sequential blocks;
  torch::nn::LayerNorm norm{torch::nn::LayerNormOptions({Dim}).eps(1e-6)};
  torch::nn::Linear head;

 public:
  explicit MlpMixer(int classes) : head(Dim, classes) {
    register_module("stem", stem);
    for (int i = 0; i < Depth; i++)
      blocks->push_back(MixerBlock<kPatches, Dim>());
    register_module("blocks", blocks);
    register_module("norm", norm);
    register_module("head", head);
  }

  torch::Tensor forward(torch::Tensor x) {
    x = stem(x).flatten(2).transpose(1, 2);
    x = norm(blocks->forward(x)).mean(1);
    return head(x);
  }
};

constexpr int kDim = 768; // vary: 256 384 512
constexpr int kDepth = 12; // vary: 8 3

int main() {
  MlpMixer<224, 16, kDim, kDepth> net(1000);
  // oracle: model(net)
  // matrix: auto input = torch::randn({N, 3, 224, 224});
  // matrix: auto scores = net.forward(input);
  // matrix: auto loss = torch::nll_loss(torch::log_softmax(scores, 1), torch::randint(10, {N}, torch::kLong));
  net.eval();
  torch::NoGradGuard guard;
  auto out = net.forward(torch::randn({2, 3, 224, 224}));
  // oracle: shape(out)
  std::cout << out.argmax(1) << std::endl;
}
