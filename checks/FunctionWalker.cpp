//===- checks/FunctionWalker.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See FunctionWalker.h.

#include "checks/FunctionWalker.h"
#include "checks/TorchNames.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace clang;

namespace vramlint {

static bool isGradGuard(QualType T) {
  GuardKind K = guardKind(T);
  return K != GuardKind::NotAGuard && K != GuardKind::Other;
}

void FunctionWalker::run() {
  if (const auto *K = dyn_cast<CXXConstructorDecl>(Facts.Decl))
    for (const CXXCtorInitializer *I : K->inits()) {
      if (!I->isWritten())
        continue;
      walk(I->getInit());
      if (const FieldDecl *F = I->getMember()) {
        load(F, I->getInit());
        if (holdsModule(F->getType()))
          Unit.unite(F, Unit.resolve(I->getInit()));
      }
    }
  walk(Facts.Body);
}

std::string FunctionWalker::textOf(SourceRange R) const {
  return Lexer::getSourceText(CharSourceRange::getTokenRange(R),
                              Unit.Context.getSourceManager(),
                              Unit.Context.getLangOpts())
      .str();
}

void FunctionWalker::trains(SourceLocation Loc) {
  Facts.Trains = true;
  Facts.TrainingLocs.push_back(Loc);
}

void FunctionWalker::walkChildren(const Stmt *S) {
  for (const Stmt *Child : S->children())
    walk(Child);
}

void FunctionWalker::walk(const Stmt *S) {
  if (!S)
    return;
  if (const auto *Block = dyn_cast<CompoundStmt>(S))
    return walkBlock(*Block);
  if (const auto *D = dyn_cast<DeclStmt>(S))
    return walkDecl(*D);
  if (const auto *L = dyn_cast<LambdaExpr>(S))
    return walkLambda(*L);
  if (isa<IfStmt, ForStmt, WhileStmt, DoStmt, CXXForRangeStmt, SwitchStmt,
          CXXTryStmt, CXXCatchStmt>(S))
    return walkScoped(*S);
  if (const auto *R = dyn_cast<ReturnStmt>(S))
    return walkReturn(*R);
  if (const auto *C = dyn_cast<CallExpr>(S))
    return call(*C);
  if (const auto *K = dyn_cast<CXXConstructExpr>(S))
    return construct(*K);
  if (const auto *N = dyn_cast<CXXNewExpr>(S)) {
    walkChildren(S);
    if (isGradGuard(N->getAllocatedType()))
      guardForGood(N->getBeginLoc(), true);
    return;
  }
  if (const auto *D = dyn_cast<CXXDefaultArgExpr>(S))
    return walk(D->getExpr());
  if (const auto *Ref = dyn_cast<DeclRefExpr>(S)) {
    // A function named without being called: whoever gets it may call it.
    if (const auto *F = dyn_cast<FunctionDecl>(Ref->getDecl()))
      Facts.Calls.push_back({F->getCanonicalDecl(), Ref->getBeginLoc(),
                             Guarded, &Facts, guardHere()});
    return;
  }
  walkChildren(S);
}

void FunctionWalker::walkBlock(const CompoundStmt &Block) {
  bool Before = Guarded;
  Blocks.push_back(&Block);
  checkIdleGuard(Block);
  bool Misplaced = MisplacedGuard;
  for (const Stmt *S : Block.body()) {
    MisplacedGuard = false;
    checkStatement(*S);
    if (isa<Expr>(S)) {
      // A guard that is a temporary ends with its statement.
      bool Here = Guarded;
      walk(S);
      Guarded = Here || GuardedForGood;
      if (!Unit.Misuses.empty() && Unit.Misuses.back().OfGrad &&
          Unit.Misuses.back().Loc == S->getBeginLoc())
        Guarded = true; // One cause, one finding: that guard is at fault.
    } else {
      walk(S);
      if (MisplacedGuard)
        Guarded = true; // Likewise.
    }
  }
  MisplacedGuard = Misplaced;
  Blocks.pop_back();
  Guarded = Before || GuardedForGood;
}

void FunctionWalker::walkScoped(const Stmt &S) {
  bool Before = Guarded;
  // An element stands for its container.
  if (const auto *R = dyn_cast<CXXForRangeStmt>(&S); R && R->getRangeInit())
    if (const VarDecl *V = R->getLoopVariable(); V && holdsModule(V->getType())) {
      const Decl *Range = Unit.resolve(R->getRangeInit());
      Unit.unite(V, Range);
      if (const auto *D = dyn_cast<DecompositionDecl>(V))
        for (const BindingDecl *B : D->bindings())
          if (holdsModule(B->getType()))
            Unit.unite(B, Range);
    }
  if (const auto *I = dyn_cast<IfStmt>(&S)) {
    checkLastInBlock(I->getThen(), true);
    checkLastInBlock(I->getElse(), true);
  }
  for (const Stmt *Child : S.children()) {
    if (Child && isa<Expr>(Child) && isa<IfStmt, ForStmt, WhileStmt>(S))
      checkStatement(*Child);
    bool InHead = Child && !isa<CompoundStmt, DeclStmt>(Child);
    bool Here = Guarded;
    walk(Child);
    if (InHead)
      Guarded = Here;
  }
  Guarded = Before || GuardedForGood;
}

void FunctionWalker::walkReturn(const ReturnStmt &S) {
  llvm::SaveAndRestore Returning(InReturn, true);
  if (const Expr *E = S.getRetValue()) {
    QualType T = Facts.Decl->getReturnType();
    if (holdsModule(T)) {
      Unit.unite(Facts.Decl, Unit.resolve(E));
      load(Facts.Decl, E);
    }
    walk(E);
  }
}

//===-- Guards --------------------------------------------------------------===//

/// A guard that turns gradients on, or by a flag, counts like one that turns them
/// off: what runs under it does so on purpose.
void FunctionWalker::applyGuard(QualType T, SourceLocation Loc,
                                const Expr *Init) {
  GuardKind K = guardKind(T);
  if (!isGradGuard(T))
    return;
  Guarded = Facts.HasGuard = true;
  std::optional<bool> Flag;
  if (const auto *C = dyn_cast_or_null<CXXConstructExpr>(
          Init ? Init->IgnoreUnlessSpelledInSource() : nullptr);
      C && C->getNumArgs())
    if (const auto *B = dyn_cast<CXXBoolLiteralExpr>(
            C->getArg(0)->IgnoreUnlessSpelledInSource()))
      Flag = B->getValue();
  bool HasFlag = false;
  if (const auto *C = dyn_cast_or_null<CXXConstructExpr>(
          Init ? Init->IgnoreUnlessSpelledInSource() : nullptr))
    HasFlag = C->getNumArgs() && !isa<CXXDefaultArgExpr>(C->getArg(0));
  LastGuard.Loc = Loc;
  LastGuard.Block = Blocks.empty() ? nullptr : Blocks.back();
  LastGuard.Inference = K == GuardKind::InferenceMode;
  LastGuard.TurnsOff = K == GuardKind::NoGrad ||
                       (K == GuardKind::GradMode && Flag == false) ||
                       (K == GuardKind::InferenceMode &&
                        (!HasFlag || Flag == true));
}

void FunctionWalker::guardForGood(SourceLocation Loc, bool TurnsOff) {
  Guarded = GuardedForGood = Facts.HasGuard = true;
  LastGuard = {Loc, TurnsOff, false,
               Blocks.empty() ? nullptr : Blocks.front()};
}

GuardSite FunctionWalker::guardHere() const {
  return Guarded ? LastGuard : GuardSite();
}

void FunctionWalker::construct(const CXXConstructExpr &E) {
  walkChildren(&E);
  const CXXConstructorDecl *K = E.getConstructor();
  if (K->isCopyOrMoveConstructor())
    return;
  if (isGradGuard(E.getType()))
    applyGuard(E.getType(), E.getBeginLoc(), &E);
  else if (isThread(E.getType()) && E.getNumArgs())
    startThread(E, {E.getArgs(), E.getNumArgs()},
                qualifiedName(*K->getParent()));
}

void FunctionWalker::walkDecl(const DeclStmt &S) {
  for (const Decl *D : S.decls()) {
    if (const auto *V = dyn_cast<VarDecl>(D)) {
      walkVariable(*V);
    } else if (const auto *F = dyn_cast<FunctionDecl>(D)) {
      QualType T = F->getReturnType();
      GuardKind K = guardKind(T);
      if (K == GuardKind::NotAGuard || F->param_size() ||
          Unit.isInMacroBody(F->getLocation()))
        continue;
      SourceLocation End = F->getEndLoc();
      SourceRange Parens(F->getLocation(), End);
      Unit.Misuses.push_back(
          {GuardMisuse::Function, F->getLocation(),
           textOf(F->getReturnTypeSourceRange()), F->getNameAsString(), Parens,
           F->getNameAsString(), K != GuardKind::Other});
      Guarded = true;
    }
  }
}

void FunctionWalker::walkVariable(const VarDecl &V) {
  QualType T = V.getType();
  bool Before = Guarded;
  {
    llvm::SaveAndRestore Init(Initialised, &V);
    walk(V.getInit());
  }
  Guarded = Before || GuardedForGood;
  if (holdsModule(T) || isJitMethod(T)) {
    Unit.unite(&V, Unit.resolve(V.getInit()));
    load(&V, V.getInit(), V.getNameAsString());
  }
  if (const auto *D = dyn_cast<DecompositionDecl>(&V))
    for (const BindingDecl *B : D->bindings())
      if (holdsModule(B->getType()))
        Unit.unite(B, Unit.resolve(V.getInit()));
  if (guardKind(T) != GuardKind::NotAGuard) {
    applyGuard(T, V.getLocation(), V.getInit());
    GuardedForGood |= V.isStaticLocal();
    TypeSourceInfo *Info = V.getTypeSourceInfo();
    auto Parens = Info ? Info->getTypeLoc().getAs<ParenTypeLoc>()
                       : ParenTypeLoc();
    if (Parens && !Unit.isInMacroBody(V.getLocation()))
      Unit.Misuses.push_back(
          {GuardMisuse::Shadow, V.getLocation(),
           textOf(Parens.getInnerLoc().getSourceRange()), V.getNameAsString(),
           SourceRange(Parens.getLParenLoc(), Parens.getRParenLoc()),
           " guard(" + V.getNameAsString() + ")",
           guardKind(T) != GuardKind::Other});
  } else if (holdsGradGuard(T)) {
    Guarded = Facts.HasGuard = true;
    LastGuard = {V.getLocation(), false, false, nullptr};
  }
}

/// The guard that a full expression makes and destroys at once.
static const Expr *droppedGuard(const Stmt &S, bool &Owned) {
  const auto *E = dyn_cast<Expr>(&S);
  while (E) {
    if (const auto *F = dyn_cast<FullExpr>(E))
      E = F->getSubExpr();
    else if (const auto *P = dyn_cast<ParenExpr>(E))
      E = P->getSubExpr();
    else if (const auto *B = dyn_cast<CXXBindTemporaryExpr>(E))
      E = B->getSubExpr();
    else if (const auto *M = dyn_cast<MaterializeTemporaryExpr>(E))
      E = M->getSubExpr();
    else if (const auto *C = dyn_cast<CastExpr>(E);
             C && (C->getType()->isVoidType() || isa<ImplicitCastExpr>(C)))
      E = C->getSubExpr();
    else
      break;
  }
  if (!E)
    return nullptr;
  Owned = false;
  if (isa<CXXTemporaryObjectExpr, CXXFunctionalCastExpr>(E))
    return guardKind(E->getType()) != GuardKind::NotAGuard ? E : nullptr;
  if (const auto *C = dyn_cast<CallExpr>(E)) {
    llvm::StringRef Name = nameOf(C->getDirectCallee());
    Owned = true;
    if (Name == "make_unique" || Name == "make_shared")
      return holdsGradGuard(E->getType()) ? E : nullptr;
  }
  return nullptr;
}

void FunctionWalker::checkStatement(const Stmt &S) {
  bool Owned = false;
  const Expr *E = droppedGuard(S, Owned);
  if (!E || Unit.isInMacroBody(E->getBeginLoc()))
    return;
  GuardMisuse M{Owned ? GuardMisuse::Owned : GuardMisuse::Temporary,
                S.getBeginLoc(), "", "", SourceRange(), "", true};
  QualType T = E->getType();
  if (Owned) {
    M.Type = textOf(cast<CallExpr>(E)->getCallee()->getSourceRange());
  } else {
    M.OfGrad = guardKind(T) != GuardKind::Other;
    SourceRange TypeRange;
    if (const auto *Temp = dyn_cast<CXXTemporaryObjectExpr>(E)) {
      TypeRange = Temp->getTypeSourceInfo()->getTypeLoc().getSourceRange();
      // "()" goes, or the name would make it a function's declaration.
      SourceRange Parens = Temp->getParenOrBraceRange();
      if (Temp->getNumArgs() == 0 || isa<CXXDefaultArgExpr>(Temp->getArg(0)))
        M.Replace = Parens;
      else
        M.Replace = SourceRange(Parens.getBegin(), Parens.getBegin());
    } else if (const auto *Cast = dyn_cast<CXXFunctionalCastExpr>(E)) {
      TypeRange = Cast->getTypeInfoAsWritten()->getTypeLoc().getSourceRange();
      M.Replace = SourceRange(Cast->getLParenLoc(), Cast->getLParenLoc());
      if (Cast->getLParenLoc().isInvalid())
        M.Replace = SourceRange();
    }
    M.Type = textOf(TypeRange);
    // Casts to void keep their text: no fix there.
    if (S.getBeginLoc() != E->getBeginLoc())
      M.Replace = SourceRange();
  }
  Unit.Misuses.push_back(std::move(M));
}

/// May \p S run something that a guard matters to? Output and numbers don't.
static bool mayRunTensors(const Stmt &S) {
  if (isa<LambdaExpr>(S))
    return true;
  if (const auto *C = dyn_cast<CallExpr>(&S)) {
    const auto *Op = dyn_cast<CXXOperatorCallExpr>(C);
    bool Prints = Op && Op->getOperator() == OO_LessLess &&
                  !mayHoldTensor(Op->getArg(0)->getType()) &&
                  !mayHoldTensor(Op->getArg(1)->getType());
    if (!Prints)
      return true;
  }
  for (const Stmt *Child : S.children())
    if (Child && mayRunTensors(*Child))
      return true;
  return false;
}

/// The guard that \p S declares, for its scope, or null.
static const VarDecl *guardIn(const Stmt &S) {
  const auto *D = dyn_cast<DeclStmt>(&S);
  const auto *V =
      D && D->isSingleDecl() ? dyn_cast<VarDecl>(D->getSingleDecl()) : nullptr;
  if (!V || !V->hasLocalStorage() ||
      guardKind(V->getType()) == GuardKind::NotAGuard)
    return nullptr;
  // InferenceMode(flag); is another mistake, and told as such.
  TypeSourceInfo *Info = V->getTypeSourceInfo();
  return Info && Info->getTypeLoc().getAs<ParenTypeLoc>() ? nullptr : V;
}

/// Does a guard end with \p Block before anything runs under it?
void FunctionWalker::checkIdleGuard(const CompoundStmt &Block) {
  const VarDecl *Guard = nullptr;
  for (const Stmt *S : llvm::reverse(Block.body())) {
    Guard = guardIn(*S);
    if (Guard || mayRunTensors(*S))
      break;
  }
  if (!Guard || Unit.isInMacroBody(Guard->getLocation()))
    return;
  Unit.Misuses.push_back(
      {Blocks.size() > 1 ? GuardMisuse::LastInBlock : GuardMisuse::LastInFunction,
       Guard->getLocation(),
       textOf(Guard->getTypeSourceInfo()->getTypeLoc().getSourceRange()),
       Guard->getNameAsString(), SourceRange(), "",
       guardKind(Guard->getType()) != GuardKind::Other});
  MisplacedGuard = isGradGuard(Guard->getType());
}

/// \p Body, a branch: is a guard all it is?
void FunctionWalker::checkLastInBlock(const Stmt *Body, bool IsBranch) {
  if (!Body || !IsBranch)
    return;
  const Stmt *Last = Body;
  if (const auto *Block = dyn_cast<CompoundStmt>(Body)) {
    if (Block->size() != 1)
      return;
    Last = Block->body_front();
  } else if (isa<Expr>(Body)) {
    return checkStatement(*Body);
  }
  const VarDecl *V = guardIn(*Last);
  if (!V || Unit.isInMacroBody(V->getLocation()))
    return;
  Unit.Misuses.push_back(
      {GuardMisuse::LastInBlock, V->getLocation(),
       textOf(V->getTypeSourceInfo()->getTypeLoc().getSourceRange()),
       V->getNameAsString(), SourceRange(), "",
       guardKind(V->getType()) != GuardKind::Other});
  if (isGradGuard(V->getType()))
    Facts.HasGuard = MisplacedGuard = true;
}

void FunctionWalker::walkLambda(const LambdaExpr &L) {
  for (const Expr *Init : L.capture_inits())
    walk(Init);
  const CXXMethodDecl *Op = L.getCallOperator();
  if (!Op || Op->isDependentContext() || Unit.ByDecl.count(Op->getCanonicalDecl()))
    return;
  FunctionFacts &Inner = Unit.Functions.emplace_back();
  Inner.Decl = Op;
  Inner.Body = L.getBody();
  Inner.Outer = &Facts;
  Inner.GuardedWhereWritten = Guarded;
  Inner.InModule = Facts.InModule;
  Inner.InTest = Facts.InTest;
  Unit.ByDecl[Op->getCanonicalDecl()] = &Inner;
  FunctionWalker(Unit, Inner).run();
  if (Inner.Trains)
    Facts.TrainingLocs.push_back(L.getBeginLoc());
}

} // namespace vramlint
