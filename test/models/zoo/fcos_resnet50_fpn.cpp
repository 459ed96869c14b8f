// FCOS: anchor-free detection, group-normalized heads, centre-ness.
// published: fcos_resnet50_fpn
#include <torch/torch.h>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace torch::nn;

struct FrozenNorm : Module {
    explicit FrozenNorm(int64_t channels)
    {
        for (const char *name : {"weight", "running_var"})
            register_buffer(name, torch::ones({channels}));
        for (const char *name : {"bias", "running_mean"})
            register_buffer(name, torch::zeros({channels}));
    }
    torch::Tensor forward(torch::Tensor x)
    {
        auto b = named_buffers(/*recurse=*/false);
        auto w = b["weight"] / torch::sqrt(b["running_var"] + 1e-5);
        auto shift = b["bias"] - b["running_mean"] * w;
        return x * w.view({-1, 1, 1}) + shift.view({-1, 1, 1});
    }
};

Sequential convNorm(int64_t in, int64_t out, int64_t kernel, int64_t stride, bool relu)
{
    Sequential s(Conv2d(Conv2dOptions(in, out, kernel).stride(stride).padding(kernel / 2).bias(false)), FrozenNorm(out));
    if (relu)
        s->push_back(ReLU());
    return s;
}

struct Residual : Module {
    Residual(int64_t in, int64_t mid, int64_t stride)
    {
        body = convNorm(in, mid, 1, 1, true);
        body->extend(*convNorm(mid, mid, 3, stride, true));
        body->extend(*convNorm(mid, mid * 4, 1, 1, false));
        register_module("body", body);
        if (in != mid * 4) {
            shortcut = convNorm(in, mid * 4, 1, stride, false);
            register_module("shortcut", shortcut);
        }
    }
    torch::Tensor forward(torch::Tensor x)
    {
        auto y = body->forward(x);
        y += shortcut.is_empty() ? x : shortcut->forward(x);
        return y.relu_();
    }
    Sequential body{nullptr}, shortcut{nullptr};
};

struct Tower : Module {
    Tower(int64_t channels, int convs)
    {
        for (int i = 0; i < convs; i++) {
            layers->push_back(Conv2d(Conv2dOptions(channels, channels, 3).padding(1)));
            layers->push_back(GroupNorm(GroupNormOptions(32, channels)));
            layers->push_back(ReLU());
        }
        register_module("layers", layers);
    }
    torch::Tensor forward(torch::Tensor x) { return layers->forward(x); }
    Sequential layers;
};

class FCOS : public Module {
public:
    using Outputs = std::map<std::string, std::vector<torch::Tensor>>;

    FCOS(int64_t classes, int convs) : classes_(classes)
    {
        backbone_ = register_module("body", convNorm(3, 64, 7, 2, true));
        backbone_->push_back(MaxPool2d(MaxPool2dOptions(3).stride(2).padding(1)));
        int64_t in = 64;
        const std::vector<int> depths = {3, 4, 6, 3};
        for (size_t stage = 0; stage < depths.size(); ++stage) {
            const int64_t mid = 64 * (1 << stage);
            for (int i = 0; i < depths[stage]; ++i) {
                backbone_->push_back(std::make_shared<Residual>(in, mid, (i == 0 && stage > 0) ? 2 : 1));
                in = mid * 4;
            }
            ends_.push_back(backbone_->size() - 1);
        }
        for (int64_t channels : {512, 1024, 2048}) {
            lateral_->push_back(Conv2d(channels, kWidth, 1));
            output_->push_back(conv(kWidth, kWidth));
        }
        extra_->push_back(Conv2d(Conv2dOptions(kWidth, kWidth, 3).stride(2).padding(1)));
        extra_->push_back(Conv2d(Conv2dOptions(kWidth, kWidth, 3).stride(2).padding(1)));
        register_module("lateral", lateral_);
        register_module("output", output_);
        register_module("extra", extra_);

        cls_tower_ = register_module("cls_tower", std::make_shared<Tower>(kWidth, convs));
        reg_tower_ = register_module("reg_tower", std::make_shared<Tower>(kWidth, convs));
        std::vector<std::pair<std::string, std::shared_ptr<Module>>> heads;
        for (auto [name, outputs] : {std::make_pair("cls_logits", classes), {"bbox_reg", 4}, {"bbox_ctrness", 1}})
            heads.emplace_back(name, conv(kWidth, outputs).ptr());
        heads_->update(heads);
        register_module("heads", heads_);
    }

