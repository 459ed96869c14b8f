//===- lib/frontend/UnitProvider.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// How the machine reaches function bodies that live in another translation unit.

#pragma once

#include "llvm/ADT/StringSet.h"
#include <optional>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
class FunctionDecl;
class Sema;
} // namespace clang

namespace vramlint {

/// One parsed translation unit, as the machine needs it. Sema is null where a
/// host gives none: then nothing can be instantiated on demand.
struct UnitView {
  clang::ASTContext *Context = nullptr;
  clang::Sema *Sema = nullptr;
  /// The precompiled preamble holds headers of the project too, as clangd's does;
  /// ours holds only what is from outside.
  bool OwnHeadersInPreamble = false;
};

/// Finds and loads the unit that defines a function. A unit that was given out
/// stays alive as long as the provider.
class UnitProvider {
public:
  virtual ~UnitProvider() = default;
  /// The definition of \p F, declared but not defined in its own unit, and the
  /// unit it is in. Nothing: none or several define it, or it can't be parsed.
  virtual const clang::FunctionDecl *definitionOf(const clang::FunctionDecl &F,
                                                  UnitView &Unit) = 0;

  /// A file of the project that is not parsed: only its identifiers are known.
  struct SourceWords {
    std::string File;
    llvm::StringSet<> Words;
    bool Defines = false; ///< It seems to define the function asked for.
  };
  /// The other source files whose text names \p F. None where the host knows no
  /// other files.
  virtual std::vector<SourceWords> filesNaming(const clang::FunctionDecl &F) {
    return {};
  }
  /// Why the last definitionOf() gave nothing, where that can be mended:
  /// "model.cpp doesn't compile". Else empty.
  virtual std::string whyNot() const { return ""; }
};

} // namespace vramlint
