// YOLOv3: Darknet-53 and three detection scales, 80 classes.
// published: yolov3
#include <torch/torch.h>

#include <iostream>
#include <map>
#include <string>
#include <vector>

// The network as its cfg file says, one section a block.
struct Section {
  std::string type;
  std::map<std::string, int> option;

  int get(const std::string& key, int fallback = 0) const {
    auto it = option.find(key);
    return it == option.end() ? fallback : it->second;
  }
};

static std::vector<Section> darknet53() {
  std::vector<Section> net;
  auto conv = [&net](int filters, int size, int stride = 1, int bn = 1) {
    net.push_back({"convolutional", {{"filters", filters}, {"size", size}, {"stride", stride}, {"batch_normalize", bn}}});
  };
  conv(32, 3);
  int filters = 64;
  for (int repeats : {1, 2, 8, 8, 4}) {
    conv(filters, 3, 2);
    for (int i = 0; i < repeats; ++i) {
      conv(filters / 2, 1);
      conv(filters, 3);
      net.push_back({"shortcut", {{"from", -3}}});
    }
    filters *= 2;
  }
  return net;
}

static std::vector<Section> yolov3(int classes) {
  auto net = darknet53();
  auto conv = [&net](int filters, int size, int bn = 1) {
    net.push_back({"convolutional", {{"filters", filters}, {"size", size}, {"stride", 1}, {"batch_normalize", bn}}});
  };
  const int skips[] = {61, 36};
  for (int scale = 0, width = 512; scale < 3; ++scale, width /= 2) {
    for (int i = 0; i < 3; ++i) {
      conv(width, 1);
      conv(width * 2, 3);
    }
    conv(3 * (classes + 5), 1, 0);
    net.push_back({"yolo", {{"stride", 32 >> scale}}});
    if (scale == 2)
      break;
    net.push_back({"route", {{"layers", -4}}});
    conv(width / 2, 1);
    net.push_back({"upsample", {{"stride", 2}}});
    net.push_back({"route", {{"layers", -1}, {"second", skips[scale]}}});
  }
  return net;
}

struct EmptyLayer : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) { return x; }
};

struct UpsampleLayer : torch::nn::Module {
  explicit UpsampleLayer(int stride) : stride(stride) {}
  torch::Tensor forward(torch::Tensor x) {
    const auto sizes = x.sizes();
    x = x.unsqueeze(3).unsqueeze(5);
    x = x.expand({sizes[0], sizes[1], sizes[2], stride, sizes[3], stride}).contiguous();
    return x.view({sizes[0], sizes[1], sizes[2] * stride, sizes[3] * stride});
  }
  int stride;
};

class Darknet : public torch::nn::Module {
 public:
  Darknet(std::vector<Section> sections, int classes) : sections_(std::move(sections)), classes_(classes) {
    int previous = 3, index = 0;
    std::vector<int> filters;
    for (const Section& s : sections_) {
      torch::nn::Sequential module;
      if (s.type == "convolutional") {
        const int size = s.get("size"), out = s.get("filters");
        const bool bn = s.get("batch_normalize");
        module->push_back(torch::nn::Conv2d(
            torch::nn::Conv2dOptions(previous, out, size).stride(s.get("stride", 1)).padding(size / 2).bias(!bn)));
        if (bn) {
          module->push_back(torch::nn::BatchNorm2d(out));
          module->push_back(torch::nn::LeakyReLU(torch::nn::LeakyReLUOptions().negative_slope(0.1).inplace(true)));
        }
        previous = out;
      } else if (s.type == "upsample") {
        module->push_back(UpsampleLayer(s.get("stride")));
      } else {
        if (s.type == "route") {
          previous = filters[index + s.get("layers")];
          if (s.option.count("second"))
            previous += filters[s.get("second")];
        }
        module->push_back(EmptyLayer());
      }
      filters.push_back(previous);
      list_.push_back(register_module("module_" + std::to_string(index++), module));
    }
  }

  torch::Tensor forward(torch::Tensor x) {
    std::vector<torch::Tensor> outputs(list_.size()), detections;
    for (size_t i = 0; i < list_.size(); ++i) {
      const auto& s = sections_[i];
      if (s.type == "route") {
        x = outputs[i + s.get("layers")];
        if (s.option.count("second"))
          x = torch::cat({x, outputs[s.get("second")]}, 1);
      } else if (s.type == "shortcut") {
        x = outputs[i - 1] + outputs[i + s.get("from")];
      } else if (s.type == "yolo") {
        const auto n = x.size(0), g = x.size(2);
        auto grid = x.view({n, 3, classes_ + 5, g, g}).permute({0, 1, 3, 4, 2}).contiguous();
        detections.push_back(grid.view({n, -1, classes_ + 5}).sigmoid());
      } else {
        x = list_[i]->forward(x);
      }
      outputs[i] = x;
    }
    return torch::cat(detections, 1);
  }

 private:
  std::vector<Section> sections_;
  int classes_;
  std::vector<torch::nn::Sequential> list_;
};

int main() {
  const int classes = 80; // vary: 1 3 20
  Darknet net(yolov3(classes), classes);
  // oracle: model(net)
  // matrix: auto image = torch::zeros({N, 3, 256, 256});
  // matrix: auto detections = net.forward(image);
  // matrix: auto loss = detections.mean();
  net.eval();
  torch::NoGradGuard no_grad;
  auto detections = net.forward(torch::zeros({1, 3, 256, 256}));
  // oracle: shape(detections)
  std::cout << detections.sizes() << std::endl;
}
