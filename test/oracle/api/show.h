//===- test/oracle/api/show.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// SHOW(expression): a program that runs prints what the tensor is; analyzed, it
// asks the machine what it knows. The two must agree, line by line (compare.py).

#pragma once

#include <torch/torch.h>

#ifdef __clang_analyzer__
template <typename T> void vramlint_reveal(const T &X);
#define SHOW(...)                                                              \
  try {                                                                        \
    vramlint_reveal(__VA_ARGS__);                                              \
  } catch (const std::exception &) {                                           \
  }
#else
#include <cstdio>

inline const char *dtypeText(at::ScalarType T) {
  switch (T) {
  case at::kByte: return "uint8";
  case at::kInt: return "int32";
  case at::kLong: return "int64";
  case at::kFloat: return "float32";
  case at::kDouble: return "float64";
  case at::kComplexFloat: return "complex64";
  case at::kComplexDouble: return "complex128";
  case at::kBool: return "bool";
  default: return "?";
  }
}

inline void show(int Line, const at::Tensor &X) {
  std::printf("%d ", Line);
  if (!X.defined()) {
    std::printf("undefined tensor\n");
    return;
  }
  std::printf("%s ", dtypeText(X.scalar_type()));
  for (int64_t I = 0; I < X.dim(); ++I)
    std::printf("%s%lld", I ? "×" : "", (long long)X.size(I));
  std::printf("%s, cpu, storage of %zu bytes", X.dim() ? "" : "scalar", X.storage().nbytes());
  std::printf("%s%s\n", X.requires_grad() ? ", requires grad" : "",
              X.is_contiguous() ? "" : ", not contiguous");
}
#define SHOW(...)                                                              \
  try {                                                                        \
    show(__LINE__, __VA_ARGS__);                                               \
  } catch (const std::exception &E) {                                          \
    std::printf("%d refused\n", __LINE__);                                     \
    std::fprintf(stderr, "%d: %.200s\n", __LINE__, E.what());                  \
  }
#endif
