//===- lib/support/SourcePos.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The interned strings behind SourcePos.

#include "lib/support/SourcePos.h"

#include "llvm/ADT/StringSet.h"
#include <mutex>

namespace vramlint {

llvm::StringRef intern(llvm::StringRef Text) {
  static std::mutex Lock;
  static llvm::StringSet<> Pool;
  std::lock_guard<std::mutex> Guard(Lock);
  return Pool.insert(Text).first->getKey();
}

std::string SourcePos::str() const {
  if (!isValid())
    return "<unknown>";
  return File.str() + ":" + std::to_string(Line) + ":" +
         std::to_string(Column);
}

} // namespace vramlint
