// SE-ResNet-50: squeeze-and-excitation in every bottleneck.
#include <torch/torch.h>
#include <iostream>

namespace nn = torch::nn;
namespace F = torch::nn::functional;

struct SELayerImpl : nn::Module {
    SELayerImpl(int channel, int reduction = 16)
        : avg_pool(nn::AdaptiveAvgPool2dOptions(1)),
          fc(nn::Linear(nn::LinearOptions(channel, channel / reduction).bias(false)),
             nn::ReLU(nn::ReLUOptions().inplace(true)),
             nn::Linear(nn::LinearOptions(channel / reduction, channel).bias(false)),
             nn::Sigmoid())
    {
        register_module("avg_pool", avg_pool);
        register_module("fc", fc);
    }

    torch::Tensor forward(torch::Tensor x)
    {
        auto b = x.size(0), c = x.size(1);
        auto y = avg_pool(x).view({b, c});
        y = fc->forward(y).view({b, c, 1, 1});
        return x * y.expand_as(x);
    }

    nn::AdaptiveAvgPool2d avg_pool;
    nn::Sequential fc;
};
TORCH_MODULE(SELayer);

struct SEBottleneckImpl : nn::Module {
    SEBottleneckImpl(int inplanes, int planes, int stride, int reduction)
    {
        conv1 = register_module("conv1", nn::Conv2d(nn::Conv2dOptions(inplanes, planes, 1).bias(false)));
        bn1 = register_module("bn1", nn::BatchNorm2d(planes));
        conv2 = register_module("conv2", nn::Conv2d(nn::Conv2dOptions(planes, planes, 3).stride(stride).padding(1).bias(false)));
        bn2 = register_module("bn2", nn::BatchNorm2d(planes));
        conv3 = register_module("conv3", nn::Conv2d(nn::Conv2dOptions(planes, planes * 4, 1).bias(false)));
        bn3 = register_module("bn3", nn::BatchNorm2d(planes * 4));
        se = register_module("se", SELayer(planes * 4, reduction));
        if (stride != 1 || inplanes != planes * 4) {
            downsample->push_back("conv", nn::Conv2d(nn::Conv2dOptions(inplanes, planes * 4, 1).stride(stride).bias(false)));
            downsample->push_back("bn", nn::BatchNorm2d(planes * 4));
            register_module("downsample", downsample);
        }
    }

    torch::Tensor forward(torch::Tensor x)
    {
        torch::Tensor residual = x;
        auto out = F::relu(bn1(conv1(x)), F::ReLUFuncOptions(true));
        out = F::relu(bn2(conv2(out)), F::ReLUFuncOptions(true));
        out = se(bn3(conv3(out)));
        if (downsample->size() > 0)
            residual = downsample->forward(x);
        return F::relu(out.add_(residual), F::ReLUFuncOptions(true));
    }

    nn::Conv2d conv1{nullptr}, conv2{nullptr}, conv3{nullptr};
    nn::BatchNorm2d bn1{nullptr}, bn2{nullptr}, bn3{nullptr};
    SELayer se{nullptr};
    nn::Sequential downsample;
};
TORCH_MODULE(SEBottleneck);

nn::Sequential se_resnet50(int classes, int reduction)
{
    nn::Sequential net(
        nn::Conv2d(nn::Conv2dOptions(3, 64, 7).stride(2).padding(3).bias(false)),
        nn::BatchNorm2d(64),
        nn::ReLU(true),
        nn::MaxPool2d(nn::MaxPool2dOptions(3).stride(2).padding(1)));
    int inplanes = 64;
    const int blocks[] = {3, 4, 6, 3};
    for (int stage = 0; stage < 4; stage++) {
        int planes = 64 << stage;
        nn::Sequential layer;
        for (int i = 0; i < blocks[stage]; i++) {
            layer->push_back(SEBottleneck(inplanes, planes, (stage > 0 && i == 0) ? 2 : 1, reduction));
            inplanes = planes * 4;
        }
        net->extend(*layer);
    }
    net->push_back(nn::AdaptiveAvgPool2d(1));
    net->push_back(nn::Flatten());
    net->push_back(nn::Linear(inplanes, classes));
    return net;
}

int main()
{
    auto net = se_resnet50(1000, 16); // varied below
    int reduction = 8; // vary: 4 32
    auto slim = se_resnet50(10, reduction);
    // oracle: model(net)
    // oracle: model(slim)
    // matrix: auto x = torch::randn({N, 3, 96, 96});
    // matrix: auto a = net->forward(x), b = slim->forward(x);
    // matrix: auto loss = a.mean() + b.mean();
    torch::NoGradGuard guard;
    net->eval();
    slim->eval();
    auto x = torch::randn({1, 3, 96, 96});
    auto a = net->forward(x);
    auto b = slim->forward(x);
    // oracle: shape(a)
    // oracle: shape(b)
    std::cout << net->size() << " " << a.size(1) << " " << b.size(1) << std::endl;
}
