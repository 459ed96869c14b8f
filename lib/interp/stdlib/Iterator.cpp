//===- lib/interp/stdlib/Iterator.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// <iterator>: the iterators of all containers, which libstdc++ gives many names
// and we one shape; begin, end and the like; inserters.

#include "lib/interp/stdlib/Native.h"

namespace vramlint::stdlib {

//===-- Methods -----------------------------------------------------------===//

static bool isInserter(const Iterator &It) {
  return It.Index >= InsertMark || It.Index == PrependMark;
}

/// Moves the object of the call by \p N; false if that is not known.
static bool move(Iterator &It, std::optional<int64_t> N, const Value &Self) {
  if (!N)
    return false;
  if (isInserter(It))
    return true;
  std::optional<Cursor> C = cursorOf(Self);
  if (!C)
    return false;
  C->advance(*N);
  It.Index = C->Index;
  It.Node = nullptr;
  if (auto *S = It.Container->V.as<Sequence>(); S && isNodeBased(*S))
    It.Node = C->element();
  return true;
}

static Operand increment(Machine &M, CallSite &S, Iterator &It) {
  bool Postfix = hasArg(S, 0);
  Value Old = Postfix ? M.copy(S.Object->V) : Value();
  if (!move(It, 1, S.Object->V))
    return loseSelf(M, S, "iterator in an unknown place");
  return Postfix ? Operand(std::move(Old)) : self(S);
}

static Operand decrement(Machine &M, CallSite &S, Iterator &It) {
  bool Postfix = hasArg(S, 0);
  Value Old = Postfix ? M.copy(S.Object->V) : Value();
  if (!move(It, -1, S.Object->V))
    return loseSelf(M, S, "iterator in an unknown place");
  return Postfix ? Operand(std::move(Old)) : self(S);
}

template <int Sign>
static Operand moveBy(Machine &M, CallSite &S, Iterator &It) {
  std::optional<int64_t> N = intArg(S, 0);
  if (!move(It, N ? std::optional(Sign * *N) : N, S.Object->V))
    return loseSelf(M, S, "iterator in an unknown place");
  return self(S);
}

/// A character that may be written through its reference: the string is lost.
static Operand dereference(Machine &M, CallSite &S, const Cursor &C) {
  Operand Op = C.get(M);
  if (Op.Place || !C.Container->V.isString())
    return asReturned(M, S,
                      Op.Place ? std::move(Op) : unknownPlace(std::move(Op.V)));
  if (!isRead(M, S))
    C.Container->set(quietUnknown(M, "text changed through a reference"));
  return unknownPlace(std::move(Op.V)); // Holds the character.
}

static Operand star(Machine &M, CallSite &S, Iterator &It) {
  if (isInserter(It))
    return self(S);
  std::optional<Cursor> C = cursorOf(S.Object->V);
  if (!C)
    return unknownPlace(M.unknownFrom(S, "element that is not known"));
  return dereference(M, S, *C);
}

static Operand arrow(Machine &M, CallSite &S, Iterator &It) {
  std::optional<Cursor> C = cursorOf(S.Object->V);
  if (!C || !C->element())
    return M.unknownFrom(S, "element that is not known");
  PointerValue P;
  P.Target = C->element();
  P.Array = C->Container;
  P.Index = C->Index;
  return Value(std::move(P));
}

static Operand subscript(Machine &M, CallSite &S, Iterator &It) {
  std::optional<Cursor> C = cursorOf(S.Object->V);
  std::optional<int64_t> N = intArg(S, 0);
  if (!C || !N)
    return unknownPlace(M.unknownFrom(S, "element that is not known"));
  C->advance(*N);
  return dereference(M, S, *C);
}

template <int Sign>
static Operand moved(Machine &M, CallSite &S, Iterator &It) {
  // it - it of a member operator-; else a distance.
  if (Sign < 0 && hasArg(S, 0) && argValue(S, 0).as<Iterator>()) {
    auto A = cursorOf(S.Object->V), B = cursorOf(argValue(S, 0));
    if (!A || !B)
      return M.unknownFrom(S, "distance of unknown iterators");
    return integer(A->Reverse ? B->Index - A->Index : A->Index - B->Index);
  }
  std::optional<Cursor> C = cursorOf(S.Object->V);
  std::optional<int64_t> N = intArg(S, 0);
  if (!C || !N)
    return M.unknownFrom(S, "iterator in an unknown place");
  C->advance(Sign * *N);
  return C->iterator();
}

/// reverse_iterator::base: one behind the element it refers to.
static Operand base(Machine &M, CallSite &S, Iterator &It) {
  std::optional<Cursor> C = cursorOf(S.Object->V);
  if (!C)
    return M.unknownFrom(S, "iterator in an unknown place");
  return makeIterator(C->Container, C->Reverse ? C->Index + 1 : C->Index);
}

/// Constructors: from another iterator (to const, from a pointer), or none.
static Operand construct(Machine &M, CallSite &S) {
  if (S.Args.empty())
    return Value(PointerValue{nullptr, nullptr, 0});
  return M.copy(argValue(S, 0));
}

static Operand insertThrough(Machine &M, CallSite &S, Iterator &It) {
  if (!isInserter(It)) {
    S.Object->set(M.take(S, 0));
    return self(S);
  }
  if (!writeOut(M, S.Object->V, M.take(S, 0)))
    return loseSelf(M, S, "insertion into an unknown container");
  return self(S);
}

//===-- Free functions ----------------------------------------------------===//

static Operand makeInserter(Machine &M, CallSite &S, int64_t Mark) {
  CellRef C = placeOf(S, 0);
  auto It = std::make_unique<Iterator>(C, Mark);
  return Value(std::move(It));
}
static Operand backInserter(Machine &M, CallSite &S) {
  return makeInserter(M, S, AppendMark);
}
static Operand frontInserter(Machine &M, CallSite &S) {
  return makeInserter(M, S, PrependMark);
}
static Operand inserter(Machine &M, CallSite &S) {
  std::optional<Cursor> At = cursorOf(argValue(S, 1));
  std::optional<int64_t> Size = sizeOf(argValue(S, 0));
  if (!At || !Size)
    return M.unknownFrom(S, "inserter at an unknown place");
  return makeInserter(M, S,
                      At->Index >= *Size ? AppendMark : InsertMark + At->Index);
}

/// The container, or array, that a free begin() or end() is given.
static Operand rangeEnd(Machine &M, CallSite &S, bool End, bool Reverse) {
  CellRef C = placeOf(S, 0);
  std::optional<int64_t> Size = sizeOf(C->V);
  if (!Size)
    return M.unknownFrom(S, "container that is not known");
  int64_t Index = Reverse ? (End ? -1 : *Size - 1) : (End ? *Size : 0);
  auto *Q = C->V.as<Sequence>();
  if (!Q || Reverse ||
      (Q->Tag != Sequence::CArray && Q->Tag != Sequence::InitList))
    return makeIterator(C, Index, Reverse);
  PointerValue P;
  P.Array = C;
  P.Index = Index;
  if (Index < *Size)
    P.Target = Q->Elements[Index];
  return Value(std::move(P));
}
static Operand begin(Machine &M, CallSite &S) {
  return rangeEnd(M, S, false, false);
}
static Operand end(Machine &M, CallSite &S) {
  return rangeEnd(M, S, true, false);
}
static Operand rbegin(Machine &M, CallSite &S) {
  return rangeEnd(M, S, false, true);
}
static Operand rend(Machine &M, CallSite &S) {
  return rangeEnd(M, S, true, true);
}
static Operand size(Machine &M, CallSite &S) {
  if (auto *Q = argValue(S, 0).as<Sequence>(); Q && Q->Open)
    return M.unknownFrom(S, "size of a container that is not known");
  if (std::optional<int64_t> Size = sizeOf(argValue(S, 0)))
    return integer(*Size);
  return M.unknownFrom(S, "size of a container that is not known");
}
static Operand empty(Machine &M, CallSite &S) {
  if (std::optional<int64_t> Size = sizeOf(argValue(S, 0)))
    return integer(*Size == 0);
  return M.unknownFrom(S, "size of a container that is not known");
}
static Operand data(Machine &M, CallSite &S) {
  CellRef C = placeOf(S, 0);
  if (C->V.isString())
    return text(C->V.string());
  auto *Q = C->V.as<Sequence>();
  if (!Q)
    return M.unknownFrom(S, "container that is not known");
  PointerValue P;
  P.Array = C;
  if (!Q->Elements.empty())
    P.Target = Q->Elements[0];
  return Value(std::move(P));
}

template <int Sign> static Operand nextOf(Machine &M, CallSite &S) {
  std::optional<Cursor> C = cursorOf(argValue(S, 0));
  std::optional<int64_t> N = hasArg(S, 1) ? intArg(S, 1) : 1;
  if (!C || !N)
    return M.unknownFrom(S, "iterator in an unknown place");
  C->advance(Sign * *N);
  return C->iterator();
}

static Operand advance(Machine &M, CallSite &S) {
  CellRef Place = placeOf(S, 0);
  std::optional<Cursor> C = cursorOf(Place->V);
  std::optional<int64_t> N = intArg(S, 1);
  if (!C || !N) {
    Place->set(M.unknownFrom(S, "iterator in an unknown place"));
    return nothing();
  }
  C->advance(*N);
  Place->set(C->iterator());
  return nothing();
}

static Operand distance(Machine &M, CallSite &S) {
  auto A = cursorOf(argValue(S, 0)), B = cursorOf(argValue(S, 1));
  auto *Q = A ? A->Container->V.as<Sequence>() : nullptr;
  if (!A || !B || A->Container != B->Container || (Q && Q->Open))
    return M.unknownFrom(S, "distance of unknown iterators");
  return integer(A->Reverse ? A->Index - B->Index : B->Index - A->Index);
}

static Operand reversed(Machine &M, CallSite &S) {
  std::optional<Cursor> C = cursorOf(argValue(S, 0));
  if (!C)
    return M.unknownFrom(S, "iterator in an unknown place");
  return makeIterator(C->Container, C->Index - 1, true);
}

static Operand same(Machine &M, CallSite &S) { return M.copy(argValue(S, 0)); }

//===-- Table -------------------------------------------------------------===//

#define METHOD(C, Name, Fn) {C "::" Name, on<Iterator, Fn>}
#define ITERATOR(C, Short)                                                     \
  {C "::" Short, construct}, METHOD(C, "operator++", increment),               \
      METHOD(C, "operator--", decrement), METHOD(C, "operator*", star),        \
      METHOD(C, "operator->", arrow), METHOD(C, "operator[]", subscript),      \
      METHOD(C, "operator+=", moveBy<1>), METHOD(C, "operator-=", moveBy<-1>), \
      METHOD(C, "operator+", moved<1>), METHOD(C, "operator-", moved<-1>)

static constexpr NativeEntry IteratorEntries[] = {
    ITERATOR("__gnu_cxx::__normal_iterator", "__normal_iterator"),
    ITERATOR("std::_Deque_iterator", "_Deque_iterator"),
    ITERATOR("std::_List_iterator", "_List_iterator"),
    ITERATOR("std::_List_const_iterator", "_List_const_iterator"),
    ITERATOR("std::_Fwd_list_iterator", "_Fwd_list_iterator"),
    ITERATOR("std::_Fwd_list_const_iterator", "_Fwd_list_const_iterator"),
    ITERATOR("std::_Rb_tree_iterator", "_Rb_tree_iterator"),
    ITERATOR("std::_Rb_tree_const_iterator", "_Rb_tree_const_iterator"),
    ITERATOR("std::__detail::_Node_iterator", "_Node_iterator"),
    ITERATOR("std::__detail::_Node_const_iterator", "_Node_const_iterator"),
    ITERATOR("std::_Bit_iterator", "_Bit_iterator"),
    ITERATOR("std::_Bit_iterator_base", "_Bit_iterator_base"),
    ITERATOR("std::_Bit_const_iterator", "_Bit_const_iterator"),
    ITERATOR("std::reverse_iterator", "reverse_iterator"),
    ITERATOR("std::move_iterator", "move_iterator"),
    ITERATOR("std::back_insert_iterator", "back_insert_iterator"),
    ITERATOR("std::front_insert_iterator", "front_insert_iterator"),
    ITERATOR("std::insert_iterator", "insert_iterator"),
    METHOD("std::reverse_iterator", "base", base),
    METHOD("std::move_iterator", "base", base),
    METHOD("__gnu_cxx::__normal_iterator", "base", base),
    METHOD("std::back_insert_iterator", "operator=", insertThrough),
    METHOD("std::front_insert_iterator", "operator=", insertThrough),
    METHOD("std::insert_iterator", "operator=", insertThrough),
    {"std::back_inserter", backInserter},
    {"std::front_inserter", frontInserter},
    {"std::inserter", inserter},
    {"std::begin", begin},
    {"std::cbegin", begin},
    {"std::end", end},
    {"std::cend", end},
    {"std::rbegin", rbegin},
    {"std::crbegin", rbegin},
    {"std::rend", rend},
    {"std::crend", rend},
    {"std::size", size},
    {"std::ssize", size},
    {"std::empty", empty},
    {"std::data", data},
    {"std::next", nextOf<1>},
    {"std::prev", nextOf<-1>},
    {"std::advance", advance},
    {"std::distance", distance},
    {"std::make_reverse_iterator", reversed},
    {"std::make_move_iterator", same},
};
const Table IteratorTable = IteratorEntries;

} // namespace vramlint::stdlib
