//===- checks/FactoryThenToCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See FactoryThenToCheck.h.

#include "checks/FactoryThenToCheck.h"
#include "checks/BodyView.h"
#include "checks/TensorOps.h"
#include "clang/AST/ExprCXX.h"
#include <set>

using namespace clang;

namespace vramlint {

/// Factories that give the same values on every device.
static bool isSteadyFactory(const FunctionDecl *F) {
  const auto *N = F ? dyn_cast<NamespaceDecl>(F->getDeclContext()) : nullptr;
  return (nameOf(N) == "torch" || nameOf(N) == "at") &&
         llvm::is_contained({"zeros", "ones", "empty", "full", "arange", "eye",
                             "linspace"},
                            nameOf(F));
}

static bool isNamed(QualType T, llvm::StringRef Name) {
  return nameOf(T.getNonReferenceType().getCanonicalType()->getAsCXXRecordDecl()) == Name;
}

/// Is \p E, an argument of `to`, a device: c10::Device, kCUDA?
static bool isDevice(const Expr *E) {
  E = E->IgnoreUnlessSpelledInSource();
  if (const auto *K = dyn_cast<CXXConstructExpr>(E); // TensorOptions of it.
      K && K->getNumArgs() == 1 && isNamed(K->getType(), "TensorOptions"))
    return isDevice(K->getArg(0));
  QualType T = E->getType().getNonReferenceType().getCanonicalType();
  if (isNamed(T, "Device"))
    return true;
  const auto *En = T->getAs<EnumType>();
  return En && nameOf(En->getDecl()) == "DeviceType";
}

struct FactoryThenToCheck::Moved {
  TensorCall To;
  const CallExpr *Factory = nullptr;
  const Expr *Options = nullptr; ///< As given to the factory, or null.
  std::string Device;            ///< As spelled.
};

std::optional<FactoryThenToCheck::Moved>
FactoryThenToCheck::movedFactory(const CallExpr &C, const BodyView &View) {
  TensorCall To = tensorCall(&C);
  if (!To || !To.Member || (To.Name != "to" && To.Name != "cuda"))
    return std::nullopt;
  const auto *Factory = dyn_cast<CallExpr>(bare(To.Self));
  if (!Factory || !Factory->isPRValue() || !isSteadyFactory(Factory->getDirectCallee()))
    return std::nullopt;
  Moved M{To, Factory, nullptr, "torch::kCUDA"};
  if (To.Name == "to") {
    // A dtype beside the device needs another rewrite.
    if (To.argCount() != 1 || !isDevice(To.arg(0)) || isCpuDevice(To.arg(0), &View))
      return std::nullopt;
    M.Device = textOf(To.arg(0), View.Context);
  } else if (To.argCount() != 0) {
    return std::nullopt;
  }
  for (const Expr *A : Factory->arguments())
    if (!isa<CXXDefaultArgExpr>(A) && isNamed(A->getType(), "TensorOptions"))
      M.Options = A;
  // On which device a tensor is a leaf would change with it.
  std::string Text = M.Options ? textOf(M.Options, View.Context) : "";
  if (llvm::StringRef(Text).contains("requires_grad") ||
      llvm::StringRef(Text).contains("device") || llvm::StringRef(Text).contains("Device"))
    return std::nullopt;
  return M;
}

void FactoryThenToCheck::report(const Moved &M, const ASTContext &Context) {
  auto D = diag(M.To.Call->getExprLoc(),
                "this tensor is made on the CPU and then copied: '%0' can make it where "
                "it is needed")
           << nameOf(M.Factory->getDirectCallee());
  SourceLocation Close = M.Factory->getRParenLoc();
  SourceLocation After = endOf(M.Factory, Context), End = endOf(M.To.Call, Context);
  if (Close.isInvalid() || Close.isMacroID() || After.isInvalid() || End.isInvalid())
    return;
  if (M.Options) {
    std::string Text = textOf(M.Options, Context);
    if (M.Options->getBeginLoc().isMacroID())
      return;
    D << FixItHint::CreateReplacement(M.Options->getSourceRange(),
                                      "torch::TensorOptions(" + Text + ").device(" +
                                          M.Device + ")");
  } else {
    D << FixItHint::CreateInsertion(Close, ", torch::TensorOptions(" + M.Device + ")");
  }
  D << FixItHint::CreateRemoval(CharSourceRange::getCharRange(After, End));
}

void FactoryThenToCheck::onAnalysis(const Analysis &A) {
  std::set<SourceLocation> Done; // Instantiations share their text.
  for (const FunctionFacts &F : A.unit().Functions) {
    if (F.InTest)
      continue;
    LazyView View(F, A.context());
    for (const Root &R : rootsOf(F))
      forEachStmt(R.Code, [&](const Stmt *S) {
        const auto *C = dyn_cast<CXXMemberCallExpr>(S);
        if (!C || !isTensor(C->getType()))
          return;
        std::optional<Moved> M = movedFactory(*C, *View);
        if (M && !isInMacro(C->getExprLoc(), A.context()) &&
            Done.insert(C->getExprLoc()).second)
          report(*M, A.context());
      });
  }
}

} // namespace vramlint
