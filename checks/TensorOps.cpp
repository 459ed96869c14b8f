//===- checks/TensorOps.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See TensorOps.h. What shares memory was read off ATen's native functions
// ("(a)" in a schema) and TensorConversions.cpp of LibTorch 1.13 and 2.6.

#include "checks/TensorOps.h"
#include "checks/BodyView.h"
#include "checks/TorchNames.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace vramlint {

bool isLibTorch(const Decl *D) {
  llvm::StringRef Outermost;
  for (const DeclContext *C = D ? D->getDeclContext() : nullptr; C;
       C = C->getParent())
    if (const auto *N = dyn_cast<NamespaceDecl>(C); N && N->getIdentifier())
      Outermost = N->getName();
  return Outermost == "at" || Outermost == "torch" || Outermost == "c10";
}

bool isTensor(QualType T) {
  if (T.isNull())
    return false;
  const CXXRecordDecl *R =
      T.getNonReferenceType().getCanonicalType()->getAsCXXRecordDecl();
  if (!R || !R->getIdentifier())
    return false;
  // "at::Tensor" is a class of its own; torch::Tensor is an alias of it.
  llvm::StringRef Name = R->getName();
  return (Name == "Tensor" || Name == "TensorBase") && isLibTorch(R);
}

const Expr *bare(const Expr *E) {
  while (E) {
    const Expr *Before = E;
    E = E->IgnoreImplicit()->IgnoreParens();
    if (const auto *K = dyn_cast<CXXConstructExpr>(E);
        K && K->getNumArgs() >= 1 && K->getConstructor()->isCopyOrMoveConstructor())
      E = K->getArg(0);
    else if (const auto *F = dyn_cast<CXXFunctionalCastExpr>(E);
             F && isTensor(F->getType()) && isTensor(F->getSubExpr()->getType()))
      E = F->getSubExpr();
    else if (const auto *C = dyn_cast<CallExpr>(E))
      if (const FunctionDecl *Callee = C->getDirectCallee();
          Callee && C->getNumArgs() == 1 && Callee->isInStdNamespace() &&
          (nameOf(Callee) == "move" || nameOf(Callee) == "forward"))
        E = C->getArg(0);
    if (E == Before)
      return E;
  }
  return E;
}

unsigned TensorCall::argCount() const {
  if (!Call)
    return 0;
  unsigned N = 0;
  for (const Expr *A : Call->arguments())
    N += !isa<CXXDefaultArgExpr>(A);
  unsigned Skip = Member && !isa<CXXOperatorCallExpr>(Call) ? 0 : 1;
  return N - std::min(N, Skip);
}

const Expr *TensorCall::arg(unsigned Index) const {
  if (Index >= argCount())
    return nullptr;
  unsigned Skip = Member && !isa<CXXOperatorCallExpr>(Call) ? 0 : 1;
  return Call->getArg(Index + Skip);
}

TensorCall tensorCall(const Expr *E) {
  E = E ? bare(E) : nullptr;
  const auto *C = dyn_cast_or_null<CallExpr>(E);
  const FunctionDecl *F = C ? C->getDirectCallee() : nullptr;
  if (!F)
    return {};
  if (const auto *M = dyn_cast<CXXMemberCallExpr>(C)) {
    const Expr *Self = M->getImplicitObjectArgument();
    if (!Self || !F->getIdentifier() ||
        !isTensor(Self->IgnoreImpCasts()->getType()))
      return {};
    return {C, F->getName(), Self, true};
  }
  if (const auto *Op = dyn_cast<CXXOperatorCallExpr>(C)) {
    if (Op->getNumArgs() && isTensor(Op->getArg(0)->getType()) && isLibTorch(F))
      return {C, Op->getOperator() == OO_Subscript ? "operator[]" : "operator",
              Op->getArg(0), isa<CXXMethodDecl>(F)};
    return {};
  }
  if (!F->getIdentifier() || !isLibTorch(F) || C->getNumArgs() == 0 ||
      isa<CXXMethodDecl>(F) || !isTensor(C->getArg(0)->getType()))
    return {};
  return {C, F->getName(), C->getArg(0), false};
}

bool isDataPtr(const CXXMemberCallExpr &C) {
  llvm::StringRef Name = nameOf(C.getMethodDecl());
  return (Name == "data_ptr" || Name == "const_data_ptr" ||
          Name == "mutable_data_ptr") &&
         isTensor(C.getImplicitObjectArgument()->IgnoreImpCasts()->getType());
}

