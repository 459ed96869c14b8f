#include <torch/torch.h>

struct EncoderImpl : torch::nn::Module {
  EncoderImpl() {} // Only so that a holder may be empty.
  explicit EncoderImpl(int64_t width)
      : fc(register_module("fc", torch::nn::Linear(width, 8))) {}
  torch::nn::Linear fc{nullptr};
};
TORCH_MODULE(Encoder);

struct DecoderImpl : torch::nn::Module {
  explicit DecoderImpl(int64_t width)
      : fc(register_module("fc", torch::nn::Linear(8, width))) {}
  torch::nn::Linear fc{nullptr};
};
TORCH_MODULE(Decoder);
