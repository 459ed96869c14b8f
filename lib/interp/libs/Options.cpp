//===- lib/interp/libs/Options.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See Options.h.

#include "lib/interp/libs/Options.h"

using namespace clang;

namespace vramlint::stdlib {

OptionForm formOf(QualType Type) {
  if (Type.isNull())
    return {OptionForm::Other};
  Type = Type.getNonReferenceType().getCanonicalType().getUnqualifiedType();
  if (isClass(Type, "vector")) {
    auto Args = templateArgsOf(Type);
    OptionForm Each =
        Args.empty() || Args[0].getKind() != TemplateArgument::Type
            ? OptionForm{OptionForm::Other}
            : formOf(Args[0].getAsType());
    return {Each.List ? OptionForm::Other : Each.Kind, true};
  }
  if (isClass(Type, "basic_string") || isClass(Type, "basic_string_view"))
    return {OptionForm::Text};
  if (Type->isBooleanType())
    return {OptionForm::Bool};
  if (Type->isFloatingType())
    return {OptionForm::Real};
  if (Type->isIntegerType() && !Type->isAnyCharacterType())
    return {OptionForm::Integer};
  return {OptionForm::Other};
}

std::vector<std::string> optionNames(llvm::StringRef Listed) {
  llvm::SmallVector<llvm::StringRef, 3> Parts;
  Listed.split(Parts, ',');
  std::vector<std::string> Names;
  for (llvm::StringRef P : Parts)
    if (llvm::StringRef Name = P.trim().ltrim('-'); !Name.empty())
      Names.push_back(Name.str());
  llvm::stable_sort(Names, [](const std::string &A, const std::string &B) {
    return A.size() > B.size();
  });
  return Names;
}

//===-- Reading argv ------------------------------------------------------===//

OptionRef OptionSet::State::find(llvm::StringRef Name) const {
  for (const OptionRef &O : Options)
    if (llvm::is_contained(O->Names, Name))
      return O;
  return nullptr;
}

/// Does \p Word begin an option? A negative number does not.
static bool beginsOption(llvm::StringRef Word) {
  return Word.size() > 1 && Word[0] == '-' && !llvm::isDigit(Word[1]) &&
         Word[1] != '.';
}

namespace {
/// Sorts the words of one command line.
class ArgvReader {
public:
  explicit ArgvReader(OptionSet::State &S) : S(S), Words(*S.Words) {}

  void read() {
    for (; At < Words.size(); ++At) {
      llvm::StringRef Word = Words[At];
      if (Word == "--")
        OnlyPositional = true;
      else if (OnlyPositional || !beginsOption(Word))
        positional(Word);
      else if (Word.starts_with("--") || S.find(nameOf(Word)))
        named(Word);
      else
        shortOnes(Word.drop_front());
    }
  }

private:
  static llvm::StringRef nameOf(llvm::StringRef Word) {
    return Word.ltrim('-').split('=').first;
  }

  void positional(llvm::StringRef Word) {
    for (const OptionRef &O : S.Options)
      if (O->Positional && (O->Repeats || !S.Given.count(O.get()))) {
        S.Given[O.get()].push_back(Word.str());
        return;
      }
  }

  /// `--name value`, `--name=value`, `-n value`.
  void named(llvm::StringRef Word) {
    OptionRef O = S.find(nameOf(Word));
    if (!O)
      return;
    std::vector<std::string> &Texts = S.Given[O.get()];
    if (Word.contains('='))
      Texts.push_back(Word.split('=').second.str());
    else
      following(*O, Texts);
  }

  void following(const ProgramOption &O, std::vector<std::string> &Texts) {
    if (!O.TakesValue)
      return;
    bool MayLack = O.Implicit != nullptr;
    do {
      if (At + 1 >= Words.size() || beginsOption(Words[At + 1]) ||
          (MayLack && O.Form.Kind == OptionForm::Bool))
        return;
      Texts.push_back(Words[++At]);
    } while (O.Repeats);
  }

