//===- checks/ThreadFacts.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Threads and guards: where threads are started, under which guard, and what they
// run. A grad guard sets a thread-local of its own thread (c10/core/GradMode.h,
// c10/core/InferenceMode.h); at::launch hands it on, std::thread and pools don't.

#include "checks/FunctionWalker.h"
#include "checks/Surroundings.h"
#include "checks/TorchNames.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace vramlint {

//===-- Where threads are started -------------------------------------------===//

/// The function or lambda that \p E hands over, or null.
static const FunctionDecl *callableOf(const Expr *E, int Depth = 0) {
  if (!E || Depth > 8)
    return nullptr;
  E = E->IgnoreUnlessSpelledInSource();
  if (const CXXRecordDecl *R = E->getType()->getAsCXXRecordDecl();
      R && R->isLambda())
    return R->getLambdaCallOperator();
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
    if (const auto *F = dyn_cast<FunctionDecl>(Ref->getDecl()))
      return F;
    const auto *V = dyn_cast<VarDecl>(Ref->getDecl());
    // std::function<void()> task = [&] { … };
    return V && V->hasLocalStorage() && !V->getType()->isReferenceType()
               ? callableOf(V->getInit(), Depth + 1)
               : nullptr;
  }
  if (const auto *U = dyn_cast<UnaryOperator>(E))
    return callableOf(U->getSubExpr(), Depth + 1);
  if (const auto *K = dyn_cast<CXXConstructExpr>(E))
    return K->getNumArgs() ? callableOf(K->getArg(0), Depth + 1) : nullptr;
  if (const auto *K = dyn_cast<CastExpr>(E))
    return callableOf(K->getSubExpr(), Depth + 1);
  const auto *C = dyn_cast<CallExpr>(E);
  const FunctionDecl *F = C ? C->getDirectCallee() : nullptr;
  if (!F || C->getNumArgs() == 0)
    return nullptr;
  bool Through = llvm::StringSwitch<bool>(plainName(*F))
                     .Cases("bind", "move", "ref", "cref", "forward", true)
                     .Cases("mem_fn", "bind_front", "make_shared", true)
                     .Default(false);
  return Through ? callableOf(C->getArg(0), Depth + 1) : nullptr;
}

void FunctionWalker::startThread(const Expr &Start,
                                 llvm::ArrayRef<const Expr *> Arguments,
                                 std::string By, const CXXRecordDecl *Pool) {
  const FunctionDecl *Runs = nullptr;
  for (const Expr *A : Arguments)
    if (!Runs)
      Runs = callableOf(A);
  if (!Runs)
    return;
  Runs = Runs->getCanonicalDecl();
  if (auto *Inner = const_cast<FunctionFacts *>(Unit.function(Runs));
      Inner && Inner->Outer)
    Inner->OnThread = true;
  // Named, it isn't called here but there.
  const SourceManager &SM = Unit.Context.getSourceManager();
  for (CallSite &C : Facts.Calls)
    if (C.Callee == Runs && within(C.Loc, Start.getSourceRange(), SM)) {
      C.OnThread = true;
      C.Guarded = false;
    }
  Unit.Threads.push_back(
      {Start.getBeginLoc(), std::move(By), Runs, Pool, guardHere(), &Facts});
}

static bool hasThreads(const CXXRecordDecl &R, int Depth = 0) {
  for (const FieldDecl *F : R.fields()) {
    QualType T = F->getType();
    const CXXRecordDecl *Field = T->getAsCXXRecordDecl();
    if (isThread(T))
      return true;
    if (const auto *S =
            dyn_cast_or_null<ClassTemplateSpecializationDecl>(Field))
      for (const TemplateArgument &A : S->getTemplateArgs().asArray())
        if (A.getKind() == TemplateArgument::Type && isThread(A.getAsType()))
          return true;
  }
  return false;
}

/// Is \p R a pool that runs tasks on threads of its own?
static bool isPool(const CXXRecordDecl *R) {
  if (!R || !R->getIdentifier() || !(R = R->getDefinition()))
    return false;
  return hasThreads(*R) || R->getName().contains_insensitive("threadpool") ||
         R->getName().contains_insensitive("thread_pool") ||
         isOrDerivesFrom(R, "c10::TaskThreadPoolBase") ||
         isOrDerivesFrom(R, "tbb::task_group") ||
         isOrDerivesFrom(R, "tbb::detail::d1::task_group");
}

