//===- checks/NoncontiguousDataPtrCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See NoncontiguousDataPtrCheck.h.

#include "checks/NoncontiguousDataPtrCheck.h"
#include "checks/BodyView.h"
#include "checks/MatFacts.h"
#include "checks/TensorOps.h"
#include "checks/TorchNames.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringSwitch.h"
#include <set>

using namespace clang;

namespace vramlint {

namespace {
/// The op that took the elements out of order.
struct Reordered {
  TensorCall By;
  const Expr *Definition = nullptr; ///< The value of the variable that is read.
};
} // namespace

/// Results of these have the strides of their first argument.
static bool keepsStrides(const TensorCall &Op) {
  bool Known = llvm::StringSwitch<bool>(Op.Name)
                   .Cases("to", "cpu", "cuda", "clone", "detach", "toType", true)
                   .Cases("operator", "mul", "div", "add", "sub", "clamp", true)
                   .Cases("round", "floor", "abs", "neg", "sigmoid", "relu", true)
                   .Cases("squeeze", "unsqueeze", true)
                   .Default(sharingOf(Op.Name) == Sharing::InPlace);
  for (unsigned I = 0, N = Op.argCount(); I < N && Known; ++I)
    Known = !isTensor(Op.arg(I)->getType());
  return Known;
}

static std::optional<int64_t> constant(const Expr *E, const ASTContext &Context) {
  Expr::EvalResult R;
  if (!E || E->isValueDependent() || !E->getType()->isIntegerType() ||
      !E->EvaluateAsInt(R, Context))
    return std::nullopt;
  return R.Val.getInt().getExtValue();
}

/// Is it sure that \p Op changes the order of elements (of dimensions longer
/// than 1)? Nothing: it doesn't reorder at all.
static std::optional<bool> reorders(const TensorCall &Op,
                                    const ASTContext &Context) {
  if (Op.Name == "t" || Op.Name == "expand" || Op.Name == "expand_as")
    return true;
  if (Op.Name == "transpose" || Op.Name == "swapaxes" || Op.Name == "swapdims") {
    auto A = constant(Op.arg(0), Context), B = constant(Op.arg(1), Context);
    return A && B && *A != *B;
  }
  if (Op.Name != "permute")
    return std::nullopt;
  const InitListExpr *List = nullptr;
  if (const Expr *Dims = Op.arg(0))
    forEachStmt(Dims, [&](const Stmt *S) {
      if (!List)
        List = dyn_cast<InitListExpr>(S);
    });
  if (!List)
    return false;
  bool Identity = true;
  for (unsigned I = 0; I < List->getNumInits(); ++I) {
    auto Dim = constant(List->getInit(I), Context);
    if (!Dim)
      return false;
    Identity &= *Dim == int64_t(I);
  }
  return !Identity;
}

/// Is \p E what a function of the project gives, or a part of it? That may have
/// permuted an image the other way before; clone() keeps strides. A model's output
/// is in order.
static bool comesFromHelper(const Expr *E, const ASTContext &Context) {
  while (const auto *M = dyn_cast<MemberExpr>(E))
    E = bare(M->getBase());
  const auto *C = dyn_cast<CallExpr>(E);
  const FunctionDecl *F = C ? C->getDirectCallee() : nullptr;
  return F && nameOf(F) != "forward" &&
         isProjectCode(F->getLocation(), Context.getSourceManager());
}

/// Walks from the tensor back to where it was made.
static std::optional<Reordered> reorderedIn(const Expr *Tensor,
                                            const BodyView &View) {
  std::optional<Reordered> Found;
  const Expr *Definition = nullptr;
  const Expr *E = Tensor;
  for (int Steps = 0; Steps < 32; ++Steps) {
    E = bare(E);
    if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
      const auto *V = dyn_cast<VarDecl>(Ref->getDecl());
      const Expr *Value = V ? View.valueAt(V, E) : nullptr;
      if (!Value)
        return Found; // Made elsewhere: in order, as a rule.
      if (!Definition)
        Definition = Value;
      E = Value;
      continue;
    }
    TensorCall Op = tensorCall(E);
    if (!Op)
      return comesFromHelper(E, View.Context) ? std::nullopt : Found;
    if (std::optional<bool> Sure = reorders(Op, View.Context)) {
      // Two of them may cancel out.
      if (Found || !*Sure)
        return std::nullopt;
      Found = Reordered{Op, Definition};
    } else if (Op.Name == "contiguous" && Op.argCount()) {
      return std::nullopt; // channels_last …
    } else if (!keepsStrides(Op)) {
      return Op.Name == "contiguous" || Found ? Found : std::nullopt;
    } else if (Op.Name == "to" && Op.argCount() > 3) {
      return std::nullopt;
    }
    // What is overlapping becomes dense when it is copied.
    if (!Found && sharingOf(Op.Name) != Sharing::View &&
        sharingOf(Op.Name) != Sharing::InPlace)
      for (const Expr *Inner = bare(Op.Self); Inner;) {
        TensorCall Next = tensorCall(Inner);
        if (Next.Name == "expand" || Next.Name == "expand_as")
          return std::nullopt;
        break;
      }
    E = Op.Self;
  }
  return Found;
}

