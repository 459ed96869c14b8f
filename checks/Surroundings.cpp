//===- checks/Surroundings.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See Surroundings.h.

#include "checks/Surroundings.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace vramlint {

namespace {
class CallVisitor {
public:
  explicit CallVisitor(
      llvm::function_ref<void(const CallExpr &, StmtPath)> Do)
      : Do(Do) {}

  void visit(const Stmt *S) {
    if (!S)
      return;
    Path.push_back(S);
    if (const auto *L = dyn_cast<LambdaExpr>(S)) {
      for (const Expr *Init : L->capture_inits())
        visit(Init);
    } else {
      if (const auto *C = dyn_cast<CallExpr>(S))
        Do(*C, Path);
      for (const Stmt *Child : S->children())
        visit(Child);
    }
    Path.pop_back();
  }

private:
  llvm::function_ref<void(const CallExpr &, StmtPath)> Do;
  llvm::SmallVector<const Stmt *, 32> Path;
};
} // namespace

void forEachCall(const FunctionFacts &F,
                 llvm::function_ref<void(const CallExpr &, StmtPath)> Do) {
  CallVisitor(Do).visit(F.Body);
}

/// Is \p Part what \p Loop repeats?
static bool repeats(const Stmt &Loop, const Stmt *Part) {
  if (const auto *F = dyn_cast<ForStmt>(&Loop))
    return Part != F->getInit();
  if (const auto *R = dyn_cast<CXXForRangeStmt>(&Loop))
    return Part == R->getBody();
  return isa<WhileStmt, DoStmt>(Loop);
}

std::optional<size_t> innermostLoop(StmtPath Path) {
  for (size_t I = Path.size() - 1; I-- > 0;)
    if (repeats(*Path[I], Path[I + 1]))
      return I;
  return std::nullopt;
}

bool inHandler(StmtPath Path) {
  return llvm::any_of(Path, [](const Stmt *S) { return isa<CXXCatchStmt>(S); });
}

bool anyBelow(const Stmt *S, llvm::function_ref<bool(const Stmt &)> Test) {
  if (!S)
    return false;
  if (Test(*S))
    return true;
  for (const Stmt *Child : S->children())
    if (anyBelow(Child, Test))
      return true;
  return false;
}

/// The variable that \p E names, if it is one.
static const ValueDecl *variableOf(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
    return Ref->getDecl();
  if (const auto *M = dyn_cast<MemberExpr>(E))
    return M->getMemberDecl();
  return nullptr;
}

/// What \p Loop declares, assigns to or counts, and what it calls non-const
/// methods on.
static llvm::SmallPtrSet<const ValueDecl *, 8> changedIn(const Stmt &Loop) {
  llvm::SmallPtrSet<const ValueDecl *, 8> Changed;
  auto Note = [&](const Expr *E) {
    if (const ValueDecl *V = variableOf(E))
      Changed.insert(V);
  };
  anyBelow(&Loop, [&](const Stmt &S) {
    if (const auto *D = dyn_cast<DeclStmt>(&S)) {
      for (const Decl *One : D->decls()) {
        if (const auto *V = dyn_cast<ValueDecl>(One))
          Changed.insert(V);
        if (const auto *B = dyn_cast<DecompositionDecl>(One))
          Changed.insert(B->bindings().begin(), B->bindings().end());
      }
    } else if (const auto *B = dyn_cast<BinaryOperator>(&S)) {
      if (B->isAssignmentOp())
        Note(B->getLHS());
    } else if (const auto *U = dyn_cast<UnaryOperator>(&S)) {
      if (U->isIncrementDecrementOp() || U->getOpcode() == UO_AddrOf)
        Note(U->getSubExpr());
    } else if (const auto *Op = dyn_cast<CXXOperatorCallExpr>(&S)) {
      // Assignments, increments, and streams that are read into a variable.
      if (Op->getOperator() != OO_Subscript && Op->getOperator() != OO_Call)
        for (const Expr *A : Op->arguments())
          if (!A->getType().isConstQualified() && A->isLValue())
            Note(A);
    } else if (const auto *M = dyn_cast<CXXMemberCallExpr>(&S)) {
      if (M->getMethodDecl() && !M->getMethodDecl()->isConst())
        Note(M->getImplicitObjectArgument());
    }
    return false;
  });
  return Changed;
}

/// Functions that say the same each time: what devices there are, where a
/// tensor lies.
static bool isSteady(const CallExpr &C) {
  const FunctionDecl *F = C.getDirectCallee();
  if (!F)
    return false;
  if (isa<CXXOperatorCallExpr>(C)) // Operands are looked at by themselves.
    return true;
  if (!F->getIdentifier())
    return isa<CXXConversionDecl>(F);
  static constexpr llvm::StringLiteral Names[] = {
      "is_available", "is_cuda", "hasCUDA",     "cudnn_is_available",
      "device_count", "device",  "device_type", "type",
      "c_str",        "string",  "data",        "at"};
  return llvm::is_contained(Names, F->getName());
}

bool variesIn(const Expr *E, const Stmt &Loop) {
  auto Changed = changedIn(Loop);
  return anyBelow(E, [&](const Stmt &S) {
    if (const auto *C = dyn_cast<CallExpr>(&S))
      return !isSteady(*C);
    const auto *Named = dyn_cast<Expr>(&S);
    const ValueDecl *V = nullptr;
    if (const auto *Ref = dyn_cast_or_null<DeclRefExpr>(Named))
      V = Ref->getDecl();
    else if (const auto *M = dyn_cast_or_null<MemberExpr>(Named))
      V = M->getMemberDecl();
    return V && Changed.count(V) > 0;
  });
}

bool within(SourceLocation Inner, SourceRange Outer, const SourceManager &SM) {
  Inner = SM.getExpansionLoc(Inner);
  SourceLocation Begin = SM.getExpansionLoc(Outer.getBegin());
  SourceLocation End = SM.getExpansionLoc(Outer.getEnd());
  return SM.getFileID(Inner) == SM.getFileID(Begin) &&
         SM.getFileID(Inner) == SM.getFileID(End) && Begin <= Inner &&
         Inner <= End;
}

bool hasWord(llvm::StringRef Name, llvm::ArrayRef<llvm::StringRef> Words) {
  for (size_t I = 0; I < Name.size(); ++I) {
    bool Start = I == 0 || !llvm::isAlpha(Name[I - 1]) ||
                 (llvm::isUpper(Name[I]) && !llvm::isUpper(Name[I - 1]));
    if (Start && llvm::any_of(Words, [&](llvm::StringRef W) {
          return Name.substr(I).starts_with_insensitive(W);
        }))
      return true;
  }
  return false;
}

llvm::StringRef plainName(const FunctionDecl &F) {
  return F.getIdentifier() ? F.getName() : llvm::StringRef();
}

} // namespace vramlint
