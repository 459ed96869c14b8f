//===- lib/interp/libs/BoostOptions.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// boost::program_options. A variables_map is the std::map that it derives from,
// of anys; it is open where argv is not known.

#include "lib/interp/libs/Libraries.h"
#include "lib/interp/libs/Options.h"

using namespace clang;

namespace vramlint::stdlib {

//===-- Declaring ---------------------------------------------------------===//

static Operand newSet(Machine &M, CallSite &S) { return newOptionSet(); }
static Operand self(Machine &M, CallSite &S) { return stdlib::self(S); }
static Operand ignored(Machine &M, CallSite &S) { return nothing(); }

/// Another handle of the same options.
static Operand sharing(Machine &M, CallSite &S, OptionSet &Set) {
  return newOptionSet(Set);
}

static Value pointerTo(CellRef C) { return Value(PointerValue{std::move(C)}); }

static Value declared(QualType Type, CellRef Variable) {
  auto O = std::make_shared<ProgramOption>();
  O->Form = formOf(Type);
  O->Repeats = O->Form.List;
  O->Variable = std::move(Variable);
  return pointerTo(makeCell(Value(std::make_unique<OptionObject>(O))));
}

static CellRef variableArg(CallSite &S) {
  return hasArg(S, 0) && argValue(S, 0).isPointer()
             ? argValue(S, 0).pointer().Target
             : nullptr;
}

static Operand typedValue(Machine &M, CallSite &S) {
  return declared(functionTypeArg(S, 0), variableArg(S));
}

static Operand boolSwitch(Machine &M, CallSite &S) {
  Value V = declared(M.context().BoolTy, variableArg(S));
  ProgramOption &O = *V.pointer().Target->V.as<OptionObject>()->Option;
  O.TakesValue = false;
  O.Default = makeCell(Value::integer(0));
  return V;
}

static Operand setDefault(Machine &M, CallSite &S, OptionObject &O) {
  O.Option->Default = makeCell(M.take(S, 0));
  return pointerTo(S.Object);
}
static Operand setImplicit(Machine &M, CallSite &S, OptionObject &O) {
  O.Option->Implicit = makeCell(M.take(S, 0));
  return pointerTo(S.Object);
}
static Operand setRepeats(Machine &M, CallSite &S, OptionObject &O) {
  O.Option->Repeats = true;
  return pointerTo(S.Object);
}
static Operand sameOption(Machine &M, CallSite &S) {
  return pointerTo(S.Object);
}

/// add_options()("name,n", value, "text") and ("name", "text").
static Operand addOption(Machine &M, CallSite &S, OptionSet &Set) {
  std::optional<std::string> Names = textArg(S, 0);
  if (!Names)
    return stdlib::self(S);
  OptionRef O = std::make_shared<ProgramOption>();
  auto *Given = hasArg(S, 1) && argValue(S, 1).isPointer() &&
                        argValue(S, 1).pointer().Target
                    ? argValue(S, 1).pointer().Target->V.as<OptionObject>()
                    : nullptr;
  if (Given)
    O = Given->Option;
  else
    O->TakesValue = false;
  auto [Long, Short] = llvm::StringRef(*Names).split(',');
  O->Names = {Long.str()};
  if (!Short.empty())
    O->Names.push_back(Short.str());
  Set.S->Options.push_back(std::move(O));
  return stdlib::self(S);
}

static Operand addAll(Machine &M, CallSite &S, OptionSet &Set) {
  if (auto *Other = argValue(S, 0).as<OptionSet>())
    llvm::append_range(Set.S->Options, Other->S->Options);
  return stdlib::self(S);
}

/// positional_options_description::add: options of their own, joined by name.
static Operand addPositional(Machine &M, CallSite &S, OptionSet &Set) {
  if (std::optional<std::string> Name = textArg(S, 0)) {
    auto O = std::make_shared<ProgramOption>();
    O->Names = {*Name};
    O->Repeats = intArg(S, 1).value_or(1) != 1;
    Set.S->Options.push_back(std::move(O));
  }
  return stdlib::self(S);
}

//===-- Parsing -----------------------------------------------------------===//

/// A result of its own: the words, and the options of \p From.
static Value parsed(const OptionSet *From,
                    std::optional<std::vector<std::string>> Words) {
  Value V = newOptionSet();
  OptionSet::State &New = *V.as<OptionSet>()->S;
  if (From)
    New.Options = From->S->Options;
  New.Words = std::move(Words);
  New.parse();
  return V;
}

static Operand parseCommandLine(Machine &M, CallSite &S) {
  return parsed(hasArg(S, 2) ? argValue(S, 2).as<OptionSet>() : nullptr,
                wordsOf(argValue(S, 1)));
}

static Operand commandLineParser(Machine &M, CallSite &S) {
  Value V = newOptionSet();
  OptionSet::State &New = *V.as<OptionSet>()->S;
  New.Words = S.Args.size() > 1 ? wordsOf(argValue(S, 1))
              : hasArg(S, 0)    ? textsOf(argValue(S, 0))
                                : std::nullopt;
  return V;
}
static Operand parserOptions(Machine &M, CallSite &S, OptionSet &Parser) {
  if (auto *Described = argValue(S, 0).as<OptionSet>())
    Parser.S->Options = Described->S->Options;
  return stdlib::self(S);
}
static Operand parserPositional(Machine &M, CallSite &S, OptionSet &Parser) {
  if (auto *Named = argValue(S, 0).as<OptionSet>())
    for (const OptionRef &P : Named->S->Options)
      if (OptionRef O = Parser.S->find(P->Names.front())) {
        O->Positional = true;
        O->Repeats |= P->Repeats;
      }
  return stdlib::self(S);
}
static Operand runParser(Machine &M, CallSite &S, OptionSet &Parser) {
  return parsed(&Parser, Parser.S->Words);
}

/// parse_config_file and parse_environment: what they give is not known.
static Operand parseElsewhere(Machine &M, CallSite &S) {
  for (Operand &A : S.Args)
    if (auto *Described = A.value().as<OptionSet>())
      return parsed(Described, std::nullopt);
  return parsed(nullptr, std::nullopt);
}

//===-- variables_map -----------------------------------------------------===//

static Operand newMap(Machine &M, CallSite &S) {
  return Value(makeSequence(Sequence::Map));
}

/// A variable_value: an any; Alternative 1: it is the default.
static Value variable(Value V, bool Defaulted) {
  auto Any = makeSequence(Sequence::Any);
  Any->Alternative = Defaulted;
  if (!V.isVoid())
    Any->Elements.push_back(makeCell(std::move(V)));
  return Value(std::move(Any));
}

/// store(parsed, map): what is there already stays, unless it is a default.
static Operand store(Machine &M, CallSite &S) {
  auto *From = argValue(S, 0).as<OptionSet>();
  auto *Map = argValue(S, 1).as<Sequence>();
  if (!From || !Map)
    return nothing();
  OptionSet::State &Set = *From->S;
  Map->Open |= !Set.Words;
  for (const OptionRef &O : Set.Options) {
    Value V =
        Set.Words || O->Default ? optionValue(M, Set, *O, O->Form) : Value();
    if (V.isVoid())
      continue;
    auto Pair = makeSequence(Sequence::Pair);
    Pair->Elements.push_back(makeCell(Value(O->Names.front())));
    Pair->Elements.push_back(
        makeCell(variable(std::move(V), !Set.Given.count(O.get()))));
    insertSorted(M, *Map, Value(std::move(Pair)), /*Multi=*/false);
  }
  storeVariables(M, Set);
  return nothing();
}

static Operand subscript(Machine &M, CallSite &S, Sequence &Map) {
  std::optional<std::string> Name = textArg(S, 0);
  if (!Name)
    return unknownPlace(
        M.unknownFrom(S, "option with a name that is not known"));
  if (std::optional<int64_t> I = lowerBound(M, Map, Value(*Name));
      I && *I < (int64_t)Map.Elements.size())
    if (auto *Pair = Map.Elements[*I]->V.as<Sequence>();
        Pair && Pair->Elements[0]->V.isString() &&
        Pair->Elements[0]->V.string() == *Name)
      return Pair->Elements[1];
  if (Map.Open)
    return unknownPlace(ungivenOption(M, *Name));
  return makeCell(variable(Value(), false));
}

static Operand valueAs(Machine &M, CallSite &S, Sequence &Any) {
  if (!Any.Elements.empty())
    return Any.Elements[0];
  M.throwException("an option that is not given is read");
  return nothing();
}
static Operand isEmpty(Machine &M, CallSite &S, Sequence &Any) {
  return integer(Any.Elements.empty());
}
static Operand isDefault(Machine &M, CallSite &S, Sequence &Any) {
  return integer(Any.Alternative);
}

//===-- Table -------------------------------------------------------------===//

#define PO(Name) "boost::program_options::" Name
#define OPTION(Name, Fn) {PO("typed_value::" Name), on<OptionObject, Fn>}
#define SET(Name, Fn) {PO(Name), on<OptionSet, Fn>}
#define MAP(Name, Fn) {PO(Name), on<Sequence, Fn>}

static constexpr NativeEntry BoostOptionsEntries[] = {
    {PO("options_description::options_description"), newSet},
    SET("options_description::add_options", sharing),
    SET("options_description::add", addAll),
    SET("options_description_easy_init::operator()", addOption),
    {PO("operator<<"), self},
    {PO("value"), typedValue},
    {PO("bool_switch"), boolSwitch},
    OPTION("default_value", setDefault),
    OPTION("implicit_value", setImplicit),
    OPTION("multitoken", setRepeats),
    {PO("typed_value::composing"), sameOption},
    {PO("typed_value::notifier"), sameOption},
    {PO("typed_value::required"), sameOption},
    {PO("typed_value::value_name"), sameOption},
    {PO("typed_value::zero_tokens"), sameOption},
    {PO("positional_options_description::positional_options_description"),
     newSet},
    SET("positional_options_description::add", addPositional),
    {PO("parse_command_line"), parseCommandLine},
    {PO("basic_command_line_parser::basic_command_line_parser"),
     commandLineParser},
    SET("basic_command_line_parser::options", parserOptions),
    SET("basic_command_line_parser::positional", parserPositional),
    SET("basic_command_line_parser::run", runParser),
    {PO("basic_command_line_parser::allow_unregistered"), self},
    {PO("basic_command_line_parser::style"), self},
    {PO("parse_config_file"), parseElsewhere},
    {PO("parse_environment"), parseElsewhere},
    {PO("variables_map::variables_map"), newMap},
    {PO("store"), store},
    {PO("notify"), ignored},
    {"boost::function_base::function_base", ignored}, // An extra parser: none.
    {PO("variables_map::notify"), ignored},
    MAP("variables_map::operator[]", subscript),
    MAP("abstract_variables_map::operator[]", subscript),
    MAP("variable_value::as", valueAs),
    MAP("variable_value::value", valueAs),
    MAP("variable_value::empty", isEmpty),
    MAP("variable_value::defaulted", isDefault),
};
const Table BoostOptionsTable = BoostOptionsEntries;

} // namespace vramlint::stdlib
