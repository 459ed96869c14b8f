//===- checks/UnitFacts.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What the code of one unit does with models and guards, as its text says: the
// facts behind the structural checks. Gathered once per run.
//
//   functions ─► FunctionWalker (one body: guards, forwards, calls)
//            └─► UnitFacts      (objects that are the same, callers)
//
// Objects are variables, fields and functions that return modules; those that
// are assigned or passed to each other share one ObjectFacts, whatever the order
// of statements. Template patterns are left out: their instantiations are seen.

#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/DenseMap.h"
#include <deque>
#include <string>
#include <vector>

namespace vramlint {

struct FunctionFacts;

/// A guard that holds somewhere.
struct GuardSite {
  clang::SourceLocation Loc; ///< Invalid: no guard.
  bool TurnsOff = false;     ///< Known to turn gradients off.
  bool Inference = false;    ///< A c10::InferenceMode.
  const clang::CompoundStmt *Block = nullptr; ///< The scope it is made in.
};

/// A call that runs a model.
struct ForwardSite {
  const clang::Expr *Call = nullptr;
  clang::SourceLocation Loc;            ///< The method's name, or the object.
  const clang::Decl *Object = nullptr;  ///< Null: not a named object.
  std::string ObjectName;               ///< As the user spells it.
  std::string Method = "forward";
  bool Jit = false;
  /// Set where the program calls a method of its own module class that is not
  /// forward, but runs the module's parts: sample(), act(). Canonical.
  const clang::CXXMethodDecl *Through = nullptr;
  bool Guarded = false;                 ///< By a guard in the same function.
  GuardSite Guard;                      ///< That guard.
  bool Detached = false;                ///< .detach() follows at once.
  bool Returned = false;                ///< Its result is returned.
  const clang::VarDecl *Result = nullptr; ///< The variable that gets the result.
  std::vector<const clang::CompoundStmt *> Blocks; ///< Around it, outermost first.
  const FunctionFacts *In = nullptr;
};

/// A use of another function of the program.
struct CallSite {
  const clang::FunctionDecl *Callee = nullptr; ///< Canonical.
  clang::SourceLocation Loc;
  bool Guarded = false;
  const FunctionFacts *In = nullptr;
  GuardSite Guard;       ///< The one it is under, if Guarded.
  bool OnThread = false; ///< Started here, on a thread of its own.
};

/// A call of train() or eval() on an object.
struct ModeCall {
  clang::SourceLocation Loc;
  const clang::Decl *Object = nullptr;
  bool Evaluates = false; ///< eval() or train(false).
};

/// Where a thread, or a task of a pool, is started.
struct ThreadStart {
  clang::SourceLocation Loc;
  std::string By;                            ///< "std::thread".
  const clang::FunctionDecl *Runs = nullptr; ///< Canonical.
  const clang::CXXRecordDecl *Pool = nullptr; ///< Whose task it is, if one's.
  GuardSite Guard;                           ///< The creator's.
  const FunctionFacts *In = nullptr;
};

/// A thread that runs models without a guard, whose creator holds one.
struct UnguardedThread {
  const ThreadStart *Start = nullptr;
  GuardSite Guard;
  std::vector<const ForwardSite *> Forwards;
};

/// A guard that cannot work.
struct GuardMisuse {
  enum KindTy {
    Temporary,   ///< torch::NoGradGuard();
    Owned,       ///< std::make_unique<torch::NoGradGuard>();
    Function,    ///< torch::NoGradGuard guard();
    Shadow,      ///< c10::InferenceMode(flag); declares 'flag'.
    LastInBlock, ///< if (c) torch::NoGradGuard guard;
    LastInFunction, ///< void f() { torch::NoGradGuard guard; }
  } Kind;
  clang::SourceLocation Loc;
  std::string Type;            ///< As spelled.
  std::string Name;            ///< The variable's or function's, if any.
  clang::SourceRange Replace;  ///< Character range of the fix; may be invalid.
  std::string With;
  bool OfGrad = true;          ///< A guard of gradients, not of a device.
};

struct FunctionFacts {
  const clang::FunctionDecl *Decl = nullptr;
  const clang::Stmt *Body = nullptr;
  const FunctionFacts *Outer = nullptr; ///< Where a lambda is written.
  bool GuardedWhereWritten = false;     ///< A lambda's surroundings.
  bool GuardedByMember = false;         ///< Its object holds a guard.
  bool OnThread = false;                ///< A lambda that a thread runs.
  bool HasGuard = false;                ///< Some grad guard is made in it.
  bool Trains = false;                  ///< backward, optimizer step …
  bool InModule = false;                ///< Method of a torch::nn::Module.
  bool InTest = false;                  ///< googletest's TestBody, a benchmark.
  std::vector<clang::SourceLocation> TrainingLocs;
  std::vector<ModeCall> ModeCalls;
  std::vector<ForwardSite> Forwards;
  std::vector<CallSite> Calls;
  /// The function passed a lambda to: its parameter may be called under a guard.
  const clang::FunctionDecl *PassedTo = nullptr;
};

/// What is done with one object, or with several that are the same.
struct ObjectFacts {
  clang::SourceLocation LoadLoc; ///< Invalid: never loaded.
  clang::SourceLocation LoadEnd; ///< The end of the call that loads.
  const clang::Decl *LoadedInto = nullptr;
  std::string LoadedIntoText;    ///< As the user spells that; empty: unknown.
  std::string LoadedBy;          ///< "torch::jit::load".
  std::string LoadedFrom;        ///< The literal file name, or empty.
  clang::SourceLocation EvalLoc; ///< eval() or train(false).
  bool ModeTouched = false;      ///< train(…) with anything, eval().
  bool ParametersTaken = false;  ///< parameters() or named_parameters().
  bool Frozen = false;           ///< freeze(), optimize_for_inference().
  bool Escapes = false;          ///< Seen by code that we do not see.
  bool InTraining = false;       ///< Run where backward() is called.
  bool Jit = false;
};

/// Could what \p S runs hold parameters? Losses and activations record nothing
/// by themselves.
bool mayHoldParameters(const ForwardSite &S);

class UnitFacts {
public:
  explicit UnitFacts(clang::ASTContext &Context);