const CXXMemberCallExpr *dataPtrIn(const Expr *E) {
  for (int Steps = 0; E && Steps < 12; ++Steps) {
    E = bare(E);
    if (const auto *C = dyn_cast<CastExpr>(E)) {
      E = C->getSubExpr();
    } else if (const auto *B = dyn_cast<BinaryOperator>(E)) {
      if (!B->isAdditiveOp())
        return nullptr;
      E = B->getLHS()->getType()->isPointerType() ? B->getLHS() : B->getRHS();
    } else {
      const auto *C = dyn_cast<CXXMemberCallExpr>(E);
      return C && isDataPtr(*C) ? C : nullptr;
    }
  }
  return nullptr;
}

static bool isFreshOp(llvm::StringRef Name) {
  return llvm::StringSwitch<bool>(Name)
      .Cases("clone", "operator", "add", "sub", "mul", "div", true)
      .Cases("neg", "pow", "sqrt", "rsqrt", "exp", "log", "abs", true)
      .Cases("clamp", "clamp_min", "clamp_max", "round", "floor", "ceil", true)
      .Cases("relu", "sigmoid", "tanh", "softmax", "log_softmax", "gelu", true)
      .Cases("sum", "mean", "max", "min", "argmax", "argmin", "norm", true)
      .Cases("matmul", "mm", "bmm", "addmm", "linear", "conv2d", true)
      .Cases("cat", "stack", "hstack", "vstack", "where", "gather", true)
      .Cases("index_select", "masked_select", "masked_fill", "repeat", "flip",
             true)
      .Cases("repeat_interleave", "roll", "cumsum", "sort", "topk", "tile", true)
      .Cases("batch_norm", "layer_norm", "max_pool2d", "avg_pool2d", true)
      .Cases("zeros_like", "ones_like", "rand_like", "randn_like", "empty_like",
             "full_like", true)
      .Cases("std", "var", "prod", "nonzero", "one_hot", "sign", "reciprocal",
             true)
      .Default(false);
}

Sharing sharingOf(llvm::StringRef Name) {
  Sharing S =
      llvm::StringSwitch<Sharing>(Name)
          .Cases("view", "permute", "transpose", "t", "unsqueeze", Sharing::View)
          .Cases("squeeze", "slice", "narrow", "select", "expand", Sharing::View)
          .Cases("expand_as", "view_as", "detach", "alias", "as_strided",
                 Sharing::View)
          .Cases("swapaxes", "swapdims", "movedim", "moveaxis", "diagonal",
                 Sharing::View)
          .Cases("unfold", "unflatten", "adjoint", "numpy_T", "data", "operator[]",
                 Sharing::View)
          .Cases("variable_data", "tensor_data", "view_as_real",
                 "view_as_complex", "mT", "mH", Sharing::View)
          .Cases("to", "contiguous", "cpu", "cuda", "type_as", Sharing::MaybeSame)
          .Cases("toType", "toBackend", "expect_contiguous", Sharing::MaybeSame)
          .Cases("reshape", "flatten", "reshape_as", "ravel", Sharing::MaybeView)
          .Default(Sharing::Unknown);
  if (S != Sharing::Unknown)
    return S;
  if (Name.size() > 1 && Name.ends_with("_") && !Name.starts_with("_"))
    return Sharing::InPlace;
  return isFreshOp(Name) ? Sharing::Copy : Sharing::Unknown;
}

std::string scalarTypeOf(const Expr *E, const ASTContext &Context) {
  if (!E || E->isValueDependent())
    return "";
  E = bare(E);
  if (const auto *K = dyn_cast<CXXConstructExpr>(E); // optional<ScalarType>
      K && K->getNumArgs() == 1)
    return scalarTypeOf(K->getArg(0), Context);
  const auto *T = E->getType().getCanonicalType()->getAs<EnumType>();
  if (!T || nameOf(T->getDecl()) != "ScalarType")
    return "";
  Expr::EvalResult R;
  if (!E->EvaluateAsInt(R, Context))
    return "";
  for (const EnumConstantDecl *C : T->getDecl()->enumerators())
    if (C->getInitVal() == R.Val.getInt())
      return C->getNameAsString();
  return "";
}

