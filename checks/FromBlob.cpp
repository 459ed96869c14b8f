//===- checks/FromBlob.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See FromBlob.h.

#include "checks/FromBlob.h"
#include "checks/TensorOps.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace vramlint {

static llvm::StringRef recordName(QualType T) {
  return nameOf(T.getNonReferenceType()
                    .getCanonicalType()
                    ->getAsCXXRecordDecl());
}

/// for_blob(data, sizes).options(…).deleter(…).make_tensor()
static FromBlob forBlob(const CallExpr *C) {
  FromBlob B;
  B.Call = C;
  const Expr *E = C;
  for (int Steps = 0; E && Steps < 16; ++Steps) {
    E = bare(E);
    const auto *Call = dyn_cast<CallExpr>(E);
    if (!Call)
      return {};
    llvm::StringRef Name = nameOf(Call->getDirectCallee());
    if (const auto *M = dyn_cast<CXXMemberCallExpr>(Call)) {
      if ((Name == "deleter" || Name == "context") && !B.Deleter)
        B.Deleter = M->getArg(0);
      else if (Name == "options" && M->getNumArgs() == 1)
        B.Options = M->getArg(0);
      E = M->getImplicitObjectArgument();
      continue;
    }
    if (Name != "for_blob" || Call->getNumArgs() < 2)
      return {};
    B.Start = Call;
    B.Pointer = Call->getArg(0);
    return B;
  }
  return {};
}

FromBlob fromBlob(const Stmt *S) {
  const auto *C = dyn_cast_or_null<CallExpr>(S);
  const FunctionDecl *F = C ? C->getDirectCallee() : nullptr;
  llvm::StringRef Name = nameOf(F);
  if (Name == "make_tensor" && isa<CXXMemberCallExpr>(C) && isTensor(C->getType()))
    return forBlob(C);
  if (Name != "from_blob" || !isLibTorch(F) || !isTensor(C->getType()) ||
      C->getNumArgs() < 2)
    return {};
  FromBlob B;
  B.Call = B.Start = C;
  B.Pointer = C->getArg(0);
  for (unsigned I = 2; I < C->getNumArgs() && I < F->getNumParams(); ++I) {
    llvm::StringRef Type = recordName(F->getParamDecl(I)->getType());
    if (Type == "function")
      B.Deleter = C->getArg(I);
    else if (Type == "TensorOptions" && !isa<CXXDefaultArgExpr>(C->getArg(I)))
      B.Options = C->getArg(I);
  }
  return B;
}

/// The constant itself, without the optional or the options made from it.
static const Expr *constantIn(const Expr *E) {
  E = bare(E);
  while (const auto *K = dyn_cast<CXXConstructExpr>(E)) {
    if (K->getNumArgs() == 0)
      return E;
    E = bare(K->getArg(0));
  }
  return E;
}

/// dtype(…) has an argument, or a template argument: dtype<float>().
static DTypeFact dtypeArgument(const CallExpr *C, const BodyView &View) {
  DTypeFact Fact;
  if (C->getNumArgs() >= 1 && !isa<CXXDefaultArgExpr>(C->getArg(0))) {
    Fact.Name = scalarTypeOf(C->getArg(0), View.Context);
    if (Fact.Name.empty()) {
      const Expr *Origin = View.originOf(C->getArg(0));
      Fact.Name = scalarTypeOf(Origin, View.Context);
    } else {
      Fact.Said = constantIn(C->getArg(0));
    }
  }
  Fact.Kind = Fact.Name.empty() ? DTypeFact::Unknown : DTypeFact::Known;
  return Fact;
}

