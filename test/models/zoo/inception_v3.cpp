// Inception v3 with its auxiliary classifier.
// published: inception_v3
#include <torch/torch.h>

#include <iostream>

using torch::Tensor;
using Size = torch::ExpandingArray<2>;

struct BasicConv2dImpl : torch::nn::Module {
  BasicConv2dImpl(int64_t in, int64_t out, Size kernel, Size stride = 1, Size padding = 0) {
    conv = register_module("conv", torch::nn::Conv2d(torch::nn::Conv2dOptions(in, out, kernel)
                                                         .stride(stride)
                                                         .padding(padding)
                                                         .bias(false)));
    bn = register_module("bn", torch::nn::BatchNorm2d(torch::nn::BatchNorm2dOptions(out).eps(1e-3)));
  }
  Tensor forward(Tensor x) { return torch::relu(bn(conv(x))); }
  torch::nn::Conv2d conv{nullptr};
  torch::nn::BatchNorm2d bn{nullptr};
};
TORCH_MODULE(BasicConv2d);

#define CONV(name, ...) name = register_module(#name, BasicConv2d(__VA_ARGS__))

static Tensor avg3(const Tensor& x) {
  namespace F = torch::nn::functional;
  return F::avg_pool2d(x, F::AvgPool2dFuncOptions(3).stride(1).padding(1));
}

static Tensor max3(const Tensor& x) { return torch::max_pool2d(x, 3, 2); }

struct InceptionAImpl : torch::nn::Module {
  BasicConv2d branch1x1{nullptr}, branch5x5_1{nullptr}, branch5x5_2{nullptr}, branch3x3dbl_1{nullptr},
      branch3x3dbl_2{nullptr}, branch3x3dbl_3{nullptr}, branch_pool{nullptr};
  InceptionAImpl(int64_t in, int64_t pool_features) {
    CONV(branch1x1, in, 64, 1);
    CONV(branch5x5_1, in, 48, 1);
    CONV(branch5x5_2, 48, 64, 5, 1, 2);
    CONV(branch3x3dbl_1, in, 64, 1);
    CONV(branch3x3dbl_2, 64, 96, 3, 1, 1);
    CONV(branch3x3dbl_3, 96, 96, 3, 1, 1);
    CONV(branch_pool, in, pool_features, 1);
  }
  Tensor forward(const Tensor& x) {
    auto a = branch1x1(x);
    auto b = branch5x5_2(branch5x5_1(x));
    auto c = branch3x3dbl_3(branch3x3dbl_2(branch3x3dbl_1(x)));
    auto d = branch_pool(avg3(x));
    return torch::cat({a, b, c, d}, 1);
  }
};
TORCH_MODULE(InceptionA);

struct InceptionBImpl : torch::nn::Module {
  BasicConv2d branch3x3{nullptr}, branch3x3dbl_1{nullptr}, branch3x3dbl_2{nullptr}, branch3x3dbl_3{nullptr};
  explicit InceptionBImpl(int64_t in) {
    CONV(branch3x3, in, 384, 3, 2);
    CONV(branch3x3dbl_1, in, 64, 1);
    CONV(branch3x3dbl_2, 64, 96, 3, 1, 1);
    CONV(branch3x3dbl_3, 96, 96, 3, 2);
  }
  Tensor forward(const Tensor& x) {
    return torch::cat({branch3x3(x), branch3x3dbl_3(branch3x3dbl_2(branch3x3dbl_1(x))), max3(x)}, 1);
  }
};
TORCH_MODULE(InceptionB);

