//===- checks/Mentions.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Where the unit's own code names a variable or a field, and what stands around
// each expression: function bodies, constructors' initializers and fields' default
// initializers.

#pragma once

#include "checks/UnitFacts.h"
#include "clang/AST/DeclCXX.h"

namespace vramlint {

/// A place that names a variable or a field, or says `this`.
struct Mention {
  const clang::Expr *E = nullptr;
  const clang::FunctionDecl *In = nullptr; ///< Null: a field's initializer.
};

class Mentions {
public:
  explicit Mentions(const UnitFacts &Unit);

  const UnitFacts &Unit;
  llvm::ArrayRef<Mention> of(const clang::Decl *D) const;
  /// Every `this` of the methods of \p R.
  llvm::ArrayRef<Mention> thisIn(const clang::CXXRecordDecl *R) const;
  /// What \p S stands in; null at the top of a body or an initializer.
  const clang::Stmt *parent(const clang::Stmt *S) const { return Parents.lookup(S); }
  /// The field that the initializer \p Top initializes; null if it is none.
  const clang::FieldDecl *initialised(const clang::Stmt *Top) const {
    return Initialisers.lookup(Top);
  }
  /// Does \p F have a body here, or a pattern from which one would be made?
  bool isVisible(const clang::FunctionDecl *F) const;

private:
  void walk(const clang::Stmt *Top, const clang::FunctionDecl *In);
  void addClass(const clang::CXXRecordDecl &R);

  llvm::DenseMap<const clang::Decl *, std::vector<Mention>> All;
  llvm::DenseMap<const clang::Stmt *, const clang::Stmt *> Parents;
  llvm::DenseMap<const clang::Stmt *, const clang::FieldDecl *> Initialisers;
  llvm::DenseMap<const clang::CXXRecordDecl *, bool> Classes;
};

/// \p E without what the compiler added around it.
const clang::Expr *spelled(const clang::Expr *E);
/// Is \p F one of register_module, replace_module, register_parameter and
/// register_buffer of torch::nn::Module?
bool isRegistration(const clang::FunctionDecl *F);
/// Does \p S call one of them, itself or (\p Depth > 0) through functions of the unit?
bool registersSomething(const clang::Stmt *S, const UnitFacts &U,
                        unsigned Depth = 4);

} // namespace vramlint
