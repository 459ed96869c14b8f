//===- lib/frontend/DefinitionScan.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Raw tokens only: nothing is preprocessed.

#include "lib/frontend/DefinitionScan.h"

#include "clang/Basic/LangOptions.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/SmallVector.h"
#include <string>
#include <vector>

using namespace llvm;

namespace vramlint {

namespace {

struct RawToken {
  clang::tok::TokenKind Kind;
  StringRef Text;
};

class DefinitionScanner {
public:
  explicit DefinitionScanner(StringRef Text);
  StringSet<> run();
  StringSet<> words() const;

private:
  bool is(size_t I, clang::tok::TokenKind K) const {
    return I < Tokens.size() && Tokens[I].Kind == K;
  }
  bool isWord(size_t I) const { return is(I, clang::tok::raw_identifier); }
  size_t afterParentheses(size_t I) const;
  size_t beforeTemplateArguments(size_t I) const;
  bool bodyFollows(size_t I) const;
  void noteAt(size_t Open);

  std::vector<RawToken> Tokens;
  StringSet<> Names;
};

} // namespace

DefinitionScanner::DefinitionScanner(StringRef Text) {
  clang::LangOptions Options;
  Options.CPlusPlus = Options.CPlusPlus11 = Options.CPlusPlus17 = true;
  Options.LineComment = true;
  std::string Terminated = Text.str();
  clang::Lexer Lex(clang::SourceLocation(), Options, Terminated.data(),
                   Terminated.data(), Terminated.data() + Terminated.size());
  clang::Token T;
  bool InDirective = false;
  while (!Lex.LexFromRawLexer(T)) {
    if (T.isAtStartOfLine())
      InDirective = T.is(clang::tok::hash);
    if (InDirective)
      continue;
    StringRef Spelled;
    if (T.is(clang::tok::raw_identifier))
      Spelled = T.getRawIdentifier();
    // The copy above dies; texts must point into the caller's.
    if (!Spelled.empty())
      Spelled = Text.substr(Spelled.data() - Terminated.data(), Spelled.size());
    Tokens.push_back({T.getKind(), Spelled});
  }
}

/// Past the ")" of the "(" at \p I; the end where none closes it.
size_t DefinitionScanner::afterParentheses(size_t I) const {
  int Depth = 0;
  for (; I < Tokens.size(); ++I) {
    if (is(I, clang::tok::l_paren))
      ++Depth;
    else if (is(I, clang::tok::r_paren) && --Depth == 0)
      return I + 1;
  }
  return Tokens.size();
}

/// For a ">" at \p I: the token before its "<". Else \p I.
size_t DefinitionScanner::beforeTemplateArguments(size_t I) const {
  if (!is(I, clang::tok::greater))
    return I;
  int Depth = 0;
  for (size_t J = I; J > 0; --J) {
    if (is(J, clang::tok::greater))
      ++Depth;
    else if (is(J, clang::tok::less) && --Depth == 0)
      return J - 1;
  }
  return I;
}

/// Whether a body starts after the parameters that end before \p I: past
/// "const noexcept -> T : a(b), c{d}".
bool DefinitionScanner::bodyFollows(size_t I) const {
  bool InInitializers = false;
  for (; I < Tokens.size(); ++I) {
    switch (Tokens[I].Kind) {
    case clang::tok::l_brace: // A body, or "c{d}", which has one after it.
      return true;
    case clang::tok::colon:
      InInitializers = true;
      break;
    case clang::tok::l_paren:
      I = afterParentheses(I) - 1;
      break;
    case clang::tok::raw_identifier:
    case clang::tok::coloncolon:
    case clang::tok::less:
    case clang::tok::greater:
    case clang::tok::arrow:
    case clang::tok::amp:
    case clang::tok::ampamp:
    case clang::tok::star:
      break;
    case clang::tok::comma:
      if (!InInitializers)
        return false;
      break;
    default:
      return false;
    }
  }
  return false;
}

/// Notes the function whose parameter list opens at \p Open.
void DefinitionScanner::noteAt(size_t Open) {
  if (Open == 0)
    return;
  size_t Name = Open - 1;
  std::string Text;
  if (isWord(Name) && Tokens[Name].Text != "operator") {
    Text = Tokens[Name].Text.str();
    if (Name > 0 && is(Name - 1, clang::tok::tilde)) {
      Text = "~" + Text;
      --Name;
    }
  } else {
    // operator+(, operator()(, operator[](: all under "operator".
    size_t Back = Name;
    for (int Step = 0; Step < 4 && Back > 0; ++Step, --Back)
      if (isWord(Back) && Tokens[Back].Text == "operator")
        break;
    if (!isWord(Back) || Tokens[Back].Text != "operator")
      return;
    Name = Back;
    Text = "operator";
  }
  if (!bodyFollows(afterParentheses(Open)))
    return;
  if (Name > 1 && is(Name - 1, clang::tok::coloncolon)) {
    size_t Class = beforeTemplateArguments(Name - 2);
    if (isWord(Class))
      Text = (Tokens[Class].Text + "::" + Text).str();
  }
  Names.insert(Text);
}

StringSet<> DefinitionScanner::run() {
  for (size_t I = 0; I < Tokens.size(); ++I)
    if (is(I, clang::tok::l_paren))
      noteAt(I);
  return std::move(Names);
}

StringSet<> DefinitionScanner::words() const {
  StringSet<> Words;
  for (const RawToken &T : Tokens)
    if (!T.Text.empty())
      Words.insert(T.Text);
  return Words;
}

StringSet<> definedNames(StringRef Text) {
  return DefinitionScanner(Text).run();
}

StringSet<> wordsIn(StringRef Text) { return DefinitionScanner(Text).words(); }

} // namespace vramlint
