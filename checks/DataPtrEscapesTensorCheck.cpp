//===- checks/DataPtrEscapesTensorCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See DataPtrEscapesTensorCheck.h.

#include "checks/DataPtrEscapesTensorCheck.h"
#include "checks/MatFacts.h"
#include "checks/TensorOps.h"
#include "checks/TensorUses.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include <set>

using namespace clang;

namespace vramlint {

namespace {
/// A local tensor that alone holds the memory that a pointer points into.
struct LocalMemory {
  const VarDecl *Tensor = nullptr;
  const CXXMemberCallExpr *Pointer = nullptr;
  std::string Maybe; ///< The op that returns its input if there is nothing to do.
};
/// Where the pointer goes.
struct Escape {
  LocalMemory From;
  const Stmt *At = nullptr;
  std::string To;              ///< The member's or variable's name; empty: returned.
  const Expr *Wrapper = nullptr; ///< The cv::Mat around it, or null.
};
} // namespace

/// Does \p E make new memory that nobody else holds?
static bool isFresh(const Expr *E, const BodyView &View, std::string &Maybe,
                    int Depth = 0) {
  E = E ? View.originOf(E) : nullptr;
  if (!E || Depth > 8 || !E->isPRValue())
    return false;
  TensorCall Op = tensorCall(E);
  if (!Op) {
    const auto *C = dyn_cast<CallExpr>(bare(E));
    const FunctionDecl *F = C ? C->getDirectCallee() : nullptr;
    // Factories. What forward() gives may be a buffer, and blobs have owners.
    return F && isLibTorch(F) && isTensor(C->getType()) &&
           llvm::is_contained({"zeros", "ones", "empty", "full", "rand", "randn",
                               "arange", "eye", "linspace", "cat", "stack", "randint",
                               "tensor"},
                              nameOf(F));
  }
  switch (sharingOf(Op.Name)) {
  case Sharing::Copy:
    return true;
  case Sharing::View:
  case Sharing::InPlace:
    return isFresh(Op.Self, View, Maybe, Depth + 1);
  case Sharing::MaybeSame:
    if (isFresh(Op.Self, View, Maybe, Depth + 1))
      return true;
    Maybe = Op.Name.str();
    return Op.Name == "to" || Op.Name == "cpu" || Op.Name == "contiguous";
  case Sharing::MaybeView:
  case Sharing::Unknown:
    return false;
  }
  return false;
}

static std::optional<LocalMemory> localMemory(const Expr *Pointer, const BodyView &View) {
  const CXXMemberCallExpr *C = dataPtrIn(Pointer);
  // auto *p = t.data_ptr<float>(); return p + 1;
  while (const auto *B = dyn_cast<BinaryOperator>(bare(Pointer))) {
    if (!B->isAdditiveOp() || !B->getLHS()->getType()->isPointerType())
      break;
    Pointer = B->getLHS();
  }
  if (!C)
    if (const VarDecl *V = variableIn(Pointer); V && V->getType()->isPointerType())
      C = dataPtrIn(View.originOf(Pointer));
  const VarDecl *T = C ? variableIn(C->getImplicitObjectArgument()) : nullptr;
  if (!T || !View.scopeOf(T) || !T->hasLocalStorage() || T->getType()->isReferenceType())
    return std::nullopt;
  // Held by something else as well, or moved there: it may live on.
  for (const DeclRefExpr *Use : View.usesOf(T)) {
    const Stmt *P = View.userOf(Use);
    if (P && !isa<MemberExpr, DeclStmt>(P) && !isa<CXXOperatorCallExpr>(P))
      return std::nullopt;
    if (const auto *Op = dyn_cast_or_null<CXXOperatorCallExpr>(P);
        Op && Op->getOperator() == OO_Equal && Op->getArg(0)->IgnoreImpCasts() != Use)
      return std::nullopt;
  }
  LocalMemory M{T, C, ""};
  const Expr *Value = View.valueAt(T, C);
  return Value && isFresh(Value, View, M.Maybe) ? std::optional(M) : std::nullopt;
}

/// cv::Mat(h, w, type, pointer): the pointer; null: not such an object.
static const Expr *wrappedPointer(const Expr *E) {
  const auto *K = dyn_cast<CXXConstructExpr>(bare(E));
  if (!K || !isMat(K->getType()))
    return nullptr;
  for (const Expr *A : K->arguments())
    if (A->getType()->isPointerType() && dataPtrIn(A))
      return A;
  return nullptr;
}

static std::optional<Escape> returned(const ReturnStmt &R, const BodyView &View) {
  const Expr *E = R.getRetValue();
  if (!E)
    return std::nullopt;
  if (E->getType()->isPointerType()) {
    if (auto M = localMemory(E, View))
      return Escape{*M, &R, "", nullptr};
    return std::nullopt;
  }
  if (!isMat(E->getType()))
    return std::nullopt;
  const Expr *Wrapper = bare(E);
  if (const VarDecl *V = variableIn(Wrapper); V && V->hasLocalStorage()) {
    Wrapper = View.valueAt(V, &R);
    // Anything else done with it may make it its own: clone, convertTo.
    if (!Wrapper || View.usesOf(V).size() != 1)
      return std::nullopt;
  }
  const Expr *Pointer = wrappedPointer(Wrapper);
  auto M = Pointer ? localMemory(Pointer, View) : std::nullopt;
  return M ? std::optional(Escape{*M, &R, "", E}) : std::nullopt;
}

/// `member = t.data_ptr<float>()`, or to something static.
static std::optional<Escape> stored(const BinaryOperator &B, const BodyView &View) {
  if (B.getOpcode() != BO_Assign || !B.getType()->isPointerType())
    return std::nullopt;
  const Expr *To = B.getLHS()->IgnoreParenImpCasts();
  const auto *Ref = dyn_cast<DeclRefExpr>(To);
  const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  const auto *M = dyn_cast<MemberExpr>(To);
  bool Outlives = (V && V->hasGlobalStorage()) ||
                  (M && isa<CXXThisExpr>(M->getBase()->IgnoreImpCasts()));
  auto From = Outlives ? localMemory(B.getRHS(), View) : std::nullopt;
  if (!From)
    return std::nullopt;
  return Escape{*From, &B, (V ? nameOf(V) : nameOf(M->getMemberDecl())).str(), nullptr};
}

void DataPtrEscapesTensorCheck::onAnalysis(const Analysis &A) {
  std::set<SourceLocation> Done; // Instantiations share their text.
  for (const FunctionFacts &F : A.unit().Functions) {
    if (!F.Body)
      continue;
    LazyView View(F, A.context());
    forEachStmt(F.Body, [&](const Stmt *S) {
      const auto *R = dyn_cast<ReturnStmt>(S);
      const auto *B = dyn_cast<BinaryOperator>(S);
      if (!R && !(B && B->getOpcode() == BO_Assign))
        return;
      std::optional<Escape> E = R ? returned(*R, *View) : stored(*B, *View);
      SourceLocation Loc = E ? E->From.Pointer->getExprLoc() : SourceLocation();
      if (!E || isInMacro(Loc, A.context()) || !Done.insert(Loc).second)
        return;
      std::string Name = E->From.Tensor->getNameAsString();
      {
        auto D = diag(Loc, "%select{the returned %4|'%1'}0 points into '%2', which is "
                           "destroyed at the end of this function%3")
                 << !E->To.empty() << E->To << Name
                 << (E->From.Maybe.empty() ? ""
                                           : ", unless '" + E->From.Maybe +
                                                 "' had nothing to do and gave its "
                                                 "caller's tensor")
                 << (E->Wrapper ? "cv::Mat" : "pointer");
        SourceLocation End = E->Wrapper ? endOf(bare(E->Wrapper), A.context())
                                        : SourceLocation();
        if (End.isValid())
          D << FixItHint::CreateInsertion(End, ".clone()");
      }
      note(E->From.Tensor->getLocation(), "'" + Name + "' is the only tensor with this "
                                          "memory; return the tensor, or keep it");
    });
  }
}

} // namespace vramlint
