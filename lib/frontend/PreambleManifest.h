//===- lib/frontend/PreambleManifest.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What a precompiled header was made of, to tell whether it still holds.

#pragma once

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vramlint {

/// Inputs and output of one compilation. A file whose size and time are as noted
/// is unchanged; where only the time differs, its hash decides.
class PreambleManifest {
public:
  /// Notes \p Pch and \p Inputs as they are now. False: one can't be read.
  bool record(llvm::StringRef Pch, const std::vector<std::string> &Inputs);
  /// Writes to a file beside, then renames.
  bool save(llvm::StringRef Path) const;
  static std::optional<PreambleManifest> load(llvm::StringRef Path);
  /// \p Changed: times were noted anew, so it should be saved again.
  bool matches(llvm::StringRef Pch, bool &Changed);
  bool isOlderThanADay() const { return Old; }

private:
  struct Item {
    std::string Path; // "": the precompiled header.
    uint64_t Size = 0, Hash = 0;
    int64_t Time = 0; // Nanoseconds.
  };
  std::vector<Item> Items;
  bool Old = false;

  static bool note(llvm::StringRef Path, Item &I);
  static bool stillHolds(llvm::StringRef Path, Item &I, bool &Changed);
};

/// Writes \p Text to \p Path by way of a temporary file, unless it is there.
bool writeWhole(llvm::StringRef Path, llvm::StringRef Text);

} // namespace vramlint
