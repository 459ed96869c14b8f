/*
 * AlexNet ("One weird trick for parallelizing convolutional neural networks").
 * published: alexnet
 */
#include <torch/torch.h>
#include <iostream>

using namespace torch::nn;

class AlexNetImpl : public Module {
public:
    explicit AlexNetImpl(int64_t num_classes = 1000, double dropout = 0.5) {
        features = register_module("features", Sequential(
            Conv2d(Conv2dOptions(3, 64, 11).stride(4).padding(2)),
            ReLU(ReLUOptions(true)),
            MaxPool2d(MaxPool2dOptions(3).stride(2)),
            Conv2d(Conv2dOptions(64, 192, 5).padding(2)),
            ReLU(ReLUOptions(true)),
            MaxPool2d(MaxPool2dOptions(3).stride(2)),
            Conv2d(Conv2dOptions(192, 384, 3).padding(1)),
            ReLU(ReLUOptions(true)),
            Conv2d(Conv2dOptions(384, 256, 3).padding(1)),
            ReLU(ReLUOptions(true)),
            Conv2d(Conv2dOptions(256, 256, 3).padding(1)),
            ReLU(ReLUOptions(true)),
            MaxPool2d(MaxPool2dOptions(3).stride(2))));
        avgpool = register_module("avgpool", AdaptiveAvgPool2d(AdaptiveAvgPool2dOptions({6, 6})));
        classifier = register_module("classifier", Sequential(
            Dropout(dropout),
            Linear(256 * 6 * 6, 4096),
            ReLU(ReLUOptions(true)),
            Dropout(dropout),
            Linear(4096, 4096),
            ReLU(ReLUOptions(true)),
            Linear(4096, num_classes)));
    }

    torch::Tensor forward(torch::Tensor x) {
        x = features->forward(x);
        x = avgpool->forward(x);
        x = torch::flatten(x, 1);
        return classifier->forward(x);
    }

private:
    Sequential features{nullptr}, classifier{nullptr};
    AdaptiveAvgPool2d avgpool{nullptr};
};
TORCH_MODULE(AlexNet);

int main()
{
    const int64_t classes = 1000; // vary: 10 100 365

    AlexNet model(classes);
    model->eval();
    // oracle: model(model)
    // matrix: auto input = torch::randn({N, 3, 224, 224});
    // matrix: auto scores = model(input);
    // matrix: auto loss = torch::nll_loss(torch::log_softmax(scores, 1), torch::randint(10, {N}, torch::kLong));

    torch::NoGradGuard no_grad;
    torch::Tensor input = torch::randn({1, 3, 224, 224});
    torch::Tensor output = model(input);
    // oracle: shape(output)
    std::cout << output.sizes() << std::endl;
}
