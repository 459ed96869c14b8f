// EfficientNetV2-S: fused MBConv blocks first, MBConv with squeeze-excitation later.
// published: efficientnet_v2_s
#include <torch/torch.h>
#include <functional>
#include <iostream>
#include <vector>

using namespace torch::nn;

constexpr size_t kMiddle = 3;

struct StageConfig {
    bool fused;
    int64_t expand, kernel, stride, in, out;
    int layers;
};

struct ConvNormAct : Module {
    ConvNormAct(int64_t in, int64_t out, int64_t k, int64_t s, int64_t groups, bool act)
        : act(act)
    {
        conv = register_module("0", Conv2d(Conv2dOptions(in, out, k).stride(s).padding((k - 1) / 2).groups(groups).bias(false)));
        norm = register_module("1", BatchNorm2d(BatchNorm2dOptions(out).eps(1e-3)));
    }
    torch::Tensor forward(torch::Tensor x)
    {
        x = norm(conv(x));
        return act ? torch::silu_(x) : x;
    }
    bool act;
    Conv2d conv{nullptr};
    BatchNorm2d norm{nullptr};
};

struct SqueezeExcitation : Module {
    SqueezeExcitation(int64_t channels, int64_t squeezed)
        : fc1(register_module("fc1", Conv2d(channels, squeezed, 1))), fc2(register_module("fc2", Conv2d(squeezed, channels, 1)))
    {
    }
    torch::Tensor forward(torch::Tensor x)
    {
        auto scale = torch::silu(fc1(x.mean({2, 3}, true)));
        return torch::sigmoid(fc2(scale)).mul(x);
    }
    Conv2d fc1, fc2;
};

struct Residual : Module {
    Residual(Sequential block, bool add, double drop) : block(register_module("block", block)), add(add), drop(drop) {}
    torch::Tensor forward(torch::Tensor x)
    {
        auto y = block->forward(x);
        if (!add)
            return y;
        if (is_training() && drop > 0) {
            auto keep = torch::bernoulli(torch::full({y.size(0), 1, 1, 1}, 1 - drop));
            y = y * keep / (1 - drop);
        }
        return y + x;
    }
    Sequential block;
    bool add;
    double drop;
};

Sequential block(const StageConfig& c, int64_t in, int64_t stride)
{
    Sequential s;
    const auto expanded = in * c.expand;
    if (c.fused && c.expand == 1) {
        s->push_back(ConvNormAct(in, c.out, c.kernel, stride, 1, true));
    } else if (c.fused) {
        s->push_back(ConvNormAct(in, expanded, c.kernel, stride, 1, true));
        s->push_back(ConvNormAct(expanded, c.out, 1, 1, 1, false));
    } else {
        s->push_back(ConvNormAct(in, expanded, 1, 1, 1, true));
        s->push_back(ConvNormAct(expanded, expanded, c.kernel, stride, expanded, true));
        s->push_back(SqueezeExcitation(expanded, std::max<int64_t>(1, in / 4)));
        s->push_back(ConvNormAct(expanded, c.out, 1, 1, 1, false));
    }
    return s;
}

class EfficientNetV2 : public Module {
public:
    EfficientNetV2(const std::vector<StageConfig>& stages, int64_t head, int64_t classes, double drop)
    {
        int total = 0, index = 0;
        for (const auto& stage : stages)
            total += stage.layers;
        features->push_back(ConvNormAct(3, stages.front().in, 3, 2, 1, true));
        for (const auto& stage : stages) {
            auto in = stage.in;
            auto stride = stage.stride;
            for (int i = 0; i < stage.layers; ++i) {
                features->push_back(Residual(block(stage, in, stride), stride == 1 && in == stage.out, drop * index++ / total));
                in = stage.out;
                stride = 1;
            }
        }
        features->push_back(ConvNormAct(stages.back().out, head, 1, 1, 1, true));
        register_module("features", features);
        classifier = register_module("classifier", Sequential(Dropout(DropoutOptions(0.2).inplace(true)), Linear(head, classes)));
    }
    torch::Tensor forward(torch::Tensor x)
    {
        x = features->forward(x);
        x = torch::flatten(torch::adaptive_avg_pool2d(x, {1, 1}), 1);
        return classifier->forward(x);
    }
private:
    Sequential features, classifier{nullptr};
};

int main()
{
    std::vector<StageConfig> stages = {
        {true, 1, 3, 1, 24, 24, 2},   {true, 4, 3, 2, 24, 48, 4},     {true, 4, 3, 2, 48, 64, 4},
        {false, 4, 3, 2, 64, 128, 6}, {false, 6, 3, 1, 128, 160, 9}, {false, 6, 3, 2, 160, 256, 15},
    };
    stages.at(kMiddle).layers = 6; // vary: 2 10
    const int64_t head = 1280; // vary: 640 1792
    EfficientNetV2 net(stages, head, 1000, 0.2);
    // oracle: model(net)
    // matrix: auto input = torch::randn({N, 3, 192, 192});
    // matrix: auto scores = net.forward(input);
    // matrix: auto loss = torch::nll_loss(torch::log_softmax(scores, 1), torch::randint(10, {N}, torch::kLong));
    net.eval();
    torch::NoGradGuard no_grad;
    auto out = net.forward(torch::randn({1, 3, 192, 192}));
    // oracle: shape(out)
    std::cout << out.sizes() << std::endl;
}
