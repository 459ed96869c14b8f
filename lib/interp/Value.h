//===- lib/interp/Value.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What an expression of the user's program can be in the abstract machine.
//
// Values are moved, never copied by accident: a Value owns what it holds just as
// the program's object does, so handles that plug-ins store in Objects (a tensor,
// say) are released when, and only when, the program's object dies. A program's
// copy is Machine::copy.
//
//   Value   Void | Unknown | Int | Float | String | Pointer | Function | Object
//   Object  Record (user classes, closures) | Sequence (containers, tuples,
//           optional …) | SmartPtr | Iterator | … | objects of the domain
//   Cell    a place in memory: a variable, field, element or temporary

#pragma once

#include "lib/support/SourcePos.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cassert>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace clang {
class CXXRecordDecl;
class FunctionDecl;
} // namespace clang

namespace vramlint {

class Machine;
class Object;
struct Cell;
using CellRef = llvm::IntrusiveRefCntPtr<Cell>;

/// A number that the program draws at random: rand() % 10.
struct DrawInfo {
  SourcePos Pos;        ///< Where. What is drawn there is alike in a whole run.
  std::vector<std::variant<int64_t, double>> Numbers; ///< One of these.
  bool EndsOnly = false; ///< They are too many: the first and the last stand for all.
};

/// Why a value is not known. Shared by all values that follow from it.
struct UnknownInfo : llvm::RefCountedBase<UnknownInfo> {
  std::string Reason; ///< "std::stoi(argv[1])", "no body of load()".
  SourcePos Pos;
  std::string Tell;   ///< What to tell vramlint to make it known; may be empty.
  bool AnyNatural = false; ///< Any number from 0 on, at random: rand().
  /// It follows from a draw: what it is for each choice. Null: from none.
  std::shared_ptr<const DrawInfo> Draw = nullptr;
  std::vector<std::variant<int64_t, double>> May = {};
};
using UnknownRef = llvm::IntrusiveRefCntPtr<UnknownInfo>;

/// An unknown value. One with a Name is that of a variable, plus Addend: `h` and
/// `h + 32` are both unknown, their difference is not.
struct UnknownValue {
  UnknownRef Info;
  uint64_t Name = 0; ///< 0: none.
  int64_t Addend = 0;
};

/// A raw pointer. Null if it has neither a target nor an array.
struct PointerValue {
  CellRef Target = nullptr; ///< What it points at; null for nullptr and past-the-end.
  CellRef Array = nullptr; ///< The Sequence that holds the target, if any.
  int64_t Index = 0; ///< Its index there.
  bool isNull() const { return !Target && !Array; }
};

/// A pointer to a function or to a member function. Null if Fn is.
struct FunctionValue {
  const clang::FunctionDecl *Fn = nullptr;
};

class Value {
  std::variant<std::monostate, UnknownValue, int64_t, double, std::string,
               PointerValue, FunctionValue, std::unique_ptr<Object>>
      V;

public:
  Value() = default; ///< Void: no value, or not initialised.
  Value(UnknownRef U) : V(UnknownValue{std::move(U)}) {}
  Value(UnknownValue U) : V(std::move(U)) {}
  Value(PointerValue P) : V(std::move(P)) {}
  Value(FunctionValue F) : V(F) {}
  Value(std::unique_ptr<Object> O) : V(std::move(O)) {}
  Value(std::string S) : V(std::move(S)) {}
  static Value integer(int64_t N) { Value R; R.V = N; return R; }
  static Value real(double D) { Value R; R.V = D; return R; }
  /// The source is Void afterwards.
  Value(Value &&O) noexcept : V(std::exchange(O.V, {})) {}
  Value &operator=(Value &&O) noexcept {
    // What was here dies last, when the new value is in place.
    auto Old = std::exchange(V, std::exchange(O.V, {}));
    return *this;
  }
  Value(const Value &) = delete;

  bool isVoid() const { return V.index() == 0; }
  bool isUnknown() const { return V.index() == 1; }
  bool isInt() const { return V.index() == 2; }
  bool isFloat() const { return V.index() == 3; }
  bool isNumber() const { return isInt() || isFloat(); }
  bool isString() const { return V.index() == 4; }
  bool isPointer() const { return V.index() == 5; }
  bool isFunction() const { return V.index() == 6; }
  bool isObject() const { return V.index() == 7; }

  /// Why it is unknown. What is made from that has no name.
  const UnknownRef &unknown() const { return std::get<1>(V).Info; }
  const UnknownValue &unknownValue() const { return std::get<1>(V); }
  int64_t asInt() const { return std::get<2>(V); }
  double asFloat() const { return std::get<3>(V); }
  /// The number, whether Int or Float. Requires: isNumber().
  double asNumber() const { return isInt() ? (double)asInt() : asFloat(); }
  std::string &string() { return std::get<4>(V); }
  const std::string &string() const { return std::get<4>(V); }
  PointerValue &pointer() { return std::get<5>(V); }
  const PointerValue &pointer() const { return std::get<5>(V); }
  FunctionValue function() const { return std::get<6>(V); }
  Object &object() const { return *std::get<7>(V); }
  std::unique_ptr<Object> takeObject() {
    std::unique_ptr<Object> O = std::move(std::get<7>(V));
    V = std::monostate();
    return O;
  }

