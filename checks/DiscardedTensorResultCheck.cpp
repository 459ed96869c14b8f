//===- checks/DiscardedTensorResultCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See DiscardedTensorResultCheck.h.

#include "checks/DiscardedTensorResultCheck.h"
#include "checks/BodyView.h"
#include "checks/TensorOps.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/StringSwitch.h"
#include <set>

using namespace clang;

namespace vramlint {

/// Ops that have no other use than their result, and are often mistaken for ones
/// that change the tensor.
static bool isPure(llvm::StringRef Name) {
  return llvm::StringSwitch<bool>(Name)
      .Cases("to", "cuda", "cpu", "detach", "contiguous", "clone", true)
      .Cases("view", "reshape", "permute", "unsqueeze", "squeeze", true)
      .Cases("type_as", "toType", "flatten", "expand", "repeat", true)
      .Default(false);
}

namespace {
struct Discarded {
  TensorCall Op;
  const Expr *Object = nullptr; ///< The lvalue that the chain starts from.
  bool Members = true;          ///< Only member calls between the two.
  bool Views = true;            ///< What the op works on shares Object's memory.
  bool Whole = true;            ///< And it is all of Object, not a part.
};

/// The statements of one function that may be measurements or expected to throw.
struct Surroundings {
  std::set<const Stmt *> LastOfTry, InLoop;
  bool Timed = false;
};
} // namespace

/// In namespace at or torch itself: torch::nn::functional has options that make
/// an op work in place.
static bool isPlainFunction(const FunctionDecl *F) {
  const auto *N = F ? dyn_cast<NamespaceDecl>(F->getDeclContext()) : nullptr;
  return nameOf(N) == "at" || nameOf(N) == "torch";
}

static std::optional<Discarded> discardedBy(const Stmt *S) {
  const auto *E = dyn_cast_or_null<Expr>(S);
  if (!E || !E->isPRValue() || !isTensor(E->getType()))
    return std::nullopt;
  Discarded D;
  D.Op = tensorCall(E);
  if (!D.Op || !isa<CallExpr>(E->IgnoreImplicit()))
    return std::nullopt;
  if (!D.Op.Member && !isPlainFunction(D.Op.Call->getDirectCallee()))
    return std::nullopt;
  D.Members = D.Op.Member;
  const Expr *Object = bare(D.Op.Self);
  while (TensorCall Inner = tensorCall(Object)) {
    if (!Object->isPRValue() || !(Inner.Member || isPure(Inner.Name)))
      return std::nullopt; // x.zero_().to(…) does something.
    bool Subscript = isa<CXXOperatorCallExpr>(Inner.Call);
    D.Members &= Inner.Member && !Subscript;
    D.Views &= Subscript || sharingOf(Inner.Name) == Sharing::View;
    D.Whole &= isPure(Inner.Name);
    Object = bare(Inner.Self);
  }
  // A temporary: moved once to warm a device up.
  if (!Object->isLValue())
    return std::nullopt;
  D.Object = Object;
  return D;
}

/// What stands where a statement is expected: \p Each gets those expressions.
static void forStatements(const Stmt *S,
                          llvm::function_ref<void(const Stmt *)> Each) {
  if (const auto *B = dyn_cast<CompoundStmt>(S)) {
    for (const Stmt *Child : B->body())
      Each(Child);
  } else if (const auto *I = dyn_cast<IfStmt>(S)) {
    Each(I->getThen());
    Each(I->getElse());
  } else if (const auto *L = dyn_cast<ForStmt>(S)) {
    Each(L->getBody());
  } else if (const auto *L = dyn_cast<CXXForRangeStmt>(S)) {
    Each(L->getBody());
  } else if (const auto *L = dyn_cast<WhileStmt>(S)) {
    Each(L->getBody());
  } else if (const auto *L = dyn_cast<DoStmt>(S)) {
    Each(L->getBody());
  } else if (const auto *C = dyn_cast<SwitchCase>(S)) {
    Each(C->getSubStmt());
  } else if (const auto *L = dyn_cast<LabelStmt>(S)) {
    Each(L->getSubStmt());
  }
}

static Surroundings surroundingsOf(const FunctionFacts &F) {
  Surroundings Around;
  forEachStmt(F.Body, [&](const Stmt *S) {
    if (const auto *T = dyn_cast<CXXTryStmt>(S)) {
      const Stmt *Before = nullptr;
      for (const Stmt *Each : T->getTryBlock()->body()) {
        if (isa<ReturnStmt>(Each) || isa<CXXThrowExpr>(Each))
          Around.LastOfTry.insert(Before);
        Before = Each;
      }
      Around.LastOfTry.insert(Before);
    }
    if (const auto *C = dyn_cast<CallExpr>(S)) {
      llvm::StringRef Name = nameOf(C->getDirectCallee());
      Around.Timed |= Name == "now" || Name == "synchronize" ||
                      Name == "cudaDeviceSynchronize" || Name == "clock" ||
                      Name == "gettimeofday";
    }
    if (isa<ForStmt, CXXForRangeStmt, WhileStmt, DoStmt>(S))
      forEachStmt(S, [&](const Stmt *In) {
        if (isa<Expr>(In) && isTensor(cast<Expr>(In)->getType()))
          Around.InLoop.insert(In);
      });
  });
  return Around;
}

/// Can \p Object stand on the left of an assignment, to an effect that lasts?
static bool isAssignable(const Expr *Object) {
  if (Object->getType().isConstQualified())
    return false;
  if (const auto *Ref = dyn_cast<DeclRefExpr>(Object)) {
    const auto *V = dyn_cast<VarDecl>(Ref->getDecl());
    return V && !V->isCXXForRangeDecl();
  }
  if (const auto *M = dyn_cast<MemberExpr>(Object)) {
    const Expr *Base = M->getBase()->IgnoreImpCasts();
    return isa<CXXThisExpr>(Base) || isAssignable(Base);
  }
  return false;
}

void DiscardedTensorResultCheck::onAnalysis(const Analysis &A) {
  std::set<SourceLocation> Done; // Instantiations share their text.
  for (const FunctionFacts &F : A.unit().Functions) {
    if (F.InTest || !F.Body)
      continue;
    std::optional<Surroundings> Around;
    forEachStmt(F.Body, [&](const Stmt *Outer) {
      forStatements(Outer, [&](const Stmt *S) {
        std::optional<Discarded> D = discardedBy(S);
        // EXPECT_THROW(x.view({7, 11}), …): an argument, yet a statement.
        if (!D || S->getBeginLoc().isMacroID())
          return;
        const auto *Record = bare(D->Op.Self)->getType()->getAsCXXRecordDecl();
        std::string Twin = D->Op.Name.str() + "_";
        bool HasTwin = hasTensorMethod(Record, Twin);
        if (!HasTwin && !isPure(D->Op.Name))
          return;
        // x.index({mask}).clamp_(…) would change a copy.
        HasTwin &= D->Views;
        if (!Around)
          Around = surroundingsOf(F);
        // A measurement, or a call that is expected to throw.
        if ((Around->Timed && Around->InLoop.count(S)) ||
            Around->LastOfTry.count(S))
          return;
        SourceLocation Loc = D->Op.Call->getExprLoc();
        if (!Done.insert(Loc).second)
          return;
        std::string Object = textOf(D->Object, A.context());
        auto Diag = diag(Loc, "the result of '%0' is discarded: '%1' stays as it "
                              "is%select{| ('%3' works in place)}2")
                    << D->Op.Name << Object << HasTwin << Twin;
        SourceLocation At = S->getBeginLoc();
        if (D->Members && D->Whole && isAssignable(D->Object) && At.isFileID() &&
            D->Object->getBeginLoc() == At)
          Diag << FixItHint::CreateInsertion(At, Object + " = ");
      });
    });
  }
}

} // namespace vramlint
