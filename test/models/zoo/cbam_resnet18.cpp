// ResNet-18 with convolutional block attention (CBAM) after each block.
#include <torch/torch.h>

#include <iostream>
#include <tuple>

class ChannelAttentionImpl : public torch::nn::Module {
public:
    ChannelAttentionImpl(int64_t channels, int64_t ratio);
    torch::Tensor forward(torch::Tensor x);

private:
    torch::nn::AdaptiveAvgPool2d avg_pool{nullptr};
    torch::nn::AdaptiveMaxPool2d max_pool{nullptr};
    torch::nn::Conv2d fc1{nullptr}, fc2{nullptr};
};
TORCH_MODULE(ChannelAttention);

class SpatialAttentionImpl : public torch::nn::Module {
public:
    explicit SpatialAttentionImpl(int64_t kernel_size = 7);
    torch::Tensor forward(torch::Tensor x);

private:
    torch::nn::Conv2d conv{nullptr};
};
TORCH_MODULE(SpatialAttention);

class BlockImpl : public torch::nn::Module {
public:
    BlockImpl(int64_t in_planes, int64_t planes, int64_t stride);
    torch::Tensor forward(torch::Tensor x);

private:
    torch::nn::Sequential body{nullptr}, shortcut{nullptr};
    ChannelAttention ca{nullptr};
    SpatialAttention sa{nullptr};
};
TORCH_MODULE(Block);

ChannelAttentionImpl::ChannelAttentionImpl(int64_t channels, int64_t ratio)
{
    avg_pool = register_module("avg_pool", torch::nn::AdaptiveAvgPool2d(1));
    max_pool = register_module("max_pool", torch::nn::AdaptiveMaxPool2d(1));
    fc1 = register_module("fc1", torch::nn::Conv2d(torch::nn::Conv2dOptions(channels, channels / ratio, 1).bias(false)));
    fc2 = register_module("fc2", torch::nn::Conv2d(torch::nn::Conv2dOptions(channels / ratio, channels, 1).bias(false)));
}

torch::Tensor ChannelAttentionImpl::forward(torch::Tensor x)
{
    auto avg_out = fc2->forward(torch::relu(fc1->forward(avg_pool->forward(x))));
    auto max_out = fc2->forward(torch::relu(fc1->forward(max_pool->forward(x))));
    return torch::sigmoid(avg_out + max_out);
}

SpatialAttentionImpl::SpatialAttentionImpl(int64_t kernel_size)
{
    TORCH_CHECK(kernel_size == 3 || kernel_size == 7, "kernel size must be 3 or 7");
    conv = register_module("conv1", torch::nn::Conv2d(
        torch::nn::Conv2dOptions(2, 1, kernel_size).padding(kernel_size / 2).bias(false)));
}

torch::Tensor SpatialAttentionImpl::forward(torch::Tensor x)
{
    torch::Tensor max_out, index;
    auto avg_out = torch::mean(x, 1, true);
    std::tie(max_out, index) = torch::max(x, 1, true);
    return torch::sigmoid(conv->forward(torch::cat({avg_out, max_out}, 1)));
}

BlockImpl::BlockImpl(int64_t in_planes, int64_t planes, int64_t stride)
{
    using namespace torch::nn;
    body = Sequential(
        Conv2d(Conv2dOptions(in_planes, planes, 3).stride(stride).padding(1).bias(false)), BatchNorm2d(planes), ReLU(),
        Conv2d(Conv2dOptions(planes, planes, 3).stride(1).padding(1).bias(false)), BatchNorm2d(planes));
    register_module("body", body);
    ca = register_module("ca", ChannelAttention(planes, 16));
    sa = register_module("sa", SpatialAttention());
    if (stride != 1 || in_planes != planes) {
        shortcut = register_module("shortcut", Sequential(
            Conv2d(Conv2dOptions(in_planes, planes, 1).stride(stride).bias(false)), BatchNorm2d(planes)));
    }
}

torch::Tensor BlockImpl::forward(torch::Tensor x)
{
    auto out = body->forward(x);
    out = ca->forward(out) * out;
    out = sa->forward(out) * out;
    out += (shortcut.is_empty() ? x : shortcut->forward(x));
    return torch::relu(out);
}

class CBAMResNet : public torch::nn::Module {
public:
    CBAMResNet(int64_t base, int64_t num_classes)
    {
        in_planes_ = base;
        stem_ = register_module("stem", torch::nn::Conv2d(torch::nn::Conv2dOptions(3, base, 3).padding(1).bias(false)));
        norm_ = register_module("norm", torch::nn::BatchNorm2d(base));
        layers_ = register_module("layers", torch::nn::ModuleList());
        for (auto stage : {std::make_tuple(1, 1), std::make_tuple(2, 2), std::make_tuple(4, 2), std::make_tuple(8, 2)})
            makeLayer(base * std::get<0>(stage), 2, std::get<1>(stage));
        fc_ = register_module("fc", torch::nn::Linear(in_planes_, num_classes));
    }

    torch::Tensor forward(torch::Tensor x)
    {
        x = torch::relu(norm_(stem_(x)));
        for (const auto& module : *layers_)
            x = module->as<Block>()->forward(x);
        x = torch::avg_pool2d(x, x.size(2));
        return fc_(x.reshape({x.size(0), -1}));
    }

private:
    void makeLayer(int64_t planes, int64_t count, int64_t stride)
    {
        std::vector<int64_t> strides(count, 1);
        strides[0] = stride;
        for (auto s : strides) {
            layers_->push_back(Block(in_planes_, planes, s));
            in_planes_ = planes;
        }
    }

    int64_t in_planes_;
    torch::nn::Conv2d stem_{nullptr};
    torch::nn::BatchNorm2d norm_{nullptr};
    torch::nn::ModuleList layers_{nullptr};
    torch::nn::Linear fc_{nullptr};
};

int main()
{
    const int64_t base = 64; // vary: 32 48 96
    CBAMResNet net(base, 10);
    net.eval();
    // oracle: model(net)
    // matrix: auto input = torch::randn({N, 3, 32, 32});
    // matrix: auto scores = net.forward(input);
    // matrix: auto loss = torch::nll_loss(torch::log_softmax(scores, 1), torch::randint(10, {N}, torch::kLong));
    torch::NoGradGuard no_grad;
    auto scores = net.forward(torch::randn({8, 3, 32, 32}));
    auto predicted = scores.argmax(1);
    // oracle: shape(scores)
    // oracle: shape(predicted)
    std::cout << predicted << std::endl;
}
