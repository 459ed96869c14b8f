// PSPNet on a dilated ResNet-50: pyramid pooling over four bin sizes.
#include <torch/torch.h>
#include <iostream>
#include <array>

namespace nn = torch::nn;

static nn::Sequential conv_bn(int64_t in, int64_t out, int64_t k, int64_t stride, int64_t dilation, bool relu) {
    nn::Sequential s;
    s->push_back(nn::Conv2d(nn::Conv2dOptions(in, out, k).stride(stride).padding(dilation * (k / 2)).dilation(dilation).bias(false)));
    s->push_back(nn::BatchNorm2d(out));
    if (relu)
        s->push_back(nn::ReLU(nn::ReLUOptions(true)));
    return s;
}

struct ResidualImpl : nn::Module {
    ResidualImpl(int64_t in, int64_t mid, int64_t stride, int64_t dilation)
    {
        main = conv_bn(in, mid, 1, 1, 1, true);
        main->extend(*conv_bn(mid, mid, 3, stride, dilation, true));
        main->extend(*conv_bn(mid, mid * 4, 1, 1, 1, false));
        register_module("main", main);
        if (in != mid * 4)
            skip = register_module("skip", conv_bn(in, mid * 4, 1, stride, 1, false));
    }
    torch::Tensor forward(torch::Tensor x)
    {
        return torch::relu(main->forward(x) + (skip ? skip->forward(x) : x));
    }
    nn::Sequential main{nullptr}, skip{nullptr};
};
TORCH_MODULE(Residual);

struct PyramidPoolingImpl : nn::Module {
    PyramidPoolingImpl(int64_t in, std::array<int64_t, 4> bins) : bins(bins)
    {
        for (auto bin : bins) {
            auto stage = nn::Sequential(nn::AdaptiveAvgPool2d(bin), nn::Conv2d(nn::Conv2dOptions(in, in / bins.size(), 1).bias(false)));
            stages.push_back(register_module("stage" + std::to_string(bin), stage));
        }
    }
    torch::Tensor forward(torch::Tensor x)
    {
        namespace F = nn::functional;
        auto options = F::InterpolateFuncOptions().size(std::vector<int64_t>({x.size(2), x.size(3)})).mode(torch::kBilinear).align_corners(true);
        std::vector<torch::Tensor> out = {x};
        for (auto &stage : stages)
            out.push_back(F::interpolate(torch::relu(stage->forward(x)), options));
        return torch::cat(out, /*dim=*/1);
    }
    std::array<int64_t, 4> bins;
    std::vector<nn::Sequential> stages;
};
TORCH_MODULE(PyramidPooling);

struct PSPNet : nn::Module {
    nn::Sequential stem, layer1, layer2, layer3, layer4, head, aux;
    PyramidPooling ppm{nullptr};

    explicit PSPNet(int64_t classes)
    {
        // deep stem: three 3x3 convolutions
        stem->extend(*conv_bn(3, 64, 3, 2, 1, true));
        stem->extend(*conv_bn(64, 64, 3, 1, 1, true));
        stem->extend(*conv_bn(64, 128, 3, 1, 1, true));
        stem->push_back(nn::MaxPool2d(nn::MaxPool2dOptions(3).stride(2).padding(1)));
        int64_t in = 128;
        auto fill = [&in](nn::Sequential &layer, int64_t mid, int n, int64_t stride, int64_t dilation) {
            for (int i = 0; i < n; i++) {
                layer->push_back(Residual(in, mid, i == 0 ? stride : 1, dilation));
                in = mid * 4;
            }
        };
        fill(layer1, 64, 3, 1, 1);
        fill(layer2, 128, 4, 2, 1);
        fill(layer3, 256, 6, 1, 2);
        fill(layer4, 512, 3, 1, 4);
        ppm = PyramidPooling(in, std::array<int64_t, 4>{1, 2, 3, 6});
        head = conv_bn(in * 2, 512, 3, 1, 1, true);
        head->push_back(nn::Dropout2d(0.1));
        head->push_back(nn::Conv2d(512, classes, 1));
        aux = conv_bn(1024, 256, 3, 1, 1, true);
        aux->push_back(nn::Dropout2d(0.1));
        aux->push_back(nn::Conv2d(256, classes, 1));

        register_module("stem", stem);
        register_module("layer1", layer1);
        register_module("layer2", layer2);
        register_module("layer3", layer3);
        register_module("layer4", layer4);
        register_module("ppm", ppm);
        register_module("head", head);
        register_module("aux", aux);
    }

    std::pair<torch::Tensor, torch::Tensor> forward(torch::Tensor x)
    {
        const int64_t h = x.size(2), w = x.size(3);
        x = layer2->forward(layer1->forward(stem->forward(x)));
        auto mid = layer3->forward(x);
        auto out = head->forward(ppm(layer4->forward(mid)));
        out = torch::upsample_bilinear2d(out, {h, w}, true);
        if (!is_training())
            return {out, torch::Tensor()};
        return {out, torch::upsample_bilinear2d(aux->forward(mid), {h, w}, true)};
    }
};

int main()
{
    int64_t classes = 150; // vary: 19 21 59
    auto net = std::make_shared<PSPNet>(classes);
    // oracle: model(net)
    // matrix: batch 2 4
    // matrix: auto images = torch::randn({N, 3, 65, 65});
    // matrix: auto labels = torch::randint(0, classes, {N, 65, 65}, torch::kLong);
    // matrix: auto [out, side] = net->forward(images);
    // matrix: auto loss = torch::nll_loss2d(torch::log_softmax(out, 1), labels) + 0.4 * torch::nll_loss2d(torch::log_softmax(side, 1), labels);
    net->train();
    auto images = torch::randn({2, 3, 65, 65});
    auto labels = torch::randint(0, classes, {2, 65, 65}, torch::kLong);
    auto [out, side] = net->forward(images);
    auto loss = torch::nll_loss2d(torch::log_softmax(out, 1), labels) + 0.4 * torch::nll_loss2d(torch::log_softmax(side, 1), labels);
    loss.backward();
    // oracle: shape(out)
    // oracle: shape(side)
    // oracle: shape(loss)
    std::cout << loss.item<double>() << std::endl;
}
