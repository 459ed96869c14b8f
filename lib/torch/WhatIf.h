//===- lib/torch/WhatIf.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What a re-run changes in how a program uses LibTorch, to find out what it would
// save: the ways out of a memory that is too small.

#pragma once

#include "lib/torch/Tensor.h"
#include "lib/torch/Trace.h"

namespace vramlint {

struct OpEntry;
struct OpResult;
class Args;
class Module;
class Runtime;

struct WhatIf {
  /// Forwards and losses on CUDA run under autocast with this type.
  std::optional<DType> Autocast;
  /// Activations write into their input where autograd and the program allow it.
  bool InPlace = false;
  /// Only the last layer that has parameters is trained.
  bool Freeze = false;

  /// Recomputed in backward instead of kept: a module, or of a Sequential the
  /// children from First to Last. Module ids are the same in each run.
  struct Segment {
    ModuleId Module = None;
    unsigned First = 0, Last = None; ///< Last None: the module as a whole.
  };
  Segment Recompute;

  /// The Linear that gets each channel's mean instead of all its positions.
  struct Pooling {
    ModuleId Linear = None;
    int64_t Positions = 1; ///< Height times width.
  };
  Pooling Pool;

  /// Inputs that the program makes itself: where a tensor outside of modules has
  /// the length From it gets To. Batch: the first dimension; Image: two neighbouring
  /// ones, height and width.
  struct Length {
    int64_t From = 0, To = 0;
  };
  std::optional<Length> Batch;
  struct Image {
    int64_t Height = 0, Width = 0; ///< What the program has.
    int64_t To = 0;                ///< The new height; the width keeps the ratio.
    int64_t scaled(int64_t N) const {
      return N == Height ? To : N == Width ? (N * To + Height / 2) / Height : N;
    }
  };
  std::optional<Image> Size;

  /// Applies Batch and Size to the shape of a tensor that a factory makes.
  void resize(Shape &S) const;
};

/// Runs \p Run, a forward with the parameters \p Own, so that nothing of it is kept:
/// one node saves \p A and in backward runs it again (torch.utils.checkpoint).
OpResult recomputed(Runtime &R, llvm::ArrayRef<TensorRef> Own, Args &A,
                    std::function<OpResult(Args &)> Run);

/// Freeze: all but the last layer of \p M that has parameters.
void freezeBelowLast(Module &M);

/// The row of the in-place form of \p Op if it is an activation whose input nobody
/// else holds and autograd lets be overwritten; else null.
const OpEntry *inPlaceForm(Runtime &R, llvm::StringRef Op, const Args &A);

} // namespace vramlint
