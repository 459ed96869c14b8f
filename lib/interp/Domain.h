//===- lib/interp/Domain.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The plug-in interface: what the machine asks someone who knows a library that
// it does not (LibTorch, in vramlint). The machine itself knows C++ and the
// standard library only.

#pragma once

#include "lib/interp/Value.h"
#include "clang/AST/Type.h"

namespace clang {
class CXXConstructorDecl;
class VarDecl;
class Expr;
class Stmt;
} // namespace clang

namespace vramlint {

/// The outcome of an expression: a place (glvalue) or a value (prvalue).
struct Operand {
  CellRef Place;
  Value V;

  Operand() = default;
  Operand(CellRef P) : Place(std::move(P)) {}
  Operand(Value X) : V(std::move(X)) {}
  /// The value itself, wherever it is.
  Value &value() { return Place ? Place->V : V; }
  const Value &value() const { return Place ? Place->V : V; }
};

/// A call or construction that is being made.
struct CallSite {
  const clang::FunctionDecl *Callee = nullptr;
  /// The object of a member call, null for a free function, static member or
  /// constructor. Operators called as members have their left side here.
  CellRef Object;
  /// One per parameter that was passed, default arguments included: places for
  /// reference parameters, values for the others.
  llvm::SmallVector<Operand, 6> Args;
  /// The call expression, or null. For its type and place only.
  const clang::Expr *E = nullptr;
  /// Constructors: the type being made (Callee is then its constructor).
  clang::QualType Type;
};

class Domain {
public:
  virtual ~Domain();

  /// Called first for every function. True if it was handled (\p Result is
  /// then set); false to let the machine go on: a native model, the body, or
  /// Unknown. \p Name: qualified, inline namespaces and template arguments left
  /// out ("at::Tensor::view").
  virtual bool call(Machine &M, llvm::StringRef Name, CallSite &Site,
                    Operand &Result) = 0;
  /// Likewise for constructors ("at::Tensor::Tensor"). A class of the domain may
  /// be the base of a user's: then Result becomes the base subobject.
  virtual bool construct(Machine &M, llvm::StringRef Name, CallSite &Site,
                         Value &Result) = 0;
  /// A global or static variable without initializer in sight ("torch::kCUDA").
  virtual bool global(Machine &M, llvm::StringRef Name, clang::QualType Type,
                      Operand &Result) = 0;
  /// A field of an object that is not a Record (`batch.data`).
  virtual bool member(Machine &M, CellRef Object, llvm::StringRef Field,
                      Operand &Result) = 0;
  /// Is \p File one of the domain's library, and so none of the user's?
  virtual bool ownsFile(llvm::StringRef File) { return false; }
  /// Is the domain's object in \p C of the class \p Name, or derived from it?
  virtual bool isA(Machine &M, CellRef C, llvm::StringRef Name, bool &Result) {
    return false;
  }
  /// Does the domain's \p O hold nothing yet (an undefined tensor)? Code that is
  /// not seen may fill it.
  virtual bool isUnset(const Object &O) { return false; }
  /// `for (auto &x : range)` over an object of the domain: calls \p Body with
  /// the element's place for each element until it returns false.
  virtual bool iterate(Machine &M, CellRef Range,
                       llvm::function_ref<bool(CellRef)> Body) = 0;
  /// A variable has its initial value; what-if runs may replace it.
  virtual void initialized(Machine &M, const clang::VarDecl &D, Cell &C) {}
  /// The text of a file that the program opens; nothing: it is not here.
  virtual std::optional<std::string> readFile(llvm::StringRef Name) {
    return std::nullopt;
  }
  virtual bool hasFile(llvm::StringRef Name) { return false; }
  /// The user may give this number under this name when the program is started;
  /// what-if runs may replace it.
  virtual void named(Machine &M, llvm::StringRef Name, Cell &C) {}
  /// The run rests on something that its user may do otherwise; each text once.
  virtual void assumed(Machine &M, llvm::StringRef What, llvm::StringRef Value) {}
  /// A user's function is about to run its body; \p Object is null for a free
  /// one. For module scopes. leave() is called when it has returned.
  virtual void enter(Machine &M, const clang::FunctionDecl &F, CellRef Object) {}
  virtual void leave(Machine &M, const clang::FunctionDecl &F, CellRef Object,
                     Operand &Result) {}
  /// The place in the program changed: everything recorded from now on is there.
  virtual void moved(Machine &M) {}
  /// A statement of user code has run and its temporaries are gone.
  virtual void statementEnd(Machine &M) {}
  virtual void loopIteration(Machine &M, unsigned Loop, int64_t Iteration) {}
  virtual void loopJump(Machine &M, unsigned Loop, int64_t Skipped) {}
  virtual void loopEnd(Machine &M, unsigned Loop) {}
  /// How much has been recorded so far.
  virtual size_t mark() { return 0; }
  /// A digest of everything recorded since \p Mark, 0 if that is nothing of
  /// interest: two loop iterations with equal digests did the same.
  virtual uint64_t digest(size_t Mark) { return 0; }
  /// How much is alive now. A loop whose iterations do the same has come to rest when
  /// this is the same after each, or grows when it rises by the same amount.
  virtual int64_t level() { return 0; }
  /// The program would throw or abort here (TORCH_CHECK with a false condition).
  virtual void failed(Machine &M, std::string Message) {}
  /// The run ends early: a budget is spent, or the program exits.
  virtual void stopped(Machine &M, const UnknownInfo &Why) {}
  /// Something was not understood; each (place, text) once.
  virtual void unknown(Machine &M, const UnknownInfo &Info) {}
};

} // namespace vramlint
