// ConvNeXt-Tiny: depthwise 7x7, channels-last layer norm, layer scale.
// published: convnext_tiny
#include <torch/torch.h>
#include <iostream>

namespace nn = torch::nn;
namespace F = torch::nn::functional;

// LayerNorm over the channels of N x C x H x W.
class LayerNorm2dImpl : public nn::Module {
public:
    explicit LayerNorm2dImpl(int64_t channels, double eps = 1e-6) : shape({channels}), eps(eps)
    {
        weight = register_parameter("weight", torch::ones({channels}));
        bias = register_parameter("bias", torch::zeros({channels}));
    }
    torch::Tensor forward(torch::Tensor x)
    {
        x = x.permute({0, 2, 3, 1});
        x = F::layer_norm(x, F::LayerNormFuncOptions(shape).weight(weight).bias(bias).eps(eps));
        return x.permute({0, 3, 1, 2});
    }
private:
    std::vector<int64_t> shape;
    double eps;
    torch::Tensor weight, bias;
};
TORCH_MODULE(LayerNorm2d);

class CNBlockImpl : public nn::Module {
public:
    CNBlockImpl(int64_t dim, double layer_scale, double drop_prob) : drop_prob(drop_prob)
    {
        dwconv = register_module("dwconv", nn::Conv2d(nn::Conv2dOptions(dim, dim, 7).padding(3).groups(dim).bias(true)));
        norm = register_module("norm", nn::LayerNorm(nn::LayerNormOptions({dim}).eps(1e-6)));
        pwconv1 = register_module("pwconv1", nn::Linear(dim, 4 * dim));
        act = register_module("act", nn::GELU());
        pwconv2 = register_module("pwconv2", nn::Linear(4 * dim, dim));
        gamma = register_parameter("gamma", layer_scale * torch::ones({dim}));
    }
    torch::Tensor forward(torch::Tensor input)
    {
        auto x = dwconv(input);
        x = x.permute({0, 2, 3, 1});
        x = pwconv2(act(pwconv1(norm(x))));
        x = gamma * x;
        x = x.permute({0, 3, 1, 2});
        return input + drop_path(x);
    }
private:
    torch::Tensor drop_path(const torch::Tensor& x)
    {
        if (drop_prob == 0. || !is_training())
            return x;
        auto mask = torch::empty({x.size(0), 1, 1, 1}, x.options()).bernoulli_(1 - drop_prob);
        return x * mask.div_(1 - drop_prob);
    }
    double drop_prob;
    nn::Conv2d dwconv{nullptr};
    nn::LayerNorm norm{nullptr};
    nn::Linear pwconv1{nullptr}, pwconv2{nullptr};
    nn::GELU act{nullptr};
    torch::Tensor gamma;
};
TORCH_MODULE(CNBlock);

class ConvNeXtImpl : public nn::Module {
public:
    ConvNeXtImpl(std::vector<int64_t> depths, std::vector<int64_t> dims, int64_t num_classes, double drop_path_rate = 0.1)
    {
        auto rates = torch::linspace(0, drop_path_rate, std::accumulate(depths.begin(), depths.end(), int64_t(0)));
        int64_t cur = 0;
        for (size_t i = 0; i < 4; ++i) {
            nn::Sequential down;
            if (i == 0) {
                down->push_back(nn::Conv2d(nn::Conv2dOptions(3, dims[0], 4).stride(4)));
                down->push_back(LayerNorm2d(dims[0]));
            } else {
                down->push_back(LayerNorm2d(dims[i - 1]));
                down->push_back(nn::Conv2d(nn::Conv2dOptions(dims[i - 1], dims[i], 2).stride(2)));
            }
            downsample_layers->push_back(down);
            nn::Sequential stage;
            for (int64_t j = 0; j < depths[i]; ++j)
                stage->push_back(CNBlock(dims[i], 1e-6, rates[cur + j].item<double>()));
            stages->push_back(stage);
            cur += depths[i];
        }
        register_module("downsample_layers", downsample_layers);
        register_module("stages", stages);
        norm = register_module("norm", nn::LayerNorm(nn::LayerNormOptions({dims.back()}).eps(1e-6)));
        head = register_module("head", nn::Linear(dims.back(), num_classes));
        apply([](nn::Module& m) {
            if (auto* conv = m.as<nn::Conv2d>()) {
                torch::nn::init::normal_(conv->weight, 0, 0.02);
                torch::nn::init::zeros_(conv->bias);
            }
        });
    }
    torch::Tensor forward(torch::Tensor x)
    {
        for (size_t i = 0; i < stages->size(); ++i) {
            x = downsample_layers->ptr<nn::SequentialImpl>(i)->forward(x);
            x = stages->ptr<nn::SequentialImpl>(i)->forward(x);
        }
        return head(norm(x.mean(c10::IntArrayRef{-2, -1})));
    }
private:
    nn::ModuleList downsample_layers, stages;
    nn::LayerNorm norm{nullptr};
    nn::Linear head{nullptr};
};
TORCH_MODULE(ConvNeXt);

int main()
{
    int64_t width = 96; // vary: 40 48 64
    ConvNeXt net(std::vector<int64_t>{3, 3, 9, 3}, std::vector<int64_t>{width, 2 * width, 4 * width, 8 * width}, 1000);
    // oracle: model(net)
    // matrix: auto input = torch::rand({N, 3, 224, 224});
    // matrix: auto scores = net(input);
    // matrix: auto loss = torch::nll_loss(torch::log_softmax(scores, 1), torch::randint(10, {N}, torch::kLong));
    net->eval();
    torch::NoGradGuard guard;
    auto y = net(torch::rand({1, 3, 224, 224}));
    // oracle: shape(y)
    std::cout << y.sizes() << std::endl;
    return 0;
}
