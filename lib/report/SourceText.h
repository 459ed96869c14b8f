//===- lib/report/SourceText.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The lines of the user's sources that reports show. Reports read no files: the
// host hands in how to get one.

#pragma once

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace vramlint::report {

class SourceText {
public:
  using Reader = std::function<std::optional<std::string>(llvm::StringRef)>;
  explicit SourceText(Reader Read) : Read(std::move(Read)) {}

  /// Line \p Line (from 1) without its end, or nothing where the file can't be
  /// read or is shorter.
  std::optional<llvm::StringRef> line(llvm::StringRef File, unsigned Line);
  /// The whole text, or null.
  const std::string *text(llvm::StringRef File);

private:
  struct Content {
    std::string Text;
    std::vector<size_t> LineStarts;
    bool Readable = false;
  };
  const Content &content(llvm::StringRef File);

  Reader Read;
  llvm::StringMap<Content> Files;
};

} // namespace vramlint::report
