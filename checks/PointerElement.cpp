//===- checks/PointerElement.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See PointerElement.h.

#include "checks/PointerElement.h"
#include "checks/MatFacts.h"
#include "checks/TensorOps.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace vramlint {

namespace {
/// Types that may stand for each other have the same Size and Class, or meet in
/// mayRead().
struct DTypeShape {
  int Size = 0;
  char Class = '?'; ///< i: integer or bool, f: float, b: bfloat16, c: complex.
};
} // namespace

static DTypeShape shapeOf(llvm::StringRef DType) {
  return llvm::StringSwitch<DTypeShape>(DType)
      .Cases("Byte", "Char", "Bool", {1, 'i'})
      .Cases("Short", "UInt16", {2, 'i'})
      .Cases("Int", "UInt32", {4, 'i'})
      .Cases("Long", "UInt64", {8, 'i'})
      .Case("Half", {2, 'f'})
      .Case("BFloat16", {2, 'b'})
      .Case("Float", {4, 'f'})
      .Case("Double", {8, 'f'})
      .Case("ComplexHalf", {4, 'c'})
      .Case("ComplexFloat", {8, 'c'})
      .Case("ComplexDouble", {16, 'c'})
      .Default({});
}

bool mayRead(const PointerElement &Element, llvm::StringRef DType) {
  DTypeShape Is = shapeOf(Element.DType), As = shapeOf(DType);
  if (Is.Class == '?' || As.Class == '?')
    return true; // Quantized and newer types.
  if (Is.Size == As.Size && Is.Class == As.Class)
    return true;
  // Half and bfloat16 are often kept as 16-bit integers.
  if (Is.Class == 'i' && Is.Size == 2 && As.Size == 2)
    return true;
  // Complex numbers are pairs of real ones.
  if (Is.Class == 'f' && As.Class == 'c')
    return As.Size == 2 * Is.Size;
  return Is.Class == 'c' && As.Class == 'f' && Is.Size == 2 * As.Size;
}

static std::string dtypeOfBuiltin(const BuiltinType &B, const ASTContext &C,
                                  bool &Exact) {
  Exact = true;
  switch (B.getKind()) {
  case BuiltinType::Bool:
    return "Bool";
  case BuiltinType::Float:
    return "Float";
  case BuiltinType::Double:
    return "Double";
  case BuiltinType::Half:
  case BuiltinType::Float16:
    return "Half";
  case BuiltinType::BFloat16:
    return "BFloat16";
  case BuiltinType::UChar:
    return "Byte";
  case BuiltinType::SChar:
  case BuiltinType::Char_S:
  case BuiltinType::Char_U:
    return "Char";
  default:
    break;
  }
  if (!B.isInteger() || B.getKind() == BuiltinType::WChar_S ||
      B.getKind() == BuiltinType::WChar_U)
    return "";
  Exact = B.isSignedInteger();
  switch (C.getTypeSize(&B)) {
  case 16:
    return "Short";
  case 32:
    return "Int";
  case 64:
    return "Long";
  default:
    return "";
  }
}

/// The one scalar type that an object of \p T consists of; null if there is none.
static QualType scalarIn(QualType T, const ASTContext &Context, int Depth = 0) {
  if (T.isNull() || Depth > 4)
    return {};
  T = Context.getBaseElementType(T).getCanonicalType().getUnqualifiedType();
  if (const auto *E = T->getAs<EnumType>())
    return nameOf(E->getDecl()) == "byte" ? QualType()
                                          : E->getDecl()->getIntegerType();
  if (T->getAs<BuiltinType>())
    return T;
  const auto *R = T->getAsCXXRecordDecl();
  if (!R || !(R = R->getDefinition()))
    return {};
  llvm::StringRef Name = nameOf(R);
  if (isLibTorch(R) && (Name == "Half" || Name == "BFloat16" || Name == "complex"))
    return T;
  if (R->isInStdNamespace() && Name == "complex")
    return T;
  if (isLibTorch(R) || !R->isStandardLayout() ||
      (R->isInStdNamespace() && Name != "array"))
    return {};
  QualType Common;
  for (const CXXBaseSpecifier &B : R->bases()) {
    QualType S = scalarIn(B.getType(), Context, Depth + 1);
    const auto *Base = B.getType()->getAsCXXRecordDecl();
    if (S.isNull() && Base && Base->isEmpty())
      continue;
    if (S.isNull() || (!Common.isNull() && Common != S))
      return {};
    Common = S;
  }
  for (const FieldDecl *F : R->fields()) {
    QualType S = scalarIn(F->getType(), Context, Depth + 1);
    if (S.isNull() || (!Common.isNull() && Common != S))
      return {};
    Common = S;
  }
  return Common;
}

/// A class whose objects are never elements: their memory lies elsewhere.
static bool isContainer(const CXXRecordDecl *R) {
  if (!R)
    return false;
  llvm::StringRef Name = nameOf(R);
  if (R->isInStdNamespace())
    return llvm::StringSwitch<bool>(Name)
        .Cases("vector", "basic_string", "deque", "list", "map", true)
        .Cases("unordered_map", "set", "shared_ptr", "unique_ptr", true)
        .Default(false);
  return isMat(QualType(R->getTypeForDecl(), 0)) ||
         isTensor(QualType(R->getTypeForDecl(), 0));
}

