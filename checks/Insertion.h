//===- checks/Insertion.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Fix-its that insert a line, indented as its neighbours are.

#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Stmt.h"
#include "clang/Basic/Diagnostic.h"
#include <optional>
#include <string>

namespace vramlint {

/// \p Line as the first of \p Block; nothing where that is inside a macro.
std::optional<clang::FixItHint> insertAtStart(const clang::CompoundStmt &Block,
                                              std::string Line,
                                              const clang::ASTContext &Context);

/// \p Line before the statement of \p Block that holds \p Loc; nothing where that
/// is inside a macro.
std::optional<clang::FixItHint> insertBefore(const clang::CompoundStmt &Block,
                                             clang::SourceLocation Loc,
                                             std::string Line,
                                             const clang::ASTContext &Context);

/// \p Line after the statement whose last expression ends at \p End; nothing if
/// its semicolon does not follow at once.
std::optional<clang::FixItHint> insertAfter(clang::SourceLocation Begin,
                                            clang::SourceLocation End,
                                            std::string Line,
                                            const clang::ASTContext &Context);

/// \p Name, or with a suffix if the text of \p Block has such a word.
std::string freshName(const clang::CompoundStmt &Block, std::string Name,
                      const clang::SourceManager &SM);

} // namespace vramlint
