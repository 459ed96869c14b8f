//===- checks/MatFacts.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See MatFacts.h. The rules are those of OpenCV 4's core, imgproc and imgcodecs.

#include "checks/MatFacts.h"
#include "checks/TensorOps.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace vramlint {

static bool isCv(const Decl *D) {
  const DeclContext *C = D ? D->getDeclContext() : nullptr;
  for (; C; C = C->getParent())
    if (const auto *N = dyn_cast<NamespaceDecl>(C); nameOf(N) == "cv")
      return true;
  return false;
}

bool isMat(QualType T) {
  if (T.isNull())
    return false;
  const CXXRecordDecl *R =
      T.getNonReferenceType().getCanonicalType()->getAsCXXRecordDecl();
  llvm::StringRef Name = nameOf(R);
  return (Name == "Mat" || Name == "Mat_") && isCv(R);
}

llvm::StringRef depthName(int Depth) {
  static constexpr llvm::StringLiteral Names[] = {
      "unsigned char", "signed char", "unsigned short", "short",
      "int",           "float",       "double",         "half"};
  return Depth >= 0 && Depth < 8 ? llvm::StringRef(Names[Depth])
                                 : llvm::StringRef();
}

/// The depth of a type constant such as CV_32FC3; -1 if it isn't constant.
static int depthOfType(const Expr *E, const ASTContext &Context) {
  Expr::EvalResult R;
  if (!E || E->isValueDependent() || !E->getType()->isIntegerType() ||
      !E->EvaluateAsInt(R, Context))
    return -1;
  int64_t Type = R.Val.getInt().getExtValue();
  return Type < 0 ? -1 : int(Type & 7);
}

/// cv::Mat_<float>'s own depth.
static int depthOfElement(QualType T) {
  const auto *R = dyn_cast_or_null<ClassTemplateSpecializationDecl>(
      T.getNonReferenceType().getCanonicalType()->getAsCXXRecordDecl());
  if (!R || R->getTemplateArgs().size() == 0 ||
      R->getTemplateArgs()[0].getKind() != TemplateArgument::Type)
    return -1;
  QualType E = R->getTemplateArgs()[0].getAsType().getCanonicalType();
  if (nameOf(E->getAsCXXRecordDecl()) == "Vec")
    return depthOfElement(E);
  const auto *B = E->getAs<BuiltinType>();
  if (!B)
    return -1;
  switch (B->getKind()) {
  case BuiltinType::UChar:
    return 0;
  case BuiltinType::SChar:
    return 1;
  case BuiltinType::UShort:
    return 2;
  case BuiltinType::Short:
    return 3;
  case BuiltinType::Int:
    return 4;
  case BuiltinType::Float:
    return 5;
  case BuiltinType::Double:
    return 6;
  default:
    return -1;
  }
}

namespace {
class Reader {
public:
  explicit Reader(const BodyView &View) : View(View) {}
  MatFact at(const VarDecl *V, const Stmt *Where, int Depth);

private:
  MatFact valueOf(const Expr *E, int Depth);
  MatFact constructed(const CXXConstructExpr &K, int Depth);
  MatFact called(const CallExpr &C, int Depth);
  std::optional<MatFact> changeAt(const DeclRefExpr *Use, MatFact Now,
                                  int Depth);
  std::optional<MatFact> written(const CallExpr &C, const Stmt *Arg,
                                 MatFact Now, int Depth);
  bool isShared(const VarDecl *V) const;

  const BodyView &View;
};
} // namespace

MatFact Reader::constructed(const CXXConstructExpr &K, int Depth) {
  MatFact F;
  F.Depth = depthOfElement(K.getType());
  F.Since = &K;
  unsigned Written = 0;
  for (const Expr *A : K.arguments())
    Written += !isa<CXXDefaultArgExpr>(A);
  if (Written == 0) {
    F.Own = F.Empty = true;
    return F;
  }
  const Expr *First = bare(K.getArg(0));
  if (isMat(First->getType())) { // A copy or a region: shares.
    MatFact Of = valueOf(First, Depth + 1);
    Of.Own = Of.Own && Written == 1 && isa<CallExpr>(First);
    return Of;
  }
  bool External = false;
  for (unsigned I = 0; I < Written; ++I)
    External |= K.getArg(I)->getType()->isPointerType();
  F.Own = !External;
  // Mat(rows, cols, type, …), Mat(size, type, …).
  unsigned TypeAt = First->getType()->isIntegerType() ? 2 : 1;
  if (F.Depth < 0 && TypeAt < Written)
    F.Depth = depthOfType(K.getArg(TypeAt), View.Context);
  return F;
}

/// imread's and imdecode's flags: 8 bits unless they say otherwise.
static bool readsBytes(const CallExpr &C, const ASTContext &Context) {
  if (C.getNumArgs() < 2 || isa<CXXDefaultArgExpr>(C.getArg(1)))
    return true;
  Expr::EvalResult R;
  if (C.getArg(1)->isValueDependent() ||
      !C.getArg(1)->EvaluateAsInt(R, Context))
    return false;
  int64_t Flags = R.Val.getInt().getExtValue();
  return Flags >= 0 && !(Flags & 2); // IMREAD_UNCHANGED, IMREAD_ANYDEPTH
}

