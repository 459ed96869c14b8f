//===- test/cli/Inputs/cuda/nvml.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Stands in for the driver's library: 100 MiB are in use before the program begins, 460
// MiB after.

#include <cstring>

static int Asked = 0;
static char Card;

extern "C" {
int nvmlInit_v2() { return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned Index, void **Device) {
  *Device = &Card;
  return Index == 0 ? 0 : 2;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char *, void **Device) {
  *Device = &Card;
  return 0;
}
int nvmlDeviceGetMemoryInfo(void *, unsigned long long *TotalFreeUsed) {
  TotalFreeUsed[2] = (Asked++ ? 460ull : 100ull) << 20;
  return 0;
}
int nvmlDeviceGetName(void *, char *Name, unsigned) {
  std::strcpy(Name, "Tesla T4");
  return 0;
}
}
