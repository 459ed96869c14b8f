//===- lib/interp/libs/Gflags.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// gflags: FLAGS_x are variables of the program, registered by the DEFINE_
// macros. A flag that is defined in another file is not seen here.

#include "lib/interp/libs/Libraries.h"
#include "lib/interp/libs/Options.h"

using namespace clang;

namespace vramlint::stdlib {

static OptionSet::State &flags(Machine &M) {
  Cell &C = M.libraryState("gflags");
  if (C.V.isVoid())
    C.set(newOptionSet());
  return *C.V.as<OptionSet>()->S;
}

/// FlagRegisterer(name, help, file, &FLAGS_name, &default).
static Operand registerFlag(Machine &M, CallSite &S) {
  std::optional<std::string> Name = textArg(S, 0);
  if (Name && hasArg(S, 3) && argValue(S, 3).isPointer()) {
    auto O = std::make_shared<ProgramOption>();
    O->Names = {*Name};
    O->Variable = argValue(S, 3).pointer().Target;
    O->Form = formOf(functionTypeArg(S, 0));
    if (O->Form.Kind == OptionForm::Bool) // --flag, --flag=false
      O->Implicit = makeCell(Value::integer(1));
    flags(M).Options.push_back(std::move(O));
  }
  return integer(0);
}

/// ParseCommandLineFlags(&argc, &argv, remove).
static Operand parseFlags(Machine &M, CallSite &S) {
  OptionSet::State &Set = flags(M);
  Value &Argv = argValue(S, 1);
  if (Argv.isPointer() && Argv.pointer().Target)
    Set.Words = wordsOf(Argv.pointer().Target->V);
  Set.parse();
  storeVariables(M, Set);
  return integer(1);
}

static Operand ignored(Machine &M, CallSite &S) { return nothing(); }

#define FLAGS(Namespace)                                                       \
  {Namespace "::FlagRegisterer::FlagRegisterer", registerFlag},                \
      {Namespace "::ParseCommandLineFlags", parseFlags},                       \
      {Namespace "::ParseCommandLineNonHelpFlags", parseFlags},                \
      {Namespace "::SetUsageMessage", ignored},                                \
      {Namespace "::SetVersionString", ignored}, {                             \
    Namespace "::ShutDownCommandLineFlags", ignored                            \
  }

static constexpr NativeEntry GflagsEntries[] = {FLAGS("gflags"),
                                                FLAGS("google")};
const Table GflagsTable = GflagsEntries;

} // namespace vramlint::stdlib
