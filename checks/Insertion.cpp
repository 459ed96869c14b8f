//===- checks/Insertion.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See Insertion.h.

#include "checks/Insertion.h"
#include "checks/Surroundings.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace vramlint {

/// The blanks at the start of the line of \p Loc.
static std::string indentationOf(SourceLocation Loc, const SourceManager &SM) {
  auto [File, Offset] = SM.getDecomposedLoc(Loc);
  bool Invalid = false;
  llvm::StringRef Text = SM.getBufferData(File, &Invalid);
  if (Invalid)
    return "";
  size_t Start = Text.rfind('\n', Offset);
  Start = Start == llvm::StringRef::npos ? 0 : Start + 1;
  return Text.substr(Start, Text.find_first_not_of(" \t", Start) - Start).str();
}

std::optional<FixItHint> insertAtStart(const CompoundStmt &Block,
                                       std::string Line,
                                       const ASTContext &Context) {
  const SourceManager &SM = Context.getSourceManager();
  SourceLocation Brace = Block.getLBracLoc();
  if (Brace.isMacroID() || Block.body_empty())
    return std::nullopt;
  SourceLocation First = SM.getExpansionLoc(Block.body_front()->getBeginLoc());
  bool SameLine =
      SM.getSpellingLineNumber(First) == SM.getSpellingLineNumber(Brace);
  SourceLocation After = Brace.getLocWithOffset(1);
  if (SameLine)
    return FixItHint::CreateInsertion(After, " " + Line);
  return FixItHint::CreateInsertion(
      After, "\n" + indentationOf(First, SM) + Line);
}

std::optional<FixItHint> insertBefore(const CompoundStmt &Block,
                                      SourceLocation Loc, std::string Line,
                                      const ASTContext &Context) {
  const SourceManager &SM = Context.getSourceManager();
  for (const Stmt *S : Block.body())
    if (within(Loc, S->getSourceRange(), SM) && !S->getBeginLoc().isMacroID())
      return FixItHint::CreateInsertion(
          S->getBeginLoc(), Line + "\n" + indentationOf(S->getBeginLoc(), SM));
  return std::nullopt;
}

std::optional<FixItHint> insertAfter(SourceLocation Begin, SourceLocation End,
                                     std::string Line,
                                     const ASTContext &Context) {
  const SourceManager &SM = Context.getSourceManager();
  if (Begin.isMacroID() || End.isMacroID())
    return std::nullopt;
  SourceLocation After = Lexer::findLocationAfterToken(
      End, tok::semi, SM, Context.getLangOpts(), false);
  if (After.isInvalid())
    return std::nullopt;
  return FixItHint::CreateInsertion(
      After, "\n" + indentationOf(Begin, SM) + Line);
}

std::string freshName(const CompoundStmt &Block, std::string Name,
                      const SourceManager &SM) {
  auto [File, Offset] = SM.getDecomposedLoc(SM.getFileLoc(Block.getLBracLoc()));
  unsigned End = SM.getFileOffset(SM.getFileLoc(Block.getRBracLoc()));
  bool Invalid = false;
  llvm::StringRef Text = SM.getBufferData(File, &Invalid);
  if (Invalid || End < Offset)
    return Name;
  return Text.slice(Offset, End).contains(Name) ? Name + "_guard" : Name;
}

} // namespace vramlint
