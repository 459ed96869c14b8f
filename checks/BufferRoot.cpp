//===- checks/BufferRoot.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See BufferRoot.h.

#include "checks/BufferRoot.h"
#include "checks/MatFacts.h"
#include "checks/TensorOps.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace vramlint {

static const CXXRecordDecl *recordIn(QualType T) {
  return T.isNull() ? nullptr
                    : T.getNonReferenceType()
                          .getCanonicalType()
                          ->getAsCXXRecordDecl();
}

bool ownsItsData(QualType T) {
  if (T->isReferenceType() || T->isPointerType())
    return false;
  if (T->isArrayType() || T->isArithmeticType() || T->isEnumeralType())
    return true;
  const CXXRecordDecl *R = recordIn(T);
  llvm::StringRef Name = nameOf(R);
  if (R && R->isInStdNamespace())
    return llvm::StringSwitch<bool>(Name)
        .Cases("vector", "array", "basic_string", "unique_ptr", "valarray", true)
        .Cases("deque", "map", "unordered_map", "complex", true)
        .Default(false);
  const auto *N = R ? dyn_cast<NamespaceDecl>(R->getDeclContext()) : nullptr;
  return nameOf(N) == "Eigen" && (Name == "Matrix" || Name == "Array");
}

namespace {
class Finder {
public:
  explicit Finder(const BodyView &View) : View(View) {}
  BufferRoot pointer(const Expr *E, int Depth);

private:
  BufferRoot object(const Expr *E, int Depth);
  BufferRoot variable(const VarDecl *V, const Expr *At, int Depth);
  bool handedOn(const VarDecl *V) const;
  const BodyView &View;
};
} // namespace

/// Does somebody else get the variable's memory: a move, a swap, a release()?
bool Finder::handedOn(const VarDecl *V) const {
  for (const DeclRefExpr *Use : View.usesOf(V)) {
    const Stmt *P = View.userOf(Use);
    if (const auto *M = dyn_cast_or_null<MemberExpr>(P)) {
      llvm::StringRef Name = nameOf(M->getMemberDecl());
      if (Name == "release" || Name == "swap")
        return true;
    }
    const auto *C = dyn_cast_or_null<CallExpr>(P);
    llvm::StringRef Name = C ? nameOf(C->getDirectCallee()) : llvm::StringRef();
    if (Name == "move" || Name == "swap" || Name == "exchange" || Name == "forward")
      return true;
    if (isa_and_nonnull<LambdaExpr>(P))
      return true; // A deleter may hold it.
    if (const auto *M = dyn_cast_or_null<CXXMemberCallExpr>(C); M && Name == "swap")
      return true;
  }
  return false;
}

BufferRoot Finder::variable(const VarDecl *V, const Expr *At, int Depth) {
  QualType T = V->getType();
  if (T->isReferenceType()) {
    if (isa<ParmVarDecl>(V) || !V->getInit() || !View.contains(V->getInit()))
      return {};
    return object(V->getInit(), Depth + 1);
  }
  if (!V->hasLocalStorage() || V->isImplicit())
    return {};
  if (isMat(T)) {
    // A Mat parameter shares its data with the caller's.
    if (isa<ParmVarDecl>(V) || !matAt(V, At, View).Own)
      return {};
  } else if (!ownsItsData(T)) {
    const CXXRecordDecl *R = recordIn(T);
    // A plain struct of this program: its arrays and vectors live in it.
    if (!R || !R->hasDefinition() || !(R->isAggregate()) || isLibTorch(R))
      return {};
  }
  // Only what this function declares (a lambda may use what is around it).
  if (V->getDeclContext() != View.Facts.Decl || handedOn(V))
    return {};
  BufferRoot Root;
  Root.Kind = isa<ParmVarDecl>(V) ? BufferRoot::Parameter : BufferRoot::Local;
  Root.Var = V;
  Root.Name = "'" + V->getNameAsString() + "'";
  return Root;
}

