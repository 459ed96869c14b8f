//===- lib/gpu/SpecFields.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The one list of a spec's keys, read by the parser, the embedding tool, the
// fact sheets and JSON output: a new fact is one line here and in the struct.

#pragma once

#include "lib/gpu/GpuSpec.h"
#include <variant>

namespace vramlint {

/// A key, the member that holds it, and what values it takes. Members that are
/// std::optional (and texts with OrNull) may be null.
template <typename T> struct SpecField {
  using Member =
      std::variant<llvm::StringRef T::*, llvm::ArrayRef<llvm::StringRef> T::*,
                   int64_t T::*, std::optional<int64_t> T::*, double T::*,
                   std::optional<double> T::*, bool T::*>;
  llvm::StringRef Key;
  Member Where;
  bool OrNull = false;        ///< For texts: null is read as empty.
  llvm::StringRef OneOf = ""; ///< For texts: the values allowed, by spaces.
};

llvm::ArrayRef<SpecField<GpuSpec>> gpuFields();
llvm::ArrayRef<SpecField<GpuSystem>> systemFields();

} // namespace vramlint
