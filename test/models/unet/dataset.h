// Discs on noise, with the mask that marks them.
#pragma once

#include <torch/torch.h>

class DiscDataset : public torch::data::Dataset<DiscDataset> {
public:
  DiscDataset(size_t count, int64_t side) : count_(count), side_(side) {}

  torch::data::Example<> get(size_t index) override {
    auto line = torch::arange(side_, torch::kFloat);
    const double x = 8.0 + (index * 7) % (side_ - 16), y = 8.0 + (index * 13) % (side_ - 16);
    auto distance = (line - x).pow(2).unsqueeze(0) + (line - y).pow(2).unsqueeze(1);
    auto mask = (distance < 36).to(torch::kFloat).unsqueeze(0);
    auto image = torch::rand({3, side_, side_}) * 0.5 + mask * 0.5;
    return {image, mask};
  }

  torch::optional<size_t> size() const override { return count_; }

private:
  size_t count_;
  int64_t side_;
};
