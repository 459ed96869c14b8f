//===- checks/BodyView.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// One function's body for checks that follow a value through it: parents, the
// order in which expressions stand, the uses of each variable, and the value
// that a variable has at some place. Bodies of lambdas are functions of their
// own and not part of it; what they capture is.
//
// Order is the text's, and that is enough to be careful: wherever a branch or a
// loop could make a difference, the answer is that we don't know.

#pragma once

#include "checks/UnitFacts.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace vramlint {

/// Calls \p Visit for \p Root and what lies below it, parents first, without
/// the bodies of lambdas.
void forEachStmt(const clang::Stmt *Root,
                 llvm::function_ref<void(const clang::Stmt *)> Visit);

/// What a function runs: its body, and a constructor's written initialisers.
struct Root {
  const clang::Stmt *Code = nullptr;
  const clang::FieldDecl *Field = nullptr; ///< That it initialises, or null.
};
llvm::SmallVector<Root, 4> rootsOf(const FunctionFacts &F);

/// A change of a variable.
struct Write {
  const clang::Expr *At = nullptr;    ///< The assignment or call.
  const clang::Expr *Value = nullptr; ///< Null: not known.
};

class BodyView {
public:
  BodyView(const FunctionFacts &F, const clang::ASTContext &Context);

  const FunctionFacts &Facts;
  const clang::ASTContext &Context;

  const clang::Stmt *parent(const clang::Stmt *S) const {
    return Parents.lookup(S);
  }
  /// What uses the value of \p S: its parent, but for casts and parentheses.
  const clang::Stmt *userOf(const clang::Stmt *S) const;
  /// The field that the initialiser ending at \p S sets; null: not a root.
  const clang::FieldDecl *fieldOf(const clang::Stmt *S) const {
    return Fields.lookup(S);
  }
  unsigned begin(const clang::Stmt *S) const { return Order.lookup(S).first; }
  unsigned end(const clang::Stmt *S) const { return Order.lookup(S).second; }
  bool contains(const clang::Stmt *S) const { return Order.count(S); }
  bool isInside(const clang::Stmt *S, const clang::Stmt *Outer) const {
    return begin(Outer) <= begin(S) && end(S) <= end(Outer);
  }

  /// In the order of the text.
  llvm::ArrayRef<const clang::DeclRefExpr *>
  usesOf(const clang::VarDecl *V) const;
  /// The block, loop or function that \p V lives in; null for a parameter.
  const clang::Stmt *scopeOf(const clang::VarDecl *V) const;
  /// The innermost statement that runs as a whole: child of a block or branch.
  const clang::Stmt *statementOf(const clang::Stmt *S) const;
  const clang::Stmt *loopAround(const clang::Stmt *S,
                                const clang::Stmt *Inside = nullptr) const;

  /// What \p Use does to the variable as a whole: null if it only reads it.
  std::optional<Write> writeAt(const clang::DeclRefExpr *Use) const;
  /// The expression whose value \p V has at \p Where; null if not known.
  const clang::Expr *valueAt(const clang::VarDecl *V,
                             const clang::Stmt *Where) const;
  /// \p E through variables that hold nothing else: the expression they got.
  const clang::Expr *originOf(const clang::Expr *E) const;

private:
  void index(const clang::Stmt *S, const clang::Stmt *Parent);

  llvm::DenseMap<const clang::Stmt *, const clang::Stmt *> Parents;
  llvm::DenseMap<const clang::Stmt *, const clang::FieldDecl *> Fields;
  llvm::DenseMap<const clang::Stmt *, std::pair<unsigned, unsigned>> Order;
  llvm::DenseMap<const clang::VarDecl *,
                 llvm::SmallVector<const clang::DeclRefExpr *, 4>>
      Uses;
  llvm::DenseMap<const clang::VarDecl *, const clang::Stmt *> Declared;
  unsigned Clock = 0;
};

/// The view of a function's body, made when it is first asked for.
class LazyView {
public:
  LazyView(const FunctionFacts &F, const clang::ASTContext &Context)
      : Facts(F), Context(Context) {}

  const FunctionFacts &Facts;

  const BodyView &operator*() {
    if (!Made)
      Made.emplace(Facts, Context);
    return *Made;
  }
  const BodyView *operator->() { return &**this; }

private:
  const clang::ASTContext &Context;
  std::optional<BodyView> Made;
};

/// Calls \p Visit for each statement in the bodies of the unit's functions that are no
/// tests.
void forEachOwnStmt(const UnitFacts &Unit,
                    llvm::function_ref<void(const clang::Stmt *, LazyView &)> Visit);

} // namespace vramlint
