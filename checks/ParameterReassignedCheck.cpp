//===- checks/ParameterReassignedCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See ParameterReassignedCheck.h.

#include "checks/ParameterReassignedCheck.h"
#include "checks/BodyView.h"
#include "checks/Mentions.h"
#include "checks/TensorOps.h"
#include "checks/TorchNames.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include <map>
#include <set>

using namespace clang;

namespace vramlint {

/// What a field of a module is registered as.
using Registered = std::map<const FieldDecl *, const Expr *>;

static bool isRegisterCall(const Expr *E) {
  const auto *C = dyn_cast<CallExpr>(bare(E));
  llvm::StringRef Name = C ? nameOf(C->getDirectCallee()) : llvm::StringRef();
  return (Name == "register_parameter" || Name == "register_buffer") &&
         isRegistration(C->getDirectCallee());
}

/// `field = value` of tensors: the field and the value.
static std::pair<const MemberExpr *, const Expr *> assignmentIn(const Stmt *S) {
  const auto *Op = dyn_cast<CXXOperatorCallExpr>(S);
  if (!Op || Op->getOperator() != OO_Equal || Op->getNumArgs() != 2 ||
      !isTensor(Op->getArg(0)->getType()))
    return {};
  const auto *M = dyn_cast<MemberExpr>(bare(Op->getArg(0)));
  return {M && isa<FieldDecl>(M->getMemberDecl()) ? M : nullptr, Op->getArg(1)};
}

static Registered registeredFields(const UnitFacts &U) {
  Registered Found;
  for (const FunctionFacts &F : U.Functions)
    for (const Root &R : rootsOf(F)) {
      if (R.Field && isTensor(R.Field->getType()) && isRegisterCall(cast<Expr>(R.Code)))
        Found[R.Field->getCanonicalDecl()] = cast<Expr>(R.Code);
      forEachStmt(R.Code, [&](const Stmt *S) {
        auto [M, Value] = assignmentIn(S);
        if (M && isRegisterCall(Value))
          Found[cast<FieldDecl>(M->getMemberDecl())->getCanonicalDecl()] = Value;
      });
    }
  return Found;
}

/// A layer of torch::nn, whose weight and bias are registered by its reset().
static bool isBuiltinParameter(const FieldDecl &F) {
  const auto *R = dyn_cast<CXXRecordDecl>(F.getParent());
  return R && isLibTorch(R) && isOrDerivesFrom(R, "torch::nn::Module") &&
         isTensor(F.getType()) &&
         llvm::is_contained({"weight", "bias", "running_mean", "running_var"},
                            nameOf(&F));
}

/// Is \p Value the tensor that is there already, or one of another module: tied
/// weights? A function of the project that gets the field may give it back.
static bool keepsTensor(const Expr *Value, const FieldDecl *F, int Depth = 0) {
  Value = bare(Value);
  if (const auto *C = dyn_cast<CallExpr>(Value); C && !isLibTorch(C->getDirectCallee()))
    for (const Expr *A : C->arguments())
      if (const auto *M = dyn_cast<MemberExpr>(bare(A)); M && M->getMemberDecl() == F)
        return true;
  if (const auto *M = dyn_cast<MemberExpr>(Value))
    return isa<FieldDecl>(M->getMemberDecl());
  TensorCall Op = tensorCall(Value);
  return Op && Depth < 8 && sharingOf(Op.Name) == Sharing::InPlace &&
         keepsTensor(Op.Self, F, Depth + 1);
}

/// Does \p F register parameters or buffers by itself? It may do so again.
static bool registersTensors(const FunctionFacts &F) {
  bool Found = false;
  forEachStmt(F.Body, [&](const Stmt *S) {
    const auto *C = dyn_cast<CallExpr>(S);
    Found |= C && isRegisterCall(C);
  });
  return Found;
}

/// Is \p M a field of the object whose constructor or reset() this is? The registry
/// may be filled afterwards.
static bool isBeingMade(const MemberExpr *M, const FunctionFacts &F) {
  llvm::StringRef Name = nameOf(F.Decl);
  return isa<CXXThisExpr>(M->getBase()->IgnoreImpCasts()) &&
         (isa<CXXConstructorDecl>(F.Decl) || Name.contains_insensitive("reset") ||
          Name.contains_insensitive("init") || Name.contains_insensitive("build") ||
          registersTensors(F));
}

void ParameterReassignedCheck::onAnalysis(const Analysis &A) {
  const UnitFacts &U = A.unit();
  Registered Fields = registeredFields(U);
  std::set<SourceLocation> Done; // Instantiations share their text.
  forEachOwnStmt(A.unit(), [&](const Stmt *S, LazyView &View) {
    auto [M, Value] = assignmentIn(S);
    if (!M || isRegisterCall(Value) || isBeingMade(M, View.Facts))
      return;
    const auto *Field = cast<FieldDecl>(M->getMemberDecl());
    auto It = Fields.find(Field->getCanonicalDecl());
    bool Builtin = isBuiltinParameter(*Field);
    const auto *Made = dyn_cast<CXXConstructExpr>(bare(Value));
    if ((!Builtin && It == Fields.end()) || keepsTensor(Value, Field) ||
        (Made && Made->getNumArgs() == 0) || U.isInMacroBody(M->getExprLoc()) ||
        !Done.insert(M->getMemberLoc()).second)
      return;
    std::string Text = textOf(M, A.context());
    diag(M->getMemberLoc(), "'%0' gets another tensor, but its module's registry keeps "
                            "the old one: to(), parameters() and "
                            "torch::save() don't see the new one")
        << Text;
    if (It != Fields.end())
      note(It->second->getBeginLoc(), "registered here");
    note(M->getMemberLoc(), "change the tensor itself, under a NoGradGuard: '" + Text +
                                ".copy_(…)', or set_data(…) for another shape");
  });
}

} // namespace vramlint
