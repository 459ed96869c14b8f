//===- lib/torch/jit/Pickle.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Reads a pickle as data. A pickle is a program for a stack machine that may call
// anything; here a call makes a value that says what would have been called, and
// only the few that rebuild tensors are given a meaning.

#pragma once

#include "lib/torch/jit/Archive.h"

namespace vramlint {

/// Index into PickleTree::Values. Values may form cycles.
using PickleRef = uint32_t;

struct PickleValue {
  enum KindTy : uint8_t {
    None, Bool, Int, Float, String, List, Tuple,
    Dict,    ///< Items: key, value, key, value …
    Global,  ///< Text: "torch FloatStorage".
    Object,  ///< Text: its class; State, once BUILD gave it one.
    Storage, ///< StorageIndex.
    Tensor,  ///< StorageIndex and Shape.
    Other,   ///< What some call would give.
  };
  KindTy Kind = None;
  int64_t Number = 0;              ///< Bool, Int; Tensor: 1 if it requires grad.
  std::string Text;
  std::vector<PickleRef> Items;
  PickleRef State = ~0u;           ///< Object; ~0u: none.
  uint32_t StorageIndex = 0;       ///< Index into PickleTree::Storages.
  std::vector<int64_t> Shape;      ///< Tensor.
};

struct PickleStorage {
  std::string Key;                 ///< Its file: data/KEY.
  DType Type = DType::Unknown;
  int64_t Elements = 0;
  int64_t ItemBytes = 0;           ///< 0: a type that isn't known.
};

struct PickleTree {
  std::vector<PickleValue> Values;
  std::vector<PickleStorage> Storages; ///< Each key once.
  PickleRef Root = 0;
};

/// The value of the pickle in \p Bytes, or an error to stand after its name.
llvm::Expected<PickleTree> readPickle(llvm::StringRef Bytes,
                                      const ArchiveLimits &Limits);

} // namespace vramlint
