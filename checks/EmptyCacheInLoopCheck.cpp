//===- checks/EmptyCacheInLoopCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See EmptyCacheInLoopCheck.h.

#include "checks/EmptyCacheInLoopCheck.h"
#include "checks/Surroundings.h"
#include "checks/TorchNames.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include <set>

using namespace clang;

namespace vramlint {

/// The allocator's function, or its method from LibTorch 2.0 on.
static bool isEmptyCache(const CallExpr &C) {
  const FunctionDecl *F = C.getDirectCallee();
  if (!F || plainName(*F) != "emptyCache")
    return false;
  std::string Name = qualifiedName(*F);
  llvm::StringRef Full(Name);
  return Full.starts_with("c10::cuda::CUDACachingAllocator::") ||
         Full.starts_with("c10::hip::HIPCachingAllocator::");
}

/// Does \p S make, load or drop a model? Then the cache that the old one leaves
/// is worth giving back.
static bool changesModels(const Stmt *S) {
  return anyBelow(S, [](const Stmt &Part) {
    if (const auto *K = dyn_cast<CXXConstructExpr>(&Part))
      return isNNModule(K->getType()) &&
             !K->getConstructor()->isCopyOrMoveConstructor();
    if (isa<CXXDeleteExpr>(Part))
      return true;
    const auto *C = dyn_cast<CallExpr>(&Part);
    const FunctionDecl *F = C ? C->getDirectCallee() : nullptr;
    if (!F)
      return false;
    if (const auto *Op = dyn_cast<CXXOperatorCallExpr>(C))
      return Op->getOperator() == OO_Equal && Op->getNumArgs() == 2 &&
             (isNNModule(Op->getArg(0)->getType()) ||
              isJitModule(Op->getArg(0)->getType()));
    llvm::StringRef Name = plainName(*F);
    if (const auto *M = dyn_cast<CXXMemberCallExpr>(C)) {
      QualType T = M->getImplicitObjectArgument()->getType();
      return (Name == "reset" && (isNNModule(T) || isJitModule(T))) ||
             Name == "clear" || Name == "erase" || Name == "pop_back";
    }
    return Name == "load" || Name == "make_shared" || Name == "make_unique";
  });
}

/// Does \p F, or what it calls in \p Part of it, run a model or train one?
static bool works(const UnitFacts &U, const FunctionFacts &F, SourceRange Part,
                  int Depth = 0) {
  const SourceManager &SM = U.Context.getSourceManager();
  auto Inside = [&](SourceLocation L) { return within(L, Part, SM); };
  for (const ForwardSite &S : F.Forwards)
    if (Inside(S.Loc))
      return true;
  if (llvm::any_of(F.TrainingLocs, Inside))
    return true;
  if (Depth > 3)
    return false;
  for (const CallSite &C : F.Calls)
    if (Inside(C.Loc))
      if (const FunctionFacts *Callee = U.function(C.Callee);
          Callee && Callee != &F &&
          works(U, *Callee, Callee->Body->getSourceRange(), Depth + 1))
        return true;
  return false;
}

/// Is there a loop in \p Loop that does the work? Then \p Loop is one over
/// epochs or data sets.
static bool hasWorkingLoop(const UnitFacts &U, const FunctionFacts &F,
                           const Stmt &Loop) {
  return anyBelow(&Loop, [&](const Stmt &S) {
    return &S != &Loop &&
           isa<ForStmt, CXXForRangeStmt, WhileStmt, DoStmt>(S) &&
           works(U, F, S.getSourceRange());
  });
}

/// Does the call run each time, as far as the conditions around it say? Those
/// before \p From in \p Path are not asked.
static bool runsEachTime(StmtPath Path, size_t From, const Stmt &Repeated) {
  for (size_t I = From; I + 1 < Path.size(); ++I) {
    const Expr *Condition = nullptr;
    if (const auto *If = dyn_cast<IfStmt>(Path[I])) {
      Condition = If->getCond() == Path[I + 1] ? nullptr : If->getCond();
    } else if (const auto *Q = dyn_cast<ConditionalOperator>(Path[I])) {
      Condition = Q->getCond() == Path[I + 1] ? nullptr : Q->getCond();
    } else if (isa<SwitchStmt>(Path[I])) {
      return false;
    }
    if (Condition && variesIn(Condition, Repeated))
      return false;
  }
  return true;
}

/// Is \p F one that cleans up, or prepares, by what it is or is called?
static bool cleansUp(const FunctionDecl &F) {
  return isa<CXXDestructorDecl, CXXConstructorDecl>(F) ||
         hasWord(plainName(F),
                 {"unload", "reset", "oom", "clear", "clean", "free", "release",
                  "close", "stop", "shut", "destroy", "dispose", "trim",
                  "recover", "retry", "warm", "init", "load", "setup", "empty",
                  "flush", "purge", "gc", "bench", "profile", "measure"});
}

namespace {
struct Site {
  const CallExpr *Call;
  const Stmt *Loop; ///< Null: each call of the function.
};
} // namespace

static std::optional<Site> judge(const UnitFacts &U, const FunctionFacts &F,
                                 const CallExpr &C, StmtPath Path) {
  if (!isEmptyCache(C) || inHandler(Path) || U.isInMacroBody(C.getBeginLoc()))
    return std::nullopt;
  if (std::optional<size_t> At = innermostLoop(Path)) {
    const Stmt &Loop = *Path[*At];
    if (!works(U, F, Loop.getSourceRange()) || changesModels(&Loop) ||
        hasWorkingLoop(U, F, Loop) || !runsEachTime(Path, *At + 1, Loop))
      return std::nullopt;
    return Site{&C, &Loop};
  }
  // Not in a loop: a function that runs a model each time it is called.
  if (F.Outer || F.Trains || F.Forwards.empty() || F.Decl->isMain() ||
      changesModels(F.Body) || hasWorkingLoop(U, F, *F.Body) ||
      !runsEachTime(Path, 0, *F.Body))
    return std::nullopt;
  return Site{&C, nullptr};
}

void EmptyCacheInLoopCheck::onAnalysis(const Analysis &A) {
  const UnitFacts &U = A.unit();
  std::set<SourceLocation> Done; // Instantiations share their text.
  for (const FunctionFacts &F : U.Functions) {
    if (F.InTest || cleansUp(*F.Decl))
      continue;
    forEachCall(F, [&](const CallExpr &C, StmtPath Path) {
      std::optional<Site> S = judge(U, F, C, Path);
      if (!S || !Done.insert(C.getExprLoc()).second)
        return;
      if (S->Loop) {
        diag(C.getExprLoc(),
             "emptyCache() in each iteration waits for the GPU and gives the "
             "cache back to the driver: the next iteration allocates it anew");
        note(S->Loop->getBeginLoc(), "in this loop");
      } else {
        diag(C.getExprLoc(),
             "emptyCache() in each call of '%0' waits for the GPU and gives the "
             "cache back to the driver: the next call allocates it anew")
            << F.Decl->getNameAsString();
        note(F.Forwards.front().Loc, "the model runs here");
      }
      note(C.getExprLoc(), "it frees no memory that a tensor holds; remove it, "
                           "or call it once where memory is handed over");
    });
  }
}

} // namespace vramlint