    Outputs forward(torch::Tensor x)
    {
        std::vector<torch::Tensor> maps;
        size_t index = 0;
        for (auto it = backbone_->begin(); it != backbone_->end(); ++it, ++index) {
            x = it->forward(x);
            for (size_t i = 1; i < ends_.size(); ++i)
                if (index == ends_[i])
                    maps.push_back(x);
        }
        Outputs out;
        for (auto &p : pyramid(maps)) {
            auto c = cls_tower_->forward(p), r = reg_tower_->forward(p);
            out["cls"].push_back(flatten(head("cls_logits", c), classes_));
            out["reg"].push_back(flatten(torch::relu(head("bbox_reg", r)), 4));
            out["ctr"].push_back(flatten(head("bbox_ctrness", r), 1));
        }
        return out;
    }

private:
    static constexpr int64_t kWidth = 256;

    static Conv2d conv(int64_t in, int64_t out) { return Conv2d(Conv2dOptions(in, out, 3).padding(1)); }

    torch::Tensor head(const std::string &name, torch::Tensor x) { return heads_[name]->as<Conv2d>()->forward(x); }

    static torch::Tensor flatten(torch::Tensor x, int64_t k)
    {
        auto N = x.size(0), H = x.size(-2), W = x.size(-1);
        return x.view({N, -1, k, H, W}).permute({0, 3, 4, 1, 2}).reshape({N, -1, k});
    }

    std::vector<torch::Tensor> pyramid(const std::vector<torch::Tensor> &maps)
    {
        std::vector<torch::Tensor> result;
        torch::Tensor top;
        for (size_t i = maps.size(); i-- > 0;) {
            auto x = lateral_[i]->as<Conv2d>()->forward(maps[i]);
            if (i + 1 < maps.size())
                x = x + functional::interpolate(top, functional::InterpolateFuncOptions().size(std::vector<int64_t>({x.size(2), x.size(3)})).mode(torch::kNearest));
            top = x;
            result.insert(result.begin(), output_[i]->as<Conv2d>()->forward(x));
        }
        result.push_back(extra_[0]->as<Conv2d>()->forward(result.back()));
        result.push_back(extra_[1]->as<Conv2d>()->forward(result.back().relu()));
        return result;
    }

    int64_t classes_;
    Sequential backbone_{nullptr};
    std::vector<size_t> ends_;
    ModuleList lateral_, output_, extra_;
    ModuleDict heads_;
    std::shared_ptr<Tower> cls_tower_, reg_tower_;
};

} // namespace

int main()
{
    int convs = 4; // vary: 1 2 6
    auto net = std::make_shared<FCOS>(91, convs);
    // oracle: model(net)
    // matrix: auto image = torch::randn({N, 3, 160, 224});
    // matrix: auto out = net->forward(image);
    // matrix: auto cls = torch::cat(out["cls"], 1), ctr = torch::cat(out.at("ctr"), 1);
    // matrix: auto loss = cls.mean() + ctr.mean();
    net->eval();
    torch::NoGradGuard no_grad;
    auto out = net->forward(torch::randn({1, 3, 160, 224}));
    auto cls = torch::cat(out["cls"], 1);
    auto ctr = torch::cat(out.at("ctr"), 1);
    // oracle: shape(cls)
    // oracle: shape(ctr)
    // oracle: shape(out["reg"][0])
    std::cout << cls.sizes() << ctr.sizes() << std::endl;
    return 0;
}
