//===- lib/interp/libs/Getopt.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// getopt and getopt_long of the C library: without --args no option is given.

#include "lib/interp/libs/Libraries.h"
#include "lib/interp/libs/Options.h"

using namespace clang;

namespace vramlint::stdlib {

/// The variables that getopt sets.
static Operand argument(Machine &M, CallSite &S) {
  return CellRef(&M.libraryState("optarg"));
}
static Operand index(Machine &M, CallSite &S) {
  Cell &C = M.libraryState("optind");
  if (C.V.isVoid())
    C.set(Value::integer(1));
  return CellRef(&C);
}
static Operand report(Machine &M, CallSite &S) { return integer(1); }

namespace {
/// One call: the next option of argv.
class Getopt {
public:
  Getopt(Machine &M, CallSite &S, const std::vector<std::string> &Words)
      : M(M), S(S), Words(Words), At(index(M, S).Place->V) {}

  Operand next(llvm::StringRef Letters) {
    // Words are argv from 1 on, optind is an index of argv.
    size_t I = At.isInt() ? At.asInt() - 1 : 0;
    Cell &Rest = M.libraryState("getopt"); // Letters left in one word.
    if (!Rest.V.isString() || Rest.V.string().empty()) {
      if (I >= Words.size() || Words[I].size() < 2 || Words[I][0] != '-')
        return integer(-1);
      At = Value::integer(I + 2);
      if (Words[I] == "--")
        return integer(-1);
      if (llvm::StringRef(Words[I]).starts_with("--"))
        return longOption(Words[I], I);
      Rest.set(Value(Words[I].substr(1)));
    }
    std::string Left = Rest.V.string();
    char C = Left[0];
    Left.erase(0, 1);
    size_t Declared = Letters.find(C);
    bool Takes = Declared != llvm::StringRef::npos &&
                 Letters.substr(Declared + 1).starts_with(":");
    if (Takes) {
      giveArgument(Left);
      Left.clear();
    }
    Rest.set(Value(Left));
    return integer(Declared == llvm::StringRef::npos ? '?' : C);
  }

private:
  /// optarg is \p Text, or else the next word.
  void giveArgument(std::string Text) {
    int64_t I = At.asInt() - 1;
    if (Text.empty() && I >= 0 && I < (int64_t)Words.size()) {
      Text = Words[I];
      At = Value::integer(I + 2);
    }
    M.libraryState("optarg").set(Value(std::move(Text)));
  }

  /// getopt_long: argument 3 is an array of {name, has_arg, flag, val}.
  Operand longOption(llvm::StringRef Word, size_t I) {
    auto [Name, Text] = Word.drop_front(2).split('=');
    Value *List = hasArg(S, 3) ? &argValue(S, 3) : nullptr;
    auto *All = List && List->isPointer() && List->pointer().Array
                    ? List->pointer().Array->V.as<Sequence>()
                    : nullptr;
    if (!All)
      return integer('?');
    for (const CellRef &E : All->Elements) {
      auto *R = E->V.as<Record>();
      if (!R || R->Fields.size() < 4 || textOf(R->Fields[0]->V) != Name)
        continue;
      if (R->Fields[1]->V.isInt() && R->Fields[1]->V.asInt())
        giveArgument(Text.str());
      return M.copy(R->Fields[3]->V);
    }
    return integer('?');
  }

  Machine &M;
  CallSite &S;
  const std::vector<std::string> &Words;
  Value &At;
};
} // namespace

static Operand getopt(Machine &M, CallSite &S) {
  std::optional<std::vector<std::string>> Words = wordsOf(argValue(S, 1));
  std::optional<std::string> Letters = textArg(S, 2);
  if (!Words) {
    M.domain().assumed(M, "options of the command line", "none given");
    return integer(-1);
  }
  if (!Letters)
    return M.unknownFrom(S, "options that are not known");
  return Getopt(M, S, *Words).next(*Letters);
}

static constexpr NativeEntry GetoptEntries[] = {
    {"getopt", getopt},   {"getopt_long", getopt}, {"getopt_long_only", getopt},
    {"optarg", argument}, {"optind", index},       {"opterr", report},
};
const Table GetoptTable = GetoptEntries;

} // namespace vramlint::stdlib
