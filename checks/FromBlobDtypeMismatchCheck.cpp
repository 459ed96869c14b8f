//===- checks/FromBlobDtypeMismatchCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See FromBlobDtypeMismatchCheck.h.

#include "checks/FromBlobDtypeMismatchCheck.h"
#include "checks/FromBlob.h"
#include "checks/PointerElement.h"
#include "checks/TensorOps.h"
#include "clang/AST/ExprCXX.h"
#include <set>

using namespace clang;

namespace vramlint {

namespace {
struct Mismatch {
  FromBlob Blob;
  PointerElement Element;
  DTypeFact DType;
};
} // namespace

/// The factors of a product, as texts: h * w * 3.
static void factorsOf(const Expr *E, const ASTContext &Context,
                      std::multiset<std::string> &Out) {
  E = bare(E);
  if (const auto *C = dyn_cast<CastExpr>(E))
    return factorsOf(C->getSubExpr(), Context, Out);
  if (const auto *B = dyn_cast<BinaryOperator>(E); B && B->getOpcode() == BO_Mul) {
    factorsOf(B->getLHS(), Context, Out);
    factorsOf(B->getRHS(), Context, Out);
    return;
  }
  std::string Text = textOf(E, Context);
  if (Text != "1")
    Out.insert(Text);
}

/// The list {h, w, 3} of a call's sizes; null if they are something else.
static const InitListExpr *sizesOf(const FromBlob &Blob) {
  const InitListExpr *List = nullptr;
  forEachStmt(Blob.Start->getArg(1), [&](const Stmt *S) {
    if (!List)
      List = dyn_cast<InitListExpr>(S);
  });
  return List;
}

/// Bytes may hold values of any type; they are just bytes for certain if there
/// is one of them for each element of the tensor.
static bool oneByteEach(const FromBlob &Blob, const BodyView &View) {
  const InitListExpr *Sizes = sizesOf(Blob);
  if (!Sizes)
    return false;
  std::multiset<std::string> Wanted, Has;
  uint64_t Count = 1;
  bool Constant = true;
  for (const Expr *E : Sizes->inits()) {
    factorsOf(E, View.Context, Wanted);
    Expr::EvalResult R;
    Constant = Constant && E->EvaluateAsInt(R, View.Context) &&
               R.Val.getInt().isStrictlyPositive();
    if (Constant)
      Count *= R.Val.getInt().getZExtValue();
  }
  const VarDecl *V = nullptr;
  forEachStmt(Blob.Pointer, [&](const Stmt *S) {
    if (const auto *Ref = dyn_cast<DeclRefExpr>(S); Ref && !V)
      V = dyn_cast<VarDecl>(Ref->getDecl());
  });
  if (!V)
    return false;
  if (const auto *T = View.Context.getAsConstantArrayType(V->getType()))
    return Constant &&
           View.Context.getConstantArrayElementCount(T) == Count;
  const auto *K = V->getInit() ? dyn_cast<CXXConstructExpr>(bare(V->getInit()))
                               : nullptr;
  if (!K || K->getNumArgs() == 0 || !K->getArg(0)->getType()->isIntegerType())
    return false;
  factorsOf(K->getArg(0), View.Context, Has);
  return Has == Wanted && !Has.empty();
}

static std::optional<Mismatch> mismatchIn(const FromBlob &Blob,
                                          const BodyView &View,
                                          bool DefaultKnown) {
  Mismatch M{Blob, elementOf(Blob.Pointer, View), {}};
  if (M.Element.Kind == PointerElement::Unknown)
    return std::nullopt;
  if (M.Element.Kind != PointerElement::Scalars)
    return M;
  M.DType = dtypeOf(Blob.Options, View);
  if (M.DType.Kind == DTypeFact::Unknown ||
      (M.DType.Kind == DTypeFact::Absent && !DefaultKnown))
    return std::nullopt;
  std::string Read =
      M.DType.Kind == DTypeFact::Absent ? "Float" : M.DType.Name;
  if (mayRead(M.Element, Read))
    return std::nullopt;
  // Any memory may be looked at as bytes.
  PointerElement Bytes;
  Bytes.DType = "Byte";
  std::string Sizes = textOf(Blob.Start->getArg(1), View.Context);
  if (mayRead(Bytes, Read) &&
      (M.Element.ViaBytes || llvm::StringRef(Sizes).contains("sizeof")))
    return std::nullopt;
  if (M.Element.PlainBytes && M.Element.Matrix.empty() && !oneByteEach(Blob, View))
    return std::nullopt;
  return M;
}

/// Adds the type, or replaces the constant that is wrong.
static std::optional<FixItHint> fixFor(const Mismatch &M, const BodyView &View) {
  const ASTContext &Context = View.Context;
  std::string Wanted = namespaceOf(M.Blob.Start, Context) + "k" + M.Element.DType;
  // Another instantiation of a template has another type there.
  if (!M.Element.Exact || View.Facts.Decl->getTemplateInstantiationPattern())
    return std::nullopt;
  if (M.DType.Kind == DTypeFact::Known) {
    const Expr *Said = M.DType.Said;
    if (!Said || !isa<DeclRefExpr>(Said) || Said->getBeginLoc().isMacroID())
      return std::nullopt;
    return FixItHint::CreateReplacement(Said->getSourceRange(), Wanted);
  }
  if (M.Blob.Start != M.Blob.Call)
    return std::nullopt;
  if (M.Blob.Options) {
    const Expr *Options = bare(M.Blob.Options);
    if (!isa<CallExpr, CXXTemporaryObjectExpr>(Options) ||
        endOf(Options, Context).isInvalid())
      return std::nullopt;
    return FixItHint::CreateInsertion(endOf(Options, Context),
                                      ".dtype(" + Wanted + ")");
  }
  const Expr *Last = nullptr;
  for (const Expr *A : M.Blob.Call->arguments())
    if (!isa<CXXDefaultArgExpr>(A))
      Last = A;
  SourceLocation End = endOf(Last, Context);
  if (End.isInvalid())
    return std::nullopt;
  return FixItHint::CreateInsertion(End, ", " + Wanted);
}

static std::string textFor(const Mismatch &M, const ASTContext &Context) {
  const PointerElement &E = M.Element;
  if (E.Kind == PointerElement::Object)
    return "expected a pointer to elements, got the address of a '" + E.Name +
           "' object";
  if (E.Kind == PointerElement::Pointers)
    return "expected a pointer to elements, got '" + E.Name +
           "': from_blob reads the pointers as numbers";
  std::string Space = namespaceOf(M.Blob.Start, Context);
  std::string Holds = E.Matrix.empty() ? "memory" : "'" + E.Matrix + "'";
  std::string Text = "expected " + Space + "k" + E.DType + " for " + Holds +
                     " of '" + E.Name + "' values, got ";
  return M.DType.Kind == DTypeFact::Absent
             ? Text + "the default: float32"
             : Text + Space + "k" + M.DType.Name;
}

void FromBlobDtypeMismatchCheck::onAnalysis(const Analysis &A) {
  bool DefaultKnown = !setsDefaultDType(A.unit());
  std::set<SourceLocation> Done; // Instantiations share their text.
  forEachFromBlob(A.unit(), [&](const FromBlob &Blob, const BodyView &View) {
    std::optional<Mismatch> M = mismatchIn(Blob, View, DefaultKnown);
    SourceLocation Loc = Blob.Start->getBeginLoc();
    if (!M || !Done.insert(Loc).second)
      return;
    {
      auto D = diag(Loc, "%0") << textFor(*M, A.context());
      if (std::optional<FixItHint> Fix = fixFor(*M, View);
          Fix && M->Element.Kind == PointerElement::Scalars)
        D << *Fix;
    }
    if (M->Element.Since && M->Element.Since->getBeginLoc().isValid())
      note(M->Element.Since->getBeginLoc(),
           "'" + M->Element.Matrix + "' holds '" + M->Element.Name +
               "' values since here");
  });
}

} // namespace vramlint
