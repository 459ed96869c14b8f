//===- lib/gpu/ContextTable.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What a CUDA process takes of a GPU's memory before its first tensor, and for
// the kernels it loads: estimates by architecture, with their sources.

#pragma once

#include <cstdint>

namespace vramlint {

/// In MiB. Eager: all kernels are loaded with the first use (CUDA before 11.7);
/// lazy: each when it is first called (LibTorch 2.x).
struct ContextRow {
  unsigned MinCapability; ///< 75: from compute capability 7.5 on.
  int64_t Lower;          ///< The bare context; certain.
  int64_t EagerExpected, EagerUpper;
  int64_t LazyExpected, LazyUpper;
  const char *Source;
};

/// The row for a compute capability (75), or the one for other vendors' (0).
const ContextRow &contextRow(unsigned Capability);

} // namespace vramlint
