//===- lib/interp/stdlib/Algorithm.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// <algorithm>. Each runs over a known range, calling what the program passes; a
// range or an answer that is not known makes the result, and what the algorithm
// would have written, Unknown.

#include "lib/interp/stdlib/Native.h"
#include <algorithm>
#include <numeric>

using namespace clang;

namespace vramlint::stdlib {

//===-- Helpers -----------------------------------------------------------===//

static Operand unknownRange(Machine &M, CallSite &S) {
  return M.unknownFrom(S, "range of elements that is not known");
}

/// The numbers and texts in \p R are not known any more; returns the cause.
static Value loseSpan(Machine &M, CallSite &S, const Span &R, Twine Reason) {
  Value U = M.unknownFrom(S, Reason);
  for (int64_t I = 0; I < R.Size; ++I)
    if (CellRef C = R.at(I).element())
      weaken(C->V, U.unknown());
  if (R.First.Container->V.isString())
    R.First.Container->set(Value(U.unknown()));
  return U;
}

static Value *callableArg(CallSite &S, unsigned I) {
  return hasArg(S, I) ? &argValue(S, I) : nullptr;
}

/// Truth of \p Predicate for the element; nothing if unknown.
static std::optional<bool> test(Machine &M, Value &Predicate, const Cursor &C) {
  return M.truth(invokeOn(M, Predicate, C).value());
}

static std::optional<bool> before(Machine &M, Value *Less, const Cursor &A,
                                  const Cursor &B) {
  QualType Types[2] = {A.Type, B.Type};
  bool Typed = !A.Type.isNull() && !B.Type.isNull();
  return lessThan(M, Less, A.get(M), B.get(M),
                  Typed ? Types : ArrayRef<QualType>());
}
static std::optional<bool> same(Machine &M, Value *Equal, const Cursor &A,
                                const Cursor &B) {
  QualType Types[2] = {A.Type, B.Type};
  bool Typed = !A.Type.isNull() && !B.Type.isNull();
  return equal(M, Equal, A.get(M), B.get(M),
               Typed ? Types : ArrayRef<QualType>());
}

static Value ownValue(Machine &M, Operand Op) {
  return Op.Place ? M.copy(Op.Place->V) : std::move(Op.V);
}

/// Moves the values of \p R to the order in \p Order.
static void permute(Machine &M, const Span &R,
                    const std::vector<unsigned> &Order) {
  if (R.First.Container->V.isString()) {
    std::string Old = R.First.Container->V.string();
    for (int64_t I = 0; I < R.Size; ++I)
      R.at(I).set(M, Value::integer(Old[R.at(Order[I]).Index]));
    return;
  }
  std::vector<Value> Values;
  for (int64_t I = 0; I < R.Size; ++I)
    Values.push_back(std::move(R.at(I).element()->V));
  for (int64_t I = 0; I < R.Size; ++I)
    R.at(I).element()->set(std::move(Values[Order[I]]));
}

static Value pairOf(Value A, Value B) {
  auto P = makeSequence(Sequence::Pair);
  P->Elements.push_back(makeCell(std::move(A)));
  P->Elements.push_back(makeCell(std::move(B)));
  return Value(std::move(P));
}

//===-- Searching ---------------------------------------------------------===//

enum Wanted { ByValue, ByPredicate, ByNotPredicate };

/// Does the element at \p C match argument 2?
template <Wanted How>
static std::optional<bool> matches(Machine &M, CallSite &S, const Cursor &C) {
  if (How == ByValue)
    return equal(M, nullptr, C.get(M), placeOf(S, 2));
  std::optional<bool> B = test(M, argValue(S, 2), C);
  if (B && How == ByNotPredicate)
    *B = !*B;
  return B;
}

template <Wanted How> static Operand find(Machine &M, CallSite &S) {
  std::optional<Span> R = spanArg(M, S, 0);
  if (!R)
    return unknownRange(M, S);
  for (int64_t I = 0; I < R->Size && !M.stopped(); ++I) {
    std::optional<bool> B = matches<How>(M, S, R->at(I));
    if (!B)
      return M.unknownFrom(S, "search by a condition that is not known");
    if (*B)
      return R->at(I).iterator();
  }
  return R->at(R->Size).iterator();
}

template <Wanted How> static Operand count(Machine &M, CallSite &S) {
  std::optional<Span> R = spanArg(M, S, 0);
  if (!R)
    return unknownRange(M, S);
  int64_t N = 0;
  for (int64_t I = 0; I < R->Size && !M.stopped(); ++I) {
    std::optional<bool> B = matches<How>(M, S, R->at(I));
    if (!B)
      return M.unknownFrom(S, "count by a condition that is not known");
    N += *B;
  }
  return integer(N);
}

/// any_of stops at true, all_of at false, none_of at true.
template <bool StopAt, bool ResultThen>
static Operand quantified(Machine &M, CallSite &S) {
  std::optional<Span> R = spanArg(M, S, 0);
  if (!R)
    return unknownRange(M, S);
  for (int64_t I = 0; I < R->Size && !M.stopped(); ++I) {
    std::optional<bool> B = test(M, argValue(S, 2), R->at(I));
    if (!B)
      return M.unknownFrom(S, "condition that is not known");
    if (*B == StopAt)
      return integer(ResultThen);
  }
  return integer(!ResultThen);
}

static Operand adjacentFind(Machine &M, CallSite &S) {
  std::optional<Span> R = spanArg(M, S, 0);
  if (!R)
    return unknownRange(M, S);
  for (int64_t I = 0; I + 1 < R->Size; ++I) {
    auto B = same(M, callableArg(S, 2), R->at(I), R->at(I + 1));
    if (!B)
      return M.unknownFrom(S, "comparison of values that are not known");
    if (*B)
      return R->at(I).iterator();
  }
  return R->at(R->Size).iterator();
}

static Operand equalRanges(Machine &M, CallSite &S) {
  std::optional<Span> R = spanArg(M, S, 0);
  std::optional<Cursor> B = cursorOf(argValue(S, 2));
  if (!R || !B)
    return unknownRange(M, S);
  unsigned Next = 3;
  if (hasArg(S, 3) && cursorOf(argValue(S, 3))) {
    std::optional<Span> Other = spanArg(M, S, 2);
    if (!Other || Other->Size != R->Size)
      return Other ? integer(0) : unknownRange(M, S);
    Next = 4;
  }
  for (int64_t I = 0; I < R->Size && !M.stopped(); ++I) {
    auto E = same(M, callableArg(S, Next), R->at(I), *B);
    if (!E)
      return M.unknownFrom(S, "comparison of values that are not known");
    if (!*E)
      return integer(0);
    B->advance(1);
  }
  return integer(1);
}

static Operand searchSpan(Machine &M, CallSite &S) {
  std::optional<Span> R = spanArg(M, S, 0), What = spanArg(M, S, 2);
  if (!R || !What || !M.step(R->Size * (What->Size + 1)))
    return unknownRange(M, S);
  for (int64_t I = 0; I + What->Size <= R->Size; ++I) {
    bool Same = true;
    for (int64_t K = 0; K < What->Size && Same; ++K) {
      auto E = equal(M, nullptr, R->at(I + K).get(M), What->at(K).get(M));
      if (!E)
        return M.unknownFrom(S, "comparison of values that are not known");
      Same = *E;
    }
    if (Same)
      return R->at(I).iterator();
  }
  return R->at(R->Size).iterator();
}

enum Bound { Lower, Upper };
/// First element not less than (or greater than) argument 2.
template <Bound B>
static std::optional<int64_t> boundOf(Machine &M, CallSite &S, const Span &R) {
  int64_t Low = 0, High = R.Size;
  Value *Less = callableArg(S, 3);
  while (Low < High) {
    int64_t Mid = Low + (High - Low) / 2;
    auto L = B == Lower
                 ? lessThan(M, Less, R.at(Mid).get(M), placeOf(S, 2),
                            {R.First.Type, paramType(S, 2)})
                 : lessThan(M, Less, placeOf(S, 2), R.at(Mid).get(M),
                            {paramType(S, 2), R.First.Type});
    if (!L)
      return std::nullopt;
    if (B == Lower ? *L : !*L)
      Low = Mid + 1;
    else
      High = Mid;
  }
  return Low;
}
template <Bound B> static Operand bound(Machine &M, CallSite &S) {
  std::optional<Span> R = spanArg(M, S, 0);
  std::optional<int64_t> I = R ? boundOf<B>(M, S, *R) : std::nullopt;
  if (!I)
    return unknownRange(M, S);
  return R->at(*I).iterator();
}
static Operand equalRange(Machine &M, CallSite &S) {
  std::optional<Span> R = spanArg(M, S, 0);
  std::optional<int64_t> A = R ? boundOf<Lower>(M, S, *R) : std::nullopt;
  std::optional<int64_t> B = A ? boundOf<Upper>(M, S, *R) : std::nullopt;
  if (!B)
    return unknownRange(M, S);
  return pairOf(R->at(*A).iterator(), R->at(*B).iterator());
}
static Operand binarySearch(Machine &M, CallSite &S) {
  std::optional<Span> R = spanArg(M, S, 0);
  std::optional<int64_t> A = R ? boundOf<Lower>(M, S, *R) : std::nullopt;
  std::optional<int64_t> B = A ? boundOf<Upper>(M, S, *R) : std::nullopt;
  if (!B)
    return unknownRange(M, S);
  return integer(*A < *B);
}

//===-- Extremes ----------------------------------------------------------===//

template <bool Greatest>
static std::optional<int64_t> extremeOf(Machine &M, const Span &R,
                                        Value *Less) {
  int64_t Best = 0;
  for (int64_t I = 1; I < R.Size && !M.stopped(); ++I) {
    auto L = Greatest ? before(M, Less, R.at(Best), R.at(I))
                      : before(M, Less, R.at(I), R.at(Best));
    if (!L)
      return std::nullopt;
    if (*L)
      Best = I;
  }
  return Best;
}

template <bool Greatest> static Operand extremeElement(Machine &M, CallSite &S) {
  std::optional<Span> R = spanArg(M, S, 0);
  auto I = R ? extremeOf<Greatest>(M, *R, callableArg(S, 2)) : std::nullopt;
  if (!I)
    return unknownRange(M, S);
  return R->at(*I).iterator();
}

static Operand minmaxElement(Machine &M, CallSite &S) {
  std::optional<Span> R = spanArg(M, S, 0);
  Value *Less = callableArg(S, 2);
  auto A = R ? extremeOf<false>(M, *R, Less) : std::nullopt;
  auto B = A ? extremeOf<true>(M, *R, Less) : std::nullopt;
  if (!B)
    return unknownRange(M, S);
  return pairOf(R->at(*A).iterator(), R->at(*B).iterator());
}

/// max(a, b[, less]) gives a place; max({…}[, less]) a value.
template <bool Greatest> static Operand extreme(Machine &M, CallSite &S) {
  if (isClass(paramType(S, 0), "initializer_list")) {
    std::optional<Span> R = spanOfContainer(M, placeOf(S, 0));
    auto I = R && R->Size ? extremeOf<Greatest>(M, *R, callableArg(S, 1))
                          : std::nullopt;
    if (!I)
      return M.unknownFrom(S, "largest or smallest of values not known");
    return ownValue(M, R->at(*I).get(M));
  }
  if (S.Args.size() < 2)
    return M.unknownFrom(S, "largest or smallest of values not known");
  CellRef A = placeOf(S, 0), B = placeOf(S, 1);
  auto L = Greatest ? lessThan(M, callableArg(S, 2), A, B)
                    : lessThan(M, callableArg(S, 2), B, A);
  if (!L)
    return unknownPlace(
        M.unknownFrom(S, "largest or smallest of values not known"));
  return *L ? B : A;
}

static Operand minmax(Machine &M, CallSite &S) {
  bool List = isClass(paramType(S, 0), "initializer_list");
  std::optional<Span> R = List ? spanOfContainer(M, placeOf(S, 0))
                               : std::nullopt;
  if (List) {
    auto A = R ? extremeOf<false>(M, *R, nullptr) : std::nullopt;
    auto B = A ? extremeOf<true>(M, *R, nullptr) : std::nullopt;
    if (!B || !R->Size)
      return M.unknownFrom(S, "smallest and largest of values not known");
    return pairOf(ownValue(M, R->at(*A).get(M)), ownValue(M, R->at(*B).get(M)));
  }
  auto L = lessThan(M, callableArg(S, 2), placeOf(S, 1), placeOf(S, 0));
  if (!L)
    return M.unknownFrom(S, "smallest and largest of values not known");
  return pairOf(M.copy(argValue(S, *L ? 1 : 0)), M.copy(argValue(S, *L ? 0 : 1)));
}

static Operand clamp(Machine &M, CallSite &S) {
  CellRef X = placeOf(S, 0), Low = placeOf(S, 1), High = placeOf(S, 2);
  auto A = lessThan(M, callableArg(S, 3), X, Low);
  auto B = lessThan(M, callableArg(S, 3), High, X);
  if (!A || !B)
    return unknownPlace(M.unknownFrom(S, "clamp of a value not known"));
  return *A ? Low : *B ? High : X;
}

//===-- Sorting -----------------------------------------------------------===//

namespace {
/// A merge sort of indices that survives any comparator and stops at the first
/// answer that is not known.
class Sorter {
public:
  Sorter(Machine &M, const Span &R, Value *Less) : M(M), R(R), Less(Less) {
    Order.resize(R.Size);
    std::iota(Order.begin(), Order.end(), 0);
    Buffer.resize(R.Size);
  }
  bool sort() {
    sort(0, Order.size());
    return Known;
  }
  std::vector<unsigned> Order;

private:
  bool less(unsigned A, unsigned B) {
    if (!Known || M.stopped())
      return false;
    auto L = before(M, Less, R.at(A), R.at(B));
    Known = L.has_value();
    return L.value_or(false);
  }
  void sort(size_t From, size_t To) {
    if (To - From < 2)
      return;
    size_t Mid = From + (To - From) / 2;
    sort(From, Mid);
    sort(Mid, To);
    size_t A = From, B = Mid, Out = From;
    while (A < Mid && B < To)
      Buffer[Out++] = less(Order[B], Order[A]) ? Order[B++] : Order[A++];
    while (A < Mid)
      Buffer[Out++] = Order[A++];
    while (B < To)
      Buffer[Out++] = Order[B++];
    std::copy(Buffer.begin() + From, Buffer.begin() + To,
              Order.begin() + From);
  }

