//===- checks/LossTargetDtypeCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See LossTargetDtypeCheck.h.

#include "checks/LossTargetDtypeCheck.h"
#include "checks/BodyView.h"
#include "checks/GrowingMemory.h"
#include "checks/RefusedOperations.h"
#include "checks/TensorOps.h"
#include "checks/TorchNames.h"
#include "clang/AST/ExprCXX.h"
#include <set>

using namespace clang;

namespace vramlint {

namespace {
struct ClassLoss {
  const CallExpr *Call = nullptr;
  const Expr *Target = nullptr;
  bool Probabilities = false; ///< May take floats: cross_entropy.
};
} // namespace

static std::optional<bool> takesClasses(llvm::StringRef Name) {
  if (Name == "nll_loss" || Name == "NLLLossImpl" || Name == "nll_loss2d" ||
      Name == "nll_loss_nd")
    return false;
  if (Name == "cross_entropy" || Name == "CrossEntropyLossImpl" ||
      Name == "cross_entropy_loss")
    return true;
  return std::nullopt;
}

/// F::nll_loss(x, y), torch::nll_loss(x, y), criterion(x, y), criterion->forward(x, y).
static std::optional<ClassLoss> classLoss(const CallExpr &C) {
  const FunctionDecl *F = C.getDirectCallee();
  if (!F)
    return std::nullopt;
  if (const auto *M = dyn_cast<CXXMemberCallExpr>(&C)) {
    const Expr *Object = M->getImplicitObjectArgument();
    const CXXRecordDecl *R =
        Object ? recordOf(Object->IgnoreImpCasts()->getType()) : nullptr;
    auto Takes = takesClasses(nameOf(R));
    if (Takes && isLibTorch(R) && nameOf(F) == "forward" && C.getNumArgs() == 2)
      return ClassLoss{&C, C.getArg(1), *Takes};
    return std::nullopt;
  }
  if (const auto *Op = dyn_cast<CXXOperatorCallExpr>(&C)) {
    const CXXRecordDecl *R =
        Op->getOperator() == OO_Call ? recordOf(Op->getArg(0)->getType()) : nullptr;
    auto Takes = takesClasses(nameOf(R));
    if (Takes && isLibTorch(R) && Op->getNumArgs() == 3)
      return ClassLoss{&C, C.getArg(2), *Takes};
    return std::nullopt;
  }
  auto Takes = takesClasses(nameOf(F));
  if (!Takes || !isLibTorch(F) || C.getNumArgs() < 2)
    return std::nullopt;
  return ClassLoss{&C, C.getArg(1), *Takes};
}

/// The type that \p E was just converted to, as the text says; empty: unknown.
static std::string convertedTo(const Expr *E, const BodyView &View) {
  TensorCall Op = tensorCall(View.originOf(E));
  if (Op.Name != "to" && Op.Name != "toType")
    return "";
  for (unsigned I = 0; I < Op.argCount(); ++I)
    if (std::string Type = scalarTypeOf(Op.arg(I), View.Context); !Type.empty())
      return Type;
  return "";
}

static bool isFloat(llvm::StringRef Type) {
  return llvm::is_contained({"Float", "Double", "Half", "BFloat16"}, Type);
}

/// Is \p Type one that this loss refuses whatever the shapes are? A loss on CUDA
/// takes bytes; cross_entropy takes floats of the input's shape.
static bool isRefused(const ClassLoss &Loss, llvm::StringRef Type) {
  return (isFloat(Type) && !Loss.Probabilities) ||
         llvm::is_contained({"Int", "Short", "Char", "Bool"}, Type);
}

void LossTargetDtypeCheck::onAnalysis(const Analysis &A) {
  // What the run saw refused, by place.
  std::vector<std::pair<SourceLocation, std::string>> Refused;
  for (const RefusedOperation &R : refusedOperations(A, FailureKind::Other))
    if (isTargetType(*R.What))
      Refused.emplace_back(R.Loc, R.What->Message);
  std::set<SourceLocation> Done; // Instantiations share their text.
  for (const FunctionFacts &F : A.unit().Functions) {
    LazyView View(F, A.context());
    for (const Root &R : rootsOf(F))
      forEachStmt(R.Code, [&](const Stmt *S) {
        const auto *C = dyn_cast<CallExpr>(S);
        std::optional<ClassLoss> Loss = C ? classLoss(*C) : std::nullopt;
        SourceLocation Loc = C ? C->getExprLoc() : SourceLocation();
        if (!Loss || isInMacro(Loc, A.context()))
          return;
        std::string Message;
        for (auto &[At, Text] : Refused)
          if (onSameLine(A, At, Loc) || onSameLine(A, At, C->getBeginLoc()))
            Message = Text;
        if (Message.empty() && !F.InTest) {
          std::string Type = convertedTo(Loss->Target, *View);
          if (isRefused(*Loss, Type))
            Message = "expected a target of type int64, got k" + Type;
        }
        if (Message.empty() || !Done.insert(Loc).second)
          return;
        auto D = diag(Loc, "LibTorch throws here: %0") << Message;
        const Expr *Target = bare(Loss->Target);
        SourceLocation End = endOf(Target, A.context());
        if (End.isValid() && isTensor(Target->getType()) &&
            isa<DeclRefExpr, MemberExpr, CXXMemberCallExpr>(Target))
          D << FixItHint::CreateInsertion(End, ".to(torch::kLong)");
      });
  }
  for (auto &[Loc, Message] : Refused)
    if (llvm::none_of(Done, [&](SourceLocation L) { return onSameLine(A, L, Loc); }) &&
        Done.insert(Loc).second)
      diag(Loc, "LibTorch throws here: %0") << Message;
}

} // namespace vramlint
