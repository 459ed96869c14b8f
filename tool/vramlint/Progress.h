//===- tool/vramlint/Progress.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// One line on a terminal while many files are read: how many are done, which
// one is read now, how much was found.

#pragma once

#include "llvm/ADT/StringRef.h"

namespace vramlint::tool {

class Progress {
public:
  /// Shows nothing where \p Wanted is false.
  Progress(size_t Files, bool Wanted) : Files(Files), Wanted(Wanted) {}

  void started(llvm::StringRef File);
  /// \p Found: findings so far.
  void done(size_t Found);
  /// Makes room for what is to be printed; the next change shows the line
  /// again.
  void clear();

private:
  void show();

  size_t Files, Done = 0, Found = 0;
  bool Wanted, Shown = false;
  std::string Current;
};

} // namespace vramlint::tool
