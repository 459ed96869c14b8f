//===- checks/Surroundings.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Calls with the statements that stand around them: loops, conditions, handlers.
// For checks that ask how often, or when, a call runs.

#pragma once

#include "checks/UnitFacts.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace vramlint {

/// A statement and all that stand around it in one function, outermost first:
/// the last one is the statement itself.
using StmtPath = llvm::ArrayRef<const clang::Stmt *>;

/// Hands each call in the body of \p F to \p Do. Lambdas are functions of their
/// own and left out.
void forEachCall(const FunctionFacts &F,
                 llvm::function_ref<void(const clang::CallExpr &, StmtPath)> Do);

/// Where the innermost loop that repeats the last of \p Path stands in it; its
/// head, which runs once, is not repeated. Nothing: none.
std::optional<size_t> innermostLoop(StmtPath Path);

/// True if the last of \p Path is inside a catch handler.
bool inHandler(StmtPath Path);

/// True if \p Test holds for \p S or a statement below it, lambdas included.
bool anyBelow(const clang::Stmt *S,
              llvm::function_ref<bool(const clang::Stmt &)> Test);

/// True if what \p E says can differ from one iteration of \p Loop to the next:
/// it names a variable that the loop declares or changes, or calls something
/// that is not known to answer the same.
bool variesIn(const clang::Expr *E, const clang::Stmt &Loop);

/// True if \p Inner lies in the text of \p Outer.
bool within(clang::SourceLocation Inner, clang::SourceRange Outer,
            const clang::SourceManager &SM);

/// "predictFrame" has the word "frame": words start at capitals and after
/// anything that is not a letter. \p Words are starts of words, in small letters.
bool hasWord(llvm::StringRef Name, llvm::ArrayRef<llvm::StringRef> Words);

/// The name of \p F, or empty for operators, constructors and lambdas.
llvm::StringRef plainName(const clang::FunctionDecl &F);

} // namespace vramlint