MatFact Reader::called(const CallExpr &C, int Depth) {
  MatFact F;
  F.Since = &C;
  const FunctionDecl *Callee = C.getDirectCallee();
  llvm::StringRef Name = nameOf(Callee);
  if (!isCv(Callee))
    return F;
  if (const auto *M = dyn_cast<CXXMemberCallExpr>(&C)) {
    MatFact Of = valueOf(M->getImplicitObjectArgument(), Depth + 1);
    if (Name == "clone")
      return {Of.Depth, true, false, &C};
    if (Name == "reshape" || Name == "rowRange" || Name == "colRange" ||
        Name == "row" || Name == "col" || Name == "t")
      return {Of.Depth, Name == "t", false, &C};
    return F;
  }
  if (isa<CXXOperatorCallExpr>(C)) {
    // A region, or arithmetic with a number: the depth stays.
    auto K = cast<CXXOperatorCallExpr>(C).getOperator();
    if (K != OO_Call && (C.getNumArgs() != 2 ||
                         !C.getArg(1)->getType()->isArithmeticType()))
      return F;
    MatFact Of = valueOf(C.getArg(0), Depth + 1);
    return {Of.Depth, K != OO_Call, false, &C};
  }
  if (Name == "imread" || Name == "imdecode") {
    F.Own = true;
    F.Depth = readsBytes(C, View.Context) ? 0 : -1;
  } else if (Name == "zeros" || Name == "ones" || Name == "eye") {
    F.Own = true;
    for (unsigned I = 1; I < C.getNumArgs(); ++I)
      F.Depth = depthOfType(C.getArg(I), View.Context);
  }
  return F;
}

MatFact Reader::valueOf(const Expr *E, int Depth) {
  if (!E || Depth > 6)
    return {};
  E = bare(E);
  if (const auto *C = dyn_cast<CastExpr>(E)) // MatExpr's conversion to Mat.
    return valueOf(C->getSubExpr(), Depth + 1);
  if (const auto *K = dyn_cast<CXXConstructExpr>(E))
    return isMat(K->getType()) ? constructed(*K, Depth)
           : K->getNumArgs()   ? valueOf(K->getArg(0), Depth + 1) // _InputArray
                               : MatFact();
  if (const auto *M = dyn_cast<CXXMemberCallExpr>(E);
      M && isa<CXXConversionDecl>(M->getMethodDecl()))
    return valueOf(M->getImplicitObjectArgument(), Depth + 1);
  if (const auto *C = dyn_cast<CallExpr>(E))
    return called(*C, Depth);
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
    if (const auto *V = dyn_cast<VarDecl>(Ref->getDecl());
        V && isMat(V->getType())) {
      MatFact F = at(V, E, Depth + 1);
      F.Own = F.Empty = false; // Two handles now.
      return F;
    }
  return {};
}

/// Functions of OpenCV that write their second argument, with the depth of the
/// first.
static bool keepsDepth(llvm::StringRef Name) {
  return llvm::StringSwitch<bool>(Name)
      .Cases("resize", "cvtColor", "flip", "GaussianBlur", "blur", true)
      .Cases("medianBlur", "bilateralFilter", "copyMakeBorder", "transpose",
             "rotate", true)
      .Cases("warpAffine", "warpPerspective", "remap", "undistort", "erode",
             true)
      .Cases("dilate", "bitwise_not", "pyrDown", "pyrUp", "equalizeHist", true)
      .Default(false);
}

std::optional<MatFact> Reader::written(const CallExpr &C, const Stmt *Arg,
                                       MatFact Now, int Depth) {
  const FunctionDecl *F = C.getDirectCallee();
  llvm::StringRef Name = nameOf(F);
  MatFact To{-1, Now.Own || Now.Empty, false, &C};
  if (const auto *M = dyn_cast<CXXMemberCallExpr>(&C); M && isCv(F)) {
    bool First = C.getNumArgs() && C.getArg(0) == Arg;
    if (First && (Name == "convertTo" || Name == "copyTo")) {
      int Type = Name == "convertTo" && C.getNumArgs() > 1
                     ? depthOfType(C.getArg(1), View.Context)
                     : -1;
      To.Depth = Type >= 0
                     ? Type
                     : valueOf(M->getImplicitObjectArgument(), Depth + 1).Depth;
      // convertTo with a variable type says nothing.
      Expr::EvalResult R;
      if (Name == "convertTo" && Type < 0 &&
          !(C.getNumArgs() > 1 && C.getArg(1)->EvaluateAsInt(R, View.Context)))
        To.Depth = -1;
      return To;
    }
  }
  if (isCv(F) && keepsDepth(Name) && C.getNumArgs() >= 2) {
    if (C.getArg(1) == Arg) {
      To.Depth = valueOf(C.getArg(0), Depth + 1).Depth;
      return To;
    }
    return std::nullopt; // Read only.
  }
  return std::nullopt;
}

