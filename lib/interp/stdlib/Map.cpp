//===- lib/interp/stdlib/Map.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// <map>, <set> and their unordered and multi forms: sequences kept sorted by key
// (Alternative 1: descending). The order of unordered ones, which libstdc++ takes
// from hashes, is sorted here too.

#include "lib/interp/stdlib/Native.h"

using namespace clang;

namespace vramlint::stdlib {

//===-- Keys --------------------------------------------------------------===//

static const Value *keyOf(const Sequence &Map, const CellRef &Element) {
  if (!Element)
    return nullptr;
  if (Map.Tag != Sequence::Map)
    return &Element->V;
  auto *Pair = Element->V.as<Sequence>();
  if (!Pair || Pair->Elements.empty() || !Pair->Elements[0])
    return nullptr;
  return &Pair->Elements[0]->V;
}

/// How the element at \p I compares with \p Key in the map's order.
static std::optional<int> compareAt(Machine &M, const Sequence &Map, int64_t I,
                                    const Value &Key) {
  const CellRef &Element = Map.Elements[I];
  const Value *K = keyOf(Map, Element);
  if (!K)
    return std::nullopt;
  std::optional<int> C = compareValues(*K, Key);
  if (C && Map.Alternative)
    *C = -*C;
  return C;
}

std::optional<int64_t> lowerBound(Machine &M, const Sequence &Map,
                                  const Value &Key) {
  int64_t Low = 0, High = Map.Elements.size();
  if (Key.isUnknown() || !M.step())
    return std::nullopt;
  while (Low < High) {
    int64_t Mid = Low + (High - Low) / 2;
    std::optional<int> C = compareAt(M, Map, Mid, Key);
    if (!C)
      return std::nullopt;
    if (*C < 0)
      Low = Mid + 1;
    else
      High = Mid;
  }
  return Low;
}

static std::optional<int64_t> upperBound(Machine &M, const Sequence &Map,
                                         const Value &Key) {
  std::optional<int64_t> I = lowerBound(M, Map, Key);
  while (I && *I < (int64_t)Map.Elements.size()) {
    std::optional<int> C = compareAt(M, Map, *I, Key);
    if (!C)
      return std::nullopt;
    if (*C)
      break;
    ++*I;
  }
  return I;
}

/// The index of \p Key, -1 if it is not there, nothing if unknown.
static std::optional<int64_t> indexOf(Machine &M, const Sequence &Map,
                                      const Value &Key) {
  std::optional<int64_t> None = -1;
  if (Map.Open)
    None = std::nullopt;
  std::optional<int64_t> I = lowerBound(M, Map, Key);
  if (!I || *I >= (int64_t)Map.Elements.size())
    return I ? None : std::nullopt;
  std::optional<int> C = compareAt(M, Map, *I, Key);
  if (!C)
    return std::nullopt;
  return *C == 0 ? I : None;
}

std::optional<std::pair<int64_t, bool>> insertSorted(Machine &M, Sequence &Map,
                                                     Value Element,
                                                     bool Multi) {
  CellRef New = makeCell(std::move(Element));
  const Value *Key = keyOf(Map, New);
  if (!Key)
    return std::nullopt;
  if ((int64_t)Map.Elements.size() >= M.limits().MaxElements)
    return std::nullopt;
  std::optional<int64_t> I =
      Multi ? upperBound(M, Map, *Key) : lowerBound(M, Map, *Key);
  if (!I)
    return std::nullopt;
  if (!Multi && *I < (int64_t)Map.Elements.size()) {
    std::optional<int> C = compareAt(M, Map, *I, *Key);
    if (!C)
      return std::nullopt;
    if (*C == 0) {
      New->destroy();
      return std::pair(*I, false);
    }
  }
  Map.Elements.insert(Map.Elements.begin() + *I, std::move(New));
  return std::pair(*I, true);
}

static void eraseAt(Sequence &Map, int64_t From, int64_t To) {
  std::vector<CellRef> Dying(Map.Elements.begin() + From,
                             Map.Elements.begin() + To);
  Map.Elements.erase(Map.Elements.begin() + From, Map.Elements.begin() + To);
  for (CellRef &C : Dying)
    if (C)
      C->destroy();
}

//===-- Elements ----------------------------------------------------------===//

static Value makePair(Value First, Value Second) {
  auto P = makeSequence(Sequence::Pair);
  P->Elements.push_back(makeCell(std::move(First)));
  P->Elements.push_back(makeCell(std::move(Second)));
  return Value(std::move(P));
}

static Value foundPair(CellRef Container, int64_t Index, bool IsNew) {
  return makePair(makeIterator(std::move(Container), Index),
                  Value::integer(IsNew));
}

/// The value of an insert: a pair's numbers fitted to the map's types.
static Value fittedElement(Machine &M, CallSite &S, const Sequence &Map,
                           Value Element) {
  if (Map.Tag != Sequence::Map)
    return fitted(M, classTypeArg(S, 0), std::move(Element));
  if (auto *Pair = Element.as<Sequence>())
    for (unsigned I = 0; I < 2 && I < Pair->Elements.size(); ++I)
      if (CellRef C = Pair->Elements[I])
        C->set(fitted(M, classTypeArg(S, I), C->take()));
  return Element;
}

static bool insertAll(Machine &M, CallSite &S, Sequence &Map, const Span &From,
                      bool Multi, bool Moving = false) {
  for (int64_t I = 0; I < From.Size && !M.stopped(); ++I) {
    Operand Op = From.at(I).get(M);
    Value V = Op.Place && Moving ? M.moveOut(*Op.Place) : M.copy(Op.value());
    V = fittedElement(M, S, Map, std::move(V));
    if (!insertSorted(M, Map, std::move(V), Multi))
      return false;
  }
  return true;
}

//===-- Construction ------------------------------------------------------===//

/// An order we know: less, greater, or a hash.
static bool setOrder(CallSite &S, Sequence &Map) {
  QualType Order = classTypeArg(S, Map.Tag == Sequence::Map ? 2 : 1);
  if (isClass(Order, "greater"))
    Map.Alternative = 1;
  return Order.isNull() || Map.Alternative || isClass(Order, "less") ||
         isClass(Order, "hash") ||
         (S.Callee && StringRef(S.Callee->getNameAsString())
                          .starts_with("unordered"));
}

template <Sequence::TagTy Tag, bool Multi>
static Operand construct(Machine &M, CallSite &S) {
  auto Map = makeSequence(Tag);
  if (!setOrder(S, *Map))
    return M.unknown("container with an order of its own");
  if (S.Args.empty())
    return Value(std::move(Map));
  std::optional<Span> From;
  if (isClass(paramType(S, 0), "initializer_list"))
    From = spanOfContainer(M, placeOf(S, 0));
  else if (argValue(S, 0).as<Sequence>())
    return M.take(S, 0);
  else if (S.Args.size() > 1 && isTemplate(S))
    From = spanArg(M, S, 0);
  else // A comparator, a bucket count or an allocator.
    return Value(std::move(Map));
  if (!From || !insertAll(M, S, *Map, *From, Multi))
    return M.unknownFrom(S, "container with unknown keys");
  return Value(std::move(Map));
}

template <bool Multi>
static Operand assignList(Machine &M, CallSite &S, Sequence &Map) {
  if (!isClass(paramType(S, 0), "initializer_list")) {
    if (placeOf(S, 0) != S.Object)
      S.Object->set(M.take(S, 0));
    return self(S);
  }
  std::optional<Span> From = spanOfContainer(M, placeOf(S, 0));
  eraseAt(Map, 0, Map.Elements.size());
  if (!From || !insertAll(M, S, Map, *From, Multi))
    loseSelf(M, S, "container with unknown keys");
  return self(S);
}

//===-- Lookup ------------------------------------------------------------===//

static Operand valueAt(Machine &M, Sequence &Map, int64_t I) {
  auto *Pair = Map.Elements[I] ? Map.Elements[I]->V.as<Sequence>() : nullptr;
  if (!Pair || Pair->Elements.size() < 2)
    return unknownPlace(M.unknown("element that is not known"));
  return Pair->Elements[1];
}

static Operand subscript(Machine &M, CallSite &S, Sequence &Map) {
  std::optional<int64_t> I = indexOf(M, Map, argValue(S, 0));
  if (I && *I >= 0)
    return valueAt(M, Map, *I);
  if (!I) {
    Value U = M.unknownFrom(S, "element with a key that is not known");
    // Written to, it may be a new element, or change one.
    if (!isRead(M, S))
      S.Object->set(Value(U.unknown()));
    return unknownPlace(std::move(U));
  }
  Value Key = M.take(S, 0);
  Value New = makePair(std::move(Key), M.defaultValue(classTypeArg(S, 1)));
  auto At = insertSorted(M, Map, std::move(New), false);
  if (!At)
    return unknownPlace(std::move(loseSelf(M, S, "map too large to follow").V));
  return valueAt(M, Map, At->first);
}

static Operand at(Machine &M, CallSite &S, Sequence &Map) {
  std::optional<int64_t> I = indexOf(M, Map, argValue(S, 0));
  if (!I)
    return unknownPlace(
        M.unknownFrom(S, "element with a key that is not known"));
  if (*I < 0) {
    M.throwException("map::at: no element with key " +
                     describe(argValue(S, 0)));
    return nothing();
  }
  return valueAt(M, Map, *I);
}

static Operand find(Machine &M, CallSite &S, Sequence &Map) {
  std::optional<int64_t> I = indexOf(M, Map, argValue(S, 0));
  if (!I)
    return M.unknownFrom(S, "search for a key that is not known");
  return *I < 0 ? endOf(S.Object) : makeIterator(S.Object, *I);
}

static Operand count(Machine &M, CallSite &S, Sequence &Map) {
  auto A = lowerBound(M, Map, argValue(S, 0));
  auto B = upperBound(M, Map, argValue(S, 0));
  if (!A || !B || (*A == *B && Map.Open))
    return M.unknownFrom(S, "search for a key that is not known");
  return integer(*B - *A);
}

static Operand contains(Machine &M, CallSite &S, Sequence &Map) {
  std::optional<int64_t> I = indexOf(M, Map, argValue(S, 0));
  if (!I)
    return M.unknownFrom(S, "search for a key that is not known");
  return integer(*I >= 0);
}

template <bool Upper>
static Operand bound(Machine &M, CallSite &S, Sequence &Map) {
  auto I = Upper ? upperBound(M, Map, argValue(S, 0))
                 : lowerBound(M, Map, argValue(S, 0));
  if (!I)
    return M.unknownFrom(S, "search for a key that is not known");
  return makeIterator(S.Object, *I);
}

static Operand equalRange(Machine &M, CallSite &S, Sequence &Map) {
  auto A = lowerBound(M, Map, argValue(S, 0));
  auto B = upperBound(M, Map, argValue(S, 0));
  if (!A || !B)
    return M.unknownFrom(S, "search for a key that is not known");
  return makePair(makeIterator(S.Object, *A), makeIterator(S.Object, *B));
}

//===-- Insertion ---------------------------------------------------------===//

template <bool Multi>
static Operand insertValue(Machine &M, CallSite &S, Sequence &Map, Value New,
                           bool WithHint) {
  auto At = insertSorted(M, Map, std::move(New), Multi);
  if (!At)
    return loseSelf(M, S, "insertion of a key that is not known");
  if (Multi || WithHint)
    return makeIterator(S.Object, At->first);
  return foundPair(S.Object, At->first, At->second);
}

template <bool Multi>
static Operand insert(Machine &M, CallSite &S, Sequence &Map) {
  unsigned N = S.Args.size();
  if (N == 1 && isClass(paramType(S, 0), "initializer_list")) {
    std::optional<Span> From = spanOfContainer(M, placeOf(S, 0));
    if (!From || !insertAll(M, S, Map, *From, Multi))
      return loseSelf(M, S, "insertion of keys that are not known");
    return nothing();
  }
  if (N == 2 && (argValue(S, 1).as<Iterator>() || argValue(S, 1).isPointer()))
    if (std::optional<Span> From = spanArg(M, S, 0)) {
      if (!insertAll(M, S, Map, *From, Multi,
                     isClass(paramType(S, 0), "move_iterator")))
        return loseSelf(M, S, "insertion of keys that are not known");
      return nothing();
    }
  Value New = fittedElement(M, S, Map, M.take(S, N - 1));
  return insertValue<Multi>(M, S, Map, std::move(New), N == 2);
}

/// A map's element from the arguments of an emplace, from \p From on.
static Value emplaced(Machine &M, CallSite &S, Sequence &Map, unsigned From) {
  unsigned N = S.Args.size() - From;
  if (Map.Tag != Sequence::Map)
    return constructFrom(M, S, classTypeArg(S, 0), From);
  if (N == 1)
    return fittedElement(M, S, Map, M.take(S, From));
  if (N == 3) { // piecewise_construct, key's arguments, value's arguments
    Value Parts[2];
    for (unsigned K = 0; K < 2; ++K) {
      SmallVector<Operand, 4> Args;
      SmallVector<QualType, 4> Types;
      if (auto *T = argValue(S, From + 1 + K).as<Sequence>())
        for (CellRef &C : T->Elements)
          Args.push_back(C);
      for (auto &A : templateArgsOf(paramType(S, From + 1 + K)))
        if (A.getKind() == TemplateArgument::Type)
          Types.push_back(A.getAsType());
      Types.resize(Args.size());
      Parts[K] = M.construct(classTypeArg(S, K), Args, Types);
    }
    return makePair(std::move(Parts[0]), std::move(Parts[1]));
  }
  if (N != 2)
    return M.unknownFrom(S, "emplace with unknown arguments");
  Value Key = argAs(M, S, From, classTypeArg(S, 0));
  return makePair(std::move(Key), argAs(M, S, From + 1, classTypeArg(S, 1)));
}

template <bool Multi>
static Operand emplace(Machine &M, CallSite &S, Sequence &Map) {
  Value New = emplaced(M, S, Map, 0);
  return insertValue<Multi>(M, S, Map, std::move(New), false);
}
template <bool Multi>
static Operand emplaceHint(Machine &M, CallSite &S, Sequence &Map) {
  Value New = emplaced(M, S, Map, 1);
  return insertValue<Multi>(M, S, Map, std::move(New), true);
}

static Operand tryEmplace(Machine &M, CallSite &S, Sequence &Map) {
  std::optional<int64_t> I = indexOf(M, Map, argValue(S, 0));
  if (!I)
    return loseSelf(M, S, "insertion of a key that is not known");
  if (*I >= 0)
    return foundPair(S.Object, *I, false);
  Value Key = M.take(S, 0);
  Value V = constructFrom(M, S, classTypeArg(S, 1), 1);
  return insertValue<false>(M, S, Map, makePair(std::move(Key), std::move(V)),
                            false);
}

static Operand insertOrAssign(Machine &M, CallSite &S, Sequence &Map) {
  std::optional<int64_t> I = indexOf(M, Map, argValue(S, 0));
  if (!I)
    return loseSelf(M, S, "insertion of a key that is not known");
  Value Key = *I < 0 ? M.take(S, 0) : Value();
  Value V = argAs(M, S, 1, classTypeArg(S, 1));
  if (*I < 0)
    return insertValue<false>(M, S, Map,
                              makePair(std::move(Key), std::move(V)), false);
  if (CellRef C = valueAt(M, Map, *I).Place)
    C->set(std::move(V));
  return foundPair(S.Object, *I, false);
}

//===-- Removal -----------------------------------------------------------===//

static Operand erase(Machine &M, CallSite &S, Sequence &Map) {
  if (S.Args.size() == 2) {
    std::optional<Span> R = spanArg(M, S, 0);
    if (!R)
      return loseSelf(M, S, "erase() of a range that is not known");
    eraseAt(Map, R->First.Index, R->First.Index + R->Size);
    return makeIterator(S.Object, R->First.Index);
  }
  if (argValue(S, 0).as<Iterator>()) {
    std::optional<Cursor> C = cursorOf(argValue(S, 0));
    if (!C || !C->element())
      return loseSelf(M, S, "erase() of an element that is not known");
    eraseAt(Map, C->Index, C->Index + 1);
    return makeIterator(S.Object, C->Index);
  }
  auto A = lowerBound(M, Map, argValue(S, 0));
  auto B = upperBound(M, Map, argValue(S, 0));
  if (!A || !B)
    return loseSelf(M, S, "erase() of a key that is not known");
  eraseAt(Map, *A, *B);
  return integer(*B - *A);
}

static Operand clear(Machine &M, CallSite &S, Sequence &Map) {
  Map.Open = false;
  eraseAt(Map, 0, Map.Elements.size());
  return nothing();
}

static Operand swap(Machine &M, CallSite &S) {
  CellRef Other = placeOf(S, 0);
  if (S.Object && S.Object != Other)
    std::swap(S.Object->V, Other->V);
  return nothing();
}

template <bool Multi>
static Operand merge(Machine &M, CallSite &S, Sequence &Map) {
  auto *Other = argValue(S, 0).as<Sequence>();
  if (!Other)
    return loseSelf(M, S, "merge() of a container that is not known");
  std::vector<CellRef> Left;
  for (CellRef &C : std::exchange(Other->Elements, {})) {
    const Value *Key = keyOf(Map, C);
    std::optional<int64_t> I = Key ? indexOf(M, Map, *Key) : std::nullopt;
    if (!Multi && I.value_or(0) >= 0)
      Left.push_back(C);
    else
      insertSorted(M, Map, C->take(), Multi);
  }
  Other->Elements = std::move(Left);
  return nothing();
}

//===-- Common ------------------------------------------------------------===//

static Operand size(Machine &M, CallSite &S, Sequence &Map) {
  if (Map.Open)
    return M.unknownFrom(S, "size of a container that is not known");
  return integer(Map.Elements.size());
}
static Operand maxSize(Machine &M, CallSite &S, Sequence &Map) {
  return integer(INT64_MAX);
}
static Operand empty(Machine &M, CallSite &S, Sequence &Map) {
  if (Map.Open && Map.Elements.empty())
    return M.unknownFrom(S, "size of a container that is not known");
  return integer(Map.Elements.empty());
}
static Operand begin(Machine &M, CallSite &S, Sequence &Map) {
  return beginOf(S.Object);
}
static Operand end(Machine &M, CallSite &S, Sequence &Map) {
  return endOf(S.Object);
}
static Operand rbegin(Machine &M, CallSite &S, Sequence &Map) {
  return makeIterator(S.Object, (int64_t)Map.Elements.size() - 1, true);
}
static Operand rend(Machine &M, CallSite &S, Sequence &Map) {
  return makeIterator(S.Object, -1, true);
}
static Operand ignored(Machine &M, CallSite &S) { return nothing(); }
static Operand hashDetail(Machine &M, CallSite &S) {
  return quietUnknown(M, "detail of a hash table");
}

//===-- Tables ------------------------------------------------------------===//

#define METHOD(C, Name, Fn) {"std::" C "::" Name, on<Sequence, Fn>}
#define COMMON(C, Tag, Multi)                                                  \
  {"std::" C "::" C, construct<Sequence::Tag, Multi>},                         \
      METHOD(C, "operator=", assignList<Multi>),                               \
      METHOD(C, "size", size), METHOD(C, "max_size", maxSize),                 \
      METHOD(C, "empty", empty), METHOD(C, "begin", begin),                    \
      METHOD(C, "cbegin", begin), METHOD(C, "end", end),                       \
      METHOD(C, "cend", end), METHOD(C, "rbegin", rbegin),                     \
      METHOD(C, "crbegin", rbegin), METHOD(C, "rend", rend),                   \
      METHOD(C, "crend", rend), METHOD(C, "find", find),                       \
      METHOD(C, "count", count), METHOD(C, "contains", contains),              \
      METHOD(C, "lower_bound", bound<false>),                                  \
      METHOD(C, "upper_bound", bound<true>),                                   \
      METHOD(C, "equal_range", equalRange),                                    \
      METHOD(C, "insert", insert<Multi>), METHOD(C, "emplace", emplace<Multi>), \
      METHOD(C, "emplace_hint", emplaceHint<Multi>),                           \
      METHOD(C, "erase", erase), METHOD(C, "clear", clear),                    \
      METHOD(C, "merge", merge<Multi>), {"std::" C "::swap", swap},            \
      {"std::" C "::reserve", ignored}, {"std::" C "::rehash", ignored},       \
      {"std::" C "::max_load_factor", ignored},                                \
      {"std::" C "::bucket_count", hashDetail},                                \
      {"std::" C "::load_factor", hashDetail}
#define KEYED(C)                                                               \
  METHOD(C, "operator[]", subscript), METHOD(C, "at", at),                     \
      METHOD(C, "try_emplace", tryEmplace),                                    \
      METHOD(C, "insert_or_assign", insertOrAssign)

static constexpr NativeEntry MapEntries[] = {
    COMMON("map", Map, false),
    KEYED("map"),
    COMMON("unordered_map", Map, false),
    KEYED("unordered_map"),
    COMMON("multimap", Map, true),
    COMMON("unordered_multimap", Map, true),
};
const Table MapTable = MapEntries;

static constexpr NativeEntry SetEntries[] = {
    COMMON("set", Set, false),
    COMMON("unordered_set", Set, false),
    COMMON("multiset", Set, true),
    COMMON("unordered_multiset", Set, true),
};
const Table SetTable = SetEntries;

} // namespace vramlint::stdlib
