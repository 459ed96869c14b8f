// YOLOv8n: C2f blocks, decoupled heads, distribution focal loss.
// published: yolov8n
#include <torch/torch.h>
#include <array>
#include <iostream>

namespace nn = torch::nn;

namespace yolo {

class ConvModule : public nn::Module {
public:
    ConvModule(int64_t in, int64_t out, int64_t k = 1, int64_t s = 1)
    {
        auto options = nn::Conv2dOptions(in, out, k);
        options.stride(s);
        options.padding(k / 2);
        options.bias(false);
        conv = register_module("conv", std::make_shared<nn::Conv2dImpl>(options));
        bn = register_module("bn", std::make_shared<nn::BatchNorm2dImpl>(nn::BatchNormOptions(out).eps(0.001).momentum(0.03)));
    }
    torch::Tensor forward(torch::Tensor x) { return torch::silu(bn->forward(conv->forward(x))); }

private:
    std::shared_ptr<nn::Conv2dImpl> conv;
    std::shared_ptr<nn::BatchNorm2dImpl> bn;
};

using ConvPtr = std::shared_ptr<ConvModule>;

class C2f : public nn::Module {
public:
    C2f(int64_t in, int64_t out, int n, bool shortcut) : hidden(out / 2), shortcut(shortcut)
    {
        cv1 = register_module("cv1", std::make_shared<ConvModule>(in, 2 * hidden));
        cv2 = register_module("cv2", std::make_shared<ConvModule>((2 + n) * hidden, out));
        for (int i = 0; i < n; i++) {
            m.push_back({std::make_shared<ConvModule>(hidden, hidden, 3), std::make_shared<ConvModule>(hidden, hidden, 3)});
            register_module("m" + std::to_string(i) + "a", m.back()[0]);
            register_module("m" + std::to_string(i) + "b", m.back()[1]);
        }
    }
    torch::Tensor forward(torch::Tensor x)
    {
        auto y = cv1->forward(x).chunk(2, 1);
        for (auto &[a, b] : m) {
            auto t = b->forward(a->forward(y.back()));
            y.push_back(shortcut ? y.back() + t : t);
        }
        return cv2->forward(torch::cat(y, 1));
    }

private:
    int64_t hidden;
    bool shortcut;
    ConvPtr cv1, cv2;
    std::vector<std::array<ConvPtr, 2>> m;
};

class SPPF : public nn::Module {
public:
    SPPF(int64_t in, int64_t out, int64_t k) : k(k)
    {
        cv1 = register_module("cv1", std::make_shared<ConvModule>(in, in / 2));
        cv2 = register_module("cv2", std::make_shared<ConvModule>(in * 2, out));
    }
    torch::Tensor forward(torch::Tensor x)
    {
        std::vector<torch::Tensor> y{cv1->forward(x)};
        while (y.size() < 4)
            y.push_back(torch::max_pool2d(y.back(), k, 1, k / 2));
        return cv2->forward(torch::cat(y, 1));
    }

private:
    int64_t k;
    ConvPtr cv1, cv2;
};

class Detect : public nn::Module {
public:
    static constexpr int64_t kRegMax = 16;

