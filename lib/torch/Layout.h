//===- lib/torch/Layout.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Channels-last layout of 4-dimensional tensors: images that come as height ×
// width × channels and are permuted keep it through convolutions and pooling.

#pragma once

#include "lib/torch/Rules.h"

namespace vramlint {

/// Strides of a channels-last tensor of shape \p S; empty if it has no such.
inline llvm::SmallVector<int64_t, 4> channelsLastStrides(const Shape &S) {
  if (S.Dims.size() != 4 || !S.known())
    return {};
  int64_t C = S.Dims[1].Length, H = S.Dims[2].Length, W = S.Dims[3].Length;
  return {saturatingMul({C, H, W}), 1, saturatingMul({W, C}), C};
}

/// \p T is laid out channels-last and not contiguous as well.
inline bool isChannelsLast(const TensorRef &T) {
  if (!T || T->isContiguous())
    return false;
  auto Want = channelsLastStrides(T->Sizes);
  if (Want.empty())
    return false;
  for (unsigned I = 0; I < 4; ++I)
    if (T->size(I).Length != 1 && T->Strides[I] != Want[I])
      return false;
  return true;
}

/// T.is_contiguous(ChannelsLast or ChannelsLast3d): of one channel or one point, both
/// layouts are.
inline bool fitsChannelsLast(const TensorRef &T) {
  if (isChannelsLast(T))
    return true;
  if (!T || T->rank() < 4 || !T->isContiguous())
    return false;
  auto Points = llvm::ArrayRef<Dim>(T->Sizes.Dims).drop_front(2);
  return T->size(1) == Dim(1) || llvm::all_of(Points, [](Dim D) { return D == Dim(1); });
}

/// T.contiguous(memory format): a copy if \p T is laid out otherwise.
inline TensorRef contiguousAs(Runtime &R, const TensorRef &T, bool ChannelsLast) {
  if (!ChannelsLast)
    return aten::contiguous(R, T);
  if (!T || fitsChannelsLast(T))
    return T;
  return R.make(T->Sizes, channelsLastStrides(T->Sizes), T->Type, T->Dev);
}

/// A new tensor of shape \p S in the layout asked for.
inline TensorRef makeAs(Runtime &R, const Shape &S, const TensorRef &Like,
                        bool ChannelsLast) {
  if (ChannelsLast)
    return R.make(S, channelsLastStrides(S), Like->Type, Like->Dev);
  return R.make(S, Like->Type, Like->Dev);
}

} // namespace vramlint
