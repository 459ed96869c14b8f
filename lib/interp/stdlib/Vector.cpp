//===- lib/interp/stdlib/Vector.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// <vector>, and what works alike: <array>, <deque>, <list>, <queue>, <stack>,
// <span>, <initializer_list>. Elements die in libstdc++'s order, at once.

#include "lib/interp/stdlib/Native.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace clang;

namespace vramlint::stdlib {

//===-- Helpers -----------------------------------------------------------===//

/// Room for \p By more elements, else the container becomes Unknown.
static bool canGrow(Machine &M, CallSite &S, const Sequence &Q, int64_t By) {
  int64_t Size = Q.Elements.size();
  if (By >= 0 && Size + By <= M.limits().MaxElements && M.step(By / 8 + 1))
    return true;
  Value U = M.unknown("container of " + Twine(Size + By) +
                      " elements: too large to follow");
  if (CellRef C = selfCell(S))
    C->set(std::move(U));
  return false;
}

static int64_t clampIndex(const Sequence &Q, const std::optional<Cursor> &At) {
  int64_t Size = Q.Elements.size();
  return At ? std::clamp<int64_t>(At->Index, 0, Size) : Size;
}

static void insertCells(Sequence &Q, int64_t At, Places Cells) {
  if (Q.Elements.empty()) {
    Q.Elements = std::move(Cells);
    return;
  }
  Q.Elements.insert(Q.Elements.begin() + At, Cells.begin(), Cells.end());
}

/// Removes [From, To): they die in order.
static void eraseCells(Sequence &Q, int64_t From, int64_t To) {
  int64_t Size = Q.Elements.size();
  From = std::clamp<int64_t>(From, 0, Size);
  To = std::clamp<int64_t>(To, From, Size);
  std::vector<CellRef> Dying(Q.Elements.begin() + From,
                             Q.Elements.begin() + To);
  Q.Elements.erase(Q.Elements.begin() + From, Q.Elements.begin() + To);
  if (!Q.Owns)
    return;
  for (CellRef &C : Dying)
    if (C)
      C->destroy();
}

/// \p N copies of argument \p I, or of a default value without one.
static Places repeated(Machine &M, CallSite &S, int64_t N,
                       std::optional<unsigned> I) {
  Places Cells;
  QualType Type = classTypeArg(S, 0);
  auto One = [&] {
    return I ? M.copy(argValue(S, *I)) : M.defaultValue(Type);
  };
  if (I ? argValue(S, *I).isNumber() || argValue(S, *I).isUnknown()
        : Type->isArithmeticType()) {
    Cells.append(N, One());
    return Cells;
  }
  Cells.reserve(N);
  for (int64_t K = 0; K < N && !M.stopped(); ++K)
    Cells.push_back(makeCell(One()));
  return Cells;
}

static Places copiesOf(Machine &M, const Span &From, bool Moving) {
  Places Cells;
  for (int64_t K = 0; K < From.Size && !M.stopped(); ++K) {
    Operand Op = From.at(K).get(M);
    Cells.push_back(makeCell(Op.Place && Moving ? M.moveOut(*Op.Place)
                                                : M.copy(Op.value())));
  }
  return Cells;
}

/// What a constructor, assign or insert puts in, from argument \p I on: a count
/// and value, a range, or a list. Nothing if unknown.
static std::optional<Places> contents(Machine &M, CallSite &S,
                                      const Sequence &Q, unsigned I) {
  unsigned N = argCount(S);
  if (I >= N)
    return Places();
  QualType Type = paramType(S, I);
  if (!isTemplate(S) && !Type.isNull() &&
      Type.getNonReferenceType()->isIntegerType()) {
    std::optional<int64_t> Count = intArg(S, I);
    if (!Count || !canGrow(M, S, Q, *Count))
      return std::nullopt;
    return repeated(M, S, *Count,
                    I + 1 < N ? std::optional<unsigned>(I + 1) : std::nullopt);
  }
  std::optional<Span> From = I + 1 < N
                                 ? spanArg(M, S, I)
                                 : spanOfContainer(M, placeOf(S, I));
  if (!From || !canGrow(M, S, Q, From->Size))
    return std::nullopt;
  bool Moving = isClass(Type, "move_iterator") ||
                (I + 1 >= N && Type->isRValueReferenceType());
  Places Cells = copiesOf(M, *From, Moving);
  QualType Element = classTypeArg(S, 0);
  for (CellRef &C : Cells)
    C->set(fitted(M, Element, C->take()));
  return Cells;
}

/// Is argument \p I of a container of unknown size, or an iterator into one?
static bool isOpen(CallSite &S, unsigned I) {
  if (!hasArg(S, I))
    return false;
  std::optional<Cursor> At = cursorOf(argValue(S, I));
  const Value &V = At ? At->Container->V : argValue(S, I);
  auto *Q = V.as<Sequence>();
  return Q && Q->Open;
}

/// The element at an index that is drawn at random: a number is drawn, too.
static std::optional<Operand> drawnElement(Machine &M, const Sequence &Q,
                                           const Value &Index) {
  auto Of = [&](const Value &I) -> const Value * {
    bool In = I.isInt() && I.asInt() >= 0 && I.asInt() < (int64_t)Q.Elements.size();
    return In ? &Q.Elements[I.asInt()]->V : nullptr;
  };
  if (auto V = M.overDraw(&Index, [&](llvm::MutableArrayRef<Value> I) {
        const Value *E = Of(I[0]);
        return E && E->isNumber() ? M.copy(*E) : Value();
      }))
    return Operand(makeCell(std::move(*V)));
  std::optional<Value> Taken = M.drawn(Index);
  if (!Taken || !Of(*Taken))
    return std::nullopt;
  return Operand(Q.Elements[Taken->asInt()]);
}

/// The element a call may write through: place, or an Unknown's place.
static Operand elementAt(Machine &M, CallSite &S, Sequence &Q, bool Checked) {
  const Value &Index = argValue(S, 0);
  if (!Index.isInt()) {
    if (isRead(M, S))
      if (std::optional<Operand> Drawn = drawnElement(M, Q, Index))
        return std::move(*Drawn);
    Value U = M.unknownFrom(S, "element at an index that is not known");
    if (!isRead(M, S))
      weaken(Q.Elements, U.unknown());
    return unknownPlace(std::move(U));
  }
  int64_t I = Index.asInt();
  if (I >= 0 && I < (int64_t)Q.Elements.size()) {
    M.indexed(S.E, Q.Elements, I);
    return Q.Elements[I];
  }
  if (Checked && !Q.Open) {
    M.throwException("index " + std::to_string(I) + " out of range of " +
                     std::to_string(Q.Elements.size()) + " elements");
    return Value();
  }
  return unknownPlace(M.unknown("index " + Twine(I) + " out of range of " +
                                Twine(Q.Elements.size()) + " elements"));
}

//===-- Construction ------------------------------------------------------===//

template <Sequence::TagTy Tag>
static Operand construct(Machine &M, CallSite &S) {
  auto Q = makeSequence(Tag);
  unsigned N = argCount(S);
  if (N == 1 && argValue(S, 0).as<Sequence>() &&
      !isClass(paramType(S, 0), "initializer_list"))
    return M.take(S, 0); // Copy or move with an allocator.
  auto Cells = contents(M, S, *Q, 0);
  if (!Cells)
    return M.unknownFrom(S, "container of unknown size");
  Q->Open = isOpen(S, 0);
  Q->Elements = std::move(*Cells);
  return Value(std::move(Q));
}

static Operand constructArray(Machine &M, CallSite &S) {
  auto Q = makeSequence(Sequence::Array);
  std::optional<int64_t> N = classIntArg(S, 1);
  if (!N || !canGrow(M, S, *Q, *N))
    return M.unknownFrom(S, "array of unknown size");
  Q->Elements = repeated(M, S, *N, std::nullopt);
  return Value(std::move(Q));
}

/// A view of a range: (pointer or iterator, count), (first, last), (container).
static Operand constructSpan(Machine &M, CallSite &S) {
  auto Q = makeSequence(Sequence::Vector);
  Q->Owns = false;
  std::optional<Span> From = Span();
  if (S.Args.size() == 1)
    From = spanOfContainer(M, placeOf(S, 0));
  else if (S.Args.size() == 2 && argValue(S, 1).isInt()) {
    std::optional<Cursor> At = cursorOf(argValue(S, 0));
    From = At ? std::optional<Span>(Span{*At, argValue(S, 1).asInt()})
              : std::nullopt;
  } else if (S.Args.size() == 2)
    From = spanArg(M, S, 0);
  if (!From || From->Size > M.limits().MaxElements)
    return M.unknownFrom(S, "span of something that is not known");
  for (int64_t K = 0; K < From->Size; ++K) {
    CellRef C = From->at(K).element();
    if (!C)
      return M.unknown("span beyond its container");
    Q->Elements.push_back(std::move(C));
  }
  return Value(std::move(Q));
}

//===-- Reading -----------------------------------------------------------===//

static Operand size(Machine &M, CallSite &S, Sequence &Q) {
  if (Q.Open)
    return M.unknown("size of a container filled in a loop of unknown length");
  return integer(Q.Elements.size());
}
static Operand maxSize(Machine &M, CallSite &S, Sequence &Q) {
  if (Q.Tag == Sequence::Array)
    return integer(Q.Elements.size());
  return integer(INT64_MAX);
}
static Operand empty(Machine &M, CallSite &S, Sequence &Q) {
  if (Q.Open && Q.Elements.empty())
    return size(M, S, Q);
  return integer(Q.Elements.empty());
}
static Operand front(Machine &M, CallSite &S, Sequence &Q) {
  if (Q.Elements.empty())
    return unknownPlace(M.unknown("front() of an empty container"));
  return asReturned(M, S, Q.Elements.front());
}
static Operand back(Machine &M, CallSite &S, Sequence &Q) {
  if (Q.Elements.empty())
    return unknownPlace(M.unknown("back() of an empty container"));
  return asReturned(M, S, Q.Elements.back());
}
static Operand subscript(Machine &M, CallSite &S, Sequence &Q) {
  return asReturned(M, S, elementAt(M, S, Q, /*Checked=*/false));
}
static Operand at(Machine &M, CallSite &S, Sequence &Q) {
  return asReturned(M, S, elementAt(M, S, Q, /*Checked=*/true));
}
static Operand data(Machine &M, CallSite &S, Sequence &Q) {
  PointerValue P;
  P.Array = S.Object;
  if (!Q.Elements.empty())
    P.Target = Q.Elements.front();
  return Value(std::move(P));
}
static Operand begin(Machine &M, CallSite &S, Sequence &Q) {
  return beginOf(S.Object);
}
static Operand end(Machine &M, CallSite &S, Sequence &Q) {
  return endOf(S.Object);
}
static Operand rbegin(Machine &M, CallSite &S, Sequence &Q) {
  return makeIterator(S.Object, (int64_t)Q.Elements.size() - 1, true);
}
static Operand rend(Machine &M, CallSite &S, Sequence &Q) {
  return makeIterator(S.Object, -1, true);
}

//===-- Writing -----------------------------------------------------------===//

static Operand pushBack(Machine &M, CallSite &S, Sequence &Q) {
  if (canGrow(M, S, Q, 1))
    Q.Elements.push_back(makeCell(M.take(S, 0)));
  return nothing();
}
static Operand pushFront(Machine &M, CallSite &S, Sequence &Q) {
  if (canGrow(M, S, Q, 1))
    insertCells(Q, 0, {makeCell(M.take(S, 0))});
  return nothing();
}
static Operand emplaceBack(Machine &M, CallSite &S, Sequence &Q) {
  if (!canGrow(M, S, Q, 1))
    return self(S);
  Value New = constructFrom(M, S, classTypeArg(S, 0), 0);
  // The constructor may have run the program's code, even on this container.
  auto *Now = S.Object ? S.Object->V.as<Sequence>() : nullptr;
  if (!Now)
    return unknownPlace(M.unknown("container lost during emplace_back"));
  Now->Elements.push_back(makeCell(std::move(New)));
  return Now->Elements.back();
}
static Operand emplaceFront(Machine &M, CallSite &S, Sequence &Q) {
  if (canGrow(M, S, Q, 1))
    insertCells(Q, 0, {makeCell(constructFrom(M, S, classTypeArg(S, 0), 0))});
  return front(M, S, Q);
}
static Operand popBack(Machine &M, CallSite &S, Sequence &Q) {
  int64_t Size = Q.Elements.size();
  eraseCells(Q, Size - 1, Size);
  return nothing();
}
static Operand popFront(Machine &M, CallSite &S, Sequence &Q) {
  eraseCells(Q, 0, 1);
  return nothing();
}
static Operand clear(Machine &M, CallSite &S, Sequence &Q) {
  Q.Open = false;
  eraseCells(Q, 0, Q.Elements.size());
  return nothing();
}

static Operand resize(Machine &M, CallSite &S, Sequence &Q) {
  std::optional<int64_t> N = intArg(S, 0);
  if (!N)
    return loseSelf(M, S, "resize() to an unknown size");
  Q.Open = false;
  int64_t Size = Q.Elements.size();
  if (*N < Size) {
    eraseCells(Q, *N, Size);
    return nothing();
  }
  if (!canGrow(M, S, Q, *N - Size))
    return nothing();
  auto Cells = repeated(M, S, *N - Size,
                        S.Args.size() > 1 ? std::optional<unsigned>(1)
                                          : std::nullopt);
  insertCells(Q, Size, std::move(Cells));
  return nothing();
}

static Operand insert(Machine &M, CallSite &S, Sequence &Q) {
  if (argValue(S, 0).isUnknown())
    return loseSelf(M, S, "insert() at an unknown place");
  int64_t At = clampIndex(Q, cursorOf(argValue(S, 0)));
  if (S.Args.size() == 2 && !isClass(paramType(S, 1), "initializer_list")) {
    if (canGrow(M, S, Q, 1))
      insertCells(Q, At, {makeCell(M.take(S, 1))});
    return makeIterator(S.Object, At);
  }
  auto Cells = contents(M, S, Q, 1);
  if (!Cells)
    return loseSelf(M, S, "insert() of unknown elements");
  Q.Open |= isOpen(S, 1);
  insertCells(Q, At, std::move(*Cells));
  return makeIterator(S.Object, At);
}

static Operand emplace(Machine &M, CallSite &S, Sequence &Q) {
  int64_t At = clampIndex(Q, cursorOf(argValue(S, 0)));
  if (canGrow(M, S, Q, 1))
    insertCells(Q, At, {makeCell(constructFrom(M, S, classTypeArg(S, 0), 1))});
  return makeIterator(S.Object, At);
}

static Operand erase(Machine &M, CallSite &S, Sequence &Q) {
  if (S.Args.size() == 1) {
    std::optional<Cursor> At = cursorOf(argValue(S, 0));
    if (!At)
      return loseSelf(M, S, "erase() of an element that is not known");
    eraseCells(Q, At->Index, At->Index + 1);
    return makeIterator(S.Object, At->Index);
  }
  std::optional<Span> R = spanArg(M, S, 0);
  if (!R)
    return loseSelf(M, S, "erase() of a range that is not known");
  eraseCells(Q, R->First.Index, R->First.Index + R->Size);
  return makeIterator(S.Object, R->First.Index);
}

static Operand assign(Machine &M, CallSite &S, Sequence &Q) {
  if (S.Args.size() == 1 && !isClass(paramType(S, 0), "initializer_list")) {
    if (placeOf(S, 0) != S.Object) // The whole of another container.
      S.Object->set(M.take(S, 0));
    return self(S);
  }
  Sequence None(Q.Tag);
  auto Cells = contents(M, S, None, 0);
  if (!Cells)
    return loseSelf(M, S, "assign() of unknown elements");
  Q.Open = isOpen(S, 0);
  Places Old = std::exchange(Q.Elements, std::move(*Cells));
  Old.destroy(/*Backwards=*/false);
  return self(S);
}

static Operand swap(Machine &M, CallSite &S) {
  CellRef Other = placeOf(S, 0);
  if (S.Object && S.Object != Other)
    std::swap(S.Object->V, Other->V);
  return nothing();
}

static Operand fill(Machine &M, CallSite &S, Sequence &Q) {
  for (const CellRef &C : Q.Elements)
    if (C)
      C->set(M.copy(argValue(S, 0)));
  return nothing();
}

static Operand flip(Machine &M, CallSite &S, Sequence &Q) {
  for (const CellRef &C : Q.Elements)
    if (C && C->V.isInt())
      C->V = Value::integer(!C->V.asInt());
  return nothing();
}

static Operand ignored(Machine &M, CallSite &S) { return nothing(); }

/// Truth of the predicate in argument \p I for an element.
static std::optional<bool> test(Machine &M, CallSite &S, unsigned I,
                                CellRef Element) {
  Operand Args[1] = {std::move(Element)};
  QualType Type = S.Object ? classTypeArg(S, 0) : QualType();
  if (!S.Object) // erase_if(container, predicate)
    if (auto T = templateArgsOf(paramType(S, 0));
        !T.empty() && T[0].getKind() == TemplateArgument::Type)
      Type = T[0].getAsType();
  if (!Type.isNull())
    Type = M.context().getLValueReferenceType(Type);
  return M.truth(invoke(M, argValue(S, I), Args,
                        Type.isNull() ? ArrayRef<QualType>() : Type)
                     .value());
}

//===-- list --------------------------------------------------------------===//

static Operand listRemove(Machine &M, CallSite &S, Sequence &Q) {
  bool ByPredicate = isTemplate(S);
  for (size_t I = 0; I < Q.Elements.size() && !M.stopped();) {
    std::optional<bool> Hit =
        ByPredicate
            ? test(M, S, 0, Q.Elements[I])
            : equal(M, nullptr, Q.Elements[I], placeOf(S, 0));
    if (!Hit)
      return loseSelf(M, S, "remove() by an unknown condition");
    if (*Hit)
      eraseCells(Q, I, I + 1);
    else
      ++I;
  }
  return nothing();
}

static Operand listSort(Machine &M, CallSite &S, Sequence &Q) {
  Value *Less = hasArg(S, 0) ? &argValue(S, 0) : nullptr;
  bool Known = M.step(Q.Elements.size());
  QualType Type = classTypeArg(S, 0);
  std::vector<CellRef> Sorted;
  for (const CellRef &C : Q.Elements) { // Insertion keeps equal ones in order.
    size_t At = Sorted.size();
    while (At > 0 && Known) {
      std::optional<bool> L =
          lessThan(M, Less, C, Sorted[At - 1], {Type, Type});
      Known = L.has_value();
      if (!Known || !*L)
        break;
      --At;
    }
    Sorted.insert(Sorted.begin() + At, C);
  }
  if (!Known)
    return loseSelf(M, S, "sort() of values that are not known");
  Q.Elements = std::move(Sorted);
  return nothing();
}

static Operand listReverse(Machine &M, CallSite &S, Sequence &Q) {
  std::reverse(Q.Elements.begin(), Q.Elements.end());
  return nothing();
}

static Operand listUnique(Machine &M, CallSite &S, Sequence &Q) {
  for (size_t I = 1; I < Q.Elements.size();) {
    std::optional<bool> Same =
        equal(M, nullptr, Q.Elements[I - 1], Q.Elements[I]);
    if (!Same)
      return loseSelf(M, S, "unique() of values that are not known");
    if (*Same)
      eraseCells(Q, I, I + 1);
    else
      ++I;
  }
  return nothing();
}

/// splice(pos, list), the whole; single nodes and ranges of the other too.
static Operand listSplice(Machine &M, CallSite &S, Sequence &Q) {
  auto *Other = argValue(S, 1).as<Sequence>();
  if (!Other)
    return loseSelf(M, S, "splice() of a list that is not known");
  int64_t From = 0, To = Other->Elements.size();
  if (std::optional<Cursor> C;
      S.Args.size() > 2 && (C = cursorOf(argValue(S, 2)))) {
    From = C->Index;
    To = From + 1;
    if (S.Args.size() > 3)
      if (auto E = cursorOf(argValue(S, 3)))
        To = E->Index;
  }
  std::vector<CellRef> Cells(Other->Elements.begin() + From,
                             Other->Elements.begin() + To);
  Value Pos = makeIterator(S.Object, clampIndex(Q, cursorOf(argValue(S, 0))));
  Other->Elements.erase(Other->Elements.begin() + From,
                        Other->Elements.begin() + To);
  insertCells(Q, clampIndex(Q, cursorOf(Pos)), std::move(Cells));
  return nothing();
}

static Operand listMerge(Machine &M, CallSite &S, Sequence &Q) {
  if (auto *Other = argValue(S, 0).as<Sequence>()) {
    insertCells(Q, Q.Elements.size(), std::move(Other->Elements));
    Other->Elements.clear();
  }
  S.Args.erase(S.Args.begin());
  return listSort(M, S, Q);
}

//===-- span --------------------------------------------------------------===//

static Operand subspan(Machine &M, CallSite &S, int64_t From,
                       std::optional<int64_t> Count) {
  auto *Q = S.Object ? S.Object->V.as<Sequence>() : nullptr;
  int64_t Size = Q ? Q->Elements.size() : 0;
  if (!Q || From < 0 || From > Size)
    return M.unknownFrom(S, "part of a span that is not known");
  int64_t To = Count && *Count >= 0 ? std::min(Size, From + *Count) : Size;
  auto New = makeSequence(Sequence::Vector);
  New->Owns = false;
  New->Elements.assign(Q->Elements.begin() + From, Q->Elements.begin() + To);
  return Value(std::move(New));
}

static Operand spanSub(Machine &M, CallSite &S, Sequence &Q) {
  std::optional<int64_t> From = intArg(S, 0);
  if (!From || (hasArg(S, 1) && !intArg(S, 1)))
    return M.unknownFrom(S, "part of a span at an unknown place");
  return subspan(M, S, *From, intArg(S, 1));
}
static Operand spanFirst(Machine &M, CallSite &S, Sequence &Q) {
  std::optional<int64_t> N = intArg(S, 0);
  if (!N)
    return M.unknownFrom(S, "part of a span of unknown size");
  return subspan(M, S, 0, N);
}
static Operand spanLast(Machine &M, CallSite &S, Sequence &Q) {
  std::optional<int64_t> N = intArg(S, 0);
  if (!N)
    return M.unknownFrom(S, "part of a span of unknown size");
  return subspan(M, S, (int64_t)Q.Elements.size() - *N, std::nullopt);
}

//===-- priority_queue ----------------------------------------------------===//

/// Index of the element on top; nothing if the order is not known.
static std::optional<size_t> topOf(Machine &M, CallSite &S, Sequence &Q) {
  bool Smallest = isClass(classTypeArg(S, 2), "greater");
  size_t Best = 0;
  for (size_t I = 1; I < Q.Elements.size(); ++I) {
    std::optional<bool> Less =
        Smallest ? lessThan(M, nullptr, Q.Elements[I], Q.Elements[Best])
                 : lessThan(M, nullptr, Q.Elements[Best], Q.Elements[I]);
    if (!Less)
      return std::nullopt;
    if (*Less)
      Best = I;
  }
  if (Q.Elements.empty())
    return std::nullopt;
  return Best;
}

static Operand heapTop(Machine &M, CallSite &S, Sequence &Q) {
  if (std::optional<size_t> I = topOf(M, S, Q))
    return Q.Elements[*I];
  return unknownPlace(M.unknown("top() of a queue whose order is not known"));
}

static Operand heapPop(Machine &M, CallSite &S, Sequence &Q) {
  std::optional<size_t> I = topOf(M, S, Q);
  if (!I && !Q.Elements.empty())
    return loseSelf(M, S, "pop() of a queue whose order is not known");
  if (I)
    eraseCells(Q, *I, *I + 1);
  return nothing();
}

//===-- Free functions ----------------------------------------------------===//

static Operand toArray(Machine &M, CallSite &S) {
  auto Q = makeSequence(Sequence::Array);
  std::optional<Span> From = spanOfContainer(M, placeOf(S, 0));
  if (!From || !appendSpan(M, *Q, *From))
    return M.unknownFrom(S, "array of unknown elements");
  return Value(std::move(Q));
}

/// std::erase(container, value) and std::erase_if(container, predicate).
template <bool ByPredicate> static Operand eraseAll(Machine &M, CallSite &S) {
  auto *Q = argValue(S, 0).as<Sequence>();
  if (!Q)
    return M.unknownFrom(S, "erase() in a container that is not known");
  int64_t Count = 0;
  for (size_t I = 0; I < Q->Elements.size() && !M.stopped();) {
    std::optional<bool> Hit =
        ByPredicate
            ? test(M, S, 1, Q->Elements[I])
            : equal(M, nullptr, Q->Elements[I], placeOf(S, 1));
    if (!Hit) {
      Value U = M.unknownFrom(S, "erase() by an unknown condition");
      placeOf(S, 0)->set(Value(U.unknown()));
      return U;
    }
    if (*Hit) {
      eraseCells(*Q, I, I + 1);
      ++Count;
    } else {
      ++I;
    }
  }
  return integer(Count);
}

/// A proxy of vector<bool> points at its element; in a range-for it is the
/// element's own place.
static CellRef bitOf(CellRef Proxy) {
  if (Proxy && Proxy->V.isPointer() && Proxy->V.pointer().Target)
    return Proxy->V.pointer().Target;
  return Proxy;
}
static Operand setBit(Machine &M, CallSite &S) {
  CellRef To = bitOf(S.Object), From = bitOf(placeOf(S, 0));
  if (To && From)
    To->set(M.copy(From->V));
  return self(S);
}
static Operand getBit(Machine &M, CallSite &S) {
  CellRef C = bitOf(S.Object);
  return C ? M.copy(C->V) : Value();
}
static Operand flipBit(Machine &M, CallSite &S) {
  CellRef C = bitOf(S.Object);
  if (C && C->V.isInt())
    C->set(Value::integer(!C->V.asInt()));
  return nothing();
}

/// `{}`: the list of no elements.
static Operand emptyList(Machine &M, CallSite &S) {
  return Value(makeSequence(Sequence::InitList));
}

//===-- Tables ------------------------------------------------------------===//

#define METHOD(C, Name, Fn) {"std::" C "::" Name, on<Sequence, Fn>}

#define READING(C)                                                             \
  METHOD(C, "size", size), METHOD(C, "max_size", maxSize),                     \
      METHOD(C, "empty", empty), METHOD(C, "front", front),                    \
      METHOD(C, "back", back), METHOD(C, "begin", begin),                      \
      METHOD(C, "cbegin", begin), METHOD(C, "end", end),                       \
      METHOD(C, "cend", end), METHOD(C, "rbegin", rbegin),                     \
      METHOD(C, "crbegin", rbegin), METHOD(C, "rend", rend),                   \
      METHOD(C, "crend", rend)
#define INDEXED(C)                                                             \
  METHOD(C, "operator[]", subscript), METHOD(C, "at", at)
#define BACK(C)                                                                \
  METHOD(C, "push_back", pushBack), METHOD(C, "emplace_back", emplaceBack),    \
      METHOD(C, "pop_back", popBack)
#define FRONT(C)                                                               \
  METHOD(C, "push_front", pushFront),                                          \
      METHOD(C, "emplace_front", emplaceFront),                                \
      METHOD(C, "pop_front", popFront)
#define CHANGING(C)                                                            \
  METHOD(C, "clear", clear), METHOD(C, "resize", resize),                      \
      METHOD(C, "insert", insert), METHOD(C, "emplace", emplace),              \
      METHOD(C, "erase", erase), METHOD(C, "assign", assign),                  \
      METHOD(C, "operator=", assign), {"std::" C "::swap", swap}

static constexpr NativeEntry VectorEntries[] = {
    {"std::vector::vector", construct<Sequence::Vector>},
    READING("vector"),
    INDEXED("vector"),
    BACK("vector"),
    CHANGING("vector"),
    METHOD("vector", "data", data),
    METHOD("vector", "capacity", size),
    METHOD("vector", "flip", flip),
    {"std::vector::reserve", ignored},
    {"std::vector::shrink_to_fit", ignored},
    {"std::_Bit_reference::operator=", setBit},
    {"std::_Bit_reference::operator bool", getBit},
    {"std::_Bit_reference::flip", flipBit},
    {"std::erase", eraseAll<false>},
    {"std::erase_if", eraseAll<true>},
    {"std::array::array", constructArray},
    READING("array"),
    INDEXED("array"),
    METHOD("array", "data", data),
    METHOD("array", "fill", fill),
    {"std::array::swap", swap},
    {"std::to_array", toArray},
    {"std::span::span", constructSpan},
    READING("span"),
    INDEXED("span"),
    METHOD("span", "data", data),
    METHOD("span", "subspan", spanSub),
    METHOD("span", "first", spanFirst),
    METHOD("span", "last", spanLast),
    {"std::initializer_list::initializer_list", emptyList},
    METHOD("initializer_list", "size", size),
    METHOD("initializer_list", "begin", data),
};
const Table VectorTable = VectorEntries;

static Operand listEnd(Machine &M, CallSite &S, Sequence &Q) {
  PointerValue P;
  P.Array = S.Object;
  P.Index = Q.Elements.size();
  return Value(std::move(P));
}

static constexpr NativeEntry DequeEntries[] = {
    {"std::deque::deque", construct<Sequence::Deque>},
    READING("deque"),
    INDEXED("deque"),
    BACK("deque"),
    FRONT("deque"),
    CHANGING("deque"),
    {"std::deque::shrink_to_fit", ignored},
    {"std::queue::queue", construct<Sequence::Deque>},
    METHOD("queue", "push", pushBack),
    METHOD("queue", "emplace", emplaceBack),
    METHOD("queue", "pop", popFront),
    METHOD("queue", "front", front),
    METHOD("queue", "back", back),
    METHOD("queue", "size", size),
    METHOD("queue", "empty", empty),
    {"std::queue::swap", swap},
    {"std::stack::stack", construct<Sequence::Deque>},
    METHOD("stack", "push", pushBack),
    METHOD("stack", "emplace", emplaceBack),
    METHOD("stack", "pop", popBack),
    METHOD("stack", "top", back),
    METHOD("stack", "size", size),
    METHOD("stack", "empty", empty),
    {"std::stack::swap", swap},
    {"std::priority_queue::priority_queue", construct<Sequence::Deque>},
    METHOD("priority_queue", "push", pushBack),
    METHOD("priority_queue", "emplace", emplaceBack),
    METHOD("priority_queue", "pop", heapPop),
    METHOD("priority_queue", "top", heapTop),
    METHOD("priority_queue", "size", size),
    METHOD("priority_queue", "empty", empty),
    METHOD("initializer_list", "end", listEnd),
};
const Table DequeTable = DequeEntries;

#define LIST(C)                                                                \
  {"std::" C "::" C, construct<Sequence::List>}, READING(C), BACK(C),          \
      FRONT(C), CHANGING(C), METHOD(C, "remove", listRemove),                  \
      METHOD(C, "remove_if", listRemove), METHOD(C, "sort", listSort),         \
      METHOD(C, "reverse", listReverse), METHOD(C, "unique", listUnique),      \
      METHOD(C, "splice", listSplice), METHOD(C, "merge", listMerge)

static constexpr NativeEntry ListEntries[] = {LIST("list"),
                                              LIST("forward_list")};
const Table ListTable = ListEntries;

} // namespace vramlint::stdlib
