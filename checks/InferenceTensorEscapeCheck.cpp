//===- checks/InferenceTensorEscapeCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See InferenceTensorEscapeCheck.h.

#include "checks/InferenceTensorEscapeCheck.h"
#include "checks/BodyView.h"
#include "checks/TensorOps.h"
#include "checks/TensorUses.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include <set>

using namespace clang;

namespace vramlint {

namespace {
/// A block under an InferenceMode of its own.
struct InferenceBlock {
  const CompoundStmt *Block = nullptr;
  const VarDecl *Guard = nullptr;
};
/// A variable of around it that gets a tensor in it.
struct Escaped {
  const VarDecl *Tensor = nullptr;
  const Expr *Made = nullptr;
  const Expr *Use = nullptr;
  enum { Changed, Requires, Trained } How = Changed;
};
} // namespace

/// `c10::InferenceMode guard;`, without a condition.
static const VarDecl *inferenceGuard(const Stmt *S) {
  const auto *D = dyn_cast<DeclStmt>(S);
  const auto *V =
      D && D->isSingleDecl() ? dyn_cast<VarDecl>(D->getSingleDecl()) : nullptr;
  if (!V || guardKind(V->getType()) != GuardKind::InferenceMode || !V->getInit())
    return nullptr;
  const auto *K = dyn_cast<CXXConstructExpr>(V->getInit()->IgnoreImplicit());
  if (!K)
    return nullptr;
  for (const Expr *A : K->arguments())
    if (!isa<CXXDefaultArgExpr>(A))
      return nullptr;
  return V;
}

static std::vector<InferenceBlock> inferenceBlocks(const FunctionFacts &F) {
  std::vector<InferenceBlock> Found;
  forEachStmt(F.Body, [&](const Stmt *S) {
    const auto *B = dyn_cast<CompoundStmt>(S);
    if (!B || B == F.Body)
      return;
    for (const Stmt *Each : B->body())
      if (const VarDecl *V = inferenceGuard(Each))
        Found.push_back({B, V});
  });
  return Found;
}

/// Does \p E make a tensor of its own: an op, a forward? Views and the tensor itself
/// are what they were before.
static bool makesTensor(const Expr *E) {
  E = E ? bare(E) : nullptr;
  TensorCall Op = tensorCall(E);
  if (Op)
    return sharingOf(Op.Name) == Sharing::Copy ||
           (sharingOf(Op.Name) == Sharing::Unknown && !Op.Name.starts_with("requires"));
  const auto *C = dyn_cast_or_null<CallExpr>(E);
  const FunctionDecl *F = C ? C->getDirectCallee() : nullptr;
  return F && isTensor(C->getType()) &&
         (nameOf(F) == "forward" || nameOf(F) == "toTensor" ||
          isa<CXXOperatorCallExpr>(C) || isLibTorch(F));
}

/// Is \p C a loss or a layer, which keeps its inputs for backward?
static bool keepsInputs(const CallExpr &C, const FunctionFacts &F) {
  for (const ForwardSite &S : F.Forwards)
    if (S.Call == &C)
      return !S.Guarded && !S.Jit;
  return isLibTorch(C.getDirectCallee()) && nameOf(C.getDirectCallee()).ends_with("_loss");
}

static std::optional<Escaped> useAfter(const VarDecl *V, const Stmt *Block,
                                       const BodyView &View) {
  for (const DeclRefExpr *Use : View.usesOf(V)) {
    if (View.begin(Use) < View.end(Block))
      continue;
    if (View.writeAt(Use))
      return std::nullopt; // Another tensor from here on.
    const Stmt *P = View.userOf(Use);
    if (const auto *M = dyn_cast_or_null<MemberExpr>(P)) {
      llvm::StringRef Name = nameOf(M->getMemberDecl());
      const auto *C = dyn_cast_or_null<CXXMemberCallExpr>(View.parent(M));
      if (C && Name == "requires_grad_")
        return Escaped{V, nullptr, C, Escaped::Requires};
      if (C && sharingOf(Name) == Sharing::InPlace && Name != "detach_")
        return Escaped{V, nullptr, C, Escaped::Changed};
      continue;
    }
    const auto *C = dyn_cast_or_null<CallExpr>(P);
    if (const auto *Op = dyn_cast_or_null<CXXOperatorCallExpr>(C);
        Op && Op->isAssignmentOp() && Op->getOperator() != OO_Equal &&
        Op->getArg(0)->IgnoreImpCasts() == Use)
      return Escaped{V, nullptr, Op, Escaped::Changed};
    if (C && View.Facts.Trains && keepsInputs(*C, View.Facts))
      return Escaped{V, nullptr, C, Escaped::Trained};
  }
  return std::nullopt;
}

static std::vector<Escaped> escapedFrom(const InferenceBlock &B, const BodyView &View) {
  std::vector<Escaped> Found;
  llvm::SmallVector<const VarDecl *, 4> Seen;
  forEachStmt(B.Block, [&](const Stmt *S) {
    const auto *Ref = dyn_cast<DeclRefExpr>(S);
    const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    std::optional<Write> W = V && isTensor(V->getType()) ? View.writeAt(Ref) : std::nullopt;
    if (!W || !makesTensor(W->Value) || View.begin(Ref) < View.begin(B.Guard->getInit()) ||
        llvm::is_contained(Seen, V))
      return;
    Seen.push_back(V);
    if (std::optional<Escaped> E = useAfter(V, B.Block, View)) {
      E->Made = W->At;
      Found.push_back(*E);
    }
  });
  return Found;
}

void InferenceTensorEscapeCheck::onAnalysis(const Analysis &A) {
  std::set<SourceLocation> Done; // Instantiations share their text.
  for (const FunctionFacts &F : A.unit().Functions) {
    if (F.InTest || !F.Body || !F.HasGuard)
      continue;
    LazyView View(F, A.context());
    for (const InferenceBlock &B : inferenceBlocks(F)) {
      for (const Escaped &E : escapedFrom(B, *View)) {
        SourceLocation Loc = E.Use->getExprLoc();
        if (A.unit().isInMacroBody(Loc) || !Done.insert(Loc).second)
          continue;
        std::string Name = E.Tensor->getNameAsString();
        {
          auto D = diag(Loc, "LibTorch throws here: '%0' was made under InferenceMode, and "
                             "is %select{changed in place|to require gradients|kept for "
                             "backward}1 outside of it")
                   << Name << E.How;
          TypeSourceInfo *Info = B.Guard->getTypeSourceInfo();
          SourceRange Type = Info ? Info->getTypeLoc().getSourceRange() : SourceRange();
          // One guard, one fix: two of them would be in each other's way.
          if (Type.isValid() && Type.getBegin().isFileID() &&
              Done.insert(Type.getBegin()).second)
            D << FixItHint::CreateReplacement(Type, "torch::NoGradGuard");
        }
        note(E.Made->getExprLoc(), "'" + Name + "' is made here");
        note(B.Guard->getLocation(), "under this guard; a NoGradGuard makes ordinary "
                                     "tensors, and so does '" + Name + ".clone()' "
                                     "outside of it");
      }
    }
  }
}

} // namespace vramlint
