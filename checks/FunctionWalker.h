//===- checks/FunctionWalker.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Walks one function's body in the order in which it runs and writes down what
// it does with guards and models. A scope is left as RAII leaves it.

#pragma once

#include "checks/UnitFacts.h"

namespace vramlint {

class FunctionWalker {
public:
  FunctionWalker(UnitFacts &Unit, FunctionFacts &Facts)
      : Unit(Unit), Facts(Facts) {}
  void run();

private:
  void walk(const clang::Stmt *S);
  void walkChildren(const clang::Stmt *S);
  void walkBlock(const clang::CompoundStmt &Block);
  void walkDecl(const clang::DeclStmt &S);
  void walkVariable(const clang::VarDecl &V);
  void walkLambda(const clang::LambdaExpr &L);
  void walkScoped(const clang::Stmt &S);
  void walkReturn(const clang::ReturnStmt &S);

  void checkStatement(const clang::Stmt &S);
  void checkIdleGuard(const clang::CompoundStmt &Block);
  void checkLastInBlock(const clang::Stmt *Body, bool IsBranch);
  void construct(const clang::CXXConstructExpr &E);
  void call(const clang::CallExpr &C);
  void memberCall(const clang::CXXMemberCallExpr &C);
  void containerCall(const clang::CXXMemberCallExpr &C, llvm::StringRef Name,
                     const clang::Expr *Object);
  void operatorCall(const clang::CXXOperatorCallExpr &C);
  void plainCall(const clang::CallExpr &C, const clang::FunctionDecl &F);
  void passArguments(const clang::CallExpr &C, const clang::FunctionDecl &F);
  void forward(const clang::CallExpr &C, clang::SourceLocation Loc,
               const clang::Expr *Object, bool Jit, std::string Method);
  void assign(const clang::Expr *To, const clang::Expr *From);
  void load(const clang::Decl *Object, const clang::Expr *E,
            std::string Text = "");
  void trains(clang::SourceLocation Loc);
  void applyGuard(clang::QualType T, clang::SourceLocation Loc,
                  const clang::Expr *Init = nullptr);
  /// A guard that outlives its scope: set_enabled(false), a leaked one.
  void guardForGood(clang::SourceLocation Loc, bool TurnsOff);
  GuardSite guardHere() const;
  void startThread(const clang::Expr &Start,
                   llvm::ArrayRef<const clang::Expr *> Arguments,
                   std::string By, const clang::CXXRecordDecl *Pool = nullptr);
  void startByCall(const clang::CallExpr &C, const clang::FunctionDecl &F);
  std::string textOf(clang::SourceRange R) const;

  UnitFacts &Unit;
  FunctionFacts &Facts;
  bool Guarded = false;       ///< Here, by this function's own guards.
  bool GuardedForGood = false;///< set_enabled(false), a leaked guard.
  GuardSite LastGuard;        ///< Holds while Guarded.
  const clang::VarDecl *Initialised = nullptr; ///< The variable being made.
  bool MisplacedGuard = false; ///< The statement holds a guard that ends with it.
  bool InReturn = false;
  bool Detaching = false;
  std::vector<const clang::CompoundStmt *> Blocks;
};

} // namespace vramlint
