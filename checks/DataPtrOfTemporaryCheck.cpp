//===- checks/DataPtrOfTemporaryCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See DataPtrOfTemporaryCheck.h.

#include "checks/DataPtrOfTemporaryCheck.h"
#include "checks/FromBlob.h"
#include "checks/MatFacts.h"
#include "checks/TensorOps.h"
#include "checks/TorchNames.h"
#include "clang/AST/ExprCXX.h"
#include <set>

using namespace clang;

namespace vramlint {

/// A pointer into a tensor that no variable holds.
struct TemporaryPointer {
  const Expr *Tensor = nullptr; ///< What data_ptr() is called on.
  std::string Op;               ///< What made it: "cpu".
  bool Maybe = false;           ///< It is the living tensor if nothing was to do.
  std::string Of;               ///< That tensor, as spelled.
};

/// Does \p E, a variable, hold a tensor for which \p Op has nothing to do?
static bool hasNothingToDo(const TensorCall &Op, const Expr *E,
                           const BodyView &View) {
  TensorCall Last = tensorCall(View.originOf(E));
  if (Op.Name == "contiguous")
    return Last.Name == "contiguous" || Last.Name == "clone" ||
           sharingOf(Last.Name) == Sharing::MaybeView;
  if (Op.Name == "cpu")
    return Last.Name == "cpu" ||
           (Last.Name == "to" && Last.arg(0) && isCpuDevice(Last.arg(0), &View));
  return false;
}

/// A model's output: nobody else holds it, as a rule.
static bool isForward(const CallExpr *C) {
  llvm::StringRef Name = nameOf(C->getDirectCallee());
  if (const auto *M = dyn_cast<CXXMemberCallExpr>(C)) {
    if (Name == "toTensor" || Name == "forward") {
      const Expr *Of = bare(M->getImplicitObjectArgument());
      if (Name == "forward")
        return isJitModule(Of->getType()) || isNNModule(Of->getType());
      const auto *Inner = dyn_cast<CallExpr>(Of);
      return Inner && isForward(Inner);
    }
  }
  return false;
}

static std::optional<TemporaryPointer> temporaryIn(const Expr *Pointer,
                                                   const BodyView &View) {
  const CXXMemberCallExpr *C = dataPtrIn(Pointer);
  if (!C)
    return std::nullopt;
  TemporaryPointer P;
  P.Tensor = bare(C->getImplicitObjectArgument());
  const Expr *E = P.Tensor;
  for (int Steps = 0; Steps < 16; ++Steps) {
    E = bare(E);
    if (!E->isPRValue()) {
      P.Of = textOf(E, View.Context);
      return P.Maybe ? std::optional(P) : std::nullopt;
    }
    TensorCall Op = tensorCall(E);
    if (!Op) {
      const auto *Call = dyn_cast<CallExpr>(E);
      if (!Call || !isForward(Call))
        return std::nullopt; // Whose tensor a function returns we don't know.
      P.Op = "forward";
      P.Maybe = false;
      return P;
    }
    switch (sharingOf(Op.Name)) {
    case Sharing::View:
    case Sharing::InPlace:
      break;
    case Sharing::MaybeSame:
      if (!hasNothingToDo(Op, Op.Self, View)) {
        P.Op = Op.Name.str();
        P.Maybe = true;
      }
      break;
    case Sharing::MaybeView:
      break;
    case Sharing::Copy:
      P.Op = Op.Name.str();
      P.Maybe = false;
      return P;
    case Sharing::Unknown:
      return std::nullopt;
    }
    E = Op.Self;
  }
  return std::nullopt;
}

/// What keeps the pointer: `auto *p = …`, a cv::Mat or a tensor over it.
static const Expr *keptPointer(const VarDecl &V, const BodyView &View) {
  if (!V.getInit())
    return nullptr;
  if (V.getType()->isPointerType())
    return V.getInit();
  const Expr *Init = bare(V.getInit());
  if (const auto *K = dyn_cast<CXXConstructExpr>(Init); K && isMat(K->getType()))
    for (const Expr *A : K->arguments())
      if (A->getType()->isPointerType())
        return A;
  if (FromBlob Blob = fromBlob(Init))
    return Blob.Deleter ? nullptr : Blob.Pointer;
  return nullptr;
}

static std::string textFor(const TemporaryPointer &P, llvm::StringRef Kept) {
  std::string Text = "'" + Kept.str() + "' points into ";
  if (P.Maybe)
    return Text + "the copy that '" + P.Op + "' makes of '" + P.Of +
           "' unless there is nothing to do; it is destroyed at the end of this "
           "statement";
  return Text + "the tensor that '" + P.Op +
         "' returns, destroyed at the end of this statement";
}

/// Gives the tensor a name, in a statement before.
void DataPtrOfTemporaryCheck::report(const TemporaryPointer &P,
                                     SourceLocation Loc, llvm::StringRef Kept,
                                     const DeclStmt *Statement,
                                     const BodyView &View) {
  auto D = diag(Loc, "%0") << textFor(P, Kept);
  const ASTContext &Context = View.Context;
  SourceLocation End = endOf(P.Tensor, Context);
  if (!Statement || !Statement->isSingleDecl() || End.isInvalid() ||
      Statement->getBeginLoc().isMacroID() ||
      !isa_and_nonnull<CompoundStmt>(View.parent(Statement)))
    return;
  std::string Name = Kept.str() + "_tensor";
  for (const Decl *Other : Statement->getSingleDecl()->getDeclContext()->decls())
    if (const auto *N = dyn_cast<NamedDecl>(Other); nameOf(N) == Name)
      return;
  const SourceManager &SM = Context.getSourceManager();
  unsigned Column = SM.getSpellingColumnNumber(Statement->getBeginLoc());
  D << FixItHint::CreateInsertion(Statement->getBeginLoc(),
                                  "auto " + Name + " = " +
                                      textOf(P.Tensor, Context) + ";\n" +
                                      std::string(Column - 1, ' '))
    << FixItHint::CreateReplacement(P.Tensor->getSourceRange(), Name);
}

void DataPtrOfTemporaryCheck::onAnalysis(const Analysis &A) {
  std::set<SourceLocation> Done; // Instantiations share their text.
  for (const FunctionFacts &F : A.unit().Functions) {
    LazyView View(F, A.context());
    for (const Root &R : rootsOf(F))
      forEachStmt(R.Code, [&](const Stmt *S) {
        const auto *C = dyn_cast<CXXMemberCallExpr>(S);
        if (!C || !isDataPtr(*C) || isInMacro(C->getExprLoc(), A.context()))
          return;
        // From the call up to what keeps its pointer.
        const Stmt *Top = View->statementOf(C);
        const auto *D = dyn_cast<DeclStmt>(Top);
        if (D) {
          for (const Decl *Each : D->decls()) {
            const auto *V = dyn_cast<VarDecl>(Each);
            const Expr *Kept = V ? keptPointer(*V, *View) : nullptr;
            if (!Kept || dataPtrIn(Kept) != C)
              continue;
            if (auto P = temporaryIn(Kept, *View);
                P && Done.insert(C->getExprLoc()).second)
              report(*P, C->getExprLoc(), V->getName(), D, *View);
          }
          return;
        }
        // p = t.cpu().data_ptr<float>();
        const auto *E = dyn_cast<Expr>(Top);
        const auto *B = E ? dyn_cast<BinaryOperator>(bare(E)) : nullptr;
        if (!B || B->getOpcode() != BO_Assign || dataPtrIn(B->getRHS()) != C)
          return;
        if (auto P = temporaryIn(B->getRHS(), *View);
            P && Done.insert(C->getExprLoc()).second)
          report(*P, C->getExprLoc(), textOf(B->getLHS(), A.context()), nullptr,
                 *View);
      });
  }
}

} // namespace vramlint
