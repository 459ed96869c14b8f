//===- checks/ModelLoadPerCallCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See ModelLoadPerCallCheck.h.

#include "checks/ModelLoadPerCallCheck.h"
#include "checks/Surroundings.h"
#include "checks/TorchNames.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include <set>

using namespace clang;

namespace vramlint {

namespace {
struct Load {
  const CallExpr *Call = nullptr;
  const Expr *Path = nullptr; ///< The argument that says where from.
  std::string By;
};
} // namespace

static std::optional<Load> loadOf(const CallExpr &C) {
  const FunctionDecl *F = C.getDirectCallee();
  if (!F || plainName(*F) != "load" || C.getNumArgs() == 0)
    return std::nullopt;
  std::string Name = qualifiedName(*F);
  if (Name == "torch::jit::load")
    return Load{&C, C.getArg(0), Name};
  // Of a module; tensors may well come one by one.
  if (Name == "torch::load" && C.getNumArgs() >= 2 &&
      isNNModule(C.getArg(0)->getType()))
    return Load{&C, C.getArg(1), Name};
  return std::nullopt;
}

/// May the last of \p Path, in the loop at \p At, run in some iterations only, or
/// in the last: under a condition, in a retry, or where the loop is left after it?
static bool runsNowAndThen(StmtPath Path, size_t At) {
  for (size_t I = At + 1; I + 1 < Path.size(); ++I) {
    if (isa<IfStmt, SwitchStmt, AbstractConditionalOperator, CXXTryStmt,
            CXXCatchStmt>(Path[I]))
      return true;
    if (const auto *Block = dyn_cast<CompoundStmt>(Path[I]))
      for (const Stmt *S : Block->body())
        if (isa<BreakStmt, ReturnStmt>(S))
          return true;
  }
  return false;
}

/// Is the load the initialiser of a static variable? It runs once.
static bool isStatic(StmtPath Path) {
  for (const Stmt *S : Path)
    if (const auto *D = dyn_cast<DeclStmt>(S))
      for (const Decl *One : D->decls())
        if (const auto *V = dyn_cast<VarDecl>(One); V && V->isStaticLocal())
          return true;
  return false;
}

/// The loop in which some function calls \p F with the same file each time: a call
/// of it; null if there is none.
static const CallSite *calledInLoop(const UnitFacts &U, const FunctionFacts &F) {
  for (const CallSite *Site : U.callersOf(F)) {
    if (Site->In->InTest)
      continue;
    bool Repeated = false;
    forEachCall(*Site->In, [&](const CallExpr &C, StmtPath Path) {
      if (C.getBeginLoc() != Site->Loc)
        return;
      std::optional<size_t> At = innermostLoop(Path);
      if (!At || runsNowAndThen(Path, *At))
        return;
      // A path among the arguments may be another one each time.
      for (const Expr *A : C.arguments()) {
        QualType T = A->getType().getNonReferenceType();
        const CXXRecordDecl *R = T->getAsCXXRecordDecl();
        bool IsText = T->isPointerType() ||
                      (R && R->getIdentifier() &&
                       (R->getName() == "basic_string" || R->getName() == "path" ||
                        R->getName() == "basic_string_view"));
        if (IsText && variesIn(A, *Path[*At]))
          return;
      }
      Repeated = true;
    });
    if (Repeated)
      return Site;
  }
  return nullptr;
}

/// Takes a tensor or an image, and is called as if for each of them.
static bool isPerFrame(const FunctionFacts &F) {
  if (!hasWord(plainName(*F.Decl),
               {"infer", "predict", "detect", "process", "frame", "classify",
                "segment", "recogni", "callback", "on", "handle"}))
    return false;
  for (const ParmVarDecl *P : F.Decl->parameters()) {
    const CXXRecordDecl *R = recordOf(P->getType());
    if (R && R->getIdentifier() &&
        (R->getName() == "Tensor" || R->getName() == "Mat" ||
         R->getName().contains_insensitive("image") ||
         R->getName().contains_insensitive("frame")))
      return true;
  }
  return false;
}

/// Where \p F runs what the call \p L loads into a variable of its own.
static const ForwardSite *runsIt(const UnitFacts &U, const FunctionFacts &F,
                                 const Load &L) {
  for (const ForwardSite &S : F.Forwards) {
    const auto *V = dyn_cast_or_null<VarDecl>(S.Object);
    const ObjectFacts *O = U.object(S.Object);
    if (V && V->hasLocalStorage() && O &&
        O->LoadLoc == L.Call->getBeginLoc())
      return &S;
  }
  return nullptr;
}

void ModelLoadPerCallCheck::onAnalysis(const Analysis &A) {
  const UnitFacts &U = A.unit();
  std::set<SourceLocation> Done; // Instantiations share their text.
  for (const FunctionFacts &F : U.Functions) {
    if (F.InTest)
      continue;
    forEachCall(F, [&](const CallExpr &C, StmtPath Path) {
      std::optional<Load> L = loadOf(C);
      SourceLocation Loc = C.getBeginLoc();
      if (!L || U.isInMacroBody(Loc) || isStatic(Path))
        return;
      if (std::optional<size_t> At = innermostLoop(Path)) {
        const Stmt &Loop = *Path[*At];
        if (runsNowAndThen(Path, *At) || variesIn(L->Path, Loop) ||
            !Done.insert(Loc).second)
          return;
        diag(Loc, "%0 reads the same file in each iteration") << L->By;
        note(Loop.getBeginLoc(), "in this loop; load the model before it");
        return;
      }
      const ForwardSite *Run = runsIt(U, F, *L);
      if (!Run || F.Decl->isMain() || F.Outer)
        return;
      const CallSite *Caller = calledInLoop(U, F);
      if (!Caller && !(U.callersOf(F).empty() && isPerFrame(F)))
        return;
      if (!Done.insert(Loc).second)
        return;
      diag(Loc, "%0 reads the file in each call of '%1'")
          << L->By << F.Decl->getNameAsString();
      note(Run->Loc, "the model is run here and dropped at the end of the call");
      if (Caller)
        note(Caller->Loc, "called in a loop; load the model once, outside of it");
      else
        note(F.Decl->getLocation(), "it takes one input at a time; keep the model "
                                    "where it outlives the call");
    });
  }
}

} // namespace vramlint
