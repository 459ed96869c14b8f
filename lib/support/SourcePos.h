//===- lib/support/SourcePos.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A place in the user's source that outlives any AST: one run crosses
// translation units, so events and values never hold a clang::SourceLocation.

#pragma once

#include "llvm/ADT/StringRef.h"
#include <compare>
#include <string>

namespace vramlint {

/// Returns a copy of \p Text that lives as long as the process; equal texts give
/// the same pointer. Thread-safe. For file names, module paths, op names.
llvm::StringRef intern(llvm::StringRef Text);

/// File (interned, as the compiler opened it), line and column, both from 1.
/// Line 0 means "no place".
struct SourcePos {
  llvm::StringRef File;
  unsigned Line = 0;
  unsigned Column = 0;

  bool isValid() const { return Line != 0; }
  /// "file:line:column", or "<unknown>".
  std::string str() const;
  /// Interned names are one where they are equal, nearly always.
  static bool sameFile(const SourcePos &A, const SourcePos &B) {
    return A.File.data() == B.File.data() ? A.File.size() == B.File.size()
                                          : A.File == B.File;
  }
  friend bool operator==(const SourcePos &A, const SourcePos &B) {
    return A.Line == B.Line && A.Column == B.Column && sameFile(A, B);
  }
  friend bool operator<(const SourcePos &A, const SourcePos &B) {
    if (!sameFile(A, B))
      return A.File < B.File;
    return A.Line != B.Line ? A.Line < B.Line : A.Column < B.Column;
  }
};

} // namespace vramlint