  /// The object as a T, or null if it is something else.
  template <typename T> T *as() const {
    return isObject() && T::classof(&object()) ? static_cast<T *>(&object())
                                               : nullptr;
  }
};

/// What owns a heap object: the pointee dies with the last SmartPtr.
struct HeapOwner {
  CellRef Pointee;
  explicit HeapOwner(CellRef P) : Pointee(std::move(P)) {}
  ~HeapOwner();
};

/// A place in the program's memory.
struct Cell : llvm::RefCountedBase<Cell> {
  Value V;
  /// For a base-class subobject: the cell of the object around it.
  Cell *Outer = nullptr;
  /// For a heap object: its owner, for shared_from_this.
  std::weak_ptr<HeapOwner> OwnedBy;

  Cell() = default;
  explicit Cell(Value Init) { set(std::move(Init)); }
  /// Stores \p New (the old value dies after it is in place, as in assignment).
  void set(Value New);
  /// Takes the value out: it is in no place then.
  Value take();
  /// Ends the life of the object in this place.
  void destroy();
  /// The complete object that this base subobject belongs to, else itself.
  Cell &complete() { return Outer ? Outer->complete() : *this; }
};
inline CellRef makeCell(Value V = {}) { return new Cell(std::move(V)); }

/// The places of a container, in order. Those that append(N, Plain) adds are made
/// when someone asks for them: a frame of 1.2 million floats costs a word each
/// while the program only hands on its address.
class Places {
  using Vector = std::vector<CellRef>;
  mutable Vector Cells;       ///< Null: waits to be made.
  mutable size_t Waiting = 0; ///< How many of them wait.
  Value Plain;                ///< What those hold: void, a number or unknown.

  Vector &made() const;
  const CellRef &made(size_t I) const;

public:
  using value_type = CellRef;
  using iterator = Vector::iterator;
  using const_iterator = Vector::const_iterator;

  Places() = default;
  Places(Vector Made) : Cells(std::move(Made)) {}
  Places(std::initializer_list<CellRef> Made) : Cells(Made) {}
  Places(const Places &O) : Cells(O.made()) {} ///< The same places.
  Places(Places &&O) noexcept { swap(O); }
  Places &operator=(Places O) noexcept { return swap(O), *this; }
  void swap(Places &O) noexcept;

  size_t size() const { return Cells.size(); }
  bool empty() const { return Cells.empty(); }
  void reserve(size_t N) { Cells.reserve(N); }

  /// These make one place.
  const CellRef &operator[](size_t I) const { return made(I); }
  CellRef &operator[](size_t I) { return made(I), Cells[I]; }
  CellRef &front() { return (*this)[0]; }
  CellRef &back() { return (*this)[size() - 1]; }

  /// These make all.
  iterator begin() { return made().begin(); }
  iterator end() { return made().end(); }
  const_iterator begin() const { return made().begin(); }
  const_iterator end() const { return made().end(); }
  operator llvm::ArrayRef<CellRef>() const { return made(); }

  /// \p N places that hold \p V: void, a number or unknown.
  void append(size_t N, Value V);
  void push_back(CellRef C) { Cells.push_back(std::move(C)); }
  template <typename... Args> iterator insert(iterator At, Args &&...What) {
    return Cells.insert(At, std::forward<Args>(What)...);
  }
  template <typename... Args> iterator erase(Args... Where) {
    return Cells.erase(Where...);
  }
  template <typename It> void assign(It First, It Last) {
    *this = Vector(First, Last);
  }
  void clear() { *this = Vector(); }

  /// Calls \p Visit for the values of all that are made, and once for what the
  /// others hold: it may replace them by void, a number or unknown.
  void visit(llvm::function_ref<void(Value &)> Visit);
  /// As many places, made by \p Copy from the values here.
  Places copied(llvm::function_ref<CellRef(const Value &)> Copy) const;
  /// Ends the lives of what the places hold, in this order or backwards.
  void destroy(bool Backwards);
};

/// A value with structure or identity. Plug-ins derive their own from
/// DomainObject.
class Object {
public:
  enum KindTy {
    RecordKind,
    SequenceKind,
    SmartPtrKind,
    IteratorKind,
    FunctionObjectKind,
    StreamKind,
    OptionKind,    ///< What a program's user may tell (libs/Options.h).
    OptionSetKind,
    FirstDomainKind = 100
  };
  const unsigned Kind;

