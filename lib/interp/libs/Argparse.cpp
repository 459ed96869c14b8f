//===- lib/interp/libs/Argparse.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// p-ranav/argparse: ArgumentParser and its Arguments.

#include "lib/interp/libs/Libraries.h"
#include "lib/interp/libs/Options.h"

using namespace clang;

namespace vramlint::stdlib {

static Operand newSet(Machine &M, CallSite &S) { return newOptionSet(); }
static Operand self(Machine &M, CallSite &S) { return stdlib::self(S); }
static Operand ignored(Machine &M, CallSite &S) { return nothing(); }
static Operand helpText(Machine &M, CallSite &S) {
  return quietUnknown(M, "the help text of the options");
}

static Operand handleOf(OptionSet &Set, OptionRef O, std::string Name) {
  return makeCell(
      Value(std::make_unique<OptionSet>(Set.S, std::move(O), std::move(Name))));
}

//===-- Declaring ---------------------------------------------------------===//

/// add_argument("-n", "--name"): without a dash it is positional.
static Operand addArgument(Machine &M, CallSite &S, OptionSet &Set) {
  std::string Listed;
  for (unsigned I = 0; I < S.Args.size(); ++I)
    if (std::optional<std::string> T = textArg(S, I))
      Listed += (Listed.empty() ? "" : ",") + *T;
  auto O = std::make_shared<ProgramOption>();
  O->Positional = !llvm::StringRef(Listed).starts_with("-");
  O->Names = optionNames(Listed);
  if (O->Names.empty())
    return M.unknownFrom(S, "an option with a name that is not known");
  Set.S->Options.push_back(O);
  return handleOf(Set, O, O->Names.front());
}

/// Setters of one option, which they return.
template <void (*Set)(Machine &, CallSite &, ProgramOption &)>
static Operand setter(Machine &M, CallSite &S, OptionSet &Handle) {
  if (Handle.One)
    Set(M, S, *Handle.One);
  return stdlib::self(S);
}

/// default_value("x") is a string.
static Value keptText(Machine &M, CallSite &S) {
  std::optional<std::string> T = textArg(S, 0);
  return T ? Value(*T) : M.take(S, 0);
}
static void setDefault(Machine &M, CallSite &S, ProgramOption &O) {
  O.Default = makeCell(keptText(M, S));
}
/// An any: what is in it.
static void setImplicit(Machine &M, CallSite &S, ProgramOption &O) {
  O.Implicit = makeCell(keptText(M, S));
  auto *Any = O.Implicit->V.as<Sequence>();
  if (Any && Any->Tag == Sequence::Any && !Any->Elements.empty())
    O.Implicit = Any->Elements[0];
  O.TakesValue = false;
}
static void setFlag(Machine &M, CallSite &S, ProgramOption &O) {
  O.Default = makeCell(Value::integer(0));
  O.Implicit = makeCell(Value::integer(1));
  O.TakesValue = false;
}
static void setAction(Machine &M, CallSite &S, ProgramOption &O) {
  O.Action = makeCell(M.take(S, 0));
}
static void setRepeats(Machine &M, CallSite &S, ProgramOption &O) {
  std::optional<int64_t> N = S.Args.empty() ? std::nullopt : intArg(S, 0);
  O.TakesValue = N != 0;
  O.Repeats = N != 0 && N != 1;
}
static void setVariable(Machine &M, CallSite &S, ProgramOption &O) {
  O.Variable = placeOf(S, 0);
  O.Form = formOf(paramType(S, 0));
}

//===-- Results -----------------------------------------------------------===//

static Operand parse(Machine &M, CallSite &S, OptionSet &Set) {
  Set.S->Words = S.Args.size() > 1 ? wordsOf(argValue(S, 1))
                 : hasArg(S, 0)    ? textsOf(argValue(S, 0))
                                   : std::nullopt;
  if (S.Args.size() == 1 && Set.S->Words && !Set.S->Words->empty())
    Set.S->Words->erase(Set.S->Words->begin()); // The program's name.
  Set.S->parse();
  storeVariables(M, *Set.S);
  return nothing();
}

/// get<T>(name); a string where no T is named.
static Operand get(Machine &M, CallSite &S, OptionSet &Set) {
  QualType T = functionTypeArg(S, 0);
  std::string Name = Set.One ? Set.Name : textArg(S, 0).value_or("?");
  llvm::StringRef Plain = llvm::StringRef(Name).ltrim('-');
  Operand O = readOption(M, *Set.S, Plain,
                         T.isNull() ? OptionForm{OptionForm::Text} : formOf(T));
  return M.copy(O.value());
}

static Operand present(Machine &M, CallSite &S, OptionSet &Set) {
  auto Found = makeSequence(Sequence::Optional);
  llvm::StringRef Name = Set.Name;
  std::optional<std::string> Text = hasArg(S, 0) ? textArg(S, 0) : std::nullopt;
  if (!Set.One && Text)
    Name = llvm::StringRef(*Text).ltrim('-');
  OptionRef O = Set.S->find(Name);
  if (!O || !Set.S->Words)
    return ungivenOption(M, Name);
  if (Set.S->Given.count(O.get()))
    Found->Elements.push_back(makeCell(M.copy(
        readOption(M, *Set.S, Name, formOf(functionTypeArg(S, 0))).value())));
  return Value(std::move(Found));
}

static Operand isUsed(Machine &M, CallSite &S, OptionSet &Set) {
  return countOption(M, *Set.S,
                     llvm::StringRef(textArg(S, 0).value_or("?")).ltrim('-'));
}

static Operand subscript(Machine &M, CallSite &S, OptionSet &Set) {
  std::string Name =
      llvm::StringRef(textArg(S, 0).value_or("?")).ltrim('-').str();
  return handleOf(Set, Set.S->find(Name), Name);
}

/// `parser["--flag"] == true`.
template <bool Negate>
static Operand compares(Machine &M, CallSite &S, OptionSet &Handle) {
  Operand O = readOption(M, *Handle.S, Handle.Name, formOf(paramType(S, 0)));
  std::optional<int> C = compareValues(O.value(), argValue(S, 0));
  if (!C)
    return O.value().isUnknown() ? Operand(M.copy(O.value()))
                                 : M.unknownFrom(S, "comparison of an option");
  return integer((*C == 0) != Negate);
}

#define PARSER(Name, Fn) {"argparse::ArgumentParser::" Name, on<OptionSet, Fn>}
#define ARGUMENT(Name, Fn) {"argparse::Argument::" Name, on<OptionSet, Fn>}
#define SAME(Name) {"argparse::Argument::" Name, self}

static constexpr NativeEntry ArgparseEntries[] = {
    {"argparse::ArgumentParser::ArgumentParser", newSet},
    PARSER("add_argument", addArgument),
    PARSER("parse_args", parse),
    PARSER("parse_known_args", parse),
    PARSER("get", get),
    PARSER("present", present),
    PARSER("is_used", isUsed),
    PARSER("operator[]", subscript),
    {"argparse::ArgumentParser::add_description", self},
    {"argparse::ArgumentParser::add_epilog", self},
    {"argparse::ArgumentParser::help", helpText},
    {"argparse::ArgumentParser::usage", helpText},
    {"argparse::ArgumentParser::print_help", ignored},
    {"argparse::operator<<", self},
    ARGUMENT("default_value", setter<setDefault>),
    ARGUMENT("implicit_value", setter<setImplicit>),
    ARGUMENT("flag", setter<setFlag>),
    ARGUMENT("action", setter<setAction>),
    ARGUMENT("nargs", setter<setRepeats>),
    ARGUMENT("remaining", setter<setRepeats>),
    ARGUMENT("store_into", setter<setVariable>),
    ARGUMENT("get", get),
    ARGUMENT("present", present),
    ARGUMENT("operator==", compares<false>),
    ARGUMENT("operator!=", compares<true>),
    SAME("help"),
    SAME("metavar"),
    SAME("required"),
    SAME("append"),
    SAME("scan"),
    SAME("choices"),
    SAME("hidden"),
};
const Table ArgparseTable = ArgparseEntries;

} // namespace vramlint::stdlib
