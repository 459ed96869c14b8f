//===- checks/ArrayrefDanglingCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See ArrayrefDanglingCheck.h.

#include "checks/ArrayrefDanglingCheck.h"
#include "checks/BodyView.h"
#include "checks/TensorOps.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/StringSwitch.h"
#include <set>

using namespace clang;

namespace vramlint {

/// T of c10::ArrayRef<T>; null for other types.
static QualType elementOfArrayRef(QualType T) {
  if (T.isNull() || T->isReferenceType())
    return {};
  const auto *R = dyn_cast_or_null<ClassTemplateSpecializationDecl>(
      T.getCanonicalType()->getAsCXXRecordDecl());
  if (nameOf(R) != "ArrayRef" || !isLibTorch(R))
    return {};
  return R->getTemplateArgs()[0].getAsType();
}

namespace {
/// What an ArrayRef refers to that does not live on.
struct Gone {
  std::string What;
  bool Container = false; ///< Its elements could be kept in a vector.
  explicit operator bool() const { return !What.empty(); }
};
} // namespace

/// A class whose objects own their elements.
static bool ownsElements(QualType T) {
  const auto *R = T.getCanonicalType()->getAsCXXRecordDecl();
  llvm::StringRef Name = nameOf(R);
  if (!R)
    return false;
  if (R->isInStdNamespace())
    return Name == "vector" || Name == "array";
  return isLibTorch(R) && (Name == "SmallVector" || Name == "SmallVectorImpl");
}

/// sizes() of a tensor that is a temporary: they lie in the tensor.
static Gone goneSizes(const CXXMemberCallExpr &C) {
  llvm::StringRef Name = nameOf(C.getMethodDecl());
  if (Name != "sizes" && Name != "strides")
    return {};
  const Expr *Tensor = bare(C.getImplicitObjectArgument());
  TensorCall Op = tensorCall(Tensor);
  if (!Op || !Tensor->isPRValue())
    return {};
  Sharing S = sharingOf(Op.Name);
  // Others may return the tensor itself, which lives on.
  if (S != Sharing::View && S != Sharing::Copy)
    return {};
  return {"the tensor that '" + Op.Name.str() + "' returns", false};
}

static Gone goneIn(const Expr *E, const ASTContext &Context, int Depth = 0) {
  if (!E || Depth > 8)
    return {};
  E = E->IgnoreParens();
  if (const auto *F = dyn_cast<FullExpr>(E))
    return goneIn(F->getSubExpr(), Context, Depth + 1);
  if (const auto *M = dyn_cast<MaterializeTemporaryExpr>(E);
      M && !elementOfArrayRef(M->getType()).isNull())
    return goneIn(M->getSubExpr(), Context, Depth + 1);
  if (const auto *C = dyn_cast<CastExpr>(E))
    return goneIn(C->getSubExpr(), Context, Depth + 1);
  if (const auto *C = dyn_cast<CXXMemberCallExpr>(E))
    return goneSizes(*C);
  const auto *K = dyn_cast<CXXConstructExpr>(E);
  if (!K || K->getNumArgs() == 0 || elementOfArrayRef(K->getType()).isNull())
    return {};
  const Expr *Arg = K->getArg(0)->IgnoreParens();
  if (K->getConstructor()->isCopyOrMoveConstructor())
    return goneIn(Arg, Context, Depth + 1);
  while (const auto *C = dyn_cast<ImplicitCastExpr>(Arg))
    Arg = C->getSubExpr();
  const auto *M = dyn_cast<MaterializeTemporaryExpr>(Arg);
  if (!M || K->getNumArgs() != 1)
    return {};
  QualType T = M->getType();
  if (nameOf(T->getAsCXXRecordDecl()) == "initializer_list") {
    const Expr *List = M->getSubExpr()->IgnoreImplicit();
    if (!isa<CXXStdInitializerListExpr>(List))
      return {};
    return {"the list in braces", true};
  }
  if (ownsElements(T))
    return {"a temporary '" +
                T.getUnqualifiedType().getAsString(Context.getPrintingPolicy()) +
                "'",
            nameOf(T->getAsCXXRecordDecl()) == "vector"};
  return {};
}

/// Would a std::vector do for everything that \p V is used for?
static bool vectorWillDo(const VarDecl &V, const BodyView &View) {
  for (const DeclRefExpr *Use : View.usesOf(&V)) {
    const Stmt *P = View.userOf(Use);
    if (const auto *M = dyn_cast_or_null<MemberExpr>(P)) {
      if (!llvm::StringSwitch<bool>(nameOf(M->getMemberDecl()))
               .Cases("size", "empty", "begin", "end", "data", "front", "back",
                      "at", true)
               .Default(false))
        return false;
      continue;
    }
    if (const auto *K = dyn_cast_or_null<CXXConstructExpr>(P);
        K && (!elementOfArrayRef(K->getType()).isNull() ||
              nameOf(K->getType()->getAsCXXRecordDecl()) == "IListRef")) {
      // An argument of a function that takes an ArrayRef.
      if (!isa_and_nonnull<CallExpr>(View.parent(K)))
        return false;
      continue;
    }
    const auto *Op = dyn_cast_or_null<CXXOperatorCallExpr>(P);
    if (Op && Op->getOperator() == OO_Subscript)
      continue;
    if (isa_and_nonnull<DeclStmt>(P)) { // A loop's range.
      const auto *D = cast<DeclStmt>(P);
      const auto *R = D->isSingleDecl() ? dyn_cast<VarDecl>(D->getSingleDecl())
                                        : nullptr;
      if (R && R->isImplicit())
        continue;
    }
    return false;
  }
  return true;
}

void ArrayrefDanglingCheck::report(SourceLocation Loc, llvm::StringRef Name,
                                   llvm::StringRef What, SourceRange Type,
                                   llvm::StringRef With) {
  if (!Done.insert(Loc).second)
    return;
  auto D = diag(Loc, "'%0' refers to elements of %1, which are destroyed at the "
                     "end of this statement")
           << Name << What;
  if (Type.isValid() && Type.getBegin().isFileID())
    D << FixItHint::CreateReplacement(Type, With);
}

void ArrayrefDanglingCheck::variable(const VarDecl &V, const BodyView &View) {
  QualType Element = elementOfArrayRef(V.getType());
  if (Element.isNull() || !V.getInit() || V.isImplicit() ||
      isInMacro(V.getLocation(), View.Context))
    return;
  Gone What = goneIn(V.getInit(), View.Context);
  if (!What)
    return;
  SourceRange Type;
  if (TypeSourceInfo *Info = V.getTypeSourceInfo();
      Info && What.Container && !V.getType()->getContainedAutoType() &&
      vectorWillDo(V, View))
    Type = Info->getTypeLoc().getUnqualifiedLoc().getSourceRange();
  std::string Spelled =
      Element->isIntegerType()
          ? "int64_t"
          : Element.getAsString(View.Context.getPrintingPolicy());
  if (Element->isIntegerType() &&
      !View.Context.hasSameType(Element,
                                View.Context.getIntTypeForBitwidth(64, true)))
    Type = SourceRange();
  report(V.getLocation(), V.getName(), What.What, Type,
         "std::vector<" + Spelled + ">");
}

/// \p Init is a constructor's, or the one that the class has for it.
void ArrayrefDanglingCheck::member(const FieldDecl &Field, const Expr &Init,
                                   const ASTContext &Context) {
  if (elementOfArrayRef(Field.getType()).isNull())
    return;
  const auto *Default = dyn_cast<CXXDefaultInitExpr>(&Init);
  if (Gone What = goneIn(Default ? Default->getExpr() : &Init, Context))
    report(Default ? Field.getLocation() : Init.getBeginLoc(), Field.getName(),
           What.What, {}, "");
}

void ArrayrefDanglingCheck::assignment(const CXXOperatorCallExpr &Op,
                                       const ASTContext &Context) {
  if (isInMacro(Op.getOperatorLoc(), Context))
    return;
  if (Gone What = goneIn(Op.getArg(1), Context))
    report(Op.getBeginLoc(), textOf(Op.getArg(0), Context), What.What, {}, "");
}

void ArrayrefDanglingCheck::onAnalysis(const Analysis &A) {
  Done.clear();
  for (const FunctionFacts &F : A.unit().Functions) {
    LazyView View(F, A.context());
    if (const auto *K = dyn_cast<CXXConstructorDecl>(F.Decl))
      for (const CXXCtorInitializer *I : K->inits())
        if (const FieldDecl *Field = I->getMember())
          member(*Field, *I->getInit(), A.context());
    for (const Root &R : rootsOf(F)) {
      forEachStmt(R.Code, [&](const Stmt *S) {
        if (const auto *D = dyn_cast<DeclStmt>(S))
          for (const Decl *Each : D->decls())
            if (const auto *V = dyn_cast<VarDecl>(Each);
                V && !elementOfArrayRef(V->getType()).isNull())
              variable(*V, *View);
        if (const auto *Op = dyn_cast<CXXOperatorCallExpr>(S);
            Op && Op->getOperator() == OO_Equal && Op->getNumArgs() == 2 &&
            !elementOfArrayRef(Op->getArg(0)->getType()).isNull())
          assignment(*Op, A.context());
      });
    }
  }
}

} // namespace vramlint
