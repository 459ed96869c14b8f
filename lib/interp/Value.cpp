//===- lib/interp/Value.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// How values are copied, moved, destroyed, compared and shown. The order in which
// parts die is C++'s (libstdc++'s for its containers), since tensors live in them.

#include "lib/interp/Value.h"
#include "lib/interp/Machine.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

namespace vramlint {

//===-- Places ------------------------------------------------------------===//

HeapOwner::~HeapOwner() {
  if (Pointee)
    Pointee->destroy();
}

void Cell::set(Value New) {
  // What dies sees the new value in place.
  Value Old = std::move(V);
  V = std::move(New);
  if (auto *R = V.as<Record>()) {
    R->Self = this;
    for (const CellRef &Base : R->Bases)
      if (Base)
        Base->Outer = this;
  }
}

Value Cell::take() {
  if (auto *R = V.as<Record>()) {
    R->Self = nullptr;
    for (const CellRef &Base : R->Bases)
      if (Base)
        Base->Outer = nullptr;
  }
  return std::move(V);
}

void Cell::destroy() {
  Value Dead = std::move(V);
}

/// A copy of what a place that waits may hold.
static Value plainCopy(const Value &V) {
  assert(V.isVoid() || V.isNumber() || V.isUnknown());
  if (V.isInt())
    return Value::integer(V.asInt());
  if (V.isFloat())
    return Value::real(V.asFloat());
  if (V.isUnknown())
    return Value(UnknownValue(V.unknownValue()));
  return Value();
}

const CellRef &Places::made(size_t I) const {
  CellRef &C = Cells[I];
  if (Waiting && !C) {
    C = makeCell(plainCopy(Plain));
    --Waiting;
  }
  return C;
}

Places::Vector &Places::made() const {
  for (size_t I = 0; Waiting && I < Cells.size(); ++I)
    made(I);
  return Cells;
}

void Places::swap(Places &O) noexcept {
  std::swap(Cells, O.Cells);
  std::swap(Waiting, O.Waiting);
  std::swap(Plain, O.Plain);
}

void Places::append(size_t N, Value V) {
  made(); // They may hold something else.
  Plain = std::move(V);
  Waiting = N;
  Cells.resize(Cells.size() + N);
}

void Places::visit(llvm::function_ref<void(Value &)> Visit) {
  for (const CellRef &C : Cells)
    if (C)
      Visit(C->V);
  if (Waiting)
    Visit(Plain);
}

Places
Places::copied(llvm::function_ref<CellRef(const Value &)> Copy) const {
  Places New;
  New.Waiting = Waiting;
  New.Plain = plainCopy(Plain);
  New.Cells.reserve(Cells.size());
  for (const CellRef &C : Cells)
    New.Cells.push_back(C ? Copy(C->V) : nullptr);
  return New;
}

void Places::destroy(bool Backwards) {
  Waiting = 0;
  if (Backwards)
    std::reverse(Cells.begin(), Cells.end());
  for (const CellRef &C : Cells)
    if (C)
      C->destroy();
}

//===-- Objects -----------------------------------------------------------===//

Object::~Object() = default;

static bool isReference(const Record &R, size_t Field) {
  return Field < R.IsReference.size() && R.IsReference[Field];
}

Record::~Record() {
  for (size_t I = Fields.size(); I-- > 0;)
    if (Fields[I] && !isReference(*this, I))
      Fields[I]->destroy();
  for (CellRef &Base : llvm::reverse(Bases))
    if (Base) {
      Base->destroy();
      Base->Outer = nullptr;
    }
}

/// A record of the same class without bases and fields yet.
static std::unique_ptr<Record> shellOf(const Record &R) {
  auto New = std::make_unique<Record>();
  New->Class = R.Class;
  New->Decl = R.Decl;
  New->IsReference = R.IsReference;
  return New;
}

std::unique_ptr<Object> Record::copy(Machine &M) const {
  auto New = shellOf(*this);
  for (const CellRef &Base : Bases)
    New->Bases.push_back(Base ? makeCell(M.copy(Base->V)) : nullptr);
  for (size_t I = 0; I < Fields.size(); ++I)
    New->Fields.push_back(!Fields[I] || vramlint::isReference(*this, I)
                              ? Fields[I]
                              : makeCell(M.copy(Fields[I]->V)));
  return New;
}

std::unique_ptr<Object> Record::move(Machine &M) {
  auto New = shellOf(*this);
  for (const CellRef &Base : Bases)
    New->Bases.push_back(Base ? makeCell(M.moveOut(*Base)) : nullptr);
  for (size_t I = 0; I < Fields.size(); ++I)
    New->Fields.push_back(!Fields[I] || vramlint::isReference(*this, I)
                              ? Fields[I]
                              : makeCell(M.moveOut(*Fields[I])));
  return New;
}

/// Elements that die last to first: arrays and pairs as C++ says, sets and maps
/// since libstdc++ erases their right subtree first.
static bool diesBackwards(Sequence::TagTy Tag) {
  switch (Tag) {
  case Sequence::Array:
  case Sequence::CArray:
  case Sequence::InitList:
  case Sequence::Set:
  case Sequence::Map:
  case Sequence::Pair:
    return true;
  default:
    return false;
  }
}

Sequence::~Sequence() {
  if (!Owns)
    return;
  Places Dying = std::move(Elements);
  Dying.destroy(diesBackwards(Tag));
}

std::unique_ptr<Object> Sequence::copy(Machine &M) const {
  auto New = std::make_unique<Sequence>(Tag);
  New->Alternative = Alternative;
  New->Open = Open;
  if (!Owns || Tag == InitList) { // The copy refers to the same elements.
    New->Owns = false;
    New->Elements = Elements;
    return New;
  }
  M.step(Elements.size());
  New->Elements = Elements.copied(
      [&](const Value &V) { return makeCell(M.copy(V)); });
  return New;
}

std::unique_ptr<Object> Sequence::move(Machine &M) {
  auto New = std::make_unique<Sequence>(Tag);
  New->Alternative = Alternative;
  New->Open = Open;
  switch (Tag) {
  case InitList:
    New->Owns = false;
    New->Elements = Elements;
    return New;
  case Array:
  case CArray:
  case Pair:
  case Tuple:
  case Optional:
  case Variant:
    if (Owns) {
      for (const CellRef &C : Elements)
        New->Elements.push_back(C ? makeCell(M.moveOut(*C)) : nullptr);
      return New;
    }
    [[fallthrough]];
  default:
    New->Owns = Owns;
    New->Elements = std::move(Elements);
    Elements.clear();
    return New;
  }
}

std::unique_ptr<Object> SmartPtr::copy(Machine &M) const {
  auto New = std::make_unique<SmartPtr>(Tag);
  if (Tag == Unique) // Not copyable: only a wrong program gets here.
    return New;
  New->Strong = Strong;
  New->WeakRef = WeakRef;
  New->Target = Target;
  return New;
}

std::unique_ptr<Object> SmartPtr::move(Machine &M) {
  auto New = std::make_unique<SmartPtr>(Tag);
  New->Strong = std::move(Strong);
  New->WeakRef = std::move(WeakRef);
  New->Target = std::move(Target);
  return New;
}

std::unique_ptr<Object> Iterator::copy(Machine &M) const {
  auto New = std::make_unique<Iterator>(Container, Index);
  New->Reverse = Reverse;
  New->Node = Node;
  return New;
}

FunctionObject::~FunctionObject() {
  for (BoundArg &A : Bound)
    if (A.Arg && !A.IsReference)
      A.Arg->destroy();
}

std::unique_ptr<Object> FunctionObject::copy(Machine &M) const {
  auto New = std::make_unique<FunctionObject>();
  New->Callable = M.copy(Callable);
  New->IsBind = IsBind;
  for (const BoundArg &A : Bound)
    New->Bound.push_back({A.Placeholder,
                          !A.Arg || A.IsReference ? A.Arg
                                                  : makeCell(M.copy(A.Arg->V)),
                          A.IsReference});
  return New;
}

std::unique_ptr<Object> FunctionObject::move(Machine &M) {
  auto New = std::make_unique<FunctionObject>();
  New->Callable = std::exchange(Callable, Value());
  New->IsBind = IsBind;
  New->Bound = std::move(Bound);
  Bound.clear();
  return New;
}

std::unique_ptr<Object> StreamObject::copy(Machine &M) const {
  auto New = std::make_unique<StreamObject>();
  New->Text = Text;
  New->At = At;
  New->Known = Known;
  New->Failed = Failed;
  New->Ended = Ended;
  New->Why = Why;
  return New;
}

//===-- Comparison --------------------------------------------------------===//

template <typename T> static int order(const T &A, const T &B) {
  return A < B ? -1 : B < A ? 1 : 0;
}

static std::optional<int> comparePointers(const PointerValue &A,
                                          const PointerValue &B) {
  if (A.Array && A.Array == B.Array)
    return order(A.Index, B.Index);
  if (A.Target || B.Target)
    return order(A.Target.get(), B.Target.get());
  return order(A.Array.get(), B.Array.get());
}

static std::optional<int> compareSequences(const Sequence &A,
                                           const Sequence &B) {
  if (A.Tag == Sequence::Variant && A.Alternative != B.Alternative)
    return order(A.Alternative, B.Alternative);
  size_t Common = std::min(A.Elements.size(), B.Elements.size());
  for (size_t I = 0; I < Common; ++I) {
    if (!A.Elements[I] || !B.Elements[I])
      return std::nullopt;
    std::optional<int> C = compareValues(A.Elements[I]->V, B.Elements[I]->V);
    if (!C || *C)
      return C;
  }
  if (A.Open || B.Open)
    return std::nullopt;
  return order(A.Elements.size(), B.Elements.size());
}

static std::optional<int> compareIterators(const Iterator &A,
                                           const Iterator &B) {
  if (A.Container != B.Container)
    return std::nullopt;
  auto *S = A.Container ? A.Container->V.as<Sequence>() : nullptr;
  bool Nodes = S && (S->Tag == Sequence::List || S->Tag == Sequence::Set ||
                     S->Tag == Sequence::Map);
  if (Nodes && A.Node == B.Node && (A.Node || !S->Open))
    return 0;
  int C = order(A.Index, B.Index);
  // Where a container of unknown size ends is not known.
  if (S && S->Open && !C && A.Index >= (int64_t)S->Elements.size())
    return std::nullopt;
  if (Nodes && !C) // One of the indices is out of date.
    C = 1;
  return A.Reverse ? -C : C;
}

/// What a pointer or smart pointer points at.
static std::optional<PointerValue> pointee(const Value &V) {
  if (V.isPointer())
    return V.pointer();
  if (auto *P = V.as<SmartPtr>())
    return PointerValue{P->Target, nullptr, 0};
  if (auto *F = V.as<FunctionObject>(); F && F->Callable.isVoid())
    return PointerValue{nullptr, nullptr, 0};
  return std::nullopt;
}

std::optional<int> compareValues(const Value &A, const Value &B) {
  if (A.isInt() && B.isInt())
    return order(A.asInt(), B.asInt());
  if (A.isNumber() && B.isNumber()) {
    double X = A.asNumber(), Y = B.asNumber();
    if (std::isnan(X) || std::isnan(Y))
      return std::nullopt;
    return order(X, Y);
  }
  if (A.isString() && B.isString())
    return order(A.string().compare(B.string()), 0);
  if (A.isFunction() && B.isFunction())
    return order(A.function().Fn, B.function().Fn);
  if (A.isString() && B.isPointer() && B.pointer().isNull())
    return 1;
  if (B.isString() && A.isPointer() && A.pointer().isNull())
    return -1;
  if (auto P = pointee(A))
    if (auto Q = pointee(B))
      return comparePointers(*P, *Q);
  if (A.isFunction() && B.isPointer() && B.pointer().isNull())
    return A.function().Fn ? 1 : 0;
  if (auto *S = A.as<Sequence>())
    if (auto *T = B.as<Sequence>())
      return compareSequences(*S, *T);
  if (auto *I = A.as<Iterator>())
    if (auto *J = B.as<Iterator>())
      return compareIterators(*I, *J);
  return std::nullopt;
}

//===-- Dumping -----------------------------------------------------------===//

static const char *tagName(Sequence::TagTy Tag) {
  switch (Tag) {
  case Sequence::Vector: return "vector";
  case Sequence::Array: return "array";
  case Sequence::CArray: return "array";
  case Sequence::Deque: return "deque";
  case Sequence::List: return "list";
  case Sequence::InitList: return "init list";
  case Sequence::Set: return "set";
  case Sequence::Map: return "map";
  case Sequence::Pair: return "pair";
  case Sequence::Tuple: return "tuple";
  case Sequence::Optional: return "optional";
  case Sequence::Variant: return "variant";
  case Sequence::Any: return "any";
  }
  return "sequence";
}

static void describe(llvm::raw_ostream &OS, const Value &V, unsigned Depth);

static void describeList(llvm::raw_ostream &OS, llvm::ArrayRef<CellRef> List,
                         unsigned Depth) {
  constexpr size_t MaxShown = 16;
  OS << '{';
  for (size_t I = 0; I < std::min(List.size(), MaxShown); ++I) {
    OS << (I ? ", " : "");
    if (List[I])
      describe(OS, List[I]->V, Depth + 1);
  }
  if (List.size() > MaxShown)
    OS << ", … " << List.size() << " in all";
  OS << '}';
}

static void describeObject(llvm::raw_ostream &OS, const Value &V,
                           unsigned Depth) {
  constexpr unsigned MaxDepth = 4;
  if (Depth > MaxDepth) {
    OS << "…";
  } else if (auto *R = V.as<Record>()) {
    OS << (R->Decl ? R->Decl->getNameAsString() : "record") << ' ';
    describeList(OS, R->Fields, Depth);
  } else if (auto *S = V.as<Sequence>()) {
    OS << tagName(S->Tag) << ' ';
    describeList(OS, S->Elements, Depth);
  } else if (auto *P = V.as<SmartPtr>()) {
    OS << (P->Tag == SmartPtr::Unique  ? "unique_ptr"
           : P->Tag == SmartPtr::Shared ? "shared_ptr"
                                        : "weak_ptr");
    OS << (P->Target ? " to " : " null");
    if (P->Target)
      describe(OS, P->Target->V, Depth + 1);
  } else if (auto *I = V.as<Iterator>()) {
    OS << "iterator at " << I->Index;
  } else if (auto *F = V.as<FunctionObject>()) {
    OS << (F->Callable.isVoid() ? "empty function" : "function");
  } else if (auto *S = V.as<StreamObject>()) {
    OS << "stream \"" << S->Text << '"';
  } else {
    OS << "object " << V.object().Kind;
  }
}

static void describe(llvm::raw_ostream &OS, const Value &V, unsigned Depth) {
  if (V.isVoid())
    OS << "void";
  else if (V.isUnknown())
    OS << "unknown: " << V.unknown()->Reason;
  else if (V.isInt())
    OS << V.asInt();
  else if (V.isFloat())
    OS << llvm::format("%g", V.asFloat());
  else if (V.isString())
    OS << '"' << V.string() << '"';
  else if (V.isFunction())
    OS << "function "
       << (V.function().Fn ? V.function().Fn->getNameAsString() : "null");
  else if (!V.isPointer())
    describeObject(OS, V, Depth);
  else if (V.pointer().isNull())
    OS << "null";
  else
    OS << "pointer" << (V.pointer().Target ? "" : " past the end");
}

std::string describe(const Value &V) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  describe(OS, V, 0);
  return Text;
}

} // namespace vramlint
