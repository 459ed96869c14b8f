//===- lib/interp/Machine.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The abstract machine: runs C++ over the Clang AST.
//
//   function ─► Stmt.cpp (statements, scopes, loops) ─► Expr.cpp (expressions)
//                    ▲                                     │
//                    └── Call.cpp (bodies, natives, domain) ◄┘── Construct.cpp
//
// Evaluation is total: every expression yields a value, at worst Unknown with a
// cause. No input may crash, hang or exhaust it: steps, call depth, elements and
// seconds are limited by Budget, and running out ends the run with what is known
// until then.
//
// A condition that is unknown is a decision: this run takes one side, and the
// caller may run the program again with the other (Decisions). That keeps the
// order of constructions and destructions exact on each path.

#pragma once

#include "lib/interp/Budget.h"
#include "lib/interp/Domain.h"
#include "lib/interp/UnitProvider.h"
#include "lib/interp/Value.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include <map>
#include <vector>

namespace vramlint {

/// A native model of a standard-library function: returns what the call gives.
/// The machine has evaluated the arguments already.
using NativeFn = Operand (*)(Machine &M, CallSite &Site);
/// One row of a table of native models. Name: "std::vector::push_back"; for
/// constructors "std::vector::vector"; inline namespaces left out.
struct NativeEntry {
  const char *Name;
  NativeFn Fn;
};
/// The tables of stdlib/*.cpp.
llvm::ArrayRef<llvm::ArrayRef<NativeEntry>> nativeTables();

/// How a run answers unknown conditions. Keyed by place: the same place decides
/// alike throughout a run.
struct Decisions {
  std::map<SourcePos, bool> Chosen; ///< Set by the caller before a run.
  /// The places that were asked, in order, with the side taken.
  std::vector<std::pair<SourcePos, bool>> Asked;
};


class Machine {
public:
  Machine(UnitView Unit, UnitProvider *Others, Domain &Plugin, Budget Limits);
  ~Machine();

  /// Runs the global initializers that main can see, then \p F.
  Operand run(const clang::FunctionDecl &F, llvm::MutableArrayRef<Operand> Args);

  // --- For natives and the domain ------------------------------------------

  /// A copy as the copy constructor of \p V's class makes one.
  Value copy(const Value &V);
  /// What the move constructor takes out of \p From.
  Value moveOut(Cell &From);
  /// The argument as a value of its own: moved if it is a prvalue or \p E says
  /// xvalue (rvalue-reference parameter), else copied.
  Value take(CallSite &Site, unsigned ArgIndex);
  /// A new object of \p Type from \p Args as `Type(args…)` would make one
  /// (overload resolution by Sema where there is one). \p ArgTypes: their types;
  /// references say lvalue or rvalue.
  Value construct(clang::QualType Type, llvm::MutableArrayRef<Operand> Args,
                  llvm::ArrayRef<clang::QualType> ArgTypes);
  /// `Type()`: zero, null, or the default constructor.
  Value defaultValue(clang::QualType Type);
  /// Calls a closure, function pointer, std::function or object with operator().
  Operand callCallable(Value &Callable, llvm::MutableArrayRef<Operand> Args);
  /// Calls the method \p Name of the object in \p Object with \p Args (virtual
  /// dispatch included); overloads are told apart by the number of arguments.
  Operand callMethod(CellRef Object, llvm::StringRef Name,
                     llvm::MutableArrayRef<Operand> Args);
  /// True, false, or nothing if unknown.
  std::optional<bool> truth(const Value &V);
  /// Answers an unknown condition at the current place.
  bool decide(const Value &Cond);

  /// An Unknown with a reason at the current place; reported to the domain.
  Value unknown(llvm::Twine Reason, llvm::Twine Tell = "");
  /// An Unknown that follows from another; not reported again.
  static Value unknown(const UnknownRef &Cause) { return Value(Cause); }
  /// The first argument or object of \p Site that is Unknown, as the cause of an
  /// Unknown result, else a new one with \p Reason.
  Value unknownFrom(CallSite &Site, llvm::Twine Reason);

  /// Starts unwinding: the program throws here.
  void throwException(std::string Message);
  bool unwinding() const { return Unwinding; }
  /// True when the run must end (budget, exit()).
  bool stopped() const { return Stopped; }
  void stop(llvm::Twine Reason);
  /// Counts work; false when a limit is reached.
  bool step(int64_t Cost = 1);

  // --- Where the program is -------------------------------------------------

  /// The innermost place in user code, and the stack of such places.
  SourcePos currentPos() const;
  struct StackFrame { SourcePos Pos; llvm::StringRef Function; };
  llvm::SmallVector<StackFrame, 8> callStack() const;
  SourcePos posOf(clang::SourceLocation Loc) const;
  clang::ASTContext &context() const { return *Unit.Context; }
  clang::Sema *sema() const { return Unit.Sema; }
  /// Is this place in a header from outside the project?
  bool isExternal(clang::SourceLocation Loc) const;

  // --- Names ------------------------------------------------------------------

  /// "std::vector::push_back": inline and anonymous namespaces and template
  /// arguments left out. Cached.
  llvm::StringRef nameOf(const clang::NamedDecl &D);
  ClassId classId(const clang::CXXRecordDecl &D);
  /// The base subobject (or the object itself) of class \p Id in \p C; null if
  /// there is none.
  CellRef subobject(CellRef C, ClassId Id);
  /// The first subobject, depth first, for which \p Pred holds.
  CellRef findSubobject(CellRef C, llvm::function_ref<bool(const Value &)> Pred);
  /// A field of a Record by name, searched in bases too; null if there is none.
  CellRef field(CellRef C, llvm::StringRef Name);

  Domain &domain() { return Plugin; }
  const Budget &limits() const { return Limits; }
  Decisions Choices;
  /// --set: constants by name, as text.
  std::map<std::string, std::string> Overrides;
  /// Evaluate call arguments and operands right to left, as g++ does.
  bool RightToLeft = true;

private:
  UnitView Unit;
  UnitProvider *Others;
  Domain &Plugin;
  Budget Limits;
  bool Unwinding = false;
  bool Stopped = false;
};

} // namespace vramlint
