// SqueezeNet 1.1: fire modules.
// published: squeezenet1_1
#include <torch/torch.h>
#include <iostream>

struct Fire : torch::nn::Module
{
    Fire(int64_t inplanes, int64_t squeeze_planes, int64_t expand1x1_planes, int64_t expand3x3_planes)
        : squeeze(torch::nn::Conv2dOptions(inplanes, squeeze_planes, 1)),
          expand1x1(torch::nn::Conv2dOptions(squeeze_planes, expand1x1_planes, 1)),
          expand3x3(torch::nn::Conv2dOptions(squeeze_planes, expand3x3_planes, 3).padding(1))
    {
        register_module("squeeze", squeeze);
        register_module("expand1x1", expand1x1);
        register_module("expand3x3", expand3x3);
    }

    torch::Tensor forward(torch::Tensor x)
    {
        x = torch::relu(squeeze->forward(x));
        return torch::cat({torch::relu(expand1x1->forward(x)), torch::relu(expand3x3->forward(x))}, 1);
    }

    torch::nn::Conv2d squeeze, expand1x1, expand3x3;
};

// Two sequences, one after the other.
struct SqueezeNet : torch::nn::Module
{
    SqueezeNet(torch::nn::Sequential features, torch::nn::Sequential classifier)
        : features(register_module("features", std::move(features))),
          classifier(register_module("classifier", std::move(classifier)))
    {
    }
    torch::Tensor forward(torch::Tensor x)
    {
        return classifier->forward(features->forward(x));
    }
    torch::nn::Sequential features, classifier;
};

std::shared_ptr<SqueezeNet> SqueezeNet1_1(int64_t num_classes)
{
    torch::nn::Conv2d final_conv(torch::nn::Conv2dOptions(512, num_classes, 1));
    torch::nn::init::normal_(final_conv->weight, 0.0, 0.01);
    auto maxpool = [] { return torch::nn::MaxPool2d(torch::nn::MaxPool2dOptions(3).stride(2).ceil_mode(true)); };

    torch::nn::Sequential features(
        torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 64, 3).stride(2)),
        torch::nn::ReLU(),
        maxpool(),
        Fire(64, 16, 64, 64),
        Fire(128, 16, 64, 64),
        maxpool(),
        Fire(128, 32, 128, 128),
        Fire(256, 32, 128, 128),
        maxpool(),
        Fire(256, 48, 192, 192),
        Fire(384, 48, 192, 192),
        Fire(384, 64, 256, 256),
        Fire(512, 64, 256, 256));

    torch::nn::Sequential classifier({
        {"drop", torch::nn::Dropout(0.5)},
        {"conv", final_conv},
        {"relu", torch::nn::ReLU()},
        {"pool", torch::nn::AdaptiveAvgPool2d(torch::nn::AdaptiveAvgPool2dOptions({1, 1}))},
        {"flat", torch::nn::Flatten()},
    });

    return std::make_shared<SqueezeNet>(features, classifier);
}

int main()
{
    auto net = SqueezeNet1_1(1000); // vary: 2 91 365
    net->eval();
    // oracle: model(net)
    // matrix: auto input = torch::randn({N, 3, 224, 224});
    // matrix: auto scores = net->forward(input);
    // matrix: auto loss = torch::nll_loss(torch::log_softmax(scores, 1), torch::randint(10, {N}, torch::kLong));
    torch::NoGradGuard no_grad;
    auto y = net->forward(torch::randn({4, 3, 224, 224}));
    // oracle: shape(y)
    std::cout << y.argmax(-1) << std::endl;
}
