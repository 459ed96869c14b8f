//===- lib/torch/plugin/InputSearch.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The input that a model asks for. Its first layer fixes rank and channels; sizes are
// tried until every view, Linear and sum of the forward fits.

#pragma once

#include "lib/torch/Stated.h"
#include "lib/torch/Trace.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <memory>

namespace vramlint {

struct FoundInput {
  StatedInput Input;
  bool Forced = false; ///< By the layers alone: the usual other sizes do not fit.
};

/// \p Unknown: a run of the forward on tensors of unknown shape. \p Try runs it on
/// an input with a batch of two; null if it throws. Nothing where no layer tells, or
/// no size fits in the time there is.
std::optional<FoundInput>
searchInput(const Trace &Unknown,
            llvm::function_ref<std::shared_ptr<const Trace>(const StatedInput &)> Try);

/// The batch of the trials: one that a wrong view would change.
inline constexpr int64_t TrialBatch = 2;

} // namespace vramlint
