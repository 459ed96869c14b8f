//===- lib/frontend/FileManifest.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What a cache's entry was made of, to tell whether it still holds.

#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vramlint {

/// Files, folders and names without a file, as they were. A file whose size and
/// time are as noted is unchanged; where only the time differs, its hash
/// decides. Of a folder it is the folders and C++ sources in it that count.
class FileManifest {
public:
  /// Notes \p Path as it is now. False: it can't be read.
  bool addFile(llvm::StringRef Path);
  /// The same without a hash: another time means another file. For large ones.
  bool addLargeFile(llvm::StringRef Path);
  bool addFolder(llvm::StringRef Path);
  void addAbsent(llvm::StringRef Path);
  /// \p Changed: times were noted anew, so it should be saved again.
  bool holds(bool &Changed);
  size_t size() const { return Items.size(); }

  void print(llvm::raw_ostream &OS) const;
  /// Takes what print() wrote off the front of \p Text.
  static std::optional<FileManifest> parse(llvm::StringRef &Text);

  /// Notes \p Output and the \p Inputs that it was made of.
  bool record(llvm::StringRef Output, const std::vector<std::string> &Inputs);
  /// Writes to a file beside, then renames.
  bool save(llvm::StringRef Path) const;
  static std::optional<FileManifest> load(llvm::StringRef Path);
  /// holds(); what record() called output now lies at \p Output.
  bool matches(llvm::StringRef Output, bool &Changed);
  bool isOlderThanADay() const { return Old; }

private:
  enum class Kind : char {
    File = 'f',
    LargeFile = 'l',
    Folder = 'd',
    Absent = '-'
  };
  struct Item {
    std::string Path; // "": the output.
    Kind Is = Kind::File;
    uint64_t Size = 0, Hash = 0;
    int64_t Time = 0; // Nanoseconds.
  };
  std::vector<Item> Items;
  bool Old = false;

  bool add(llvm::StringRef Path, llvm::StringRef ListedAs, Kind Is);
  static std::optional<uint64_t> hashOf(llvm::StringRef Path, Kind Is);
  static bool stillHolds(llvm::StringRef Path, Item &I, bool &Changed);
};

/// Writes \p Text to \p Path by way of a temporary file, unless it is there.
bool writeWhole(llvm::StringRef Path, llvm::StringRef Text);

} // namespace vramlint
