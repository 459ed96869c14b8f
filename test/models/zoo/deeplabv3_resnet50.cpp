// DeepLabV3 with atrous spatial pyramid pooling, ResNet-50, auxiliary head.
// published: deeplabv3_resnet50
#include <torch/torch.h>
#include <iostream>

using namespace torch;
namespace F = torch::nn::functional;

class BottleneckImpl : public nn::Module {
public:
    BottleneckImpl(int64_t in, int64_t width, int64_t stride, int64_t dilation, nn::Sequential downsample = nullptr)
        : downsample(std::move(downsample))
    {
        auto conv = [](int64_t i, int64_t o, int64_t k, int64_t s, int64_t d) {
            return nn::Conv2dOptions(i, o, k).stride(s).padding(k == 1 ? 0 : d).dilation(d).bias(false);
        };
        layers = nn::Sequential(nn::Conv2d(conv(in, width, 1, 1, 1)), nn::BatchNorm2d(width), nn::ReLU(),
                                nn::Conv2d(conv(width, width, 3, stride, dilation)), nn::BatchNorm2d(width), nn::ReLU(),
                                nn::Conv2d(conv(width, width * 4, 1, 1, 1)), nn::BatchNorm2d(width * 4));
        register_module("layers", layers);
        if (!this->downsample.is_empty())
            register_module("downsample", this->downsample);
    }
    Tensor forward(Tensor x)
    {
        Tensor residual = downsample.is_empty() ? x : downsample->forward(x);
        return relu(layers->forward(x) + residual);
    }
private:
    nn::Sequential layers{nullptr}, downsample{nullptr};
};
TORCH_MODULE(Bottleneck);

class ASPPImpl : public nn::Module {
public:
    ASPPImpl(int64_t in, std::vector<int64_t> rates, int64_t out)
    {
        branches = register_module("convs", nn::ModuleList());
        branches->push_back(unit(nn::Conv2dOptions(in, out, 1)));
        for (int64_t rate : rates)
            branches->push_back(unit(nn::Conv2dOptions(in, out, 3).padding(rate).dilation(rate)));
        pooling = unit(nn::Conv2dOptions(in, out, 1));
        register_module("pooling", pooling);
        project = unit(nn::Conv2dOptions((2 + rates.size()) * out, out, 1));
        project->push_back(nn::Dropout(0.5));
        register_module("project", project);
    }
    Tensor forward(Tensor x)
    {
        std::vector<Tensor> res;
        for (size_t i = 0; i < branches->size(); ++i)
            res.push_back(branches->at<nn::SequentialImpl>(i).forward(x));
        auto pooled = pooling->forward(adaptive_avg_pool2d(x, {1, 1}));
        res.push_back(F::interpolate(pooled, F::InterpolateFuncOptions()
            .size(std::vector<int64_t>{x.size(2), x.size(3)}).mode(kBilinear).align_corners(false)));
        return project->forward(cat(res, 1));
    }
private:
    static nn::Sequential unit(nn::Conv2dOptions options)
    {
        return nn::Sequential(nn::Conv2d(options.bias(false)), nn::BatchNorm2d(options.out_channels()), nn::ReLU());
    }
    nn::ModuleList branches{nullptr};
    nn::Sequential pooling{nullptr}, project{nullptr};
};
TORCH_MODULE(ASPP);

class DeepLabV3Impl : public nn::Module {
public:
    explicit DeepLabV3Impl(int64_t classes, int64_t width = 256)
    {
        stem = nn::Sequential(nn::Conv2d(nn::Conv2dOptions(3, 64, 7).stride(2).padding(3).bias(false)), nn::BatchNorm2d(64),
                              nn::ReLU(), nn::MaxPool2d(nn::MaxPool2dOptions(3).stride(2).padding(1)));
        layer1 = layer(64, 3, 1, false);
        layer2 = layer(128, 4, 2, false);
        layer3 = layer(256, 6, 2, true);
        layer4 = layer(512, 3, 2, true);
        classifier = nn::Sequential(ASPP(2048, std::vector<int64_t>{12, 24, 36}, width),
                                    nn::Conv2d(nn::Conv2dOptions(width, width, 3).padding(1).bias(false)),
                                    nn::BatchNorm2d(width), nn::ReLU(), nn::Conv2d(width, classes, 1));
        aux = nn::Sequential(nn::Conv2d(nn::Conv2dOptions(1024, 256, 3).padding(1).bias(false)), nn::BatchNorm2d(256),
                             nn::ReLU(), nn::Dropout(0.1), nn::Conv2d(256, classes, 1));
        int i = 0;
        for (auto &m : {stem, layer1, layer2, layer3, layer4})
            register_module("backbone" + std::to_string(i++), m);
        register_module("classifier", classifier);
        register_module("aux_classifier", aux);
    }
    std::tuple<Tensor, Tensor> forward(Tensor x)
    {
        auto size = std::vector<int64_t>{x.size(2), x.size(3)};
        auto up = F::InterpolateFuncOptions().size(size).mode(kBilinear).align_corners(false);
        auto mid = layer3->forward(layer2->forward(layer1->forward(stem->forward(x))));
        auto out = classifier->forward(layer4->forward(mid));
        return std::make_tuple(F::interpolate(out, up), F::interpolate(aux->forward(mid), up));
    }
private:
    nn::Sequential layer(int64_t planes, int blocks, int64_t stride, bool dilate)
    {
        int64_t before = dilation;
        if (dilate) {
            dilation *= stride;
            stride = 1;
        }
        nn::Sequential down{nullptr};
        if (stride != 1 || in != planes * 4)
            down = nn::Sequential(nn::Conv2d(nn::Conv2dOptions(in, planes * 4, 1).stride(stride).bias(false)), nn::BatchNorm2d(planes * 4));
        nn::Sequential s;
        s->push_back(Bottleneck(in, planes, stride, before, down));
        in = planes * 4;
        while (--blocks)
            s->push_back(Bottleneck(in, planes, 1, dilation));
        return s;
    }
    int64_t in = 64, dilation = 1;
    nn::Sequential stem{nullptr}, layer1{nullptr}, layer2{nullptr}, layer3{nullptr}, layer4{nullptr}, classifier{nullptr}, aux{nullptr};
};
TORCH_MODULE(DeepLabV3);

int main()
{
    DeepLabV3 net(21);
    int64_t width = 48; // vary: 64 96
    DeepLabV3 narrow(19, width);
    // oracle: model(net)
    // oracle: model(narrow)
    // matrix: batch 2 4
    // matrix: auto image = torch::rand({N, 3, 128, 128});
    // matrix: auto [masks, side] = net->forward(image);
    // matrix: auto loss = masks.mean() + 0.4 * side.mean();
    net->eval();
    narrow->eval();
    NoGradGuard guard;
    auto image = torch::rand({1, 3, 128, 128});
    auto [masks, side] = net->forward(image);
    Tensor other = std::get<0>(narrow->forward(image));
    // oracle: shape(masks)
    // oracle: shape(side)
    // oracle: shape(other)
    std::cout << masks.sizes() << side.sizes() << other.sizes() << std::endl;
}