    Detect(int64_t classes, std::array<int64_t, 3> channels) : classes(classes)
    {
        const int64_t c2 = std::max({kRegMax, channels[0] / 4, kRegMax * 4});
        const int64_t c3 = std::max(channels[0], std::min<int64_t>(classes, 100));
        for (size_t i = 0; i < channels.size(); ++i) {
            box[i] = branch(channels[i], c2, 4 * kRegMax);
            cls[i] = branch(channels[i], c3, classes);
            register_module("cv2_" + std::to_string(i), box[i]);
            register_module("cv3_" + std::to_string(i), cls[i]);
        }
        dfl = register_module("dfl", nn::Conv2d(nn::Conv2dOptions(kRegMax, 1, 1).bias(false)));
        torch::NoGradGuard guard;
        dfl->weight.copy_(torch::arange(kRegMax, torch::kFloat).view({1, kRegMax, 1, 1}));
        dfl->weight.requires_grad_(false);
    }
    torch::Tensor forward(const std::array<torch::Tensor, 3> &x)
    {
        std::vector<torch::Tensor> all;
        for (size_t i = 0; i < x.size(); ++i) {
            auto both = torch::cat({box[i]->forward(x[i]), cls[i]->forward(x[i])}, 1);
            all.push_back(both.view({both.size(0), 4 * kRegMax + classes, -1}));
        }
        auto parts = torch::cat(all, 2).split_with_sizes({4 * kRegMax, classes}, 1);
        const auto b = parts[0].size(0), a = parts[0].size(2);
        auto distances = parts[0].view({b, 4, kRegMax, a}).transpose(2, 1).softmax(1);
        distances = dfl(distances).view({b, 4, a});
        return torch::cat({distances, parts[1].sigmoid()}, 1);
    }

private:
    static nn::Sequential branch(int64_t in, int64_t mid, int64_t out)
    {
        return nn::Sequential(ConvModule(in, mid, 3), ConvModule(mid, mid, 3), nn::Conv2d(mid, out, 1));
    }
    int64_t classes;
    nn::Sequential box[3] = {nullptr, nullptr, nullptr}, cls[3] = {nullptr, nullptr, nullptr};
    nn::Conv2d dfl{nullptr};
};

struct YoloV8 : nn::Module {
    YoloV8(int64_t classes, int64_t w)
    {
        // w: width of the stem
        backbone1 = nn::Sequential(ConvModule(3, w, 3, 2), ConvModule(w, 2 * w, 3, 2), C2f(2 * w, 2 * w, 1, true),
                                   ConvModule(2 * w, 4 * w, 3, 2), C2f(4 * w, 4 * w, 2, true));
        backbone2 = nn::Sequential(ConvModule(4 * w, 8 * w, 3, 2), C2f(8 * w, 8 * w, 2, true));
        backbone3 = nn::Sequential(ConvModule(8 * w, 16 * w, 3, 2), C2f(16 * w, 16 * w, 1, true), SPPF(16 * w, 16 * w, 5));
        up1 = std::make_shared<C2f>(24 * w, 8 * w, 1, false);
        up2 = std::make_shared<C2f>(12 * w, 4 * w, 1, false);
        down1 = std::make_shared<ConvModule>(4 * w, 4 * w, 3, 2);
        mix1 = std::make_shared<C2f>(12 * w, 8 * w, 1, false);
        down2 = std::make_shared<ConvModule>(8 * w, 8 * w, 3, 2);
        mix2 = std::make_shared<C2f>(24 * w, 16 * w, 1, false);
        head = std::make_shared<Detect>(classes, std::array<int64_t, 3>{4 * w, 8 * w, 16 * w});
        register_module("backbone1", backbone1);
        register_module("backbone2", backbone2);
        register_module("backbone3", backbone3);
        register_module("up1", up1);
        register_module("up2", up2);
        register_module("down1", down1);
        register_module("mix1", mix1);
        register_module("down2", down2);
        register_module("mix2", mix2);
        register_module("head", head);
    }
    torch::Tensor forward(torch::Tensor x)
    {
        auto p3 = backbone1->forward(x);
        auto p4 = backbone2->forward(p3);
        auto p5 = backbone3->forward(p4);
        auto n4 = up1->forward(torch::cat({twice(p5), p4}, 1));
        auto n3 = up2->forward(torch::cat({twice(n4), p3}, 1));
        auto m4 = mix1->forward(torch::cat({down1->forward(n3), n4}, 1));
        auto m5 = mix2->forward(torch::cat({down2->forward(m4), p5}, 1));
        return head->forward({n3, m4, m5});
    }
    static torch::Tensor twice(const torch::Tensor &x)
    {
        return nn::functional::interpolate(x, nn::functional::InterpolateFuncOptions().scale_factor(std::vector<double>({2.0, 2.0})).mode(torch::kNearest));
    }
    nn::Sequential backbone1{nullptr}, backbone2{nullptr}, backbone3{nullptr};
    std::shared_ptr<C2f> up1, up2, mix1, mix2;
    ConvPtr down1, down2;
    std::shared_ptr<Detect> head;
};

} // namespace yolo

int main()
{
    const int64_t width = 16; // vary: 8 32 48
    yolo::YoloV8 model(80, width);
    // oracle: model(model)
    // matrix: auto image = torch::rand({N, 3, 320, 256});
    // matrix: auto out = model.forward(image);
    // matrix: auto loss = out.mean();
    model.eval();
    torch::NoGradGuard guard;
    torch::Tensor out = model.forward(torch::rand({1, 3, 320, 256}));
    // oracle: shape(out)
    std::cout << out.sizes() << std::endl;
}
