//===- test/cli/Inputs/cuda/cuda_runtime_api.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Stands in for CUDA's runtime where a calibration program is built without a GPU:
// one card of compute capability 7.5.

#pragma once

#include <cstdio>

enum cudaError_t { cudaSuccess = 0 };
enum cudaDeviceAttr { cudaDevAttrComputeCapabilityMajor = 75 };

inline cudaError_t cudaDeviceGetPCIBusId(char *Bus, int Length, int) {
  std::snprintf(Bus, Length, "0000:01:00.0");
  return cudaSuccess;
}
inline cudaError_t cudaDeviceGetAttribute(int *Value, cudaDeviceAttr, int) {
  *Value = 7;
  return cudaSuccess;
}