/// Who owns the lvalue or object \p E.
BufferRoot Finder::object(const Expr *E, int Depth) {
  if (!E || Depth > 12)
    return {};
  E = bare(E);
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
    const auto *V = dyn_cast<VarDecl>(Ref->getDecl());
    return V ? variable(V, Ref, Depth) : BufferRoot();
  }
  if (const auto *M = dyn_cast<MemberExpr>(E)) {
    if (M->isArrow() || !isa<FieldDecl>(M->getMemberDecl()) ||
        !ownsItsData(M->getMemberDecl()->getType()))
      return {};
    BufferRoot Root = object(M->getBase(), Depth + 1);
    return Root.Kind == BufferRoot::Temporary ? BufferRoot() : Root;
  }
  if (const auto *A = dyn_cast<ArraySubscriptExpr>(E))
    return pointer(A->getBase(), Depth + 1);
  if (const auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_Deref)
    return pointer(U->getSubExpr(), Depth + 1);
  if (const auto *C = dyn_cast<CastExpr>(E))
    return object(C->getSubExpr(), Depth + 1);
  if (const auto *Op = dyn_cast<CXXOperatorCallExpr>(E)) {
    if (Op->getOperator() == OO_Subscript &&
        ownsItsData(Op->getArg(0)->getType()))
      return object(Op->getArg(0), Depth + 1);
    return {};
  }
  if (const auto *M = dyn_cast<CXXMemberCallExpr>(E)) {
    llvm::StringRef Name = nameOf(M->getMethodDecl());
    const Expr *Of = M->getImplicitObjectArgument()->IgnoreImpCasts();
    bool Element = Name == "at" || Name == "front" || Name == "back";
    if (Element && ownsItsData(Of->getType()))
      return object(Of, Depth + 1);
    if (isMat(Of->getType()) && Name == "at")
      return object(Of, Depth + 1);
  }
  bool Fresh = isa<CallExpr, CXXTemporaryObjectExpr, CXXFunctionalCastExpr,
                   CXXConstructExpr>(E);
  if (Fresh && E->isPRValue() && recordIn(E->getType()) &&
      ownsItsData(E->getType())) {
    BufferRoot Root;
    Root.Kind = BufferRoot::Temporary;
    Root.Temp = E;
    if (const auto *C = dyn_cast<CallExpr>(E); C && C->getDirectCallee())
      Root.Name =
          "what " + C->getDirectCallee()->getNameAsString() + "() returns";
    else
      Root.Name = "a temporary";
    return Root;
  }
  return {};
}

BufferRoot Finder::pointer(const Expr *E, int Depth) {
  if (!E || Depth > 12)
    return {};
  E = E->IgnoreParens();
  if (const auto *C = dyn_cast<CastExpr>(E)) {
    if (C->getCastKind() == CK_ArrayToPointerDecay)
      return object(C->getSubExpr(), Depth + 1);
    return pointer(C->getSubExpr(), Depth + 1);
  }
  E = bare(E);
  if (isa<CastExpr>(E))
    return pointer(E, Depth + 1);
  if (const auto *U = dyn_cast<UnaryOperator>(E))
    return U->getOpcode() == UO_AddrOf ? object(U->getSubExpr(), Depth + 1)
                                       : BufferRoot();
  if (const auto *B = dyn_cast<BinaryOperator>(E)) {
    if (!B->isAdditiveOp())
      return {};
    return pointer(B->getLHS()->getType()->isPointerType() ? B->getLHS()
                                                            : B->getRHS(),
                   Depth + 1);
  }
  if (const auto *M = dyn_cast<MemberExpr>(E);
      M && nameOf(M->getMemberDecl()) == "data" && !M->isArrow() &&
      isMat(M->getBase()->getType()))
    return object(M->getBase(), Depth + 1);
  if (const auto *M = dyn_cast<CXXMemberCallExpr>(E)) {
    llvm::StringRef Name = nameOf(M->getMethodDecl());
    const Expr *Of = M->getImplicitObjectArgument()->IgnoreParenImpCasts();
    bool Gives = Name == "data" || Name == "c_str" || Name == "get";
    if (Gives && (ownsItsData(Of->getType()) ||
                  (Of->getType()->isReferenceType() == false &&
                   ownsItsData(Of->getType().getCanonicalType()))))
      return object(M->getImplicitObjectArgument(), Depth + 1);
    if (Name == "ptr" && isMat(Of->getType()))
      return object(M->getImplicitObjectArgument(), Depth + 1);
    return {};
  }
  if (const auto *C = dyn_cast<CallExpr>(E)) {
    llvm::StringRef Name = nameOf(C->getDirectCallee());
    if (C->getNumArgs() == 1 && C->getDirectCallee() &&
        C->getDirectCallee()->isInStdNamespace() &&
        (Name == "data" || Name == "addressof"))
      return object(C->getArg(0), Depth + 1);
    return {};
  }
  if (isa<DeclRefExpr>(E)) {
    const Expr *Origin = View.originOf(E);
    return Origin == E ? BufferRoot() : pointer(Origin, Depth + 1);
  }
  return {};
}

BufferRoot bufferRoot(const Expr *Pointer, const BodyView &View) {
  return Finder(View).pointer(Pointer, 0);
}

} // namespace vramlint
