//===- lib/torch/jit/Archive.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What a TorchScript archive holds: names, types and sizes of its tensors. The
// archive is data from anywhere: nothing in it is executed, and every size,
// depth and count has a limit (ArchiveLimits).
//
//   bytes ─► Zip (entries) ─► Pickle (values) ─► the module's tree ─► ScriptArchive
//                        └──► code/*.py: which names are parameters ───┘

#pragma once

#include "lib/torch/Tensor.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace vramlint {

struct ArchiveLimits {
  size_t MaxEntries = 1 << 17;          ///< Files in the archive.
  size_t MaxNameBytes = 1 << 12;        ///< Of a file's or a class's name.
  uint64_t MaxPickleBytes = 64 << 20;   ///< Of data.pkl, unpacked.
  uint64_t MaxCodeBytes = 64 << 20;     ///< Of all of code/, unpacked.
  size_t MaxOpcodes = 8'000'000;        ///< Of one pickle.
  size_t MaxValues = 1'000'000;         ///< That one pickle makes.
  uint64_t MaxTextBytes = 128 << 20;    ///< Of all names and strings in them.
  size_t MaxItems = 8'000'000;          ///< In all lists and dictionaries.
  size_t MaxTensors = 100'000;          ///< In the module's tree.
  unsigned MaxDepth = 200;              ///< Modules in modules.
  unsigned MaxRank = 64;                ///< Dimensions of a tensor.
};

struct ArchiveTensor {
  enum KindTy { Parameter, Buffer, Attribute, Constant };
  std::string Name;                     ///< "layer1.0.weight".
  KindTy Kind = Buffer;
  DType Type = DType::Unknown;
  std::vector<int64_t> Shape;
  int64_t Elements = 0;
  uint32_t Storage = 0;                 ///< Index into StorageBytes.
  bool RequiresGrad = false;
};

/// One archive. Tensors that share a storage name the same one.
struct ScriptArchive {
  std::vector<ArchiveTensor> Tensors;   ///< In the order of the module's tree.
  std::vector<int64_t> StorageBytes;

  /// Bytes of all storages.
  int64_t bytes() const;
};

/// The archive in \p Bytes, or an error that says what is wrong with it ("is no
/// zip archive", "data.pkl is cut off"), to stand after its name.
llvm::Expected<ScriptArchive> readScriptArchive(llvm::StringRef Bytes,
                                                ArchiveLimits Limits = {});

} // namespace vramlint