  Machine &M;
  const Span &R;
  Value *Less;
  bool Known = true;
  std::vector<unsigned> Buffer;
};
} // namespace

static Operand sortSpan(Machine &M, CallSite &S, std::optional<Span> R,
                        Value *Less) {
  if (!R)
    return unknownRange(M, S);
  R->First.Type = elementTypeOf(M, paramType(S, 0));
  Sorter Sort(M, *R, Less);
  if (Sort.sort())
    permute(M, *R, Sort.Order);
  else
    loseSpan(M, S, *R, "sorted by values that are not known");
  return nothing();
}

static Operand sort(Machine &M, CallSite &S) {
  return sortSpan(M, S, spanArg(M, S, 0), callableArg(S, 2));
}
/// partial_sort and nth_element (first, middle, last): the whole is sorted.
static Operand sortAround(Machine &M, CallSite &S) {
  return sortSpan(M, S, spanOf(M, argValue(S, 0), argValue(S, 2)),
                  callableArg(S, 3));
}

static Operand isSorted(Machine &M, CallSite &S) {
  std::optional<Span> R = spanArg(M, S, 0);
  if (!R)
    return unknownRange(M, S);
  for (int64_t I = 1; I < R->Size; ++I) {
    auto L = before(M, callableArg(S, 2), R->at(I), R->at(I - 1));
    if (!L || *L)
      return boolean(M, S, L, true);
  }
  return integer(1);
}

static Operand reverse(Machine &M, CallSite &S) {
  std::optional<Span> R = spanArg(M, S, 0);
  if (!R)
    return unknownRange(M, S);
  std::vector<unsigned> Order(R->Size);
  std::iota(Order.rbegin(), Order.rend(), 0);
  permute(M, *R, Order);
  return nothing();
}

/// rotate(first, middle, last)
static Operand rotate(Machine &M, CallSite &S) {
  auto R = spanOf(M, argValue(S, 0), argValue(S, 2));
  auto Head = spanOf(M, argValue(S, 0), argValue(S, 1));
  if (!R || !Head)
    return unknownRange(M, S);
  std::vector<unsigned> Order(R->Size);
  std::iota(Order.begin(), Order.end(), 0);
  std::rotate(Order.begin(), Order.begin() + Head->Size, Order.end());
  permute(M, *R, Order);
  return R->at(R->Size - Head->Size).iterator();
}

static Operand shuffle(Machine &M, CallSite &S) {
  std::optional<Span> R = spanArg(M, S, 0);
  if (!R)
    return unknownRange(M, S);
  Value U = quietUnknown(M, "shuffled values");
  for (int64_t I = 0; I < R->Size; ++I)
    if (CellRef C = R->at(I).element())
      weaken(C->V, U.unknown());
  return nothing();
}

/// Keeps what \p Keep says at the front; the iterator behind it.
static Operand compact(Machine &M, CallSite &S, const Span &R,
                       llvm::function_ref<std::optional<bool>(int64_t)> Keep) {
  std::vector<unsigned> Front, Rest;
  for (int64_t I = 0; I < R.Size && !M.stopped(); ++I) {
    std::optional<bool> K = Keep(I);
    if (!K) {
      loseSpan(M, S, R, "elements moved by a condition that is not known");
      return M.unknownFrom(S, "elements moved by an unknown condition");
    }
    (*K ? Front : Rest).push_back(I);
  }
  int64_t Kept = Front.size();
  Front.insert(Front.end(), Rest.begin(), Rest.end());
  if ((int64_t)Front.size() == R.Size)
    permute(M, R, Front);
  return R.at(Kept).iterator();
}

template <Wanted How> static Operand remove(Machine &M, CallSite &S) {
  std::optional<Span> R = spanArg(M, S, 0);
  if (!R)
    return unknownRange(M, S);
  return compact(M, S, *R, [&](int64_t I) {
    std::optional<bool> B = matches<How>(M, S, R->at(I));
    if (B)
      *B = !*B;
    return B;
  });
}
static Operand partition(Machine &M, CallSite &S) {
  std::optional<Span> R = spanArg(M, S, 0);
  if (!R)
    return unknownRange(M, S);
  return compact(M, S, *R, [&](int64_t I) {
    return test(M, argValue(S, 2), R->at(I));
  });
}
static Operand unique(Machine &M, CallSite &S) {
  std::optional<Span> R = spanArg(M, S, 0);
  if (!R)
    return unknownRange(M, S);
  int64_t Last = -1;
  return compact(M, S, *R, [&](int64_t I) -> std::optional<bool> {
    if (Last >= 0) {
      auto E = same(M, callableArg(S, 2), R->at(Last), R->at(I));
      if (!E || *E)
        return E ? std::optional<bool>(false) : std::nullopt;
    }
    Last = I;
    return true;
  });
}

//===-- Writing -----------------------------------------------------------===//

static Operand forEach(Machine &M, CallSite &S) {
  std::optional<Span> R = spanArg(M, S, 0);
  if (!R)
    return unknownRange(M, S);
  Value F = M.take(S, 2);
  for (int64_t I = 0; I < R->Size && !M.stopped() && !M.unwinding(); ++I)
    invokeOn(M, F, R->at(I));
  return F;
}

/// The result of an algorithm that could not write all it should.
static Operand lostOutput(Machine &M, CallSite &S, Value &Out) {
  Value U = M.unknownFrom(S, "elements written from a range not known");
  if (auto *It = Out.as<Iterator>(); It && It->Container)
    It->Container->set(Value(U.unknown()));
  return U;
}

static Operand transform(Machine &M, CallSite &S) {
  std::optional<Span> R = spanArg(M, S, 0);
  bool Two = S.Args.size() == 5;
  Value Out = M.copy(argValue(S, Two ? 3 : 2));
  Value &F = argValue(S, Two ? 4 : 3);
  std::optional<Cursor> B = Two ? cursorOf(argValue(S, 2)) : std::nullopt;
  if (B)
    B->Type = elementTypeOf(M, paramType(S, 2));
  if (!R || (Two && !B))
    return lostOutput(M, S, Out);
  for (int64_t I = 0; I < R->Size && !M.stopped() && !M.unwinding(); ++I) {
    Operand V = Two ? invokeOn(M, F, R->at(I), *B) : invokeOn(M, F, R->at(I));
    if (!writeOut(M, Out, ownValue(M, std::move(V))))
      return lostOutput(M, S, Out);
    if (Two)
      B->advance(1);
  }
  return Out;
}

/// copy, copy_if, remove_copy_if …: argument \p OutArg is where to write.
template <bool Moving = false>
static Operand copyWhere(Machine &M, CallSite &S, std::optional<Span> R,
                         unsigned OutArg,
                         llvm::function_ref<std::optional<bool>(int64_t)> Keep) {
  Value Out = M.copy(argValue(S, OutArg));
  if (!R)
    return lostOutput(M, S, Out);
  for (int64_t I = 0; I < R->Size && !M.stopped() && !M.unwinding(); ++I) {
    std::optional<bool> K = Keep(I);
    if (!K)
      return lostOutput(M, S, Out);
    if (*K && !writeOut(M, Out, ownValue(M, R->at(I).get(M))))
      return lostOutput(M, S, Out);
  }
  return Out;
}

static std::optional<bool> always(int64_t) { return true; }

static Operand copy(Machine &M, CallSite &S) {
  return copyWhere(M, S, spanArg(M, S, 0), 2, always);
}
static Operand copyIf(Machine &M, CallSite &S) {
  std::optional<Span> R = spanArg(M, S, 0);
  return copyWhere(M, S, R, 2, [&](int64_t I) {
    return test(M, argValue(S, 3), R->at(I));
  });
}
static Operand removeCopyIf(Machine &M, CallSite &S) {
  std::optional<Span> R = spanArg(M, S, 0);
  return copyWhere(M, S, R, 2, [&](int64_t I) {
    std::optional<bool> B = test(M, argValue(S, 3), R->at(I));
    return B ? std::optional<bool>(!*B) : B;
  });
}
static Operand copyCount(Machine &M, CallSite &S) {
  std::optional<Cursor> From = cursorOf(argValue(S, 0));
  std::optional<int64_t> N = intArg(S, 1);
  std::optional<Span> R;
  if (From && N && *N >= 0 &&
      From->Index + *N <= sizeOf(From->Container->V).value_or(0) && M.step(*N))
    R = Span{*From, *N};
  return copyWhere(M, S, R, 2, always);
}
static Operand reverseCopy(Machine &M, CallSite &S) {
  std::optional<Span> R = spanArg(M, S, 0);
  Value Out = M.copy(argValue(S, 2));
  for (int64_t I = R ? R->Size - 1 : -1; I >= 0 && !M.stopped(); --I)
    if (!writeOut(M, Out, ownValue(M, R->at(I).get(M))))
      return lostOutput(M, S, Out);
  return R ? Operand(std::move(Out)) : lostOutput(M, S, Out);
}
static Operand copyBackward(Machine &M, CallSite &S) {
  std::optional<Span> R = spanArg(M, S, 0);
  std::optional<Cursor> Out = cursorOf(argValue(S, 2));
  if (!R || !Out)
    return unknownRange(M, S);
  for (int64_t I = R->Size - 1; I >= 0; --I) {
    Out->advance(-1);
    Out->set(M, ownValue(M, R->at(I).get(M)));
  }
  return Out->iterator();
}

static Operand fill(Machine &M, CallSite &S) {
  std::optional<Span> R = spanArg(M, S, 0);
  for (int64_t I = 0; R && I < R->Size && !M.stopped(); ++I)
    R->at(I).set(M, M.copy(argValue(S, 2)));
  return R ? nothing() : unknownRange(M, S);
}
static Operand fillCount(Machine &M, CallSite &S) {
  Value Out = M.copy(argValue(S, 0));
  std::optional<int64_t> N = intArg(S, 1);
  if (!N || *N > M.limits().MaxElements || !M.step(std::max<int64_t>(*N, 0)))
    return lostOutput(M, S, Out);
  for (int64_t I = 0; I < *N; ++I)
    if (!writeOut(M, Out, M.copy(argValue(S, 2))))
      return lostOutput(M, S, Out);
  return Out;
}
static Operand generate(Machine &M, CallSite &S) {
  std::optional<Span> R = spanArg(M, S, 0);
  for (int64_t I = 0; R && I < R->Size && !M.stopped() && !M.unwinding(); ++I)
    R->at(I).set(M, ownValue(M, invoke(M, argValue(S, 2), {})));
  return R ? nothing() : unknownRange(M, S);
}
static Operand generateCount(Machine &M, CallSite &S) {
  Value Out = M.copy(argValue(S, 0));
  std::optional<int64_t> N = intArg(S, 1);
  if (!N || *N > M.limits().MaxElements)
    return lostOutput(M, S, Out);
  for (int64_t I = 0; I < *N && M.step() && !M.unwinding(); ++I)
    if (!writeOut(M, Out, ownValue(M, invoke(M, argValue(S, 2), {}))))
      return lostOutput(M, S, Out);
  return Out;
}

template <Wanted How> static Operand replace(Machine &M, CallSite &S) {
  std::optional<Span> R = spanArg(M, S, 0);
  for (int64_t I = 0; R && I < R->Size && !M.stopped(); ++I) {
    std::optional<bool> B = matches<How>(M, S, R->at(I));
    if (!B) {
      loseSpan(M, S, *R, "elements replaced by an unknown condition");
      return nothing();
    }
    if (*B)
      R->at(I).set(M, M.copy(argValue(S, 3)));
  }
  return R ? nothing() : unknownRange(M, S);
}

static Operand swapRanges(Machine &M, CallSite &S) {
  std::optional<Span> R = spanArg(M, S, 0);
  std::optional<Cursor> B = cursorOf(argValue(S, 2));
  if (!R || !B)
    return unknownRange(M, S);
  for (int64_t I = 0; I < R->Size; ++I, B->advance(1)) {
    CellRef X = R->at(I).element(), Y = B->element();
    if (!X || !Y)
      return unknownRange(M, S);
    Value Old = X->take();
    X->set(Y->take());
    Y->set(std::move(Old));
  }
  return B->iterator();
}

static Operand iterSwap(Machine &M, CallSite &S) {
  auto A = cursorOf(argValue(S, 0)), B = cursorOf(argValue(S, 1));
  CellRef X = A ? A->element() : nullptr, Y = B ? B->element() : nullptr;
  if (!X || !Y)
    return unknownRange(M, S);
  if (X != Y) {
    Value Old = X->take();
    X->set(Y->take());
    Y->set(std::move(Old));
  }
  return nothing();
}

//===-- Sets of sorted ranges ---------------------------------------------===//

enum SetOp { Union, Intersection, Difference, Merge };

/// Two sorted ranges walked together: what each of the operations writes.
template <SetOp Op> static Operand sortedSets(Machine &M, CallSite &S) {
  std::optional<Span> A = spanArg(M, S, 0), B = spanArg(M, S, 2);
  Value Out = M.copy(argValue(S, 4));
  Value *Less = callableArg(S, 5);
  if (!A || !B)
    return lostOutput(M, S, Out);
  int64_t I = 0, K = 0;
  auto Write = [&](const Cursor &C) {
    return writeOut(M, Out, ownValue(M, C.get(M)));
  };
  while ((I < A->Size || K < B->Size) && M.step()) {
    std::optional<bool> First = I < A->Size && K >= B->Size;
    std::optional<bool> Second = K < B->Size && I >= A->Size;
    if (I < A->Size && K < B->Size) {
      First = before(M, Less, A->at(I), B->at(K));
      Second = before(M, Less, B->at(K), A->at(I));
    }
    if (!First || !Second)
      return lostOutput(M, S, Out);
    bool Both = !*First && !*Second;
    bool Wrote = true;
    if (*First || Both) {
      bool Wanted = Op == Intersection ? Both : Op == Difference ? *First : true;
      Wrote = !Wanted || Write(A->at(I));
      ++I;
    }
    if (*Second || (Both && Op != Merge)) {
      bool Wanted = *Second && (Op == Union || Op == Merge);
      Wrote = Wrote && (!Wanted || Write(B->at(K)));
      ++K;
    }
    if (!Wrote)
      return lostOutput(M, S, Out);
  }
  return Out;
}

//===-- std::ranges -------------------------------------------------------===//

/// `std::ranges::f(container, …)`: as f(begin, end, …). Default comparators and
/// projections are left out; projections of the program are not followed.
template <NativeFn Fn> static Operand ranged(Machine &M, CallSite &S) {
  if (S.Args.empty())
    return M.unknown("algorithm without a range");
  CallSite Inner;
  Inner.Callee = nullptr;
  Inner.E = S.E;
  unsigned Next = 1;
  if (argValue(S, 0).as<Iterator>() || argValue(S, 0).isPointer()) {
    Inner.Args.push_back(std::move(S.Args[0]));
  } else {
    CellRef C = placeOf(S, 0);
    if (!sizeOf(C->V))
      return unknownRange(M, S);
    Inner.Args.push_back(beginOf(C));
    Inner.Args.push_back(endOf(C));
  }
  for (; Next < S.Args.size(); ++Next)
    if (!isClass(paramType(S, Next), "identity") &&
        !isClass(paramType(S, Next), "less") &&
        !isClass(paramType(S, Next), "equal_to"))
      Inner.Args.push_back(std::move(S.Args[Next]));
  return Fn(M, Inner);
}

//===-- Table -------------------------------------------------------------===//

#define RANGED(Name, Fn) {"std::ranges::__" Name "_fn::operator()", ranged<Fn>}

static constexpr NativeEntry AlgorithmEntries[] = {
    {"std::max", extreme<true>},
    {"std::min", extreme<false>},
    {"std::minmax", minmax},
    {"std::clamp", clamp},
    {"std::max_element", extremeElement<true>},
    {"std::min_element", extremeElement<false>},
    {"std::minmax_element", minmaxElement},
    {"std::find", find<ByValue>},
    {"std::find_if", find<ByPredicate>},
    {"std::find_if_not", find<ByNotPredicate>},
    {"std::count", count<ByValue>},
    {"std::count_if", count<ByPredicate>},
    {"std::any_of", quantified<true, true>},
    {"std::all_of", quantified<false, false>},
    {"std::none_of", quantified<true, false>},
    {"std::adjacent_find", adjacentFind},
    {"std::equal", equalRanges},
    {"std::search", searchSpan},
    {"std::lower_bound", bound<Lower>},
    {"std::upper_bound", bound<Upper>},
    {"std::binary_search", binarySearch},
    {"std::equal_range", equalRange},
    {"std::move_backward", copyBackward},
    {"std::sort", sort},
    {"std::stable_sort", sort},
    {"std::partial_sort", sortAround},
    {"std::nth_element", sortAround},
    {"std::is_sorted", isSorted},
    {"std::reverse", reverse},
    {"std::rotate", rotate},
    {"std::shuffle", shuffle},
    {"std::random_shuffle", shuffle},
    {"std::remove", remove<ByValue>},
    {"std::remove_if", remove<ByPredicate>},
    {"std::partition", partition},
    {"std::stable_partition", partition},
    {"std::unique", unique},
    {"std::for_each", forEach},
    {"std::transform", transform},
    {"std::copy", copy},
    {"std::copy_if", copyIf},
    {"std::copy_n", copyCount},
    {"std::remove_copy_if", removeCopyIf},
    {"std::reverse_copy", reverseCopy},
    {"std::copy_backward", copyBackward},
    {"std::fill", fill},
    {"std::fill_n", fillCount},
    {"std::generate", generate},
    {"std::generate_n", generateCount},
    {"std::replace", replace<ByValue>},
    {"std::replace_if", replace<ByPredicate>},
    {"std::swap_ranges", swapRanges},
    {"std::iter_swap", iterSwap},
    {"std::set_union", sortedSets<Union>},
    {"std::set_intersection", sortedSets<Intersection>},
    {"std::set_difference", sortedSets<Difference>},
    {"std::merge", sortedSets<Merge>},
    RANGED("sort", sort),
    RANGED("stable_sort", sort),
    RANGED("reverse", reverse),
    RANGED("find", find<ByValue>),
    RANGED("find_if", find<ByPredicate>),
    RANGED("count", count<ByValue>),
    RANGED("count_if", count<ByPredicate>),
    RANGED("any_of", (quantified<true, true>)),
    RANGED("all_of", (quantified<false, false>)),
    RANGED("none_of", (quantified<true, false>)),
    RANGED("for_each", forEach),
    RANGED("transform", transform),
    RANGED("copy", copy),
    RANGED("copy_if", copyIf),
    RANGED("fill", fill),
    RANGED("generate", generate),
    RANGED("max_element", extremeElement<true>),
    RANGED("min_element", extremeElement<false>),
};
const Table AlgorithmTable = AlgorithmEntries;

} // namespace vramlint::stdlib
