//===- lib/report/Baseline.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The findings that a project knows of and lives with: only others are
// reported. They are known by fingerprint, so a move of their lines brings none
// back.

#pragma once

#include "lib/support/Finding.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"

namespace vramlint::report {

class Baseline {
public:
  /// \p Text as text() wrote it. The error says what is wrong with it.
  static llvm::Expected<Baseline> parse(llvm::StringRef Text);

  bool knows(llvm::StringRef Fingerprint) const {
    return Prints.contains(Fingerprint);
  }
  /// \p File: of the finding, as users know it; for the reader of the baseline
  /// only.
  void add(const Finding &F, llvm::StringRef File, std::string Fingerprint);
  size_t size() const { return Prints.size(); }
  /// JSON, one finding a line, sorted: a change to it reads well as a diff.
  std::string text() const;

private:
  struct Entry {
    std::string File, Check, Fingerprint;
    friend auto operator<=>(const Entry &, const Entry &) = default;
  };
  std::vector<Entry> Entries;
  llvm::StringSet<> Prints;
};

} // namespace vramlint::report