/// Does \p F call its argument itself?
static bool callsItsArgument(const FunctionDecl &F) {
  const FunctionDecl *Definition = nullptr;
  if (!F.hasBody(Definition))
    return false;
  FunctionFacts Body;
  Body.Body = Definition->getBody();
  bool Calls = false;
  forEachCall(Body, [&](const CallExpr &C, StmtPath) {
    const Expr *Callee = C.getCallee();
    if (const auto *Op = dyn_cast<CXXOperatorCallExpr>(&C))
      Callee = Op->getOperator() == OO_Call ? Op->getArg(0) : nullptr;
    if (!Callee)
      return;
    const auto *Ref = dyn_cast<DeclRefExpr>(Callee->IgnoreParenImpCasts());
    Calls |= Ref && isa<ParmVarDecl>(Ref->getDecl());
  });
  return Calls;
}

void FunctionWalker::startByCall(const CallExpr &C, const FunctionDecl &F) {
  llvm::StringRef Name = plainName(F);
  if (Name.empty() || C.getNumArgs() == 0)
    return;
  llvm::ArrayRef<const Expr *> All(C.getArgs(), C.getNumArgs());
  if (const auto *M = dyn_cast<CXXMemberCallExpr>(&C)) {
    const CXXRecordDecl *R = recordOf(M->getImplicitObjectArgument()->getType());
    const auto *S = dyn_cast_or_null<ClassTemplateSpecializationDecl>(R);
    bool OfThreads = S && S->getTemplateArgs().size() &&
                     S->getTemplateArgs()[0].getKind() == TemplateArgument::Type &&
                     isThread(S->getTemplateArgs()[0].getAsType());
    if (OfThreads && Name.starts_with("emplace"))
      return startThread(C, All, "std::thread");
    bool Submits = llvm::StringSwitch<bool>(Name)
                       .Cases("submit", "enqueue", "push", "post", true)
                       .Cases("schedule", "commit", "execute", "dispatch", true)
                       .Cases("add_task", "addTask", "push_task", "run", true)
                       .Cases("submit_task", "detach_task", "async", true)
                       .Cases("addJob", "add_job", "start", "add", true)
                       .Default(false);
    if (Submits && isPool(R) && !callsItsArgument(F))
      startThread(C, All, R->getNameAsString(), R);
    return;
  }
  if (Name == "make_unique" || Name == "make_shared") {
    const auto *S = dyn_cast_or_null<ClassTemplateSpecializationDecl>(
        C.getType()->getAsCXXRecordDecl());
    if (S && S->getTemplateArgs()[0].getKind() == TemplateArgument::Type &&
        isThread(S->getTemplateArgs()[0].getAsType()))
      startThread(C, All, "std::thread");
    return;
  }
  if (Name != "async" && Name != "run" && Name != "pthread_create" &&
      Name != "post")
    return;
  std::string Full = qualifiedName(F);
  if (Full == "std::async") {
    // std::launch::deferred runs where the result is asked for.
    bool Deferred = anyBelow(C.getArg(0), [](const Stmt &S) {
      const auto *Ref = dyn_cast<DeclRefExpr>(&S);
      const auto *E = Ref ? dyn_cast<EnumConstantDecl>(Ref->getDecl()) : nullptr;
      return E && E->getName() == "deferred";
    });
    if (!Deferred)
      startThread(C, All, Full);
  } else if (Full == "QtConcurrent::run" || Full == "pthread_create" ||
             Full == "boost::asio::post") {
    startThread(C, All, Full);
  }
}

//===-- What they run -------------------------------------------------------===//