struct InceptionCImpl : torch::nn::Module {
  BasicConv2d branch1x1{nullptr}, branch7x7_1{nullptr}, branch7x7_2{nullptr}, branch7x7_3{nullptr},
      branch7x7dbl_1{nullptr}, branch7x7dbl_2{nullptr}, branch7x7dbl_3{nullptr}, branch7x7dbl_4{nullptr},
      branch7x7dbl_5{nullptr}, branch_pool{nullptr};
  InceptionCImpl(int64_t in, int64_t c7) {
    const Size row({1, 7}), col({7, 1}), rowPad({0, 3}), colPad({3, 0});
    CONV(branch1x1, in, 192, 1);
    CONV(branch7x7_1, in, c7, 1);
    CONV(branch7x7_2, c7, c7, row, 1, rowPad);
    CONV(branch7x7_3, c7, 192, col, 1, colPad);
    CONV(branch7x7dbl_1, in, c7, 1);
    CONV(branch7x7dbl_2, c7, c7, col, 1, colPad);
    CONV(branch7x7dbl_3, c7, c7, row, 1, rowPad);
    CONV(branch7x7dbl_4, c7, c7, col, 1, colPad);
    CONV(branch7x7dbl_5, c7, 192, row, 1, rowPad);
    CONV(branch_pool, in, 192, 1);
  }
  Tensor forward(const Tensor& x) {
    auto b = branch7x7_1(x);
    b = branch7x7_3(branch7x7_2(b));
    auto c = branch7x7dbl_1(x);
    c = branch7x7dbl_3(branch7x7dbl_2(c));
    c = branch7x7dbl_5(branch7x7dbl_4(c));
    return torch::cat({branch1x1(x), b, c, branch_pool(avg3(x))}, 1);
  }
};
TORCH_MODULE(InceptionC);

struct InceptionDImpl : torch::nn::Module {
  BasicConv2d branch3x3_1{nullptr}, branch3x3_2{nullptr}, branch7x7x3_1{nullptr}, branch7x7x3_2{nullptr},
      branch7x7x3_3{nullptr}, branch7x7x3_4{nullptr};
  explicit InceptionDImpl(int64_t in) {
    CONV(branch3x3_1, in, 192, 1);
    CONV(branch3x3_2, 192, 320, 3, 2);
    CONV(branch7x7x3_1, in, 192, 1);
    CONV(branch7x7x3_2, 192, 192, Size({1, 7}), 1, Size({0, 3}));
    CONV(branch7x7x3_3, 192, 192, Size({7, 1}), 1, Size({3, 0}));
    CONV(branch7x7x3_4, 192, 192, 3, 2);
  }
  Tensor forward(const Tensor& x) {
    auto b = branch7x7x3_4(branch7x7x3_3(branch7x7x3_2(branch7x7x3_1(x))));
    return torch::cat({branch3x3_2(branch3x3_1(x)), b, max3(x)}, 1);
  }
};
TORCH_MODULE(InceptionD);

struct InceptionEImpl : torch::nn::Module {
  BasicConv2d branch1x1{nullptr}, branch3x3_1{nullptr}, branch3x3_2a{nullptr}, branch3x3_2b{nullptr},
      branch3x3dbl_1{nullptr}, branch3x3dbl_2{nullptr}, branch3x3dbl_3a{nullptr}, branch3x3dbl_3b{nullptr},
      branch_pool{nullptr};
  explicit InceptionEImpl(int64_t in) {
    CONV(branch1x1, in, 320, 1);
    CONV(branch3x3_1, in, 384, 1);
    CONV(branch3x3_2a, 384, 384, Size({1, 3}), 1, Size({0, 1}));
    CONV(branch3x3_2b, 384, 384, Size({3, 1}), 1, Size({1, 0}));
    CONV(branch3x3dbl_1, in, 448, 1);
    CONV(branch3x3dbl_2, 448, 384, 3, 1, 1);
    CONV(branch3x3dbl_3a, 384, 384, Size({1, 3}), 1, Size({0, 1}));
    CONV(branch3x3dbl_3b, 384, 384, Size({3, 1}), 1, Size({1, 0}));
    CONV(branch_pool, in, 192, 1);
  }
  Tensor forward(const Tensor& x) {
    auto b = branch3x3_1(x);
    b = torch::cat({branch3x3_2a(b), branch3x3_2b(b)}, 1);
    auto c = branch3x3dbl_2(branch3x3dbl_1(x));
    c = torch::cat({branch3x3dbl_3a(c), branch3x3dbl_3b(c)}, 1);
    return torch::cat({branch1x1(x), b, c, branch_pool(avg3(x))}, 1);
  }
};
TORCH_MODULE(InceptionE);

