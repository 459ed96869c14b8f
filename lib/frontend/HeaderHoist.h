//===- lib/frontend/HeaderHoist.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Which external headers a unit reaches, through its own headers too, in the
// order in which it reaches them: the text of its preamble.
//
// The real preprocessor runs over the project's own files; every external header
// looks empty to it. So conditionals, __has_include and macros that the project
// defines count as they do in the compiler. What an external header would define
// doesn't: a condition on it may be misjudged, which costs time, never truth,
// since the unit itself is preprocessed again in full.

#pragma once

#include "lib/frontend/Project.h"
#include <memory>
#include <string>
#include <vector>

namespace clang {
class CompilerInvocation;
}

namespace vramlint {

/// What a preamble holds.
struct HoistedHeaders {
  /// Source text: #include lines, and the project's macros before the last.
  /// Empty where no LibTorch header is reached: then no preamble is worth it.
  std::string Text;
  /// The includes that the project's files write and nobody finds.
  std::vector<std::string> Missing;
};

/// Preprocesses \p Invocation's file. Standard headers are left out: what
/// LibTorch includes of them is in its preamble anyway, and left in, their order
/// would make each file's preamble another one.
HoistedHeaders hoistHeaders(const clang::CompilerInvocation &Invocation,
                            FileSystemPtr FS, const Project &Files,
                            llvm::StringRef Directory);

} // namespace vramlint
