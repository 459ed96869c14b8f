//===- test/cli/Inputs/calibrated.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A program small enough to be built in a test.

#include <ATen/ATen.h>

#include <chrono>
#include <thread>

int main(int argc, char **) {
  at::NoGradGuard no_grad;
  at::Device device = argc > 1 ? at::kCPU : at::kCUDA; // A test has no GPU.
  at::Tensor weight = at::zeros({512, 512}, device);
  at::Tensor x = at::zeros({1024, 512}, device);
  at::Tensor y = at::matmul(x, weight);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
}
