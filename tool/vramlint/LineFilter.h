//===- tool/vramlint/LineFilter.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The lines whose findings are wanted: those that --lines names, or those that
// changed since a commit (--diff), as git-clang-format and clang-tidy-diff do
// it.

#pragma once

#include "lib/support/SourcePos.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace vramlint::tool {

class LineFilter {
public:
  /// Adds \p Text, "FILE:A-B[,C-D…]" or "FILE:A"; FILE is found from the folder
  /// in which we work.
  llvm::Error add(llvm::StringRef Text);
  /// Adds what \p Diff (of git, without context) says is new in the files below
  /// \p Root.
  void addDiff(llvm::StringRef Diff, llvm::StringRef Root);
  /// What changed in the repository around the folder in which we work, from
  /// commit
  /// \p Rev to the files as they are, untracked ones included. "REV...": since
  /// the commit where this branch left REV.
  static llvm::Expected<LineFilter> changedSince(llvm::StringRef Rev);

  /// False for a place without a line.
  bool contains(const SourcePos &P) const;

private:
  struct Range {
    unsigned First, Last;
  };
  void addRange(llvm::StringRef File, Range R);

  llvm::StringMap<std::vector<Range>> Files; ///< By real path.
  mutable llvm::StringMap<std::string> RealPaths;
};

} // namespace vramlint::tool
