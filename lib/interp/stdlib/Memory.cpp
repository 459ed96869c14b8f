//===- lib/interp/stdlib/Memory.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// <memory>: shared_ptr, unique_ptr, weak_ptr and the functions that make them. A
// pointee dies with its last owner (HeapOwner), whatever else points at it.

#include "lib/interp/stdlib/Native.h"

using namespace clang;

namespace vramlint::stdlib {

//===-- Making ------------------------------------------------------------===//

/// A pointer that owns \p Pointee.
static std::unique_ptr<SmartPtr> ownerOf(SmartPtr::TagTy Tag, CellRef Pointee) {
  auto P = std::make_unique<SmartPtr>(Tag);
  P->Target = Pointee;
  if (!Pointee)
    return P;
  // The complete object is what dies; Target may be a base of it.
  CellRef Complete = &Pointee->complete();
  P->Strong = std::make_shared<HeapOwner>(Complete);
  Complete->OwnedBy = P->Strong;
  return P;
}

/// What a raw pointer argument leads to: an array's cell for `new T[n]`.
static CellRef pointeeOf(const Value &V) {
  if (!V.isPointer())
    return nullptr;
  const PointerValue &P = V.pointer();
  return P.Array && P.Index == 0 ? P.Array : P.Target;
}

template <SmartPtr::TagTy Tag>
static Operand makeOwned(Machine &M, CallSite &S, unsigned From) {
  QualType Type = functionTypeArg(S, 0);
  if (Type.isNull())
    return M.unknown("smart pointer to an unknown type");
  if (!Type->isArrayType())
    return Value(ownerOf(Tag, makeCell(constructFrom(M, S, Type, From))));
  auto Array = makeSequence(Sequence::CArray);
  QualType Element = M.context().getAsArrayType(Type)->getElementType();
  std::optional<int64_t> N = intArg(S, From);
  if (!N || *N < 0 || *N > M.limits().MaxElements)
    return M.unknownFrom(S, "array of unknown or excessive size");
  for (int64_t I = 0; I < *N && M.step(); ++I)
    Array->Elements.push_back(makeCell(M.defaultValue(Element)));
  return Value(ownerOf(Tag, makeCell(Value(std::move(Array)))));
}

static Operand makeShared(Machine &M, CallSite &S) {
  return makeOwned<SmartPtr::Shared>(M, S, 0);
}
static Operand makeUnique(Machine &M, CallSite &S) {
  return makeOwned<SmartPtr::Unique>(M, S, 0);
}
static Operand allocateShared(Machine &M, CallSite &S) {
  return makeOwned<SmartPtr::Shared>(M, S, 1);
}

/// Constructors: none, null, raw pointer, another smart pointer (converted,
/// promoted from weak or unique), aliasing.
template <SmartPtr::TagTy Tag>
static Operand construct(Machine &M, CallSite &S) {
  auto Empty = std::make_unique<SmartPtr>(Tag);
  if (S.Args.empty())
    return Value(std::move(Empty));
  Value &First = argValue(S, 0);
  if (First.isPointer())
    return Value(ownerOf(Tag, pointeeOf(First)));
  auto *From = First.as<SmartPtr>();
  if (!From)
    return M.unknownFrom(S, "smart pointer to something that is not known");
  if (From->Tag == SmartPtr::Weak && Tag == SmartPtr::Shared) {
    Empty->Strong = From->WeakRef.lock();
    Empty->Target = Empty->Strong ? From->Target : nullptr;
    if (!Empty->Strong)
      M.throwException("bad_weak_ptr");
    return Value(std::move(Empty));
  }
  if (Tag == SmartPtr::Weak) {
    Empty->WeakRef = From->Tag == SmartPtr::Weak
                         ? From->WeakRef
                         : std::weak_ptr<HeapOwner>(From->Strong);
    Empty->Target = From->Target;
    return Value(std::move(Empty));
  }
  Empty->Strong = From->Strong;
  Empty->Target = From->Target;
  if (S.Args.size() > 1 && argValue(S, 1).isPointer()) { // Aliasing.
    Empty->Target = argValue(S, 1).pointer().Target;
  } else if (paramType(S, 0)->isRValueReferenceType() ||
             From->Tag == SmartPtr::Unique) {
    From->Strong.reset();
    From->Target.reset();
  }
  return Value(std::move(Empty));
}

template <SmartPtr::TagTy Tag>
static Operand assign(Machine &M, CallSite &S) {
  if (!S.Object)
    return nothing();
  Operand New = construct<Tag>(M, S);
  S.Object->set(std::move(New.V));
  return self(S);
}

template <SmartPtr::TagTy Tag>
static Operand reset(Machine &M, CallSite &S) {
  assign<Tag>(M, S);
  return nothing();
}

//===-- Using -------------------------------------------------------------===//

static PointerValue pointerTo(const SmartPtr &P) {
  PointerValue V;
  V.Target = P.Target;
  // An array: point at its first element.
  auto *Q = P.Target ? P.Target->V.as<Sequence>() : nullptr;
  if (Q && Q->Tag == Sequence::CArray) {
    V.Array = P.Target;
    V.Target = Q->Elements.empty() ? nullptr : Q->Elements[0];
  }
  return V;
}

static Operand get(Machine &M, CallSite &S, SmartPtr &P) {
  return Value(pointerTo(P));
}
static Operand arrow(Machine &M, CallSite &S, SmartPtr &P) {
  if (!P.Target)
    return M.unknown("null smart pointer dereferenced");
  return Value(pointerTo(P));
}
static Operand star(Machine &M, CallSite &S, SmartPtr &P) {
  if (!P.Target)
    return unknownPlace(M.unknown("null smart pointer dereferenced"));
  return P.Target;
}
static Operand subscript(Machine &M, CallSite &S, SmartPtr &P) {
  std::optional<int64_t> I = intArg(S, 0);
  auto *Q = P.Target ? P.Target->V.as<Sequence>() : nullptr;
  if (!Q || !I || *I < 0 || *I >= (int64_t)Q->Elements.size())
    return unknownPlace(M.unknownFrom(S, "element that is not known"));
  return Q->Elements[*I];
}
static Operand isSet(Machine &M, CallSite &S, SmartPtr &P) {
  return integer(P.Target != nullptr);
}
static Operand useCount(Machine &M, CallSite &S, SmartPtr &P) {
  return integer(P.Tag == SmartPtr::Weak ? P.WeakRef.use_count()
                                         : P.Strong.use_count());
}
static Operand isUnique(Machine &M, CallSite &S, SmartPtr &P) {
  return integer(P.Strong.use_count() == 1);
}

/// The pointee outlives its owner: what `delete` is called on later.
static Operand release(Machine &M, CallSite &S, SmartPtr &P) {
  PointerValue V = pointerTo(P);
  if (P.Strong) {
    P.Strong->Pointee = nullptr;
    P.Strong.reset();
  }
  P.Target = nullptr;
  return Value(std::move(V));
}

static Operand swap(Machine &M, CallSite &S) {
  CellRef Other = placeOf(S, 0);
  if (S.Object && S.Object != Other)
    std::swap(S.Object->V, Other->V);
  return nothing();
}

static Operand lock(Machine &M, CallSite &S, SmartPtr &P) {
  auto New = std::make_unique<SmartPtr>(SmartPtr::Shared);
  New->Strong = P.WeakRef.lock();
  New->Target = New->Strong ? P.Target : nullptr;
  return Value(std::move(New));
}
static Operand expired(Machine &M, CallSite &S, SmartPtr &P) {
  return integer(P.WeakRef.expired());
}

//===-- Casts, shared_from_this -------------------------------------------===//

/// dynamic_pointer_cast and the others: the same owner; dynamic: null if the
/// object is not of that class.
template <bool Dynamic> static Operand cast(Machine &M, CallSite &S) {
  auto *From = argValue(S, 0).as<SmartPtr>();
  if (!From)
    return M.unknownFrom(S, "cast of a pointer that is not known");
  auto New = std::make_unique<SmartPtr>(From->Tag);
  QualType To = functionTypeArg(S, 0);
  const CXXRecordDecl *Class = To.isNull() ? nullptr : To->getAsCXXRecordDecl();
  CellRef Target = From->Target;
  if (Target && Class)
    if (CellRef Base = &Target->complete(); Base->V.as<Record>()) {
      CellRef Found = M.subobject(Base, M.classId(*Class));
      if (Dynamic && !Found)
        return Value(std::move(New));
      if (Found)
        Target = Found;
    }
  New->Target = Target;
  New->Strong = From->Strong;
  if (paramType(S, 0)->isRValueReferenceType()) {
    From->Strong.reset();
    From->Target.reset();
  }
  return Value(std::move(New));
}

/// The object of the call may be the enable_shared_from_this subobject.
template <SmartPtr::TagTy Tag>
static Operand sharedFromThis(Machine &M, CallSite &S) {
  auto New = std::make_unique<SmartPtr>(Tag);
  if (!S.Object)
    return M.unknown("shared_from_this() of an unknown object");
  CellRef Complete = &S.Object->complete();
  std::shared_ptr<HeapOwner> Strong = Complete->OwnedBy.lock();
  if (!Strong && Tag == SmartPtr::Shared) {
    M.throwException("bad_weak_ptr: shared_from_this() of an object that no "
                     "shared_ptr owns");
    return nothing();
  }
  New->Target = Complete;
  QualType Class = classTypeArg(S, 0);
  if (const CXXRecordDecl *D =
          Class.isNull() ? nullptr : Class->getAsCXXRecordDecl())
    if (CellRef Sub = M.subobject(Complete, M.classId(*D)))
      New->Target = Sub;
  if (Tag == SmartPtr::Shared)
    New->Strong = Strong;
  else
    New->WeakRef = Strong;
  return Value(std::move(New));
}

static Operand addressOf(Machine &M, CallSite &S) {
  PointerValue P;
  P.Target = placeOf(S, 0);
  return Value(std::move(P));
}

static Operand emptyBase(Machine &M, CallSite &S) { return nothing(); }

//===-- Table -------------------------------------------------------------===//

#define METHOD(C, Name, Fn) {"std::" C "::" Name, on<SmartPtr, Fn>}

static constexpr NativeEntry MemoryEntries[] = {
    {"std::make_shared", makeShared},
    {"std::make_unique", makeUnique},
    {"std::make_unique_for_overwrite", makeUnique},
    {"std::make_shared_for_overwrite", makeShared},
    {"std::allocate_shared", allocateShared},
    {"std::shared_ptr::shared_ptr", construct<SmartPtr::Shared>},
    {"std::shared_ptr::operator=", assign<SmartPtr::Shared>},
    {"std::__shared_ptr::reset", reset<SmartPtr::Shared>},
    {"std::__shared_ptr::swap", swap},
    METHOD("__shared_ptr", "get", get),
    METHOD("__shared_ptr", "operator bool", isSet),
    METHOD("__shared_ptr", "use_count", useCount),
    METHOD("__shared_ptr", "unique", isUnique),
    METHOD("__shared_ptr_access", "operator->", arrow),
    METHOD("__shared_ptr_access", "operator*", star),
    METHOD("__shared_ptr_access", "operator[]", subscript),
    METHOD("__shared_ptr_access", "_M_get", get),
    {"std::unique_ptr::unique_ptr", construct<SmartPtr::Unique>},
    {"std::unique_ptr::operator=", assign<SmartPtr::Unique>},
    {"std::unique_ptr::reset", reset<SmartPtr::Unique>},
    {"std::unique_ptr::swap", swap},
    METHOD("unique_ptr", "get", get),
    METHOD("unique_ptr", "operator->", arrow),
    METHOD("unique_ptr", "operator*", star),
    METHOD("unique_ptr", "operator[]", subscript),
    METHOD("unique_ptr", "operator bool", isSet),
    METHOD("unique_ptr", "release", release),
    {"std::weak_ptr::weak_ptr", construct<SmartPtr::Weak>},
    {"std::weak_ptr::operator=", assign<SmartPtr::Weak>},
    {"std::__weak_ptr::reset", reset<SmartPtr::Weak>},
    {"std::__weak_ptr::swap", swap},
    METHOD("weak_ptr", "lock", lock),
    METHOD("__weak_ptr", "expired", expired),
    METHOD("__weak_ptr", "use_count", useCount),
    {"std::dynamic_pointer_cast", cast<true>},
    {"std::static_pointer_cast", cast<false>},
    {"std::const_pointer_cast", cast<false>},
    {"std::reinterpret_pointer_cast", cast<false>},
    {"std::enable_shared_from_this::enable_shared_from_this", emptyBase},
    {"std::enable_shared_from_this::shared_from_this",
     sharedFromThis<SmartPtr::Shared>},
    {"std::enable_shared_from_this::weak_from_this",
     sharedFromThis<SmartPtr::Weak>},
    {"std::addressof", addressOf},
};
const Table MemoryTable = MemoryEntries;

} // namespace vramlint::stdlib