struct InceptionAuxImpl : torch::nn::Module {
  BasicConv2d conv0{nullptr}, conv1{nullptr};
  torch::nn::Linear fc{nullptr};
  InceptionAuxImpl(int64_t in, int64_t classes) {
    CONV(conv0, in, 128, 1);
    CONV(conv1, 128, 768, 5);
    fc = register_module("fc", torch::nn::Linear(768, classes));
  }
  Tensor forward(Tensor x) {
    x = torch::avg_pool2d(x, 5, 3);
    x = conv1(conv0(x));
    return fc(torch::adaptive_avg_pool2d(x, {1, 1}).flatten(1));
  }
};
TORCH_MODULE(InceptionAux);

struct Output {
  Tensor logits, aux;
};

class InceptionV3 : public torch::nn::Module {
 public:
  explicit InceptionV3(int64_t classes) {
    CONV(Conv2d_1a_3x3, 3, 32, 3, 2);
    CONV(Conv2d_2a_3x3, 32, 32, 3);
    CONV(Conv2d_2b_3x3, 32, 64, 3, 1, 1);
    CONV(Conv2d_3b_1x1, 64, 80, 1);
    CONV(Conv2d_4a_3x3, 80, 192, 3);
    mixed5 = torch::nn::Sequential(InceptionA(192, 32), InceptionA(256, 64), InceptionA(288, 64));
    mixed6 = torch::nn::Sequential(InceptionB(288), InceptionC(768, 128), InceptionC(768, 160),
                                   InceptionC(768, 160), InceptionC(768, 192));
    mixed7 = torch::nn::Sequential(InceptionD(768), InceptionE(1280), InceptionE(2048));
    register_module("Mixed_5", mixed5);
    register_module("Mixed_6", mixed6);
    AuxLogits = register_module("AuxLogits", InceptionAux(768, classes));
    register_module("Mixed_7", mixed7);
    fc = register_module("fc", torch::nn::Linear(2048, classes));
  }

  Output forward(Tensor x) {
    x = Conv2d_2b_3x3(Conv2d_2a_3x3(Conv2d_1a_3x3(x)));
    x = Conv2d_4a_3x3(Conv2d_3b_1x1(max3(x)));
    x = mixed6->forward(mixed5->forward(max3(x)));
    Output out;
    out.aux = AuxLogits(x);
    x = mixed7->forward(x).mean({2, 3});
    out.logits = fc(torch::dropout(x, 0.5, is_training()));
    return out;
  }

 private:
  BasicConv2d Conv2d_1a_3x3{nullptr}, Conv2d_2a_3x3{nullptr}, Conv2d_2b_3x3{nullptr}, Conv2d_3b_1x1{nullptr},
      Conv2d_4a_3x3{nullptr};
  torch::nn::Sequential mixed5{nullptr}, mixed6{nullptr}, mixed7{nullptr};
  InceptionAux AuxLogits{nullptr};
  torch::nn::Linear fc{nullptr};
};

int main() {
  auto net = std::make_shared<InceptionV3>(1000); // vary: 3 10 200
  net->eval();
  // oracle: model(net)
  // matrix: auto input = torch::rand({N, 3, 299, 299});
  // matrix: auto result = net->forward(input);
  // matrix: auto loss = result.logits.mean() + 0.4 * result.aux.mean();
  torch::NoGradGuard no_grad;
  Output result = net->forward(torch::rand({1, 3, 299, 299}));
  // oracle: shape(result.logits)
  // oracle: shape(result.aux)
  std::cout << result.logits.argmax(1).item<int64_t>() << "\n";
}
