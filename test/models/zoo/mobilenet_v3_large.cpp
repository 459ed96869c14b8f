// MobileNetV3-Large: hard swish, squeeze and excitation, a table of structs.
// published: mobilenet_v3_large
#include <torch/torch.h>
#include <iostream>

namespace nn = torch::nn;
namespace F = nn::functional;
using torch::Tensor;

enum class Activation { ReLU, HardSwish };

static Tensor activate(Tensor x, Activation kind) {
    switch (kind) {
    case Activation::ReLU:
        return x.relu_();
    case Activation::HardSwish:
        return torch::hardswish(x);
    }
    return x;
}

static int makeDivisible(float v, int divisor = 8) {
    int rounded = std::max(divisor, static_cast<int>(v + divisor / 2) / divisor * divisor);
    return rounded < 0.9f * v ? rounded + divisor : rounded;
}

struct BlockConfig {
    int kernel, expanded, out;
    bool squeeze;
    Activation act;
    int stride;
};

static const BlockConfig kLarge[] = {
    {3, 16, 16, false, Activation::ReLU, 1},
    {3, 64, 24, false, Activation::ReLU, 2},
    {3, 72, 24, false, Activation::ReLU, 1},
    {5, 72, 40, true, Activation::ReLU, 2},
    {5, 120, 40, true, Activation::ReLU, 1},
    {5, 120, 40, true, Activation::ReLU, 1},
    {3, 240, 80, false, Activation::HardSwish, 2},
    {3, 200, 80, false, Activation::HardSwish, 1},
    {3, 184, 80, false, Activation::HardSwish, 1},
    {3, 184, 80, false, Activation::HardSwish, 1},
    {3, 480, 112, true, Activation::HardSwish, 1},
    {3, 672, 112, true, Activation::HardSwish, 1},
    {5, 672, 160, true, Activation::HardSwish, 2},
    {5, 960, 160, true, Activation::HardSwish, 1},
    {5, 960, 160, true, Activation::HardSwish, 1},
};

class ConvNormImpl : public nn::Module {
public:
    ConvNormImpl(int in, int out, int k, int stride, int groups, c10::optional<Activation> act) : act_(act) {
        conv_ = register_module("0", nn::Conv2d(nn::Conv2dOptions(in, out, k).stride(stride).padding((k - 1) / 2).groups(groups).bias(false)));
        norm_ = register_module("1", nn::BatchNorm2d(nn::BatchNorm2dOptions(out).eps(0.001).momentum(0.01)));
    }
    Tensor forward(Tensor x) {
        x = norm_(conv_(x));
        return act_ ? activate(x, *act_) : x;
    }

private:
    c10::optional<Activation> act_;
    nn::Conv2d conv_{nullptr};
    nn::BatchNorm2d norm_{nullptr};
};
TORCH_MODULE(ConvNorm);

class SqueezeExciteImpl : public nn::Module {
public:
    explicit SqueezeExciteImpl(int channels) {
        const int squeezed = makeDivisible(channels / 4.f);
        fc1_ = register_module("fc1", nn::Conv2d(channels, squeezed, 1));
        fc2_ = register_module("fc2", nn::Conv2d(squeezed, channels, 1));
    }
    Tensor forward(const Tensor &x) {
        Tensor scale = F::adaptive_avg_pool2d(x, F::AdaptiveAvgPool2dFuncOptions(1));
        scale = torch::relu(fc1_(scale));
        return x * torch::hardsigmoid(fc2_(scale));
    }

private:
    nn::Conv2d fc1_{nullptr}, fc2_{nullptr};
};
TORCH_MODULE(SqueezeExcite);

class InvertedResidualImpl : public nn::Module {
public:
    InvertedResidualImpl(int in, const BlockConfig &c) : residual_(c.stride == 1 && in == c.out) {
        if (c.expanded != in)
            expand_ = register_module("expand", ConvNorm(in, c.expanded, 1, 1, 1, c.act));
        depthwise_ = register_module("depthwise", ConvNorm(c.expanded, c.expanded, c.kernel, c.stride, c.expanded, c.act));
        if (c.squeeze)
            se_ = register_module("se", SqueezeExcite(c.expanded));
        project_ = register_module("project", ConvNorm(c.expanded, c.out, 1, 1, 1, c10::nullopt));
    }
    Tensor forward(const Tensor &input) {
        Tensor x = expand_.is_empty() ? input : expand_(input);
        x = depthwise_(x);
        if (se_)
            x = se_(x);
        x = project_(x);
        return residual_ ? input + x : x;
    }

private:
    bool residual_;
    ConvNorm expand_{nullptr}, depthwise_{nullptr}, project_{nullptr};
    SqueezeExcite se_{nullptr};
};
TORCH_MODULE(InvertedResidual);

class MobileNetV3Impl : public nn::Module {
public:
    MobileNetV3Impl(const BlockConfig *begin, const BlockConfig *end, int lastChannel, int classes) {
        int in = 16;
        features_->push_back(ConvNorm(3, in, 3, 2, 1, Activation::HardSwish));
        for (auto it = begin; it != end; ++it) {
            features_->push_back(InvertedResidual(in, *it));
            in = it->out;
        }
        features_->push_back(ConvNorm(in, 6 * in, 1, 1, 1, Activation::HardSwish));
        classifier_->push_back(nn::Linear(6 * in, lastChannel));
        classifier_->push_back(nn::Hardtanh(nn::HardtanhOptions().min_val(-3).max_val(3)));
        classifier_->push_back(nn::Dropout(nn::DropoutOptions().p(0.2).inplace(true)));
        classifier_->push_back(nn::Linear(lastChannel, classes));
        register_module("features", features_);
        register_module("classifier", classifier_);
    }
    Tensor forward(Tensor x) {
        x = features_->forward(x);
        x = x.mean({2, 3}).flatten(1);
        return classifier_->forward(x);
    }

private:
    nn::Sequential features_, classifier_;
};
TORCH_MODULE(MobileNetV3);

int main() {
    const int last = 1280; // vary: 320 1024
    const int classes = 1000; // vary: 9 21 200
    auto net = MobileNetV3(std::begin(kLarge), std::end(kLarge), last, classes);
    // oracle: model(net)
    // matrix: auto input = torch::rand({N, 3, 224, 224});
    // matrix: auto scores = net->forward(input);
    // matrix: auto loss = torch::nll_loss(torch::log_softmax(scores, 1), torch::randint(10, {N}, torch::kLong));
    net->train(false);
    torch::InferenceMode guard;
    Tensor logits = net->forward(torch::rand({2, 3, 224, 224}));
    // oracle: shape(logits)
    std::cout << logits.sizes() << std::endl;
    return 0;
}