  explicit Object(unsigned Kind) : Kind(Kind) {}
  virtual ~Object();
  /// A copy as the program's (implicit) copy constructor makes one.
  virtual std::unique_ptr<Object> copy(Machine &M) const = 0;
  /// What a move constructor takes; this object stays in its moved-from state.
  virtual std::unique_ptr<Object> move(Machine &M) { return copy(M); }
};

/// A class of the user's program: stable across translation units.
using ClassId = const void *;

/// An object of a user's class (or closure): base subobjects and fields in
/// declaration order. Fields of reference type alias the cell they refer to.
class Record : public Object {
public:
  ClassId Class = nullptr;
  const clang::CXXRecordDecl *Decl = nullptr; ///< In the unit that made it.
  llvm::SmallVector<CellRef, 2> Bases;
  llvm::SmallVector<CellRef, 8> Fields;
  llvm::SmallVector<bool, 8> IsReference; ///< Per field.
  Cell *Self = nullptr; ///< The cell that holds it; kept by Cell::set and take.

  Record() : Object(RecordKind) {}
  ~Record() override; ///< Fields in reverse order, then bases.
  std::unique_ptr<Object> copy(Machine &M) const override;
  std::unique_ptr<Object> move(Machine &M) override;
  static bool classof(const Object *O) { return O->Kind == RecordKind; }
};

/// Containers and everything else that is a list of places. Maps are sequences
/// of Pair sequences, kept sorted by key; an optional has no or one element, a
/// variant one (and Alternative).
class Sequence : public Object {
public:
  enum TagTy {
    Vector, Array, CArray, Deque, List, InitList, Set, Map, Pair, Tuple,
    Optional, Variant, Any
  };
  TagTy Tag;
  Places Elements;
  unsigned Alternative = 0; ///< Variant: the index held.
  bool Owns = true; ///< False for views (span, a copied initializer_list).
  bool Open = false; ///< It may have more elements, or fewer: nobody knows.

  explicit Sequence(TagTy Tag) : Object(SequenceKind), Tag(Tag) {}
  ~Sequence() override;
  std::unique_ptr<Object> copy(Machine &M) const override;
  std::unique_ptr<Object> move(Machine &M) override;
  static bool classof(const Object *O) { return O->Kind == SequenceKind; }
};

/// shared_ptr, unique_ptr and weak_ptr.
class SmartPtr : public Object {
public:
  enum TagTy { Shared, Unique, Weak };
  TagTy Tag;
  std::shared_ptr<HeapOwner> Strong; ///< Null for an empty pointer.
  std::weak_ptr<HeapOwner> WeakRef;  ///< Weak only.
  CellRef Target;                ///< May be a base subobject of the pointee.

  explicit SmartPtr(TagTy Tag) : Object(SmartPtrKind), Tag(Tag) {}
  std::unique_ptr<Object> copy(Machine &M) const override;
  std::unique_ptr<Object> move(Machine &M) override;
  static bool classof(const Object *O) { return O->Kind == SmartPtrKind; }
};

/// An iterator into a Sequence (by index, so that growth keeps it valid; nodes
/// of lists, sets and maps are found again by their cell). A string's characters
/// are not places: Container is then the cell of the string.
class Iterator : public Object {
public:
  CellRef Container;
  int64_t Index = 0; ///< Of the element it refers to, reverse or not.
  bool Reverse = false;
  CellRef Node; ///< List, Set, Map: the element; null at the end.

  Iterator(CellRef C, int64_t I) : Object(IteratorKind), Container(std::move(C)), Index(I) {}
  std::unique_ptr<Object> copy(Machine &M) const override;
  static bool classof(const Object *O) { return O->Kind == IteratorKind; }
};

/// std::function and bind's results: something callable. (A reference_wrapper is
/// a Pointer.)
class FunctionObject : public Object {
public:
  /// An argument that bind keeps: a value of its own, or a placeholder from 1.
  struct BoundArg {
    unsigned Placeholder = 0;
    CellRef Arg = nullptr;
    /// Bound by std::ref: Arg is the program's own. A placeholder: optional.
    bool IsReference = false;
  };
  Value Callable; ///< Void: empty.
  bool IsBind = false;
  std::vector<BoundArg> Bound;
  FunctionObject() : Object(FunctionObjectKind) {}
  ~FunctionObject() override;
  std::unique_ptr<Object> copy(Machine &M) const override;
  std::unique_ptr<Object> move(Machine &M) override;
  static bool classof(const Object *O) { return O->Kind == FunctionObjectKind; }
};

/// A stream; string streams and files that are here have a text as long as it is
/// known.
class StreamObject : public Object {
public:
  std::string Text;     ///< Written, or to be read.
  size_t At = 0;        ///< The next character to be read.
  bool Known = true;    ///< False: other files, the console, unknown text.
  bool Failed = false;  ///< A read found nothing.
  bool Ended = false;   ///< A read met the end.
  UnknownRef Why = nullptr; ///< Why it is not known; may be null.
  StreamObject() : Object(StreamKind) {}
  std::unique_ptr<Object> copy(Machine &M) const override;
  static bool classof(const Object *O) { return O->Kind == StreamKind; }

  llvm::StringRef rest() const { return llvm::StringRef(Text).substr(At); }
};

/// -1, 0, 1 as \p A sorts before, with, after \p B; nothing if unknown.
std::optional<int> compareValues(const Value &A, const Value &B);

/// "3", "\"abc\"", "vector {1, 2}", "unknown: …": for tests and dumps.
std::string describe(const Value &V);

} // namespace vramlint
