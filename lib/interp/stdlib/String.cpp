//===- lib/interp/stdlib/String.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// <string> and <string_view>: both are text values; numbers from and to text.

#include "lib/interp/stdlib/Native.h"
#include <cerrno>
#include <cstdlib>

using namespace clang;

namespace vramlint::stdlib {

//===-- Helpers -----------------------------------------------------------===//

using Text = std::string;

/// Wraps a model of a method: the object as text, else Unknown.
template <Operand (*Fn)(Machine &, CallSite &, Text &)>
static Operand onText(Machine &M, CallSite &S) {
  if (S.Object && S.Object->V.isString())
    return Fn(M, S, S.Object->V.string());
  return M.unknownFrom(S, "text that is not known");
}

/// As onText, for methods that change the object: unknown arguments make it so.
template <Operand (*Fn)(Machine &, CallSite &, Text &)>
static Operand changing(Machine &M, CallSite &S) {
  if (!S.Object)
    return M.unknownFrom(S, "text that is not known");
  if (!S.Object->V.isString()) {
    M.unknownFrom(S, "text that is not known");
    return self(S);
  }
  for (Operand &Op : S.Args)
    if (Op.value().isUnknown()) {
      loseSelf(M, S, "text that is not known");
      return self(S);
    }
  return Fn(M, S, S.Object->V.string());
}

/// The text that arguments from \p I on describe, as constructors, assign and
/// append take it: (text[, pos[, n]]), ("literal", n), (n, c), (c), (range).
static std::optional<Text> pieceFrom(Machine &M, CallSite &S, unsigned I) {
  unsigned N = argCount(S);
  if (I >= N)
    return Text();
  Value &First = argValue(S, I);
  bool Two = I + 1 < N;
  if (First.isInt()) {
    if (!Two)
      return Text(1, static_cast<char>(First.asInt()));
    std::optional<int64_t> C = intArg(S, I + 1);
    if (!C || First.asInt() < 0 || First.asInt() > M.limits().MaxElements)
      return std::nullopt;
    return Text(First.asInt(), static_cast<char>(*C));
  }
  if (Two && (First.as<Iterator>() || argValue(S, I + 1).isPointer())) {
    std::optional<Span> R = spanArg(M, S, I);
    Text Out;
    for (int64_t K = 0; R && K < R->Size; ++K) {
      Operand C = R->at(K).get(M);
      if (!C.value().isInt())
        return std::nullopt;
      Out += static_cast<char>(C.value().asInt());
    }
    return R ? std::optional<Text>(Out) : std::nullopt;
  }
  std::optional<Text> T = textOf(First);
  if (auto *Q = First.as<Sequence>(); !T && Q) { // {'a', 'b'}
    T = Text();
    for (const CellRef &C : Q->Elements) {
      if (!C || !C->V.isInt())
        return std::nullopt;
      *T += static_cast<char>(C->V.asInt());
    }
  }
  if (!T || !Two)
    return T;
  std::optional<int64_t> A = intArg(S, I + 1);
  std::optional<int64_t> B = I + 2 < N ? intArg(S, I + 2) : A;
  if (!A || !B)
    return std::nullopt;
  bool FromPointer = paramType(S, I)->isPointerType();
  if (FromPointer && I + 2 >= N)
    return T->substr(0, *A);
  if (*A < 0 || *A > (int64_t)T->size())
    return std::nullopt;
  return I + 2 < N ? T->substr(*A, *B) : T->substr(*A);
}

static bool fits(Machine &M, CallSite &S, size_t Size) {
  if ((int64_t)Size <= M.limits().MaxElements && M.step(1 + Size / 64))
    return true;
  S.Object->set(M.unknown("text too large to follow"));
  return false;
}

static Operand position(size_t At) {
  return integer(At == Text::npos ? -1 : (int64_t)At);
}

//===-- Construction, assignment ------------------------------------------===//

static Operand construct(Machine &M, CallSite &S) {
  if (std::optional<Text> T = pieceFrom(M, S, 0))
    return text(std::move(*T));
  if (hasArg(S, 0) && argValue(S, 0).isPointer() &&
      argValue(S, 0).pointer().isNull())
    return M.unknown("std::string from a null pointer");
  return M.unknownFrom(S, "text that is not known");
}

static Operand assign(Machine &M, CallSite &S) {
  if (S.Object && S.Args.size() == 1 && argValue(S, 0).isString() &&
      paramType(S, 0)->isRValueReferenceType()) {
    if (placeOf(S, 0) != S.Object)
      S.Object->set(M.take(S, 0));
    return self(S);
  }
  std::optional<Text> T = pieceFrom(M, S, 0);
  if (!S.Object)
    return nothing();
  if (T)
    S.Object->set(Value(std::move(*T)));
  else
    loseSelf(M, S, "text that is not known");
  return self(S);
}

static Operand append(Machine &M, CallSite &S, Text &T) {
  std::optional<Text> Piece = pieceFrom(M, S, 0);
  if (!Piece)
    loseSelf(M, S, "text that is not known");
  else if (fits(M, S, T.size() + Piece->size()))
    T += *Piece;
  return self(S);
}

//===-- Reading -----------------------------------------------------------===//

static Operand size(Machine &M, CallSite &S, Text &T) {
  return integer(T.size());
}
static Operand empty(Machine &M, CallSite &S, Text &T) {
  return integer(T.empty());
}
static Operand whole(Machine &M, CallSite &S, Text &T) { return text(T); }

/// A character: read as a value; what may be written through loses the text.
static Operand character(Machine &M, CallSite &S, Text &T, int64_t At) {
  char C = At < (int64_t)T.size() ? T[At] : 0;
  if (!isRead(M, S))
    S.Object->set(quietUnknown(M, "text changed through a reference"));
  return makeCell(Value::integer(C));
}

static Operand subscript(Machine &M, CallSite &S, Text &T) {
  std::optional<int64_t> I = intArg(S, 0);
  if (!I)
    return unknownPlace(M.unknownFrom(S, "character that is not known"));
  if (*I < 0 || *I > (int64_t)T.size())
    return unknownPlace(M.unknown("index " + Twine(*I) + " out of range"));
  return character(M, S, T, *I);
}
static Operand at(Machine &M, CallSite &S, Text &T) {
  std::optional<int64_t> I = intArg(S, 0);
  if (I && (*I < 0 || *I >= (int64_t)T.size())) {
    M.throwException("basic_string::at: index " + std::to_string(*I));
    return nothing();
  }
  return subscript(M, S, T);
}
static Operand front(Machine &M, CallSite &S, Text &T) {
  return character(M, S, T, 0);
}
static Operand back(Machine &M, CallSite &S, Text &T) {
  return character(M, S, T, T.empty() ? 0 : T.size() - 1);
}

static Operand substr(Machine &M, CallSite &S, Text &T) {
  std::optional<int64_t> From = hasArg(S, 0) ? intArg(S, 0) : 0;
  std::optional<int64_t> N = hasArg(S, 1) ? intArg(S, 1) : -1;
  if (!From || !N)
    return M.unknownFrom(S, "part of a text at an unknown place");
  if (*From < 0 || *From > (int64_t)T.size()) {
    M.throwException("basic_string::substr: position " +
                     std::to_string(*From) + " of " +
                     std::to_string(T.size()));
    return nothing();
  }
  return text(T.substr(*From, static_cast<size_t>(*N)));
}

enum Search { First, Last, FirstOf, LastOf, FirstNotOf, LastNotOf };

template <Search How>
static Operand find(Machine &M, CallSite &S, Text &T) {
  std::optional<Text> What = argValue(S, 0).isInt()
                                 ? Text(1, (char)argValue(S, 0).asInt())
                                 : textArg(S, 0);
  bool Backwards = How == Last || How == LastOf || How == LastNotOf;
  std::optional<int64_t> From =
      hasArg(S, 1) ? intArg(S, 1) : std::optional<int64_t>(Backwards ? -1 : 0);
  if (!What || !From || !M.step(1 + T.size() / 64))
    return M.unknownFrom(S, "search for a text that is not known");
  if (std::optional<int64_t> N = intArg(S, 2); N && *N >= 0)
    *What = What->substr(0, *N);
  size_t At = static_cast<size_t>(*From);
  switch (How) {
  case First: return position(T.find(*What, At));
  case Last: return position(T.rfind(*What, At));
  case FirstOf: return position(T.find_first_of(*What, At));
  case LastOf: return position(T.find_last_of(*What, At));
  case FirstNotOf: return position(T.find_first_not_of(*What, At));
  case LastNotOf: return position(T.find_last_not_of(*What, At));
  }
  return nothing();
}

static Operand compare(Machine &M, CallSite &S, Text &T) {
  unsigned Last = S.Args.size() >= 3 ? 2 : 0;
  std::optional<Text> Other = textArg(S, Last);
  Text Mine = T;
  if (Last) {
    auto A = intArg(S, 0), N = intArg(S, 1);
    if (!A || !N || *A < 0 || *A > (int64_t)T.size())
      return M.unknownFrom(S, "comparison of texts that are not known");
    Mine = T.substr(*A, *N);
  }
  if (!Other)
    return M.unknownFrom(S, "comparison of texts that are not known");
  return integer(Mine.compare(*Other));
}

template <bool AtEnd>
static Operand hasAffix(Machine &M, CallSite &S, Text &T) {
  std::optional<Text> What = argValue(S, 0).isInt()
                                 ? Text(1, (char)argValue(S, 0).asInt())
                                 : textArg(S, 0);
  if (!What)
    return M.unknownFrom(S, "comparison of texts that are not known");
  return integer(AtEnd ? StringRef(T).ends_with(*What)
                       : StringRef(T).starts_with(*What));
}
static Operand contains(Machine &M, CallSite &S, Text &T) {
  std::optional<Text> What = argValue(S, 0).isInt()
                                 ? Text(1, (char)argValue(S, 0).asInt())
                                 : textArg(S, 0);
  if (!What)
    return M.unknownFrom(S, "search for a text that is not known");
  return integer(T.find(*What) != Text::npos);
}

static Operand begin(Machine &M, CallSite &S, Text &T) {
  return makeIterator(S.Object, 0);
}
static Operand end(Machine &M, CallSite &S, Text &T) {
  return makeIterator(S.Object, T.size());
}
static Operand rbegin(Machine &M, CallSite &S, Text &T) {
  return makeIterator(S.Object, (int64_t)T.size() - 1, true);
}
static Operand rend(Machine &M, CallSite &S, Text &T) {
  return makeIterator(S.Object, -1, true);
}

//===-- Changing ----------------------------------------------------------===//

static Operand clear(Machine &M, CallSite &S) {
  if (S.Object)
    S.Object->set(Value(Text()));
  return nothing();
}
static Operand pushBack(Machine &M, CallSite &S, Text &T) {
  if (argValue(S, 0).isInt() && fits(M, S, T.size() + 1))
    T += static_cast<char>(argValue(S, 0).asInt());
  return nothing();
}
static Operand popBack(Machine &M, CallSite &S, Text &T) {
  if (!T.empty())
    T.pop_back();
  return nothing();
}
static Operand resize(Machine &M, CallSite &S, Text &T) {
  int64_t N = intArg(S, 0).value_or(-1);
  if (N < 0)
    loseSelf(M, S, "resize() to an unknown size");
  else if (fits(M, S, N))
    T.resize(N, static_cast<char>(intArg(S, 1).value_or(0)));
  return nothing();
}

static Operand erase(Machine &M, CallSite &S, Text &T) {
  if (hasArg(S, 0) && argValue(S, 0).as<Iterator>()) {
    std::optional<Cursor> A = cursorOf(argValue(S, 0));
    std::optional<Cursor> B = hasArg(S, 1) ? cursorOf(argValue(S, 1)) : A;
    if (!A || !B || A->Index < 0 || A->Index > (int64_t)T.size())
      return loseSelf(M, S, "erase() at an unknown place");
    int64_t N = hasArg(S, 1) ? B->Index - A->Index : 1;
    T.erase(A->Index, N);
    return makeIterator(S.Object, A->Index);
  }
  std::optional<int64_t> From = hasArg(S, 0) ? intArg(S, 0) : 0;
  std::optional<int64_t> N = hasArg(S, 1) ? intArg(S, 1) : -1;
  if (!From || !N || *From < 0 || *From > (int64_t)T.size())
    loseSelf(M, S, "erase() at an unknown place");
  else
    T.erase(*From, static_cast<size_t>(*N));
  return self(S);
}

static Operand insert(Machine &M, CallSite &S, Text &T) {
  std::optional<Cursor> It = cursorOf(argValue(S, 0));
  std::optional<int64_t> At = It ? It->Index : intArg(S, 0);
  std::optional<Text> Piece = pieceFrom(M, S, 1);
  if (!At || !Piece || *At < 0 || *At > (int64_t)T.size())
    return loseSelf(M, S, "insert() of a text that is not known");
  if (fits(M, S, T.size() + Piece->size()))
    T.insert(*At, *Piece);
  return It ? Operand(makeIterator(S.Object, *At)) : self(S);
}

static Operand replace(Machine &M, CallSite &S, Text &T) {
  std::optional<Cursor> A = cursorOf(argValue(S, 0)),
                        B = cursorOf(argValue(S, 1));
  std::optional<int64_t> At = A ? A->Index : intArg(S, 0);
  std::optional<int64_t> N = A && B ? B->Index - A->Index : intArg(S, 1);
  std::optional<Text> Piece = pieceFrom(M, S, 2);
  if (!At || !N || !Piece || *At < 0 || *At > (int64_t)T.size())
    loseSelf(M, S, "replace() of a text that is not known");
  else if (fits(M, S, T.size() + Piece->size()))
    T.replace(*At, static_cast<size_t>(*N), *Piece);
  return self(S);
}

static Operand swap(Machine &M, CallSite &S) {
  CellRef Other = placeOf(S, 0);
  if (S.Object && S.Object != Other)
    std::swap(S.Object->V, Other->V);
  return nothing();
}
static Operand removePrefix(Machine &M, CallSite &S, Text &T) {
  T.erase(0, intArg(S, 0).value_or(0));
  return nothing();
}
static Operand removeSuffix(Machine &M, CallSite &S, Text &T) {
  T.resize(T.size() - std::min<size_t>(T.size(), intArg(S, 0).value_or(0)));
  return nothing();
}
static Operand ignored(Machine &M, CallSite &S) { return nothing(); }

/// copy(char *to, n[, pos]): what it writes is not followed.
static Operand copyOut(Machine &M, CallSite &S, Text &T) {
  if (argValue(S, 0).isPointer())
    if (CellRef C = argValue(S, 0).pointer().Array)
      C->set(quietUnknown(M, "array filled by basic_string::copy"));
  return intArg(S, 1) ? integer(*intArg(S, 1)) : nothing();
}

//===-- Numbers -----------------------------------------------------------===//

static Operand toString(Machine &M, CallSite &S) {
  Value &V = argValue(S, 0);
  if (V.isInt()) {
    bool Unsigned = !paramType(S, 0).isNull() &&
                    paramType(S, 0)->isUnsignedIntegerType();
    return text(Unsigned ? std::to_string((uint64_t)V.asInt())
                         : std::to_string(V.asInt()));
  }
  if (V.isFloat())
    return text(std::to_string(V.asFloat()));
  return M.unknownFrom(S, "text of a number that is not known");
}

/// What the user would have to tell for `std::stoi(argv[1])` and the like.
static Value unknownNumber(Machine &M, CallSite &S, StringRef Function) {
  for (Operand &Op : S.Args)
    if (Op.value().isUnknown()) {
      const UnknownRef &U = Op.value().unknown();
      return M.unknown(Function + " of " + U->Reason,
                       U->Tell.empty() ? "--args or --set" : U->Tell);
    }
  return M.unknown(Function + " of a text that is not known",
                   "--args or --set");
}

static void storeEnd(CallSite &S, size_t Used) {
  if (hasArg(S, 1) && argValue(S, 1).isPointer())
    if (CellRef C = argValue(S, 1).pointer().Target)
      C->set(Value::integer(Used));
}

template <bool Throws> static Operand toInteger(Machine &M, CallSite &S) {
  std::optional<Text> T = textArg(S, 0);
  std::optional<int64_t> Base = hasArg(S, 2) ? intArg(S, 2) : 10;
  std::string Name = S.Callee ? S.Callee->getNameAsString() : "conversion";
  if (!T || !Base || *Base < 0 || *Base > 36)
    return unknownNumber(M, S, Name);
  char *End = nullptr;
  errno = 0;
  int64_t N = StringRef(Name).contains("ul")
                  ? (int64_t)std::strtoull(T->c_str(), &End, *Base)
                  : std::strtoll(T->c_str(), &End, *Base);
  bool Failed = End == T->c_str() || errno == ERANGE;
  if (Failed && Throws) {
    M.throwException(Name + ": \"" + *T + "\" is no number");
    return nothing();
  }
  storeEnd(S, End - T->c_str());
  return integer(N);
}

template <bool Throws> static Operand toFloat(Machine &M, CallSite &S) {
  std::optional<Text> T = textArg(S, 0);
  std::string Name = S.Callee ? S.Callee->getNameAsString() : "conversion";
  if (!T)
    return unknownNumber(M, S, Name);
  char *End = nullptr;
  double D = Name == "stof" || Name == "strtof"
                 ? std::strtof(T->c_str(), &End)
                 : std::strtod(T->c_str(), &End);
  if (End == T->c_str() && Throws) {
    M.throwException(Name + ": \"" + *T + "\" is no number");
    return nothing();
  }
  storeEnd(S, End - T->c_str());
  return real(D);
}

//===-- Table -------------------------------------------------------------===//

#define READ(C, Name, Fn) {"std::" C "::" Name, onText<Fn>}
#define CHANGE(C, Name, Fn) {"std::" C "::" Name, changing<Fn>}

#define BOTH(C)                                                                \
  {"std::" C "::" C, construct}, READ(C, "size", size),                        \
      READ(C, "length", size), READ(C, "max_size", size),                      \
      READ(C, "capacity", size), READ(C, "empty", empty),                      \
      READ(C, "data", whole), READ(C, "c_str", whole),                         \
      READ(C, "operator T", whole), READ(C, "operator[]", subscript),          \
      READ(C, "at", at), READ(C, "front", front), READ(C, "back", back),       \
      READ(C, "substr", substr), READ(C, "find", find<First>),                 \
      READ(C, "rfind", find<Last>), READ(C, "find_first_of", find<FirstOf>),   \
      READ(C, "find_last_of", find<LastOf>),                                   \
      READ(C, "find_first_not_of", find<FirstNotOf>),                          \
      READ(C, "find_last_not_of", find<LastNotOf>),                            \
      READ(C, "compare", compare), READ(C, "starts_with", hasAffix<false>),    \
      READ(C, "ends_with", hasAffix<true>), READ(C, "contains", contains),     \
      READ(C, "begin", begin), READ(C, "cbegin", begin),                       \
      READ(C, "end", end), READ(C, "cend", end), READ(C, "rbegin", rbegin),    \
      READ(C, "crbegin", rbegin), READ(C, "rend", rend),                       \
      READ(C, "crend", rend), READ(C, "copy", copyOut),                        \
      {"std::" C "::operator=", assign}, {"std::" C "::swap", swap}

static constexpr NativeEntry StringEntries[] = {
    BOTH("basic_string"),
    BOTH("basic_string_view"),
    {"std::basic_string::assign", assign},
    CHANGE("basic_string", "append", append),
    CHANGE("basic_string", "operator+=", append),
    CHANGE("basic_string", "push_back", pushBack),
    CHANGE("basic_string", "pop_back", popBack),
    CHANGE("basic_string", "resize", resize),
    CHANGE("basic_string", "erase", erase),
    CHANGE("basic_string", "insert", insert),
    CHANGE("basic_string", "replace", replace),
    CHANGE("basic_string_view", "remove_prefix", removePrefix),
    CHANGE("basic_string_view", "remove_suffix", removeSuffix),
    {"std::basic_string::clear", clear},
    {"std::basic_string::reserve", ignored},
    {"std::basic_string::shrink_to_fit", ignored},
    {"std::operator\"\"s", construct},
    {"std::operator\"\"sv", construct},
    {"std::to_string", toString},
    {"std::stoi", toInteger<true>},
    {"std::stol", toInteger<true>},
    {"std::stoll", toInteger<true>},
    {"std::stoul", toInteger<true>},
    {"std::stoull", toInteger<true>},
    {"std::stof", toFloat<true>},
    {"std::stod", toFloat<true>},
    {"std::stold", toFloat<true>},
    {"atoi", toInteger<false>},
    {"atol", toInteger<false>},
    {"atoll", toInteger<false>},
    {"atof", toFloat<false>},
    {"strtol", toInteger<false>},
    {"strtoll", toInteger<false>},
    {"strtoul", toInteger<false>},
    {"strtoull", toInteger<false>},
    {"strtof", toFloat<false>},
    {"strtod", toFloat<false>},
};
const Table StringTable = StringEntries;

} // namespace vramlint::stdlib
