//===- lib/interp/libs/Cxxopts.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// cxxopts: defaults are texts, read as the type that as<T>() names.

#include "lib/interp/libs/Libraries.h"
#include "lib/interp/libs/Options.h"

using namespace clang;

namespace vramlint::stdlib {

static Operand newSet(Machine &M, CallSite &S) { return newOptionSet(); }
static Operand self(Machine &M, CallSite &S) { return stdlib::self(S); }
static Operand ignored(Machine &M, CallSite &S) { return nothing(); }
static Operand sharing(Machine &M, CallSite &S, OptionSet &Set) {
  return newOptionSet(Set);
}
static Operand helpText(Machine &M, CallSite &S) {
  return quietUnknown(M, "the help text of the options");
}

//===-- Declaring ---------------------------------------------------------===//

/// A shared_ptr to the option in \p C, as all that has to do with a Value
/// gives.
static Value shared(CellRef C) {
  auto P = std::make_unique<SmartPtr>(SmartPtr::Shared);
  P->Target = C;
  P->Strong = C->OwnedBy.lock();
  if (!P->Strong)
    C->OwnedBy = P->Strong = std::make_shared<HeapOwner>(C);
  return Value(std::move(P));
}

/// value<T>() and value(variable). A bool is false, and true where it is given.
static Operand typedValue(Machine &M, CallSite &S) {
  auto O = std::make_shared<ProgramOption>();
  O->Form = formOf(functionTypeArg(S, 0));
  if (hasArg(S, 0))
    O->Variable = placeOf(S, 0);
  if (O->Form.Kind == OptionForm::Bool && !O->Form.List) {
    O->Default = makeCell(Value(std::string("false")));
    O->Implicit = makeCell(Value::integer(1));
  }
  return shared(makeCell(Value(std::make_unique<OptionObject>(O))));
}

static Operand setDefault(Machine &M, CallSite &S, OptionObject &O) {
  O.Option->Default = S.Args.empty() ? nullptr : makeCell(M.take(S, 0));
  return shared(S.Object);
}
static Operand setImplicit(Machine &M, CallSite &S, OptionObject &O) {
  O.Option->Implicit = nullptr;
  if (!S.Args.empty())
    if (std::optional<std::string> T = textArg(S, 0))
      if (std::optional<Value> V = fromTexts(M, *T, O.Option->Form))
        O.Option->Implicit = makeCell(std::move(*V));
  return shared(S.Object);
}

/// The option that argument \p I, a shared_ptr<Value>, declares; without one it
/// is a switch.
static OptionRef declaredBy(Machine &M, CallSite &S, unsigned I) {
  auto *P = hasArg(S, I) ? argValue(S, I).as<SmartPtr>() : nullptr;
  if (auto *O = P && P->Target ? P->Target->V.as<OptionObject>() : nullptr)
    return O->Option;
  auto O = std::make_shared<ProgramOption>();
  O->Form = {OptionForm::Bool};
  O->TakesValue = false;
  O->Default = makeCell(Value(std::string("false")));
  return O;
}

/// add_options()("b,batch", "text", value<int>()).
static Operand addOption(Machine &M, CallSite &S, OptionSet &Set) {
  std::optional<std::string> Names = textArg(S, 0);
  if (!Names)
    return stdlib::self(S);
  OptionRef O = declaredBy(M, S, 2);
  O->Names = optionNames(*Names);
  if (!O->Names.empty())
    Set.S->Options.push_back(std::move(O));
  return stdlib::self(S);
}

static Operand setPositional(Machine &M, CallSite &S, OptionSet &Set) {
  std::vector<std::string> Names;
  if (std::optional<std::string> One = textArg(S, 0))
    Names = {*One};
  else if (hasArg(S, 0))
    Names = textsOf(argValue(S, 0)).value_or(std::vector<std::string>());
  for (const std::string &Name : Names)
    if (OptionRef O = Set.S->find(Name)) {
      O->Positional = true;
      O->Repeats = O->Form.List;
    }
  return nothing();
}

//===-- Results -----------------------------------------------------------===//

static Operand parse(Machine &M, CallSite &S, OptionSet &Set) {
  Value V = newOptionSet();
  OptionSet::State &New = *V.as<OptionSet>()->S;
  New.Options = Set.S->Options;
  New.Words = hasArg(S, 1) ? wordsOf(argValue(S, 1)) : std::nullopt;
  New.parse();
  storeVariables(M, New);
  return V;
}

static Operand count(Machine &M, CallSite &S, OptionSet &Set) {
  std::optional<std::string> Name = textArg(S, 0);
  return countOption(M, *Set.S, Set.One ? Set.Name : Name.value_or("?"));
}

static Operand subscript(Machine &M, CallSite &S, OptionSet &Set) {
  std::string Name = textArg(S, 0).value_or("?");
  return makeCell(
      Value(std::make_unique<OptionSet>(Set.S, Set.S->find(Name), Name)));
}

static Operand valueAs(Machine &M, CallSite &S, OptionSet &Set) {
  return readOption(M, *Set.S, Set.Name, formOf(functionTypeArg(S, 0)));
}

#define SET(Name, Fn) {"cxxopts::" Name, on<OptionSet, Fn>}
#define VALUE(Name, Fn)                                                        \
  {"cxxopts::Value::" Name, on<OptionObject, Fn>}, {                           \
    "cxxopts::values::abstract_value::" Name, on<OptionObject, Fn>             \
  }

static constexpr NativeEntry CxxoptsEntries[] = {
    {"cxxopts::Options::Options", newSet},
    SET("Options::add_options", sharing),
    SET("OptionAdder::operator()", addOption),
    SET("Options::parse_positional", setPositional),
    {"cxxopts::Options::positional_help", self},
    {"cxxopts::Options::show_positional_help", self},
    {"cxxopts::Options::custom_help", self},
    {"cxxopts::Options::allow_unrecognised_options", self},
    {"cxxopts::Options::set_width", self},
    {"cxxopts::Options::set_tab_expansion", self},
    {"cxxopts::Options::help", helpText},
    {"cxxopts::value", typedValue},
    VALUE("default_value", setDefault),
    VALUE("implicit_value", setImplicit),
    VALUE("no_implicit_value", setImplicit),
    SET("Options::parse", parse),
    {"cxxopts::ParseResult::ParseResult", newSet},
    SET("ParseResult::count", count),
    SET("ParseResult::contains", count),
    SET("ParseResult::operator[]", subscript),
    SET("OptionValue::as", valueAs),
    SET("OptionValue::count", count),
    {"cxxopts::ParseResult::arguments", helpText},
    {"cxxopts::ParseResult::unmatched", helpText},
    {"cxxopts::OptionAdder::~OptionAdder", ignored},
};
const Table CxxoptsTable = CxxoptsEntries;

} // namespace vramlint::stdlib