static DTypeFact dtypeOf(const Expr *E, const BodyView &View, int Depth) {
  if (!E || Depth > 12)
    return {};
  E = bare(E);
  if (std::string Name = scalarTypeOf(E, View.Context); !Name.empty())
    return {DTypeFact::Known, Name, constantIn(E)};
  llvm::StringRef Type = recordName(E->getType());
  if (const auto *K = dyn_cast<CXXConstructExpr>(E); K && Type == "TensorOptions") {
    if (K->getNumArgs() == 0 || isa<CXXDefaultArgExpr>(K->getArg(0)))
      return {DTypeFact::Absent, "", nullptr};
    QualType From = bare(K->getArg(0))->getType().getCanonicalType();
    llvm::StringRef Arg = recordName(From);
    if (const auto *T = From->getAs<EnumType>())
      Arg = nameOf(T->getDecl());
    if (Arg == "Device" || Arg == "DeviceType" || Arg == "Layout" ||
        Arg == "MemoryFormat")
      return {DTypeFact::Absent, "", nullptr};
    return dtypeOf(K->getArg(0), View, Depth + 1);
  }
  if (const auto *I = dyn_cast<InitListExpr>(E); I && I->getNumInits() <= 1)
    return I->getNumInits() ? dtypeOf(I->getInit(0), View, Depth + 1)
                            : DTypeFact{DTypeFact::Absent, "", nullptr};
  if (const auto *C = dyn_cast<CastExpr>(E))
    return dtypeOf(C->getSubExpr(), View, Depth + 1);
  if (const auto *M = dyn_cast<CXXMemberCallExpr>(E); M && Type == "TensorOptions") {
    if (recordName(M->getImplicitObjectArgument()->getType()) != "TensorOptions")
      return {}; // t.options()
    if (nameOf(M->getMethodDecl()) == "dtype")
      return dtypeArgument(M, View);
    return dtypeOf(M->getImplicitObjectArgument(), View, Depth + 1);
  }
  if (const auto *C = dyn_cast<CallExpr>(E); C && isLibTorch(C->getDirectCallee())) {
    llvm::StringRef Name = nameOf(C->getDirectCallee());
    if (Name == "dtype")
      return dtypeArgument(C, View);
    if (Name == "device" || Name == "layout" || Name == "requires_grad" ||
        Name == "device_index")
      return {DTypeFact::Absent, "", nullptr};
    return {};
  }
  if (isa<DeclRefExpr>(E)) {
    const Expr *Origin = View.originOf(E);
    if (Origin != E) {
      DTypeFact Fact = dtypeOf(Origin, View, Depth + 1);
      Fact.Said = nullptr; // It may serve others too.
      return Fact;
    }
  }
  return {};
}

DTypeFact dtypeOf(const Expr *Options, const BodyView &View) {
  if (!Options)
    return {DTypeFact::Absent, "", nullptr};
  return dtypeOf(Options, View, 0);
}

std::string dtypeOf(const FromBlob &Blob, const BodyView &View) {
  DTypeFact Fact = dtypeOf(Blob.Options, View);
  if (Fact.Kind == DTypeFact::Absent)
    return "Float";
  return Fact.Kind == DTypeFact::Known ? Fact.Name : "";
}

bool setsDefaultDType(const UnitFacts &Unit) {
  for (const FunctionFacts &F : Unit.Functions)
    for (const CallSite &C : F.Calls)
      if (nameOf(C.Callee) == "set_default_dtype")
        return true;
  return false;
}

std::string namespaceOf(const CallExpr *Call, const ASTContext &Context) {
  llvm::StringRef Name = "torch::";
  std::string Text = textOf(Call->getCallee(), Context);
  return llvm::StringRef(Text).starts_with("at::") ? "at::" : Name.str();
}

void forEachFromBlob(const UnitFacts &Unit,
                     llvm::function_ref<void(const FromBlob &, const BodyView &)> F) {
  for (const FunctionFacts &Function : Unit.Functions) {
    LazyView View(Function, Unit.Context);
    for (const Root &R : rootsOf(Function))
      forEachStmt(R.Code, [&](const Stmt *S) {
        FromBlob Blob = fromBlob(S);
        if (!Blob || isInMacro(S->getBeginLoc(), Unit.Context))
          return;
        F(Blob, *View);
      });
  }
}

} // namespace vramlint
