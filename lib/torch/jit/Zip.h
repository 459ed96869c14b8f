//===- lib/torch/jit/Zip.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The zip format as far as archives of LibTorch use it: central directory, stored
// and deflated entries, 64-bit sizes. No encryption, no volumes.

#pragma once

#include "lib/torch/jit/Archive.h"
#include "llvm/ADT/StringMap.h"

namespace vramlint {

class ZipFile {
public:
  /// Reads the central directory; \p Bytes must outlive the result.
  static llvm::Expected<ZipFile> open(llvm::StringRef Bytes,
                                      const ArchiveLimits &Limits);

  struct Entry {
    std::string Name;
    uint16_t Method = 0; ///< 0: stored, 8: deflated.
    uint32_t Crc = 0;
    uint64_t Packed = 0, Size = 0, Header = 0;
  };
  const std::vector<Entry> &entries() const { return Entries; }
  const Entry *find(llvm::StringRef Name) const;
  /// The contents of \p E, unpacked; an error if they are larger than \p MaxBytes.
  llvm::Expected<std::string> read(const Entry &E, uint64_t MaxBytes) const;

private:
  llvm::Error readDirectory(const ArchiveLimits &Limits);
  llvm::Error readEntry(uint64_t &At, uint64_t End, const ArchiveLimits &Limits);
  llvm::Error checkRanges(uint64_t DirectoryStart) const;
  llvm::Expected<llvm::StringRef> packed(const Entry &E) const;

  llvm::StringRef Bytes;
  std::vector<Entry> Entries;
  llvm::StringMap<size_t> ByName;
};

} // namespace vramlint
