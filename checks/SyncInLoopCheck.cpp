//===- checks/SyncInLoopCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See SyncInLoopCheck.h.

#include "checks/SyncInLoopCheck.h"
#include "checks/ElementAccess.h"
#include "checks/GrowingMemory.h"
#include "checks/TensorOps.h"
#include "checks/TensorUses.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/StringSwitch.h"
#include <set>

using namespace clang;

namespace vramlint {

/// Does \p Op wait until the GPU has computed its tensor?
static bool waits(const TensorCall &Op, const BodyView &View) {
  return llvm::StringSwitch<bool>(Op.Name)
             .Cases("item", "cpu", "nonzero", "masked_select", true)
             .Cases("is_nonzero", "equal", true)
             .Default(false) ||
         (Op.Name == "to" && Op.arg(0) && isCpuDevice(Op.arg(0), &View));
}

/// Did the run have a tensor on the GPU in the line of \p Loc, or on the CPU only?
/// Nothing: no op ran there.
static std::optional<bool> onGpu(const Analysis &A, SourceLocation Loc) {
  std::shared_ptr<const Trace> T = A.trace();
  std::optional<bool> Known;
  for (const OpRecord &Op : T->Ops) {
    if (!onSameLine(A, A.ownLocation(*T, Op.Stack), Loc))
      continue;
    auto Cuda = [](const TensorDesc &D) { return D.Device == DeviceKind::CUDA; };
    Known = Known.value_or(false) || llvm::any_of(Op.Inputs, Cuda) ||
            llvm::any_of(Op.Outputs, Cuda);
  }
  return Known;
}

/// Is the tensor that \p Op waits for on the GPU? By its own line, or by the one
/// where its variable got it.
static bool waitsForGpu(const Analysis &A, const TensorCall &Op, const BodyView &View) {
  if (auto Here = onGpu(A, Op.Call->getExprLoc()))
    return *Here;
  const Expr *Origin = View.originOf(Op.Self);
  return onGpu(A, Origin->getExprLoc()).value_or(false);
}

/// Does \p Loop do the work itself? Then one wait in each iteration is its price.
static bool worksIn(const Stmt *Loop, const FunctionFacts &F, const BodyView &View) {
  for (const ForwardSite &S : F.Forwards)
    if (isRepeatedBy(Loop, S.Call, View))
      return true;
  bool Works = false; // A function of the project that gives tensors may run one.
  forEachStmt(Loop, [&](const Stmt *S) {
    const auto *C = dyn_cast<CallExpr>(S);
    const FunctionDecl *F = C ? C->getDirectCallee() : nullptr;
    Works |= F && !isLibTorch(F) && !F->isInStdNamespace() && isTensor(C->getType());
  });
  return Works || llvm::any_of(backwardCalls(View), [&](const CallExpr *C) {
           return View.isInside(C, Loop);
         });
}

/// Runs only now and then, or in the last iteration.
static bool isConditional(const Stmt *S, const Stmt *Loop, const BodyView &View) {
  for (const Stmt *P = View.parent(S); P && P != Loop; P = View.parent(P)) {
    if (isa<SwitchStmt, CXXTryStmt, ConditionalOperator>(P))
      return true;
    if (const auto *If = dyn_cast<IfStmt>(P); If && !View.isInside(S, If->getCond()))
      return true;
    if (const auto *B = dyn_cast<CompoundStmt>(P))
      for (const Stmt *Each : B->body())
        if (isa<BreakStmt, ReturnStmt>(Each))
          return true;
  }
  return false;
}

void SyncInLoopCheck::onAnalysis(const Analysis &A) {
  std::set<SourceLocation> Done; // Instantiations share their text.
  forEachOwnStmt(A.unit(), [&](const Stmt *S, LazyView &View) {
    const auto *C = dyn_cast<CXXMemberCallExpr>(S);
    TensorCall Op = C ? tensorCall(C) : TensorCall();
    if (!Op)
      return;
    const Stmt *Loop = waits(Op, *View) ? View->loopAround(C) : nullptr;
    if (!Loop || !isRepeatedBy(Loop, C, *View) || isFewTimes(Loop, A.context()) ||
        worksIn(Loop, View.Facts, *View) || isConditional(C, Loop, *View) ||
        A.unit().isInMacroBody(C->getExprLoc()) || !waitsForGpu(A, Op, *View))
      return;
    if (!Done.insert(C->getExprLoc()).second)
      return;
    diag(C->getExprLoc(), "'%0' waits for the GPU in each iteration") << Op.Name;
    note(Loop->getBeginLoc(), "in this loop; copy the whole tensor to the CPU once, "
                              "before it, and read it there");
  });
}

} // namespace vramlint