/// Makes a guard that nobody destroys, or turns gradients off, without a lambda's
/// help.
static bool leavesGuardIn(const Stmt *S) {
  if (!S || isa<LambdaExpr>(S))
    return false;
  if (const auto *N = dyn_cast<CXXNewExpr>(S)) {
    GuardKind K = guardKind(N->getAllocatedType());
    return K != GuardKind::NotAGuard && K != GuardKind::Other;
  }
  if (const auto *D = dyn_cast<DeclStmt>(S))
    for (const Decl *One : D->decls())
      if (const auto *V = dyn_cast<VarDecl>(One); V && V->isStaticLocal()) {
        GuardKind K = guardKind(V->getType());
        if (K != GuardKind::NotAGuard && K != GuardKind::Other)
          return true;
      }
  if (const auto *C = dyn_cast<CallExpr>(S))
    if (const FunctionDecl *F = C->getDirectCallee();
        F && plainName(*F) == "set_enabled") {
      std::string Name = qualifiedName(*F);
      return Name == "c10::GradMode::set_enabled" ||
             Name == "at::GradMode::set_enabled";
    }
  for (const Stmt *Child : S->children())
    if (leavesGuardIn(Child))
      return true;
  return false;
}

bool UnitFacts::leavesGuard(const FunctionDecl &F) const {
  const FunctionDecl *Definition = nullptr;
  if (!isUserCode(F.getLocation()) || !F.hasBody(Definition))
    return false;
  auto [It, New] = Leaving.try_emplace(F.getCanonicalDecl(), false);
  if (New)
    It->second = leavesGuardIn(Definition->getBody());
  return It->second;
}

GuardSite UnitFacts::creatorsGuard(const FunctionFacts &F, const GuardSite &Own,
                                   int Depth) const {
  if (Own.Loc.isValid() || Depth > 4)
    return Own;
  for (const CallSite *C : callersOf(F))
    if (!C->OnThread)
      if (GuardSite G = creatorsGuard(*C->In, C->Guard, Depth + 1);
          G.Loc.isValid())
        return G;
  return {};
}

/// Adds the forward calls that \p F makes without a guard of its own, directly or
/// through functions of the unit.
static void unguardedForwards(const UnitFacts &U, const FunctionFacts &F,
                              std::vector<const FunctionFacts *> &Seen,
                              std::vector<const ForwardSite *> &Out) {
  if (llvm::is_contained(Seen, &F) || Seen.size() > 32 || F.Trains || F.InTest ||
      F.InModule || F.GuardedByMember)
    return;
  Seen.push_back(&F);
  for (const ForwardSite &S : F.Forwards) {
    const ObjectFacts *O = U.object(S.Object);
    if (!S.Guarded && mayHoldParameters(S) && !U.isInMacroBody(S.Loc) &&
        !(O && (O->Frozen || O->InTraining)))
      Out.push_back(&S);
  }
  for (const CallSite &C : F.Calls)
    if (!C.Guarded && !C.OnThread)
      if (const FunctionFacts *Callee = U.function(C.Callee))
        unguardedForwards(U, *Callee, Seen, Out);
}

void UnitFacts::settleThreads() {
  for (const FunctionFacts &F : Functions)
    LeaksGuard |= leavesGuardIn(F.Body);
  for (const ThreadStart &T : Threads) {
    auto *Runs = const_cast<FunctionFacts *>(function(T.Runs));
    if (!Runs)
      continue;
    // A pool may set its threads up: by an initialiser, or in its loop.
    bool PoolGuards = T.Pool && LeaksGuard;
    for (const FunctionFacts &F : Functions)
      for (const FunctionFacts *O = &F; O && T.Pool; O = O->Outer)
        PoolGuards |= F.HasGuard && O->Decl->getParent()->Equals(T.Pool);
    if (PoolGuards) {
      Runs->GuardedByMember = true;
      continue;
    }
    GuardSite Guard = creatorsGuard(*T.In, T.Guard);
    if (Guard.Loc.isInvalid() || !Guard.TurnsOff)
      continue;
    UnguardedThread Found{&T, Guard, {}};
    std::vector<const FunctionFacts *> Seen;
    unguardedForwards(*this, *Runs, Seen, Found.Forwards);
    if (!Found.Forwards.empty())
      UnguardedThreads.push_back(std::move(Found));
  }
}

bool UnitFacts::onUnguardedThread(const ForwardSite &S) const {
  for (const UnguardedThread &T : UnguardedThreads)
    if (llvm::is_contained(T.Forwards, &S))
      return true;
  return false;
}

} // namespace vramlint
