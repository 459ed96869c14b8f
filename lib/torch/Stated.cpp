//===- lib/torch/Stated.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See Stated.h.

#include "lib/torch/Stated.h"
#include "llvm/ADT/StringExtras.h"

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace vramlint {

template <typename... Ts> static Error fail(Ts &&...Parts) {
  return llvm::createStringError((llvm::Twine("") + ... + llvm::Twine(Parts)).str());
}

namespace {

/// Reads literals divided by commas, up to a closing bracket.
class LiteralReader {
public:
  explicit LiteralReader(StringRef Text) : Whole(Text), Rest(Text) {}
  Expected<StatedValue::List> list(char Close, unsigned Depth = 0);
  StringRef rest() const { return Rest; }

private:
  Expected<StatedValue> one(unsigned Depth);
  Expected<StatedValue> text();
  Expected<StatedValue> word();

  StringRef Whole, Rest;
};

} // namespace

Expected<StatedValue> LiteralReader::text() {
  std::string Text;
  for (Rest = Rest.drop_front(); !Rest.empty(); Rest = Rest.drop_front()) {
    if (Rest.front() == '"') {
      Rest = Rest.drop_front();
      return StatedValue{Text};
    }
    Text += Rest.front();
  }
  return fail("the text has no closing quote in '", Whole, "'");
}

Expected<StatedValue> LiteralReader::word() {
  StringRef Word = Rest.take_until([](char C) {
    return C == ',' || C == ')' || C == '}' || llvm::isSpace(C);
  });
  Rest = Rest.drop_front(Word.size());
  int64_t N;
  double D;
  if (Word == "true" || Word == "false")
    return StatedValue{Word == "true"};
  if (!Word.getAsInteger(0, N))
    return StatedValue{N};
  if (!Word.empty() && !Word.getAsDouble(D))
    return StatedValue{D};
  return fail("expected a number, true, false, \"text\" or {a list}, got '", Word,
              "' in '", Whole, "'");
}

Expected<StatedValue> LiteralReader::one(unsigned Depth) {
  if (Rest.starts_with("\""))
    return text();
  if (!Rest.consume_front("{"))
    return word();
  Expected<StatedValue::List> Inner = list('}', Depth + 1);
  if (!Inner)
    return Inner.takeError();
  return StatedValue{std::move(*Inner)};
}

Expected<StatedValue::List> LiteralReader::list(char Close, unsigned Depth) {
  static constexpr unsigned MaxDepth = 16;
  StatedValue::List Values;
  if (Depth > MaxDepth)
    return fail("lists nest too deep in '", Whole, "'");
  while (true) {
    Rest = Rest.ltrim();
    if (Values.empty() && Rest.consume_front(StringRef(&Close, 1)))
      return Values;
    Expected<StatedValue> V = one(Depth);
    if (!V)
      return V.takeError();
    Values.push_back(std::move(*V));
    Rest = Rest.ltrim();
    if (Rest.consume_front(StringRef(&Close, 1)))
      return Values;
    if (!Rest.consume_front(","))
      return fail("expected ',' or '", StringRef(&Close, 1), "' before '", Rest,
                  "' in '", Whole, "'");
  }
}

static Expected<StatedInput> parseInput(StringRef Text) {
  auto [Sizes, Type] = Text.split(':');
  StatedInput Input;
  llvm::SmallVector<StringRef, 4> Parts;
  Sizes.trim().split(Parts, 'x');
  for (StringRef Part : Parts) {
    int64_t N;
    if (Part.getAsInteger(10, N) || N < 1)
      return fail("expected a shape such as 3x224x224, got '", Text, "'");
    Input.Sizes.push_back(N);
  }
  if (Type.trim().empty())
    return Input;
  std::optional<DType> Known = parseDType(Type.trim());
  if (!Known)
    return fail("expected a type such as float32 or int64, got '", Type, "'");
  Input.Type = *Known;
  return Input;
}

static Expected<std::vector<StatedInput>> parseInputs(StringRef Text) {
  std::vector<StatedInput> Inputs;
  llvm::SmallVector<StringRef, 4> Parts;
  Text.split(Parts, ',');
  for (StringRef Part : Parts) {
    Expected<StatedInput> One = parseInput(Part);
    if (!One)
      return One.takeError();
    Inputs.push_back(std::move(*One));
  }
  return Inputs;
}

Error stateConstruct(StatedModels &To, StringRef Text) {
  llvm::SmallVector<StringRef, 4> Each;
  Text.split(Each, ';', -1, /*KeepEmpty=*/false);
  for (StringRef One : Each) {
    auto [Class, Rest] = One.split('(');
    Class = Class.trim();
    if (Class.empty() || Rest.empty() ||
        !llvm::all_of(Class, [](char C) { return llvm::isAlnum(C) || C == '_'; }))
      return fail("expected CLASS(ARGUMENTS) such as Net(3, 64), got '", One.trim(),
                  "'");
    LiteralReader Reader(Rest);
    Expected<StatedValue::List> Values = Reader.list(')');
    if (!Values)
      return Values.takeError();
    if (!Reader.rest().trim().empty())
      return fail("nothing may follow the ')' in '", One.trim(), "'");
    To[Class.str()].Arguments = std::move(*Values);
  }
  return Error::success();
}

Error stateInput(StatedModels &To, StringRef Text) {
  llvm::SmallVector<StringRef, 4> Each;
  Text.split(Each, ';', -1, /*KeepEmpty=*/false);
  for (StringRef One : Each) {
    StringRef Class, Shapes = One.trim();
    if (Shapes.contains('='))
      std::tie(Class, Shapes) = Shapes.split('=');
    Expected<std::vector<StatedInput>> Inputs = parseInputs(Shapes);
    if (!Inputs)
      return Inputs.takeError();
    To[Class.trim().str()].Inputs = std::move(*Inputs);
  }
  return Error::success();
}

Expected<StatedModel> parseStated(StringRef Text) {
  StatedModel Model;
  for (StringRef Rest = Text.trim(" \t\r,"); !Rest.empty();
       Rest = Rest.ltrim(" \t,")) {
    if (Rest.consume_front("construct(")) {
      LiteralReader Reader(Rest);
      Expected<StatedValue::List> Values = Reader.list(')');
      if (!Values)
        return Values.takeError();
      Model.Arguments = std::move(*Values);
      Rest = Reader.rest();
    } else if (Rest.consume_front("input(")) {
      auto [Shapes, After] = Rest.split(')');
      Expected<std::vector<StatedInput>> Inputs = parseInputs(Shapes);
      if (!Inputs)
        return Inputs.takeError();
      Model.Inputs = std::move(*Inputs);
      Rest = After;
    } else {
      return fail("expected construct(…) or input(…), got '", Rest, "'");
    }
  }
  return Model;
}

StatedModel statedFor(const StatedModels &All, StringRef Class) {
  StatedModel Model;
  for (StringRef Name : {Class, StringRef()}) {
    auto It = All.find(Name.str());
    if (It == All.end())
      continue;
    if (!Model.Arguments)
      Model.Arguments = It->second.Arguments;
    if (Model.Inputs.empty())
      Model.Inputs = It->second.Inputs;
  }
  return Model;
}

} // namespace vramlint