static bool isByteLike(QualType T) {
  T = T.getCanonicalType();
  if (const auto *E = T->getAs<EnumType>())
    return nameOf(E->getDecl()) == "byte";
  return T->isVoidType() || T->isCharType() ||
         T->isSpecificBuiltinType(BuiltinType::SChar) ||
         T->isSpecificBuiltinType(BuiltinType::UChar);
}

static void setScalar(PointerElement &P, QualType T, const ASTContext &Context) {
  QualType S = scalarIn(T, Context);
  if (S.isNull())
    return;
  P.Kind = PointerElement::Scalars;
  P.Name = Context.getBaseElementType(T)
               .getCanonicalType()
               .getUnqualifiedType()
               .getAsString(Context.getPrintingPolicy());
  if (const auto *B = S->getAs<BuiltinType>()) {
    P.DType = dtypeOfBuiltin(*B, Context, P.Exact);
    P.PlainBytes = isByteLike(T);
  } else {
    const CXXRecordDecl *R = S->getAsCXXRecordDecl();
    P.DType = nameOf(R).str();
    P.Exact = true;
    if (P.DType == "complex") {
      const auto *Spec = dyn_cast<ClassTemplateSpecializationDecl>(R);
      QualType Part = Spec ? Spec->getTemplateArgs()[0].getAsType() : QualType();
      P.DType = Part->isSpecificBuiltinType(BuiltinType::Float)    ? "ComplexFloat"
                : Part->isSpecificBuiltinType(BuiltinType::Double) ? "ComplexDouble"
                                                                   : "";
    }
  }
  if (P.DType.empty())
    P = PointerElement();
}

/// mat.data and mat.ptr(): what the matrix holds here.
static bool matElement(PointerElement &P, const Expr *E, const BodyView &View) {
  const Expr *Object = nullptr;
  if (const auto *M = dyn_cast<MemberExpr>(E);
      M && nameOf(M->getMemberDecl()) == "data" && !M->isArrow())
    Object = M->getBase();
  if (const auto *C = dyn_cast<CXXMemberCallExpr>(E);
      C && nameOf(C->getMethodDecl()) == "ptr" && isByteLike(C->getType()->getPointeeType()))
    Object = C->getImplicitObjectArgument();
  Object = Object ? bare(Object) : nullptr;
  if (!Object || !isMat(Object->getType()))
    return false;
  const auto *Ref = dyn_cast<DeclRefExpr>(Object);
  const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  if (!V)
    return true; // Not known, and surely not bytes.
  static constexpr llvm::StringLiteral DTypes[] = {"Byte", "Char",   "Short", "Short",
                                                   "Int",  "Float", "Double", "Half"};
  MatFact Fact = matAt(V, E, View);
  if (Fact.Depth < 0 || Fact.Depth > 7)
    return true;
  P.Kind = PointerElement::Scalars;
  P.Name = depthName(Fact.Depth).str();
  P.DType = DTypes[Fact.Depth].str();
  P.Exact = Fact.Depth != 2;
  P.Since = Fact.Since;
  P.Matrix = V->getNameAsString();
  return true;
}

PointerElement elementOf(const Expr *E, const BodyView &View) {
  PointerElement P;
  for (int Steps = 0; E && Steps < 16; ++Steps) {
    E = E->IgnoreParens();
    if (const auto *F = dyn_cast<FullExpr>(E)) {
      E = F->getSubExpr();
      continue;
    }
    QualType T = E->getType();
    const auto *C = dyn_cast<CastExpr>(E);
    if (C && C->getCastKind() == CK_ArrayToPointerDecay) {
      setScalar(P, T->getPointeeType(), View.Context);
      return P;
    }
    if (C && C->getSubExpr()->getType()->isPointerType() &&
        (isa<ImplicitCastExpr, CXXConstCastExpr>(C) ||
         isByteLike(T->getPointeeType()))) {
      if (!isa<ImplicitCastExpr>(C) && !T->isVoidPointerType() &&
          !isa<CXXConstCastExpr>(C))
        P.ViaBytes = true;
      E = C->getSubExpr();
      continue;
    }
    if (!T->isPointerType())
      return P;
    QualType Of = T->getPointeeType();
    if (isByteLike(Of)) {
      if (matElement(P, E, View))
        return P;
      const Expr *Origin = View.originOf(E);
      if (Origin != E && Origin != bare(E)) {
        E = Origin;
        continue;
      }
      if (Of->isVoidType() || C) // An integer's or a smart pointer's address.
        return P;
    }
    if (Of->isPointerType()) {
      P.Kind = PointerElement::Pointers;
      P.Name = T.getAsString(View.Context.getPrintingPolicy());
      return P;
    }
    if (isContainer(Of->getAsCXXRecordDecl())) {
      P.Kind = PointerElement::Object;
      P.Name = Of.getUnqualifiedType().getAsString(View.Context.getPrintingPolicy());
      return P;
    }
    setScalar(P, Of, View.Context);
    return P;
  }
  return P;
}

} // namespace vramlint
