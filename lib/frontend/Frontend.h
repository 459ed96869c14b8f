//===- lib/frontend/Frontend.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Compile command in, AST out.
//
//   1. loadUnit() parses the file: LibTorch's headers come out of the
//      PreambleCache, bodies in external headers are skipped.
//   2. The Unit keeps the compiler alive, Sema included, so that templates can be
//      instantiated on demand. Traversal is limited to the project's own code.
//   3. runExtraConsumers() gives the AST to the consumers that the caller added
//      (clang-tidy's), when the caller wants it.
//   4. The destructor ends the compilation.

#pragma once

#include "lib/frontend/CompileFlags.h"
#include "lib/frontend/Project.h"
#include "lib/frontend/UnitProvider.h"
#include "lib/support/SourcePos.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace clang {
class ASTConsumer;
class CompilerInstance;
class DiagnosticConsumer;
class SourceLocation;
} // namespace clang

namespace vramlint {

class PreambleCache;

/// What the compiler said about a file.
struct CompilerDiagnostic {
  bool IsError = true;   ///< false: a note that belongs to the error before it.
  SourcePos Pos;
  std::string Message;   ///< "use of undeclared identifier 'x'".
  std::string Text;      ///< As clang prints it, with caret and notes.
  std::string MissingHeader; ///< "opencv2/opencv.hpp" where that is the error.
};

struct FrontendOptions {
  FileSystemPtr FS;                ///< Null: the real one.
  PreambleCache *Cache = nullptr;  ///< Null: LibTorch's headers are parsed.
  /// Gets the parse's diagnostics too (clang-tidy's consumer). Not owned; must
  /// outlive the unit.
  clang::DiagnosticConsumer *Diagnostics = nullptr;
  bool Colors = false;             ///< In CompilerDiagnostic::Text.
  bool KeepAllBodies = false;      ///< For comparison: nothing is skipped.
};

/// Makes one more consumer for the same parse.
using ConsumerHook = std::function<std::unique_ptr<clang::ASTConsumer>(
    clang::CompilerInstance &, llvm::StringRef File)>;

/// A parsed translation unit, kept alive.
class Unit {
public:
  ~Unit();
  Unit(const Unit &) = delete;
  Unit &operator=(const Unit &) = delete;

  /// Context and Sema. Requires: used by one thread at a time.
  UnitView view() const;
  clang::CompilerInstance &compiler() const;
  const CompileCommand &command() const;
  const Project &project() const;

  /// The compiler's errors, in order. With errors there is an AST, but nothing
  /// that rests on it may be shown.
  const std::vector<CompilerDiagnostic> &diagnostics() const;
  bool hasErrors() const { return !diagnostics().empty(); }

  /// True for a place in a header from outside the project (also for an invalid
  /// place and for the compiler's built-ins).
  bool isExternal(clang::SourceLocation Loc) const;

  /// Gives the AST to the hook's consumer. Once.
  void runExtraConsumers();

  /// Whether LibTorch's headers came out of the cache.
  bool usedPreamble() const;

private:
  friend struct UnitLoader;
  struct Impl;
  explicit Unit(std::unique_ptr<Impl> I);
  std::unique_ptr<Impl> I;
};

/// Parses \p Command's file. Fails where no AST can be made: no such file, a
/// binary file, unusable flags, a crash of the compiler. Errors in the source are
/// no failure: see Unit::diagnostics().
llvm::Expected<std::unique_ptr<Unit>> loadUnit(const CompileCommand &Command,
                                               const FrontendOptions &Options,
                                               const ConsumerHook &Hook = {});

/// Runs \p Work on a thread with a big stack; a crash in it becomes an error that
/// names \p What, and the process lives on.
llvm::Error runGuarded(llvm::StringRef What, llvm::function_ref<void()> Work);

/// The macro that clang-tidy and we define.
inline constexpr const char *AnalyzerMacro = "__clang_analyzer__";

} // namespace vramlint
