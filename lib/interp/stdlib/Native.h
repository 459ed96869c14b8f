//===- lib/interp/stdlib/Native.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What the tables of native models share: reading arguments, making results,
// ranges of iterators, calling what the program passes as a callable.
//
// A table is one file per header. A model that cannot know its answer returns an
// Unknown that says why; one whose effect is unknown makes what it would have
// changed Unknown.

#pragma once

#include "lib/interp/Machine.h"

namespace vramlint::stdlib {

using Table = llvm::ArrayRef<NativeEntry>;

//===-- Arguments ---------------------------------------------------------===//

inline Value &argValue(CallSite &S, unsigned I) {
  assert(I < S.Args.size() && "no such argument");
  return S.Args[I].value();
}
inline bool hasArg(const CallSite &S, unsigned I) { return I < S.Args.size(); }
/// Nothing if there is no such argument or it is not a known integer.
std::optional<int64_t> intArg(CallSite &S, unsigned I);
std::optional<double> numberArg(CallSite &S, unsigned I);
/// The text of a std::string, string_view, const char* or array of char.
std::optional<std::string> textOf(const Value &V);
std::optional<std::string> textArg(CallSite &S, unsigned I);
/// The object of a member call, or the first argument of a free function.
Value *selfOf(CallSite &S);
CellRef selfCell(CallSite &S);
/// The place of argument \p I; a new one around its value if it has none.
CellRef placeOf(CallSite &S, unsigned I);

/// Template argument \p I of the class that the callee belongs to (or, for
/// constructors, of the type made); null if there is none.
clang::QualType classTypeArg(const CallSite &S, unsigned I);
std::optional<int64_t> classIntArg(const CallSite &S, unsigned I);
/// Template argument \p I of the function called; packs count as their elements.
clang::QualType functionTypeArg(const CallSite &S, unsigned I);
std::optional<int64_t> functionIntArg(const CallSite &S, unsigned I);
/// The arguments of a class template specialization, packs expanded.
llvm::SmallVector<clang::TemplateArgument, 4>
templateArgsOf(clang::QualType Type);
/// Type of parameter \p I of the callee (null QualType beyond them).
clang::QualType paramType(const CallSite &S, unsigned I);
/// Is \p Type (references aside) a class or specialization of this name?
bool isClass(clang::QualType Type, llvm::StringRef Name);
/// Arguments before a trailing allocator.
unsigned argCount(const CallSite &S);
/// Was the callee made from a function template?
bool isTemplate(const CallSite &S);
/// False if the place that the call returns may be written through.
bool isRead(Machine &M, const CallSite &S);
/// Argument \p I as a \p Type: taken if it is one, else constructed.
Value argAs(Machine &M, CallSite &S, unsigned I, clang::QualType Type);
/// A forwarded call: `Type(args…)` from the callee's arguments from \p From on.
Value constructFrom(Machine &M, CallSite &S, clang::QualType Type,
                    unsigned From);

//===-- Results -----------------------------------------------------------===//

inline Operand integer(int64_t N) { return Value::integer(N); }
inline Operand real(double D) { return Value::real(D); }
inline Operand text(std::string S) { return Value(std::move(S)); }
inline Operand nothing() { return Value(); }
/// An Unknown that nobody needs to hear of (random numbers, the clock).
Value quietUnknown(Machine &M, llvm::Twine Reason);
/// True, false, or Unknown because an operand is.
Operand boolean(Machine &M, CallSite &S, std::optional<bool> B,
                bool Negate = false);
/// The object of the call, as a place (for `return *this`).
Operand self(CallSite &S);
/// Makes the object Unknown for the reason given by an Unknown argument.
Operand loseSelf(Machine &M, CallSite &S, llvm::Twine Reason);
std::unique_ptr<Sequence> makeSequence(Sequence::TagTy Tag);
/// The element as the callee returns it: vector<bool>'s proxies are pointers.
Operand asReturned(Machine &M, CallSite &S, Operand Element);
/// A place that holds an Unknown: what a reference to something unknown is.
Operand unknownPlace(Value Unknown);
/// Something unknown was written to some element: numbers and texts in \p V
/// become Unknown; objects keep their identity.
void weaken(Value &V, const UnknownRef &Cause);
void weaken(Places &Elements, const UnknownRef &Cause);
/// The value fitted to \p Type: integers for floating types become floats, and
/// the other way round.
Value fitted(Machine &M, clang::QualType Type, Value V);
Value cloned(const Value &V); ///< Numbers, strings and pointers only.

//===-- Iterators ---------------------------------------------------------===//

bool isNodeBased(const Sequence &S);
Value makeIterator(CellRef Container, int64_t Index, bool Reverse = false);
Value beginOf(CellRef Container);
Value endOf(CellRef Container);
/// Number of elements or characters; nothing if it is neither.
std::optional<int64_t> sizeOf(const Value &Container);

/// Where an iterator or pointer into an array stands.
struct Cursor {
  CellRef Container = nullptr;
  int64_t Index = 0;
  bool Reverse = false;
  bool IsPointer = false;
  clang::QualType Type; ///< Of the elements, as an lvalue reference; may be null.

