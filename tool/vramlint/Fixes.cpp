//===- tool/vramlint/Fixes.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Applies the fixes of findings to the files, as --fix asks.

#include "tool/vramlint/Fixes.h"

#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include <algorithm>
#include <map>
#include <tuple>

namespace vramlint::tool {

std::string applyEdits(const std::string &Text, std::vector<FixEdit> Edits,
                       unsigned &Applied) {
  auto Key = [](const FixEdit &E) {
    return std::tie(E.Offset, E.Length, E.Replacement);
  };
  std::sort(Edits.begin(), Edits.end(),
            [&](const FixEdit &A, const FixEdit &B) { return Key(A) < Key(B); });
  Edits.erase(std::unique(Edits.begin(), Edits.end(),
                          [&](const FixEdit &A, const FixEdit &B) {
                            return Key(A) == Key(B);
                          }),
              Edits.end());
  std::string New;
  size_t Done = 0;
  for (const FixEdit &E : Edits) {
    if (E.Offset < Done || size_t(E.Offset) + E.Length > Text.size())
      continue;
    New.append(Text, Done, E.Offset - Done);
    New += E.Replacement;
    Done = size_t(E.Offset) + E.Length;
    ++Applied;
  }
  New.append(Text, Done, std::string::npos);
  return New;
}

llvm::Expected<unsigned> applyFixes(const std::vector<Finding> &Findings) {
  std::map<std::string, std::vector<FixEdit>> ByFile;
  for (const Finding &F : Findings) {
    for (const FixEdit &E : F.Fixes)
      ByFile[E.File.str()].push_back(E);
    for (const FindingNote &N : F.Notes)
      for (const FixEdit &E : N.Fixes)
        if (!N.Suggestion)
          ByFile[E.File.str()].push_back(E);
  }
  unsigned Applied = 0;
  for (auto &[File, Edits] : ByFile) {
    auto Buffer = llvm::MemoryBuffer::getFile(File, /*IsText=*/false,
                                              /*RequiresNullTerminator=*/false);
    if (!Buffer)
      return llvm::createFileError(File, Buffer.getError());
    std::string New =
        applyEdits((*Buffer)->getBuffer().str(), std::move(Edits), Applied);
    // Written beside and renamed, so that a full disk loses nothing.
    if (llvm::Error E = llvm::writeToOutput(File, [&](llvm::raw_ostream &OS) {
          OS << New;
          return llvm::Error::success();
        }))
      return std::move(E);
  }
  return Applied;
}

} // namespace vramlint::tool
