//===- lib/report/Fingerprint.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What stays the same of a finding while lines move.

#include "lib/report/Fingerprint.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

namespace vramlint::report {

std::string Fingerprinter::next(const Finding &F) {
  llvm::StringRef Line = Sources.line(F.Pos.File, F.Pos.Line).value_or("");
  std::string Key =
      F.Check + '\0' + Paths.file(F.Pos.File) + '\0' + Line.trim().str();
  std::string Hash =
      llvm::utohexstr(llvm::xxh3_64bits(Key), /*LowerCase=*/true, 16);
  return Hash + ":" + std::to_string(++Occurrences[Hash]);
}

} // namespace vramlint::report
