//===- lib/report/SourceText.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The lines of the user's sources that reports show.

#include "lib/report/SourceText.h"

namespace vramlint::report {

const SourceText::Content &SourceText::content(llvm::StringRef File) {
  auto [It, Inserted] = Files.try_emplace(File);
  Content &C = It->second;
  if (!Inserted)
    return C;
  if (std::optional<std::string> Text = Read ? Read(File) : std::nullopt) {
    C.Readable = true;
    C.Text = std::move(*Text);
    C.LineStarts.push_back(0);
    for (size_t I = 0; I < C.Text.size(); ++I)
      if (C.Text[I] == '\n')
        C.LineStarts.push_back(I + 1);
  }
  return C;
}

std::optional<llvm::StringRef> SourceText::line(llvm::StringRef File,
                                                unsigned Line) {
  const Content &C = content(File);
  if (!C.Readable || Line == 0 || Line > C.LineStarts.size())
    return std::nullopt;
  size_t Start = C.LineStarts[Line - 1];
  return llvm::StringRef(C.Text).substr(Start).take_until([](char Ch) {
    return Ch == '\n' || Ch == '\r';
  });
}

const std::string *SourceText::text(llvm::StringRef File) {
  const Content &C = content(File);
  return C.Readable ? &C.Text : nullptr;
}

} // namespace vramlint::report
