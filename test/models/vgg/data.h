#pragma once

#include <torch/torch.h>

// A stand-in for a folder of labelled photographs.
class Photos : public torch::data::Dataset<Photos> {
public:
  Photos(size_t count, int64_t image_size, int64_t num_classes)
      : count_(count), image_size_(image_size), num_classes_(num_classes)
  {
  }

  torch::data::Example<> get(size_t index) override
  {
    auto image = torch::rand({3, image_size_, image_size_});
    auto label = torch::tensor(static_cast<int64_t>(index) % num_classes_, torch::kLong);
    return {image, label};
  }

  torch::optional<size_t> size() const override { return count_; }

private:
  size_t count_;
  int64_t image_size_, num_classes_;
};
