//===- lib/interp/libs/Cli11.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// CLI11: options are bound to variables, whose values are the defaults.

#include "lib/interp/libs/Libraries.h"
#include "lib/interp/libs/Options.h"

using namespace clang;

namespace vramlint::stdlib {

static Operand newSet(Machine &M, CallSite &S) { return newOptionSet(); }
static Operand ignored(Machine &M, CallSite &S) { return nothing(); }
static Operand same(Machine &M, CallSite &S) {
  return Value(PointerValue{S.Object});
}

/// add_option("-b,--batch", variable, "text") and add_flag: a pointer to the
/// option. A name without a dash is positional.
template <bool Flag>
static Operand addOption(Machine &M, CallSite &S, OptionSet &Set) {
  std::optional<std::string> Names = textArg(S, 0);
  if (!Names || optionNames(*Names).empty())
    return M.unknownFrom(S, "an option with a name that is not known");
  auto O = std::make_shared<ProgramOption>();
  O->Names = optionNames(*Names);
  O->Positional = Names->find('-') == std::string::npos;
  O->TakesValue = !Flag;
  QualType T = paramType(S, 1);
  bool Bound = hasArg(S, 1) && !T.isNull() && T->isLValueReferenceType() &&
               !T->getPointeeType().isConstQualified();
  if (Bound) {
    O->Variable = placeOf(S, 1);
    O->Form = formOf(T);
    O->Repeats = O->Form.List;
  }
  Set.S->Options.push_back(O);
  return Value(PointerValue{makeCell(
      Value(std::make_unique<OptionSet>(Set.S, O, O->Names.front())))});
}

static Operand setDefault(Machine &M, CallSite &S, OptionSet &Handle) {
  if (Handle.One && Handle.One->Variable)
    Handle.One->Variable->set(M.take(S, 0));
  return same(M, S);
}

static Operand parse(Machine &M, CallSite &S, OptionSet &Set) {
  Set.S->Words = hasArg(S, 1) ? wordsOf(argValue(S, 1)) : std::nullopt;
  Set.S->parse();
  storeVariables(M, *Set.S);
  return nothing();
}

static Operand count(Machine &M, CallSite &S, OptionSet &Set) {
  std::string Name = Set.One ? Set.Name : textArg(S, 0).value_or("?");
  return countOption(M, *Set.S, llvm::StringRef(Name).ltrim('-'));
}

#define APP(Name, Fn) {"CLI::App::" Name, on<OptionSet, Fn>}
#define OPTION(Name)                                                           \
  {"CLI::Option::" Name, same}, { "CLI::OptionBase::" Name, same }

static constexpr NativeEntry Cli11Entries[] = {
    {"CLI::App::App", newSet},
    APP("add_option", addOption<false>),
    APP("add_flag", addOption<true>),
    APP("parse", parse),
    APP("count", count),
    {"CLI::Option::default_val", on<OptionSet, setDefault>},
    {"CLI::Option::count", on<OptionSet, count>},
    {"CLI::Option::operator bool", on<OptionSet, count>},
    OPTION("required"),
    OPTION("group"),
    OPTION("check"),
    OPTION("transform"),
    OPTION("capture_default_str"),
    OPTION("expected"),
    OPTION("envname"),
    OPTION("needs"),
    OPTION("excludes"),
    OPTION("description"),
    OPTION("type_name"),
    {"CLI::App::set_config", ignored},
    {"CLI::App::set_version_flag", ignored},
    {"CLI::App::require_subcommand", ignored},
};
const Table Cli11Table = Cli11Entries;

} // namespace vramlint::stdlib
