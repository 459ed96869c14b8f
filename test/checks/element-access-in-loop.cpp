// RUN: %check_torch %s torch-element-access-in-loop %t
// REQUIRES: libtorch
//
// Tensors read one element at a time, and loops that do not.
#include <torch/torch.h>

#include <vector>

float rowsBad(torch::Tensor boxes) {
  float sum = 0;
  for (int64_t i = 0; i < boxes.size(0); ++i)
    // CHECK-MESSAGES: :[[@LINE+1]]:21: warning: each access makes a tensor for one element of 'boxes', and item() reads it through the dispatcher [torch-element-access-in-loop]
    sum += boxes[i].item<float>();
  return sum;
}

float nestedBad(const torch::Tensor &image) {
  float sum = 0;
  for (int y = 0; y < image.size(0); ++y)
    for (int x = 0; x < image.size(1); ++x) {
      // CHECK-MESSAGES: :[[@LINE+1]]:26: warning: each access makes a tensor for one element of 'image'
      sum += image[y][x].item().toFloat();
      sum += image.index({y, x}).item<float>(); // The same loop: said once.
    }
  return sum;
}

float accessorOk(torch::Tensor image) {
  auto a = image.accessor<float, 2>();
  float sum = 0;
  for (int y = 0; y < image.size(0); ++y)
    for (int x = 0; x < image.size(1); ++x)
      sum += a[y][x];
  return sum;
}

// A few; or none of the counter; or a row of a model's answer.
float fewOk(torch::Tensor box, torch::Tensor scores, std::vector<torch::Tensor> parts) {
  float sum = 0;
  for (int i = 0; i < 4; ++i)
    sum += box[i].item<float>();
  for (int i = 0; i < 1000; ++i)
    sum += box[0].item<float>();
  for (const auto &part : parts)
    sum += part.item<float>();
  for (size_t i = 0; i < parts.size(); ++i)
    sum += parts[i].item<float>();
  for (int64_t i = 0; i < scores.size(0); ++i)
    sum += scores[i].argmax().item<float>();
  return sum;
}