/// What \p Use does to its matrix; nothing if it only reads it.
std::optional<MatFact> Reader::changeAt(const DeclRefExpr *Use, MatFact Now,
                                        int Depth) {
  const Stmt *Child = Use;
  const Stmt *P = View.parent(Use);
  bool Const = false;
  // Through conversions to cv::OutputArray and the like.
  while (P && isa<ImplicitCastExpr, ParenExpr, MaterializeTemporaryExpr,
                  CXXConstructExpr, CXXBindTemporaryExpr>(P)) {
    if (const auto *C = dyn_cast<ImplicitCastExpr>(P))
      Const |= C->getType().isConstQualified() && isMat(C->getType());
    if (const auto *K = dyn_cast<CXXConstructExpr>(P))
      Const |= isMat(K->getType()) ||
               nameOf(K->getConstructor()->getParent()) == "_InputArray";
    Child = P;
    P = View.parent(P);
  }
  if (const auto *M = dyn_cast_or_null<MemberExpr>(P)) {
    const auto *Call = dyn_cast_or_null<CXXMemberCallExpr>(View.parent(M));
    llvm::StringRef Name = nameOf(M->getMemberDecl());
    if (!Call)
      return std::nullopt;
    if (Name == "create") {
      MatFact F{-1, Now.Own || Now.Empty, false, Call};
      if (Call->getNumArgs())
        F.Depth = depthOfType(Call->getArg(Call->getNumArgs() - 1), View.Context);
      return F;
    }
    if (Name == "release")
      return MatFact{-1, true, true, Call};
    return std::nullopt; // convertTo(other): handled where other is an argument.
  }
  const auto *C = dyn_cast_or_null<CallExpr>(P);
  if (!C)
    return std::nullopt;
  if (const auto *Op = dyn_cast<CXXOperatorCallExpr>(C)) {
    if (Op->getOperator() == OO_Equal && Op->getArg(0) == Child) {
      MatFact F = valueOf(Op->getArg(1), Depth + 1);
      F.Since = Op;
      return F;
    }
    if (Op->getOperator() == OO_GreaterGreater) // capture >> frame
      return MatFact{-1, Now.Own || Now.Empty, false, Op};
    return std::nullopt;
  }
  if (std::optional<MatFact> F = written(*C, Child, Now, Depth))
    return F;
  bool KnownReader = isCv(C->getDirectCallee()) &&
                     keepsDepth(nameOf(C->getDirectCallee()));
  if (Const || KnownReader)
    return std::nullopt;
  return MatFact{-1, false, false, C};
}

/// Does someone else hold the matrix's data too, or the matrix itself?
bool Reader::isShared(const VarDecl *V) const {
  for (const DeclRefExpr *Use : View.usesOf(V)) {
    const Stmt *P = View.userOf(Use);
    if (const auto *K = dyn_cast_or_null<CXXConstructExpr>(P);
        K && isMat(K->getType()))
      return true;
    if (isa_and_nonnull<LambdaExpr>(P))
      return true;
    if (const auto *Op = dyn_cast_or_null<CXXOperatorCallExpr>(P);
        Op && Op->getOperator() == OO_Equal && bare(Op->getArg(1)) == Use)
      return true;
    if (const auto *M = dyn_cast_or_null<CXXMemberCallExpr>(P);
        M && !isCv(M->getMethodDecl()))
      return true; // push_back(mat)
  }
  return false;
}

MatFact Reader::at(const VarDecl *V, const Stmt *Where, int Depth) {
  if (Depth > 6 || isa<ParmVarDecl>(V) || !V->hasLocalStorage() ||
      V->getType()->isReferenceType())
    return {};
  MatFact Now = V->getInit() ? valueOf(V->getInit(), Depth + 1) : MatFact();
  if (Now.Depth < 0)
    Now.Depth = depthOfElement(V->getType());
  const Stmt *Loop = View.loopAround(Where, View.scopeOf(V));
  for (const DeclRefExpr *Use : View.usesOf(V)) {
    std::optional<MatFact> Next;
    if (View.begin(Use) < View.begin(Where) ||
        (Loop && View.isInside(Use, Loop)))
      Next = changeAt(Use, Now, Depth);
    if (!Next || (Next->Since && View.isInside(Where, Next->Since) &&
                  View.begin(Use) > View.begin(Where)))
      continue;
    // In a branch that Where isn't in: it must agree with what was before.
    bool Sure = View.end(Next->Since) < View.begin(Where);
    for (const Stmt *S = View.parent(Next->Since); S && Sure; S = View.parent(S))
      if (isa<CompoundStmt, ForStmt, WhileStmt, IfStmt, SwitchStmt, DoStmt,
              CXXForRangeStmt, CXXCatchStmt>(S) &&
          !View.isInside(Where, S))
        Sure = false;
    if (!Sure) {
      Next->Depth = Next->Depth == Now.Depth ? Now.Depth : -1;
      Next->Own = Next->Own && (Now.Own || Now.Empty);
      Next->Empty = false;
    }
    Now = *Next;
  }
  Now.Own = Now.Own && !isShared(V);
  return Now;
}

MatFact matAt(const VarDecl *V, const Stmt *Where, const BodyView &View) {
  return Reader(View).at(V, Where, 0);
}

} // namespace vramlint
