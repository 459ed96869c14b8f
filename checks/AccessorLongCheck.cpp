//===- checks/AccessorLongCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See AccessorLongCheck.h.

#include "checks/AccessorLongCheck.h"
#include "checks/BodyView.h"
#include "checks/TensorOps.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/TypeLoc.h"
#include "llvm/ADT/StringSwitch.h"
#include <set>

using namespace clang;

namespace vramlint {

static bool takesElementType(llvm::StringRef Method) {
  return llvm::StringSwitch<bool>(Method)
      .Cases("data_ptr", "const_data_ptr", "mutable_data_ptr", "data", true)
      .Cases("item", "accessor", "generic_packed_accessor", true)
      .Cases("packed_accessor", "packed_accessor32", "packed_accessor64", true)
      .Default(false);
}

/// Is there a `data_ptr<T>` in LibTorch's libraries? Those of Methods.cpp: the
/// types of c10/core/ScalarType.h.
static bool hasDefinition(const BuiltinType &B, const ASTContext &Context,
                          bool Unsigned) {
  switch (B.getKind()) {
  case BuiltinType::Long:
  case BuiltinType::LongLong:
    return Context.hasSameType(QualType(&B, 0),
                               Context.getIntTypeForBitwidth(64, true));
  case BuiltinType::ULong:
  case BuiltinType::ULongLong:
    return Unsigned &&
           Context.hasSameType(QualType(&B, 0),
                               Context.getIntTypeForBitwidth(64, false));
  case BuiltinType::UShort:
  case BuiltinType::UInt:
    return Unsigned;
  case BuiltinType::Char_S:
  case BuiltinType::Char_U:
  case BuiltinType::LongDouble:
    return false;
  default:
    return true;
  }
}

struct ElementTypeUse {
  const CXXMemberCallExpr *Call = nullptr;
  TypeLoc Type;                 ///< The template argument, as written.
  const BuiltinType *Element = nullptr;
  bool Links = true;            ///< On this platform.
};

static std::optional<ElementTypeUse> findIn(const Stmt *S, const ASTContext &Context,
                                     bool Unsigned) {
  const auto *C = dyn_cast<CXXMemberCallExpr>(S);
  const auto *M = C ? dyn_cast<MemberExpr>(C->getCallee()->IgnoreParens()) : nullptr;
  if (!M || !M->hasExplicitTemplateArgs() ||
      !takesElementType(nameOf(C->getMethodDecl())) ||
      !isTensor(M->getBase()->IgnoreImpCasts()->getType()))
    return std::nullopt;
  const TemplateArgumentLoc &Arg = M->template_arguments()[0];
  if (Arg.getArgument().getKind() != TemplateArgument::Type ||
      !Arg.getTypeSourceInfo())
    return std::nullopt;
  ElementTypeUse F;
  F.Call = C;
  F.Type = Arg.getTypeSourceInfo()->getTypeLoc();
  // What an instantiation puts there is the caller's.
  QualType T = F.Type.getType();
  if (T.isConstQualified() || T->getAs<SubstTemplateTypeParmType>())
    return std::nullopt;
  F.Element = T.getCanonicalType()->getAs<BuiltinType>();
  if (!F.Element)
    return std::nullopt;
  F.Links = hasDefinition(*F.Element, Context, Unsigned);
  bool SpelledLong = F.Type.getAs<BuiltinTypeLoc>() &&
                     (F.Element->getKind() == BuiltinType::Long ||
                      F.Element->getKind() == BuiltinType::LongLong);
  if (F.Links && !SpelledLong)
    return std::nullopt;
  return F;
}

/// The text between a type's first and last token is replaced by int64_t.
static FixItHint toInt64(TypeLoc T) {
  return FixItHint::CreateReplacement(T.getUnqualifiedLoc().getSourceRange(),
                                      "int64_t");
}

/// The element type of a pointer variable, where it is spelled like \p F's.
static TypeLoc spelledIn(const VarDecl &V, const ElementTypeUse &F) {
  TypeSourceInfo *Info = V.getTypeSourceInfo();
  auto P = Info ? Info->getTypeLoc().getAs<PointerTypeLoc>() : PointerTypeLoc();
  if (!P)
    return {};
  TypeLoc Inner = P.getPointeeLoc().getUnqualifiedLoc();
  return Inner.getType()->getAs<BuiltinType>() == F.Element ? Inner : TypeLoc();
}

void AccessorLongCheck::storeOptions(tidy::ClangTidyOptions::OptionMap &Opts) {
  TorchCheck::storeOptions(Opts);
  Options.store(Opts, "Portable", Portable);
}

void AccessorLongCheck::report(const Analysis &A, const ElementTypeUse &F,
                               const VarDecl *Variable) {
  std::string Method = nameOf(F.Call->getMethodDecl()).str();
  std::string Name = F.Type.getType().getAsString(A.context().getPrintingPolicy());
  bool Is64 = A.context().getTypeSize(F.Element) == 64 && F.Element->isInteger();
  auto D = F.Links
               ? diag(F.Type.getBeginLoc(),
                      "'%0' is int64_t on some platforms only: elsewhere '%1<%0>' "
                      "has no definition to link with")
               : diag(F.Type.getBeginLoc(),
                      "LibTorch has no definition of '%1<%0>': the program does "
                      "not link");
  D << Name << Method;
  if (!Is64 || F.Type.getBeginLoc().isMacroID() || F.Element->isUnsignedInteger())
    return;
  // The other type's pointer must fit where it goes.
  TypeLoc InVariable = Variable ? spelledIn(*Variable, F) : TypeLoc();
  bool Safe = F.Links || Method == "item" || InVariable ||
              (Variable && Variable->getType()->getContainedAutoType()) ||
              llvm::StringRef(Method).contains("accessor");
  if (!Safe)
    return;
  D << toInt64(F.Type);
  if (InVariable && InVariable.getBeginLoc().isFileID())
    D << toInt64(InVariable);
}

void AccessorLongCheck::onAnalysis(const Analysis &A) {
  // UInt16, UInt32 and UInt64 came with LibTorch 2.3.
  bool Unsigned = A.options().Program.Target.atLeast(2, 3);
  std::set<SourceLocation> Done; // Instantiations share their text.
  for (const FunctionFacts &F : A.unit().Functions)
    for (const Root &R : rootsOf(F)) {
      llvm::DenseMap<const Stmt *, const VarDecl *> Variables;
      forEachStmt(R.Code, [&](const Stmt *S) {
        if (const auto *D = dyn_cast<DeclStmt>(S))
          for (const Decl *Each : D->decls())
            if (const auto *V = dyn_cast<VarDecl>(Each); V && V->getInit())
              Variables[bare(V->getInit())] = D->isSingleDecl() ? V : nullptr;
        std::optional<ElementTypeUse> Found = findIn(S, A.context(), Unsigned);
        if (!Found || (Found->Links && !Portable) ||
            isInMacro(Found->Type.getBeginLoc(), A.context()) ||
            !Done.insert(Found->Type.getBeginLoc()).second)
          return;
        report(A, *Found, Variables.lookup(S));
      });
    }
}

} // namespace vramlint
