//===- lib/interp/libs/Options.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What the models of libraries for command lines share: the options that a
// program declares, and what argv says of them.
//
//   declared options + argv (--args) ─► OptionSet::State::Given ─► readOption()
//
// Without --args an option is at its default: an assumption, which is told. A
// switch that is off then stays unknown, so that what it turns on is looked at
// too.

#pragma once

#include "lib/interp/stdlib/Native.h"
#include <map>

namespace vramlint::stdlib {

/// What the text of an option becomes.
struct OptionForm {
  enum KindTy { Text, Integer, Real, Bool, Other } Kind = Text;
  bool List = false; ///< A vector of them.
};
OptionForm formOf(clang::QualType Type);

/// One option, as the program declares it. The values are kept in places of
/// their own; a null place: none.
struct ProgramOption {
  std::vector<std::string> Names; ///< Without dashes, the long one first.
  OptionForm Form;
  bool TakesValue = true;
  bool Repeats = false; ///< All words up to the next option belong to it.
  bool Positional = false;
  CellRef Default;
  CellRef Implicit; ///< Where it is given without a value.
  CellRef Variable; ///< The program's own: it gets the value.
  CellRef Action;   ///< A function that makes the value of the text.
};
using OptionRef = std::shared_ptr<ProgramOption>;

/// An option that is being declared: `po::value<int>()`, `add_argument("-n")`.
class OptionObject : public Object {
public:
  OptionRef Option;
  explicit OptionObject(OptionRef O)
      : Object(OptionKind), Option(std::move(O)) {}
  std::unique_ptr<Object> copy(Machine &) const override {
    return std::make_unique<OptionObject>(Option);
  }
  static bool classof(const Object *O) { return O->Kind == OptionKind; }
};

/// Descriptions, parsers and results, or one option in them: they share one
/// state.
class OptionSet : public Object {
public:
  struct State {
    std::vector<OptionRef> Options;
    bool Parsed = false;
    /// argv without the program; nothing: not told.
    std::optional<std::vector<std::string>> Words;
    std::map<const ProgramOption *, std::vector<std::string>> Given;
    std::map<const ProgramOption *, CellRef> Read; ///< What readOption() gave.

    OptionRef find(llvm::StringRef Name) const; ///< Null: none.
    /// Sorts Words into Given.
    void parse();
  };
  std::shared_ptr<State> S;
  OptionRef One;    ///< The handle of one option; null: of all, or of none.
  std::string Name; ///< What it was asked for as.

  explicit OptionSet(std::shared_ptr<State> S, OptionRef One = nullptr,
                     std::string Name = "")
      : Object(OptionSetKind), S(std::move(S)), One(std::move(One)),
        Name(std::move(Name)) {}
  std::unique_ptr<Object> copy(Machine &) const override {
    return std::make_unique<OptionSet>(S, One, Name);
  }
  static bool classof(const Object *O) { return O->Kind == OptionSetKind; }
};

Value newOptionSet();
Value newOptionSet(const OptionSet &Shared);

/// "b,batch", "-b,--batch": names without dashes, the longest first.
std::vector<std::string> optionNames(llvm::StringRef Listed);

/// The words of argv; nothing if they are not known.
std::optional<std::vector<std::string>> wordsOf(const Value &Argv);
/// The texts in a vector or list of strings.
std::optional<std::vector<std::string>> textsOf(const Value &List);

/// \p Texts as a value of that form; nothing if they are none.
std::optional<Value> fromTexts(Machine &M, llvm::ArrayRef<std::string> Texts,
                               OptionForm Form);

/// Was the option given? Nothing: argv is not known.
std::optional<bool> isGiven(const OptionSet::State &S, const ProgramOption &O);
/// The option's value: given, at its default, or Unknown; void if a known argv
/// does not give it and there is no default.
Value optionValue(Machine &M, OptionSet::State &S, const ProgramOption &O,
                  OptionForm Form);
/// The same in a place that lasts as long as the result; throws where the
/// library would.
Operand readOption(Machine &M, OptionSet::State &S, llvm::StringRef Name,
                   OptionForm Form);
/// How often it was given; Unknown with an unknown argv.
Operand countOption(Machine &M, OptionSet::State &S, llvm::StringRef Name);
/// Unknown since the user has to give it.
Value ungivenOption(Machine &M, llvm::StringRef Name);
/// Stores the values of options that are bound to variables.
void storeVariables(Machine &M, OptionSet::State &S);

} // namespace vramlint::stdlib
