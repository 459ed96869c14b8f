// ResNet-34: basic blocks, `_make_layer` as in the Python original.
// published: resnet34
#include <torch/torch.h>
#include <iostream>

using namespace torch;

nn::Conv2d conv3x3(int64_t in_planes, int64_t out_planes, int64_t stride = 1)
{
    return nn::Conv2d(nn::Conv2dOptions(in_planes, out_planes, 3).stride(stride).padding(1).bias(false));
}

nn::Conv2d conv1x1(int64_t in_planes, int64_t out_planes, int64_t stride = 1)
{
    return nn::Conv2d(nn::Conv2dOptions(in_planes, out_planes, 1).stride(stride).bias(false));
}

class BasicBlockImpl : public nn::Module
{
public:
    static const int64_t expansion = 1;

    BasicBlockImpl(int64_t inplanes, int64_t planes, int64_t stride, nn::Sequential downsample)
        : conv1(conv3x3(inplanes, planes, stride))
        , bn1(planes)
        , conv2(conv3x3(planes, planes))
        , bn2(planes)
        , downsample(downsample)
    {
        register_module("conv1", conv1);
        register_module("bn1", bn1);
        register_module("conv2", conv2);
        register_module("bn2", bn2);
        if (!downsample->is_empty())
            register_module("downsample", downsample);
    }

    Tensor forward(Tensor x)
    {
        Tensor identity = x.clone();
        Tensor out = relu(bn1(conv1(x)));
        out = bn2(conv2(out));
        if (!downsample->is_empty())
            identity = downsample->forward(x);
        out += identity;
        return relu(out);
    }

private:
    nn::Conv2d conv1;
    nn::BatchNorm2d bn1;
    nn::Conv2d conv2;
    nn::BatchNorm2d bn2;
    nn::Sequential downsample;
};
TORCH_MODULE(BasicBlock);

class ResNetImpl : public nn::Module
{
public:
    ResNetImpl(const std::vector<int>& layers, int width, int num_classes)
        : m_inplanes(width)
    {
        conv1 = nn::Conv2d(nn::Conv2dOptions(3, m_inplanes, 7).stride(2).padding(3).bias(false));
        bn1 = nn::BatchNorm2d(m_inplanes);
        layer1 = _make_layer(width, layers[0]);
        layer2 = _make_layer(width * 2, layers[1], 2);
        layer3 = _make_layer(width * 4, layers[2], 2);
        layer4 = _make_layer(width * 8, layers[3], 2);
        fc = nn::Linear(width * 8 * BasicBlockImpl::expansion, num_classes);

        register_module("conv1", conv1);
        register_module("bn1", bn1);
        register_module("layer1", layer1);
        register_module("layer2", layer2);
        register_module("layer3", layer3);
        register_module("layer4", layer4);
        register_module("fc", fc);

        for (auto m : this->modules(false)) {
            if (m->name() == "torch::nn::Conv2dImpl") {
                for (auto p : m->named_parameters(false))
                    nn::init::xavier_normal_(p.value());
            } else if (m->name() == "torch::nn::BatchNorm2dImpl") {
                for (auto p : m->named_parameters(false)) {
                    if (p.key() == "weight")
                        nn::init::constant_(p.value(), 1);
                    else if (p.key() == "bias")
                        nn::init::constant_(p.value(), 0);
                }
            }
        }
    }

    Tensor forward(Tensor x)
    {
        x = relu(bn1(conv1(x)));
        x = max_pool2d(x, 3, 2, 1);
        x = layer1->forward(x);
        x = layer2->forward(x);
        x = layer3->forward(x);
        x = layer4->forward(x);
        x = adaptive_avg_pool2d(x, {1, 1});
        x = x.view({x.sizes()[0], -1});
        return fc->forward(x);
    }

private:
    nn::Sequential _make_layer(int64_t planes, int64_t blocks, int64_t stride = 1)
    {
        nn::Sequential downsample;
        if (stride != 1 || m_inplanes != planes * BasicBlockImpl::expansion) {
            downsample = nn::Sequential(
                conv1x1(m_inplanes, planes * BasicBlockImpl::expansion, stride),
                nn::BatchNorm2d(planes * BasicBlockImpl::expansion));
        }
        nn::Sequential layers;
        layers->push_back(BasicBlock(m_inplanes, planes, stride, downsample));
        m_inplanes = planes * BasicBlockImpl::expansion;
        for (int64_t i = 1; i < blocks; ++i)
            layers->push_back(BasicBlock(m_inplanes, planes, 1, nn::Sequential()));
        return layers;
    }

    int64_t m_inplanes;
    nn::Conv2d conv1{nullptr};
    nn::BatchNorm2d bn1{nullptr};
    nn::Sequential layer1{nullptr}, layer2{nullptr}, layer3{nullptr}, layer4{nullptr};
    nn::Linear fc{nullptr};
};
TORCH_MODULE(ResNet);

int main()
{
    const int width = 64; // vary: 16 24 48
    const int classes = 1000; // vary: 10 37 100
    ResNet net(std::vector<int>{3, 4, 6, 3}, width, classes);
    // oracle: model(net)
    // matrix: auto input = torch::randn({N, 3, 224, 224});
    // matrix: auto scores = net->forward(input);
    // matrix: auto loss = torch::nll_loss(torch::log_softmax(scores, 1), torch::randint(10, {N}, torch::kLong));
    net->eval();
    NoGradGuard no_grad;
    auto out = net->forward(torch::randn({1, 3, 224, 224}));
    // oracle: shape(out)
    std::cout << out.sizes() << "\n";
}
