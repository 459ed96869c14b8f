//===- lib/frontend/BodyFilter.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Which function bodies are parsed: all of the project's own, and of LibTorch's
// only the holders and options that the machine executes. Skipping the rest
// halves the time of a parse. A static_assert inside a skipped body is missed.

#pragma once

#include "clang/AST/ASTConsumer.h"
#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"
#include <functional>

namespace clang {
class Decl;
class SourceManager;
} // namespace clang

namespace vramlint {

/// Raised when the set of kept bodies changes: part of the cache's key.
constexpr int BodyFilterVersion = 1;

/// True for a header from outside whose bodies the machine executes.
bool keepsBodies(llvm::StringRef HeaderPath);

/// Decides for each function, remembering each file's answer.
class BodyFilter {
public:
  using Predicate = std::function<bool(clang::SourceLocation)>;
  /// \p IsExternal tells whether a place is outside the project.
  explicit BodyFilter(Predicate IsExternal)
      : IsExternal(std::move(IsExternal)) {}
  bool shouldSkip(const clang::Decl &D);

private:
  Predicate IsExternal;
  llvm::DenseMap<clang::FileID, bool> Skipped;
};

} // namespace vramlint
