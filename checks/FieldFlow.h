//===- checks/FieldFlow.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Follows the modules in one field through the unit: what is stored there, where
// else it goes (locals, loop variables, parameters of functions with a body here,
// containers), and whether any of these is registered. Only uses that are known to
// register nothing keep the answer open; one that isn't known makes it Unclear.
//
//   sources ─► carriers (the field, locals it is made from or read into) ─► uses

#pragma once

#include "checks/Mentions.h"
#include "llvm/ADT/DenseSet.h"

namespace vramlint {

/// An expression that makes what the field holds.
struct Origin {
  enum KindTy {
    Initialiser, ///< In a constructor's list or at the field.
    Implicit,    ///< Nothing is written: the default constructor.
    Assigned,    ///< field = E
    Added,       ///< field.push_back(E)
    Elsewhere,   ///< By way of a local, or of a function.
  } Kind;
  const clang::Expr *E = nullptr;          ///< Null: Implicit.
  const clang::FunctionDecl *In = nullptr; ///< Null: at the field.
};

class FieldFlow {
public:
  FieldFlow(const Mentions &Index, const clang::FieldDecl &Field);

  bool Registered = false;
  bool ByHand = false;   ///< Its parameters, mode or device are seen to by hand.
  bool Shared = false;   ///< What it holds comes from outside.
  bool Unclear = false;  ///< Seen by code that we don't see.
  bool Contained = false;///< Part of what another field holds.
  std::vector<Mention> Uses;      ///< Run, outside of constructors.
  std::vector<Origin> Origins;
  std::vector<const clang::Expr *> Contents; ///< What containers get.

  /// Is it made here, used, and certain to be in no registry?
  bool unregistered() const {
    return !Registered && !ByHand && !Shared && !Unclear && !Contained &&
           !Uses.empty() && !Origins.empty();
  }

private:
  bool done() const { return Registered || ByHand || Shared || Unclear; }
  void addUpstream(const clang::ValueDecl *D);
  void addDownstream(const clang::ValueDecl *D);
  void sourcesOf(const clang::ValueDecl &D);
  void implicitSource();
  void follow(const Mention &M);

  /// Each takes one step up from \p Child; true: go on from \p P.
  bool step(const clang::Stmt *P, const clang::Stmt *Child, const Mention &M);
  bool operatorCall(const clang::CXXOperatorCallExpr &C,
                    const clang::Stmt *Child, const Mention &M);
  const clang::Stmt *member(const clang::MemberExpr &E, const Mention &M);
  bool method(const clang::CXXMemberCallExpr &C, const Mention &M);
  void added(const clang::CXXMemberCallExpr &C, bool IsModule, const Mention &M);
  bool argument(const clang::CallExpr &C, unsigned Index, const Mention &M);
  bool constructed(const clang::CXXConstructExpr &C, const clang::Stmt *Child);
  void addedTo(const clang::Expr *Container);
  void part(const clang::Expr &E, const Mention &M);
  void declared(const clang::DeclStmt &S, const clang::Stmt *Child);
  void top(const clang::Stmt *S);
  void flowInto(const clang::Expr *Place);
  void used(const Mention &M);

  void source(const clang::Expr *E, Origin::KindTy Kind,
              const clang::FunctionDecl *In, unsigned Depth = 0);
  void sourceCall(const clang::CallExpr &C, Origin O, unsigned Depth);
  void sourceConstruct(const clang::CXXConstructExpr &C, Origin O,
                       unsigned Depth);

  const Mentions &Index;
  const clang::FieldDecl &Field;
  llvm::DenseMap<const clang::Decl *, bool> Carriers; ///< True: upstream too.
  llvm::DenseSet<const clang::FunctionDecl *> Helpers; ///< That make it.
  std::vector<const clang::ValueDecl *> Work;
  const clang::ValueDecl *Now = nullptr; ///< The carrier being looked at.
};

} // namespace vramlint
