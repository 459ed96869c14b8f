//===- checks/RetainGraphInLoopCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See RetainGraphInLoopCheck.h.

#include "checks/RetainGraphInLoopCheck.h"
#include "checks/TensorOps.h"
#include "checks/TensorUses.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include <set>

using namespace clang;

namespace vramlint {

/// The literal that \p E is, through optional's constructor; nothing: no literal.
static std::optional<bool> literalIn(const Expr *E) {
  std::optional<bool> Value;
  forEachStmt(E, [&](const Stmt *S) {
    if (const auto *B = dyn_cast<CXXBoolLiteralExpr>(S))
      Value = B->getValue();
  });
  return Value;
}

/// loss.backward(gradient, true): retains the graph, and makes no second one.
static const CXXMemberCallExpr *retainingBackward(const CallExpr &C) {
  const auto *M = dyn_cast<CXXMemberCallExpr>(&C);
  if (!M || !isBackwardCall(C) || M->getNumArgs() < 2 ||
      isa<CXXDefaultArgExpr>(M->getArg(1)) || literalIn(M->getArg(1)) != true)
    return nullptr;
  for (unsigned I = 2; I < M->getNumArgs(); ++I)
    if (!isa<CXXDefaultArgExpr>(M->getArg(I)) && literalIn(M->getArg(I)) != false)
      return nullptr;
  return M;
}

/// Is \p E made of LibTorch's factories and loaders alone, so without history?
static bool hasNoHistory(const Expr *E) {
  bool Plain = E != nullptr;
  forEachStmt(E, [&](const Stmt *S) {
    if (const auto *C = dyn_cast<CallExpr>(S)) {
      const FunctionDecl *F = C->getDirectCallee();
      Plain &= F && (isLibTorch(F) || F->isInStdNamespace()) &&
               nameOf(F) != "forward" && nameOf(F) != "requires_grad";
      if (const auto *Op = dyn_cast<CXXOperatorCallExpr>(C))
        Plain &= Op->getOperator() != OO_Call;
    } else if (const auto *Ref = dyn_cast<DeclRefExpr>(S)) {
      Plain &= !isa<VarDecl>(Ref->getDecl()) || !mayHoldTensor(Ref->getType());
    }
  });
  return Plain;
}

/// Could something that lives longer than an iteration of \p Loop carry history
/// into it: then the graph may be needed again.
static bool carriesHistory(const Stmt *Loop, const BodyView &View) {
  bool Carries = false;
  forEachStmt(Loop, [&](const Stmt *S) {
    if (Carries)
      return;
    if (const auto *M = dyn_cast<MemberExpr>(S)) {
      Carries |= isa<FieldDecl>(M->getMemberDecl()) && isa<CXXThisExpr>(M->getBase()) &&
                 mayHoldTensor(M->getType()) && !holdsModule(M->getType()) &&
                 !isOptimizer(M->getType());
      return;
    }
    if (const auto *C = dyn_cast<CallExpr>(S)) {
      const FunctionDecl *F = C->getDirectCallee();
      bool Ours = F && !isLibTorch(F) && !F->isInStdNamespace();
      Carries |= !F || (Ours && mayHoldTensor(C->getType()) && nameOf(F) != "forward" &&
                        !isa<CXXOperatorCallExpr>(C));
      return;
    }
    const auto *Ref = dyn_cast<DeclRefExpr>(S);
    const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    if (!V || !mayHoldTensor(V->getType()) || holdsModule(V->getType()) ||
        isOptimizer(V->getType()) || !isTensor(V->getType()))
      return;
    const Stmt *Scope = View.scopeOf(V);
    if (Scope && View.isInside(Scope, Loop))
      return;
    bool Written = llvm::any_of(View.usesOf(V), [&](const DeclRefExpr *Use) {
      return View.writeAt(Use).has_value();
    });
    Carries |= !Scope || Written || !hasNoHistory(V->getInit());
  });
  return Carries;
}

/// Is the whole graph made in \p Loop: some forward there leads to \p Backward?
static bool forwardLeadsTo(const CXXMemberCallExpr &Backward, const Stmt *Loop,
                           const BodyView &View) {
  return llvm::any_of(View.Facts.Forwards, [&](const ForwardSite &S) {
    if (S.Guarded || !isRepeatedBy(Loop, S.Call, View))
      return false;
    return View.isInside(S.Call, &Backward) ||
           (S.Result && reachesBackward(S.Result, Loop, View));
  });
}

void RetainGraphInLoopCheck::report(const CXXMemberCallExpr &C, const Stmt &Loop,
                                    const ASTContext &Context) {
  auto D = diag(C.getExprLoc(), "this backward() retains the graph of each iteration, "
                                "and nothing goes back through it again");
  // What backward needed is then freed as it goes; no result changes.
  SourceLocation Open = Lexer::findLocationAfterToken(
      C.getExprLoc(), tok::l_paren, Context.getSourceManager(), Context.getLangOpts(),
      false);
  if (Open.isInvalid() || Open.isMacroID() || C.getRParenLoc().isMacroID() ||
      C.getNumArgs() < 2)
    return;
  std::string Gradient = textOf(C.getArg(0), Context);
  bool Empty = Gradient == "{}" || llvm::StringRef(Gradient).ends_with("Tensor()") ||
               llvm::StringRef(Gradient).ends_with("Tensor{}") ||
               llvm::StringRef(Gradient).ends_with("nullopt");
  D << FixItHint::CreateReplacement(
           CharSourceRange::getCharRange(Open, C.getRParenLoc()),
           Empty ? "" : Gradient);
}

void RetainGraphInLoopCheck::onAnalysis(const Analysis &A) {
  std::set<SourceLocation> Done; // Instantiations share their text.
  for (const FunctionFacts &F : A.unit().Functions) {
    if (!F.Trains || F.InTest || !F.Body)
      continue;
    BodyView View(F, A.context());
    auto Calls = backwardCalls(View);
    for (const CallExpr *Call : Calls) {
      const CXXMemberCallExpr *C = retainingBackward(*Call);
      const Stmt *Loop = C ? View.loopAround(C) : nullptr;
      if (!Loop || A.unit().isInMacroBody(C->getExprLoc()))
        continue;
      auto InLoop = [&](const CallExpr *Other) { return View.isInside(Other, Loop); };
      if (llvm::count_if(Calls, InLoop) != 1 || !forwardLeadsTo(*C, Loop, View) ||
          carriesHistory(Loop, View) || !Done.insert(C->getExprLoc()).second)
        continue;
      report(*C, *Loop, A.context());
      note(Loop->getBeginLoc(), "in this loop the forward runs anew each time; without "
                                "the flag the graph is freed while backward() runs");
    }
  }
}

} // namespace vramlint