  clang::ASTContext &Context;
  std::deque<FunctionFacts> Functions;
  std::vector<GuardMisuse> Misuses;
  std::deque<ThreadStart> Threads;
  std::vector<UnguardedThread> UnguardedThreads;
  bool LeaksGuard = false;   ///< Some guard is made and left to its thread.
  bool AnyTraining = false;  ///< Some function of the unit trains.
  bool AnyOptimizer = false;

  /// Facts on \p D and all that are the same object; null for null.
  const ObjectFacts *object(const clang::Decl *D) const;
  ObjectFacts &objectOf(const clang::Decl *D);
  /// One declaration that stands for all that are the same object as \p D.
  const clang::Decl *same(const clang::Decl *D) const;
  void unite(const clang::Decl *A, const clang::Decl *B);
  /// The object that \p E names, through *, ->, get(), std::move and casts.
  const clang::Decl *resolve(const clang::Expr *E) const;

  std::vector<const CallSite *> callersOf(const FunctionFacts &F) const;
  const FunctionFacts *function(const clang::FunctionDecl *D) const;
  /// True if every known way into \p F is under a guard. \p Unguarded: one that
  /// is not, if there is any caller at all.
  bool guardedByCallers(const FunctionFacts &F,
                        const CallSite **Unguarded = nullptr) const;
  /// True if \p F, or some function that calls it, trains.
  bool callersTrain(const FunctionFacts &F) const;

  /// True if \p S is run by one of UnguardedThreads.
  bool onUnguardedThread(const ForwardSite &S) const;
  /// True if a guard made by \p F is still there when \p F returns.
  bool leavesGuard(const clang::FunctionDecl &F) const;

  /// Code of the project: neither a system header nor below LibTorch's root.
  bool isUserCode(clang::SourceLocation Loc) const;
  bool isInMacroBody(clang::SourceLocation Loc) const;

private:
  friend class FunctionWalker;
  void collect();
  void addFunction(const clang::FunctionDecl &F);
  void settle();
  bool runsParts(const clang::CXXMethodDecl &M,
                 std::vector<const clang::CXXMethodDecl *> &Open) const;
  void settleThrough();
  void settleThreads();
  GuardSite creatorsGuard(const FunctionFacts &F, const GuardSite &Own,
                          int Depth = 0) const;

  bool guarded(const FunctionFacts &F, const CallSite **Unguarded,
               std::vector<const FunctionFacts *> &Open) const;

  mutable llvm::DenseMap<const clang::Decl *, const clang::Decl *> Parent;
  llvm::DenseMap<const clang::Decl *, ObjectFacts> Objects;
  llvm::DenseMap<const clang::FunctionDecl *, const FunctionFacts *> ByDecl;
  mutable llvm::DenseMap<const clang::FunctionDecl *, bool> Leaving;
};

} // namespace vramlint