/// The name of the constant c10::DeviceType in \p E: "CUDA"; empty if unknown.
static std::string deviceTypeOf(const Expr *E, const BodyView *View,
                                int Depth = 0) {
  if (!E || Depth > 6)
    return "";
  E = bare(E);
  QualType T = E->getType().getCanonicalType();
  if (const auto *En = T->getAs<EnumType>();
      En && nameOf(En->getDecl()) == "DeviceType" && !E->isValueDependent()) {
    Expr::EvalResult R;
    const ASTContext &Context = En->getDecl()->getASTContext();
    if (E->EvaluateAsInt(R, Context))
      for (const EnumConstantDecl *C : En->getDecl()->enumerators())
        if (C->getInitVal() == R.Val.getInt())
          return C->getNameAsString();
  }
  if (const auto *S = dyn_cast<StringLiteral>(E)) {
    if (S->getString().starts_with("cuda"))
      return "CUDA";
    return S->getString().starts_with("cpu") ? "CPU" : "";
  }
  if (const auto *K = dyn_cast<CXXConstructExpr>(E))
    return K->getNumArgs() ? deviceTypeOf(K->getArg(0), View, Depth + 1) : "";
  if (const auto *C = dyn_cast<CastExpr>(E))
    return deviceTypeOf(C->getSubExpr(), View, Depth + 1);
  if (const auto *C = dyn_cast<CallExpr>(E);
      C && nameOf(C->getDirectCallee()) == "device" && C->getNumArgs() == 1)
    return deviceTypeOf(C->getArg(0), View, Depth + 1);
  if (isa<DeclRefExpr>(E) && View && View->contains(E)) {
    const Expr *Origin = View->originOf(E);
    if (Origin != E)
      return deviceTypeOf(Origin, View, Depth + 1);
  }
  return "";
}

bool isCudaDevice(const Expr *E, const BodyView *View) {
  return deviceTypeOf(E, View) == "CUDA";
}
bool isCpuDevice(const Expr *E, const BodyView *View) {
  return deviceTypeOf(E, View) == "CPU";
}

Sharing sharingOf(const TensorCall &Op, llvm::StringRef DType,
                  const BodyView *View) {
  Sharing S = sharingOf(Op.Name);
  if (Op.Name == "toType" || Op.Name == "to" || Op.Name == "cuda") {
    if (Op.Name == "cuda")
      return Sharing::Copy;
    const ASTContext &Context = Op.Call->getDirectCallee()->getASTContext();
    for (unsigned I = 0, N = Op.argCount(); I < N; ++I) {
      const Expr *A = Op.arg(I);
      std::string To = scalarTypeOf(A, Context);
      if (!To.empty() && !DType.empty() && To != DType)
        return Sharing::Copy;
      if (isCudaDevice(A, View))
        return Sharing::Copy;
    }
    // to(…, non_blocking, copy): the flags that follow each other.
    unsigned Flags = 0;
    for (unsigned I = 0, N = Op.argCount(); I < N; ++I) {
      const Expr *A = Op.arg(I);
      if (!A->getType()->isBooleanType())
        continue;
      const auto *B = dyn_cast<CXXBoolLiteralExpr>(bare(A));
      if (++Flags == 2)
        return B && !B->getValue() ? S
               : B                 ? Sharing::Copy
                                   : Sharing::Unknown;
    }
  }
  return S;
}

bool hasTensorMethod(const CXXRecordDecl *Tensor, llvm::StringRef Name) {
  if (!Tensor || !(Tensor = Tensor->getDefinition()))
    return false;
  IdentifierInfo &Id = Tensor->getASTContext().Idents.get(Name);
  if (!Tensor->lookup(&Id).empty())
    return true;
  for (const CXXBaseSpecifier &B : Tensor->bases())
    if (hasTensorMethod(B.getType()->getAsCXXRecordDecl(), Name))
      return true;
  return false;
}

std::string textOf(const Stmt *E, const ASTContext &Context) {
  return Lexer::getSourceText(
             CharSourceRange::getTokenRange(E->getSourceRange()),
             Context.getSourceManager(), Context.getLangOpts())
      .str();
}

SourceLocation endOf(const Stmt *E, const ASTContext &Context) {
  if (E->getEndLoc().isMacroID() || E->getBeginLoc().isMacroID())
    return {};
  return Lexer::getLocForEndOfToken(E->getEndLoc(), 0,
                                    Context.getSourceManager(),
                                    Context.getLangOpts());
}

} // namespace vramlint