namespace {
/// What a raw pointer is used for that takes the elements to be in order.
struct Consumer {
  const Stmt *At = nullptr;
  bool Writes = false;
  bool Stored = false; ///< Through a pointer variable.
};
} // namespace

/// memcpy and its like: which argument is written; -1: none.
static std::optional<int> copies(const CallExpr &C) {
  const FunctionDecl *F = C.getDirectCallee();
  llvm::StringRef Name = nameOf(F);
  if (Name == "memcpy" || Name == "memmove" || Name == "cudaMemcpy" ||
      Name == "cudaMemcpyAsync" || Name == "__builtin_memcpy")
    return 0;
  if (F && F->isInStdNamespace() && (Name == "copy" || Name == "copy_n"))
    return 2;
  if (Name == "fwrite" || (Name == "write" && isa<CXXMemberCallExpr>(C)) ||
      (Name == "assign" && isa<CXXMemberCallExpr>(C)))
    return -1;
  return std::nullopt;
}

static std::optional<Consumer> consumerOf(const Expr *Pointer,
                                          const BodyView &View, bool Stored) {
  const Expr *E = Pointer;
  for (const Stmt *P = View.parent(E); P; P = View.parent(P)) {
    if (isa<CastExpr, ParenExpr, MaterializeTemporaryExpr, FullExpr>(P)) {
      E = cast<Expr>(P);
      continue;
    }
    if (const auto *B = dyn_cast<BinaryOperator>(P); B && B->isAdditiveOp()) {
      E = B;
      continue;
    }
    if (const auto *A = dyn_cast<ArraySubscriptExpr>(P)) {
      if (A->getBase() != E || constant(A->getIdx(), View.Context))
        return std::nullopt;
      const auto *W = dyn_cast_or_null<BinaryOperator>(View.parent(A));
      return Consumer{A, W && W->isAssignmentOp() && W->getLHS() == A, Stored};
    }
    if (const auto *K = dyn_cast<CXXConstructExpr>(P)) {
      const CXXRecordDecl *R = K->getConstructor()->getParent();
      if (isMat(K->getType()) || (R->isInStdNamespace() && nameOf(R) == "vector"))
        return Consumer{K, false, Stored};
      return std::nullopt;
    }
    if (const auto *C = dyn_cast<CallExpr>(P)) {
      std::optional<int> Written = copies(*C);
      if (!Written)
        return std::nullopt;
      bool Writes = *Written >= 0 && unsigned(*Written) < C->getNumArgs() &&
                    C->getArg(*Written) == E;
      return Consumer{C, Writes, Stored};
    }
    if (const auto *D = dyn_cast<DeclStmt>(P); D && !Stored) {
      for (const Decl *Each : D->decls())
        if (const auto *V = dyn_cast<VarDecl>(Each);
            V && V->getInit() == E && V->getType()->isPointerType())
          for (const DeclRefExpr *Use : View.usesOf(V))
            if (auto C = consumerOf(Use, View, true))
              return C;
    }
    return std::nullopt;
  }
  return std::nullopt;
}

/// Someone who asks for strides knows about them.
static bool usesStrides(const FunctionFacts &F) {
  bool Uses = false;
  forEachStmt(F.Body, [&](const Stmt *S) {
    if (const auto *C = dyn_cast<CXXMemberCallExpr>(S))
      Uses |= llvm::StringSwitch<bool>(nameOf(C->getMethodDecl()))
                  .Cases("stride", "strides", "is_contiguous",
                         "suggest_memory_format", true)
                  .Default(false);
  });
  return Uses;
}

void NoncontiguousDataPtrCheck::onAnalysis(const Analysis &A) {
  std::set<SourceLocation> Done; // Instantiations share their text.
  for (const FunctionFacts &F : A.unit().Functions) {
    LazyView View(F, A.context());
    forEachStmt(F.Body, [&](const Stmt *S) {
      const auto *C = dyn_cast<CXXMemberCallExpr>(S);
      if (!C || !isDataPtr(*C) || isInMacro(C->getExprLoc(), A.context()))
        return;
      const Expr *Tensor = bare(C->getImplicitObjectArgument());
      std::optional<Reordered> R = reorderedIn(Tensor, *View);
      std::optional<Consumer> Use =
          R ? consumerOf(C, *View, false) : std::nullopt;
      if (!Use || usesStrides(F) || !Done.insert(C->getExprLoc()).second)
        return;
      {
        auto D = diag(C->getExprLoc(),
                      "elements are not in order here: '%0' changes strides only, "
                      "and this pointer is used as if they lay one after the other")
                 << R->By.Name;
        // A copy would not be written to, nor live as long as a pointer.
        const Expr *Place = Use->Stored ? R->Definition : Tensor;
        SourceLocation End = Place && !Use->Writes ? endOf(Place, A.context())
                                                   : SourceLocation();
        if (End.isValid() && (tensorCall(Place) || isa<DeclRefExpr>(Place)) &&
            !isa<CXXOperatorCallExpr>(bare(Place)))
          D << FixItHint::CreateInsertion(End, ".contiguous()");
      }
      note(R->By.Call->getExprLoc(), "'" + R->By.Name.str() + "' is here");
      note(Use->At->getBeginLoc(), Use->Writes ? "written in memory order here"
                                               : "read in memory order here");
    });
  }
}

} // namespace vramlint
