//===- tool/vramlint/Progress.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// One line on a terminal while many files are read.

#include "tool/vramlint/Progress.h"

#include "lib/report/Format.h"
#include "llvm/Support/Process.h"

namespace vramlint::tool {

void Progress::started(llvm::StringRef File) {
  Current = File.str();
  show();
}

void Progress::done(size_t FoundNow) {
  ++Done;
  Found = FoundNow;
  show();
}

void Progress::clear() {
  if (!Shown)
    return;
  llvm::errs() << "\r\x1b[K";
  llvm::errs().flush();
  Shown = false;
}

void Progress::show() {
  if (!Wanted)
    return;
  std::string Text = "[" + std::to_string(Done) + "/" + std::to_string(Files) +
                     "] " + report::plural(Found, "finding") + "  ";
  // A line that wraps can't be taken back.
  unsigned Columns = llvm::sys::Process::StandardErrColumns();
  llvm::StringRef Name = Current;
  if (Columns && Text.size() + Name.size() >= Columns)
    Name = Name.take_back(Columns > Text.size() + 1 ? Columns - Text.size() - 1
                                                    : 0);
  llvm::errs() << "\r\x1b[K" << Text << Name;
  llvm::errs().flush();
  Shown = true;
}

} // namespace vramlint::tool