  /// The element's place; null for characters of strings and past the end.
  CellRef element() const;
  /// The element as a place, a character as a value; Unknown out of range.
  Operand get(Machine &M) const;
  /// Overwrites the element (or character).
  void set(Machine &M, Value V) const;
  void advance(int64_t N) { Index += Reverse ? -N : N; }
  /// An iterator or pointer of the same kind here.
  Value iterator() const;
};
/// Nothing if \p V is no iterator into something known.
std::optional<Cursor> cursorOf(const Value &V);
/// [First, Last) in steps; nothing if unknown or too long.
struct Span {
  Cursor First;
  int64_t Size = 0;
  Cursor at(int64_t I) const {
    Cursor C = First;
    C.advance(I);
    return C;
  }
};
std::optional<Span> spanOf(Machine &M, const Value &First, const Value &Last);
/// The span of arguments \p I and \p I + 1.
std::optional<Span> spanArg(Machine &M, CallSite &S, unsigned I);
/// The whole of a container.
std::optional<Span> spanOfContainer(Machine &M, CellRef Container);
/// Copies of (or, for move iterators, the moved) elements of a span.
bool appendSpan(Machine &M, Sequence &To, const Span &From);

/// back_inserter's, front_inserter's and inserter's Iterators have these indices.
constexpr int64_t AppendMark = INT64_MAX;
constexpr int64_t PrependMark = INT64_MIN;
constexpr int64_t InsertMark = int64_t(1) << 40; ///< Plus the position.
/// Writes to an output position (iterator, pointer, or an inserter) and moves on.
bool writeOut(Machine &M, Value &Out, Value V);

//===-- Calls -------------------------------------------------------------===//

/// Calls \p Callable as std::invoke does (members on objects, pointers, smart
/// pointers; bound arguments).
/// \p Types: the arguments', where known: they choose
/// among overloads and instantiate generic lambdas.
Operand invoke(Machine &M, Value &Callable, llvm::MutableArrayRef<Operand> Args,
               llvm::ArrayRef<clang::QualType> Types = {});
/// invoke() with one or two elements.
Operand invokeOn(Machine &M, Value &Callable, const Cursor &A);
Operand invokeOn(Machine &M, Value &Callable, const Cursor &A, const Cursor &B);
/// The element type of an iterator, as an lvalue reference; null if unknown.
clang::QualType elementTypeOf(Machine &M, clang::QualType Iterator);
/// The types of the callee's parameters from \p From on.
llvm::SmallVector<clang::QualType, 4> paramTypes(const CallSite &S,
                                                 unsigned From);
/// The object that a pointer, smart pointer or place leads to.
CellRef objectOf(Operand &Op);
/// a < b by \p Less if given, else by the value, or the class's operator<.
std::optional<bool> lessThan(Machine &M, Value *Less, Operand A, Operand B,
                             llvm::ArrayRef<clang::QualType> Types = {});
std::optional<bool> equal(Machine &M, Value *Equal, Operand A, Operand B,
                          llvm::ArrayRef<clang::QualType> Types = {});

//===-- Typed models ------------------------------------------------------===//

/// Wraps a model of a method of T: finds the object as a T, and gives Unknown
/// (with its cause) if it is something else.
template <typename T, Operand (*Fn)(Machine &, CallSite &, T &)>
Operand on(Machine &M, CallSite &S) {
  if (Value *V = selfOf(S))
    if (T *Self = V->as<T>())
      return Fn(M, S, *Self);
  return M.unknownFrom(S, "object in an unknown state");
}

//===-- Maps, for several tables ------------------------------------------===//

/// The position of \p Key in a sorted map or set: first element not less.
std::optional<int64_t> lowerBound(Machine &M, const Sequence &Map,
                                  const Value &Key);

/// Puts a Pair (or a set's value) in its place: its index and whether it is new;
/// nothing, and the element is dropped, if keys are not known.
std::optional<std::pair<int64_t, bool>> insertSorted(Machine &M, Sequence &Map,
                                                     Value Element, bool Multi);

//===-- The tables --------------------------------------------------------===//

extern const Table AlgorithmTable, AnyTable, CmathTable, CstdlibTable,
    CstringTable, ChronoTable, DequeTable, ExceptionTable, FilesystemTable,
    FunctionalTable, FutureTable, IteratorTable, ListTable, MapTable,
    MemoryTable, NumericTable, OptionalTable, RandomTable, SetTable,
    StreamTable, StringTable, ThreadTable, TupleTable, UtilityTable,
    VariantTable, VectorTable;

} // namespace vramlint::stdlib
