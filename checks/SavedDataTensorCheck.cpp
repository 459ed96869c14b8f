//===- checks/SavedDataTensorCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See SavedDataTensorCheck.h.

#include "checks/SavedDataTensorCheck.h"
#include "checks/BodyView.h"
#include "checks/TensorOps.h"
#include "checks/TorchNames.h"
#include "clang/AST/ExprCXX.h"
#include <set>

using namespace clang;

namespace vramlint {

/// Does \p E name the saved_data of a torch::autograd::AutogradContext?
static bool isSavedData(const Expr *E) {
  bool Found = false;
  forEachStmt(E, [&](const Stmt *S) {
    const auto *M = dyn_cast<MemberExpr>(S);
    Found |= M && nameOf(M->getMemberDecl()) == "saved_data" &&
             isLibTorch(M->getMemberDecl());
  });
  return Found;
}

/// The tensor that \p E, an IValue, is made from; null: something else.
static const Expr *tensorIn(const Expr *E) {
  for (int Steps = 0; E && Steps < 8; ++Steps) {
    E = bare(E);
    if (isTensor(E->getType()))
      return E;
    if (const auto *K = dyn_cast<CXXConstructExpr>(E))
      E = K->getNumArgs() ? K->getArg(0) : nullptr;
    else if (const auto *C = dyn_cast<CastExpr>(E))
      E = C->getSubExpr();
    else
      return nullptr;
  }
  return nullptr;
}

void SavedDataTensorCheck::onAnalysis(const Analysis &A) {
  std::set<SourceLocation> Done; // Instantiations share their text.
  for (const FunctionFacts &F : A.unit().Functions) {
    if (F.InTest || !F.Body || nameOf(F.Decl) != "forward")
      continue;
    forEachStmt(F.Body, [&](const Stmt *S) {
      const auto *Op = dyn_cast<CXXOperatorCallExpr>(S);
      if (!Op || Op->getOperator() != OO_Equal || Op->getNumArgs() != 2 ||
          !isSavedData(Op->getArg(0)))
        return;
      const Expr *Tensor = tensorIn(Op->getArg(1));
      SourceLocation Loc = Op->getBeginLoc();
      if (!Tensor || A.unit().isInMacroBody(Loc) || !Done.insert(Loc).second)
        return;
      std::string Name = textOf(Tensor, A.context());
      diag(Loc, "saved_data holds the tensor '%0' where autograd doesn't see it: "
                "backward() does not free it, and an output kept there is never freed")
          << Name;
      note(Loc, "give tensors to save_for_backward({" + Name +
                    "}), and read them with get_saved_variables()");
    });
  }
}

} // namespace vramlint