  /// `-abc`, `-n3`.
  void shortOnes(llvm::StringRef Letters) {
    while (!Letters.empty()) {
      OptionRef O = S.find(Letters.take_front());
      Letters = Letters.drop_front();
      if (!O)
        return;
      std::vector<std::string> &Texts = S.Given[O.get()];
      if (!O->TakesValue)
        continue;
      if (Letters.empty())
        following(*O, Texts);
      else
        Texts.push_back(Letters.str());
      return;
    }
  }

  OptionSet::State &S;
  const std::vector<std::string> &Words;
  size_t At = 0;
  bool OnlyPositional = false;
};
} // namespace

void OptionSet::State::parse() {
  Parsed = true;
  Given.clear();
  Read.clear();
  if (Words)
    ArgvReader(*this).read();
}

Value newOptionSet() {
  return Value(
      std::make_unique<OptionSet>(std::make_shared<OptionSet::State>()));
}

Value newOptionSet(const OptionSet &Shared) {
  return Value(std::make_unique<OptionSet>(Shared.S));
}

std::optional<std::vector<std::string>> textsOf(const Value &List) {
  auto *Seq = List.as<Sequence>();
  if (!Seq)
    return std::nullopt;
  std::vector<std::string> Texts;
  for (const CellRef &C : Seq->Elements) {
    if (C && C->V.isPointer() && C->V.pointer().isNull())
      break; // argv[argc]
    std::optional<std::string> T = C ? textOf(C->V) : std::nullopt;
    if (!T)
      return std::nullopt;
    Texts.push_back(*T);
  }
  return Texts;
}

std::optional<std::vector<std::string>> wordsOf(const Value &Argv) {
  if (!Argv.isPointer() || !Argv.pointer().Array)
    return std::nullopt;
  auto Words = textsOf(Argv.pointer().Array->V);
  size_t Skip = Argv.pointer().Index + 1; // The program's name.
  if (!Words || Argv.pointer().Index < 0)
    return std::nullopt;
  Words->erase(Words->begin(), Words->begin() + std::min(Skip, Words->size()));
  return Words;
}

//===-- Values ------------------------------------------------------------===//

static std::optional<Value> fromText(llvm::StringRef Text,
                                     OptionForm::KindTy Kind) {
  std::string Lower = Text.lower();
  int64_t N = 0;
  double D = 0;
  switch (Kind) {
  case OptionForm::Text:
    return Value(Text.str());
  case OptionForm::Integer:
    if (Text.getAsInteger(0, N))
      return std::nullopt;
    return Value::integer(N);
  case OptionForm::Real:
    if (Text.getAsDouble(D))
      return std::nullopt;
    return Value::real(D);
  case OptionForm::Bool:
    if (llvm::is_contained({"1", "true", "yes", "on", "t"}, Lower))
      return Value::integer(1);
    if (llvm::is_contained({"0", "false", "no", "off", "f"}, Lower))
      return Value::integer(0);
    return std::nullopt;
  case OptionForm::Other:
    return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Value> fromTexts(Machine &M, llvm::ArrayRef<std::string> Texts,
                               OptionForm Form) {
  if (!Form.List)
    return Texts.empty() ? std::nullopt : fromText(Texts.back(), Form.Kind);
  auto List = makeSequence(Sequence::Vector);
  for (const std::string &T : Texts) {
    llvm::SmallVector<llvm::StringRef, 4> Parts;
    llvm::StringRef(T).split(Parts, ',');
    if (Form.Kind == OptionForm::Text)
      Parts = {T};
    for (llvm::StringRef Part : Parts) {
      std::optional<Value> V = fromText(Part.trim(), Form.Kind);
      if (!V)
        return std::nullopt;
      List->Elements.push_back(makeCell(std::move(*V)));
    }
  }
  return Value(std::move(List));
}

std::optional<bool> isGiven(const OptionSet::State &S, const ProgramOption &O) {
  if (!S.Words)
    return std::nullopt;
  return S.Given.count(&O) != 0;
}

Value ungivenOption(Machine &M, llvm::StringRef Name) {
  return M.unknown("option '" + Name + "' of the command line",
                   "--args \"...\"");
}

/// A switch is unknown, but nobody needs to hear of it where it decides nothing.
static Value switchedOff(Machine &M, llvm::StringRef Name) {
  Value V = quietUnknown(M, "option '" + Name + "' of the command line");
  V.unknown()->Tell = "--args \"...\"";
  return V;
}

/// A default as the reader wants it: cxxopts keeps the text.
static Value defaultOf(Machine &M, const ProgramOption &O, OptionForm Form) {
  const Value &V = O.Default->V;
  if (V.isString() && (Form.Kind != OptionForm::Text || Form.List))
    if (std::optional<Value> R = fromTexts(M, V.string(), Form))
      return std::move(*R);
  if (V.isInt() && Form.Kind == OptionForm::Real)
    return Value::real(V.asNumber());
  return M.copy(V);
}

Value optionValue(Machine &M, OptionSet::State &S, const ProgramOption &O,
                  OptionForm Form) {
  auto It = S.Given.find(&O);
  if (It != S.Given.end()) {
    if (!It->second.empty() && O.Action) {
      Operand Text[1] = {Value(It->second.back())};
      Operand R = invoke(M, O.Action->V, Text);
      return R.Place ? M.copy(R.Place->V) : std::move(R.V);
    }
    if (!It->second.empty()) {
      std::optional<Value> V = fromTexts(M, It->second, Form);
      return V ? std::move(*V)
               : M.unknown("the text of option '" + O.Names.front() + "'");
    }
    return O.Implicit ? M.copy(O.Implicit->V) : Value::integer(1);
  }
  if (S.Words)
    return O.Default ? defaultOf(M, O, Form) : Value();
  if (!O.Default)
    return ungivenOption(M, O.Names.front());
  Value V = defaultOf(M, O, Form);
  if (Form.Kind == OptionForm::Bool && V.isInt() && !V.asInt())
    return switchedOff(M, O.Names.front());
  M.domain().assumed(M, "options of the command line", "at their defaults");
  CellRef C = makeCell(std::move(V));
  M.domain().named(M, O.Names.front(), *C);
  return C->take();
}

Operand readOption(Machine &M, OptionSet::State &S, llvm::StringRef Name,
                   OptionForm Form) {
  OptionRef O = S.find(Name);
  if (!O) {
    if (S.Words)
      M.throwException(("no option '" + Name + "'").str());
    return ungivenOption(M, Name);
  }
  CellRef &C = S.Read[O.get()];
  if (!C)
    C = makeCell(optionValue(M, S, *O, Form));
  if (C->V.isVoid())
    M.throwException(("option '" + Name + "' is not given").str());
  return C;
}

Operand countOption(Machine &M, OptionSet::State &S, llvm::StringRef Name) {
  if (!S.Words)
    return ungivenOption(M, Name);
  OptionRef O = S.find(Name);
  auto It = O ? S.Given.find(O.get()) : S.Given.end();
  if (It == S.Given.end())
    return integer(0);
  return integer(std::max<int64_t>(1, It->second.size()));
}

void storeVariables(Machine &M, OptionSet::State &S) {
  for (const OptionRef &O : S.Options) {
    if (!O->Variable)
      continue;
    if (!S.Words && !O->Default) // What it holds is its default.
      O->Default = makeCell(M.copy(O->Variable->V));
    if (!S.Words && O->Default->V.isVoid())
      O->Default = nullptr;
    Value V = optionValue(M, S, *O, O->Form);
    if (!V.isVoid())
      O->Variable->set(std::move(V));
  }
}

} // namespace vramlint::stdlib
