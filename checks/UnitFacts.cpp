//===- checks/UnitFacts.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See UnitFacts.h.

#include "checks/UnitFacts.h"
#include "checks/FunctionWalker.h"
#include "checks/TorchNames.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace vramlint {

namespace {
/// Hands every function with a body to UnitFacts; instantiations, not patterns.
class Collector : public RecursiveASTVisitor<Collector> {
public:
  explicit Collector(std::vector<const FunctionDecl *> &Out) : Out(Out) {}
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool VisitFunctionDecl(FunctionDecl *F) {
    if (F->doesThisDeclarationHaveABody() && !F->isDependentContext())
      Out.push_back(F);
    return true;
  }

private:
  std::vector<const FunctionDecl *> &Out;
};
} // namespace

UnitFacts::UnitFacts(ASTContext &Context) : Context(Context) {
  collect();
  settle();
}

void UnitFacts::collect() {
  std::vector<Decl *> Roots;
  for (Decl *D : Context.getTraversalScope()) {
    if (auto *TU = dyn_cast<TranslationUnitDecl>(D))
      for (Decl *Inner : TU->decls())
        Roots.push_back(Inner);
    else
      Roots.push_back(D);
  }
  std::vector<const FunctionDecl *> Found;
  Collector C(Found);
  for (Decl *D : Roots)
    if (isUserCode(D->getLocation()) || isUserCode(D->getEndLoc()))
      C.TraverseDecl(D);
  for (const FunctionDecl *F : Found)
    addFunction(*F);
}

static bool isTestCode(const FunctionDecl &F) {
  if (const auto *M = dyn_cast<CXXMethodDecl>(&F))
    if (isOrDerivesFrom(M->getParent(), "testing::Test"))
      return true;
  for (const ParmVarDecl *P : F.parameters())
    if (isOrDerivesFrom(recordOf(P->getType()), "benchmark::State"))
      return true;
  return false;
}

void UnitFacts::addFunction(const FunctionDecl &F) {
  if (ByDecl.count(F.getCanonicalDecl()))
    return;
  FunctionFacts &Facts = Functions.emplace_back();
  Facts.Decl = &F;
  Facts.Body = F.getBody();
  Facts.InTest = isTestCode(F);
  if (const auto *M = dyn_cast<CXXMethodDecl>(&F)) {
    Facts.InModule = isOrDerivesFrom(M->getParent(), "torch::nn::Module");
    Facts.GuardedByMember = holdsGradGuardInside(*M->getParent());
  }
  ByDecl[F.getCanonicalDecl()] = &Facts;
  FunctionWalker(*this, Facts).run();
}

/// Does \p M run parts of its module without a guard of its own? Of a body in
/// another file only the types are known: tensors go in, tensors come out.
bool UnitFacts::runsParts(const CXXMethodDecl &M,
                          std::vector<const CXXMethodDecl *> &Open) const {
  const FunctionFacts *F = function(&M);
  if (!F)
    return !M.hasBody() && mayHoldTensor(M.getReturnType()) &&
           llvm::any_of(M.parameters(), [](const ParmVarDecl *P) {
             return mayHoldTensor(P->getType());
           });
  if (llvm::is_contained(Open, M.getCanonicalDecl()))
    return false;
  Open.push_back(M.getCanonicalDecl());
  return llvm::any_of(F->Forwards, [&](const ForwardSite &S) {
    return !S.Guarded && (S.Through ? runsParts(*S.Through, Open)
                                    : mayHoldParameters(S));
  });
}

/// Drops the calls that turn out to run no model, and those inside a module's own
/// methods: there it is their caller's matter.
void UnitFacts::settleThrough() {
  std::vector<std::pair<FunctionFacts *, std::vector<ForwardSite>>> Kept;
  for (FunctionFacts &F : Functions) {
    auto Idle = [&](const ForwardSite &S) {
      std::vector<const CXXMethodDecl *> Open;
      return S.Through && (F.InModule || !runsParts(*S.Through, Open));
    };
    if (llvm::none_of(F.Forwards, Idle))
      continue;
    std::vector<ForwardSite> Rest = F.Forwards;
    llvm::erase_if(Rest, Idle);
    Kept.emplace_back(&F, std::move(Rest));
  }
  for (auto &[F, Rest] : Kept) // Now: the methods looked through each other.
    F->Forwards = std::move(Rest);
}

/// What needs all functions: training spreads to objects and to lambdas.
void UnitFacts::settle() {
  settleThrough();
  for (FunctionFacts &F : Functions)
    for (const FunctionFacts *O = F.Outer; O && F.Trains; O = O->Outer)
      const_cast<FunctionFacts *>(O)->Trains = true;
  for (FunctionFacts &F : Functions) { // Outer functions come first.
    if (F.Outer && F.Outer->Trains)
      F.Trains = true;
    AnyTraining |= F.Trains;
  }
  for (const FunctionFacts &F : Functions)
    if (F.Trains)
      for (const ForwardSite &S : F.Forwards)
        if (S.Object && !S.Guarded)
          objectOf(S.Object).InTraining = true;
  settleThreads();
}

const Decl *UnitFacts::same(const Decl *D) const {
  D = D->getCanonicalDecl();
  while (true) {
    auto It = Parent.find(D);
    if (It == Parent.end() || It->second == D)
      return D;
    D = It->second;
  }
}

const ObjectFacts *UnitFacts::object(const Decl *D) const {
  if (!D)
    return nullptr;
  auto It = Objects.find(same(D));
  return It == Objects.end() ? nullptr : &It->second;
}

ObjectFacts &UnitFacts::objectOf(const Decl *D) {
  return Objects[same(D)];
}

void UnitFacts::unite(const Decl *A, const Decl *B) {
  if (!A || !B)
    return;
  A = same(A);
  B = same(B);
  if (A == B)
    return;
  ObjectFacts From = Objects.lookup(B);
  ObjectFacts &To = Objects[A];
  if (To.LoadLoc.isInvalid() && From.LoadLoc.isValid()) {
    To.LoadLoc = From.LoadLoc;
    To.LoadEnd = From.LoadEnd;
    To.LoadedInto = From.LoadedInto;
    To.LoadedIntoText = From.LoadedIntoText;
    To.LoadedBy = From.LoadedBy;
    To.LoadedFrom = From.LoadedFrom;
  }
  if (To.EvalLoc.isInvalid())
    To.EvalLoc = From.EvalLoc;
  To.ModeTouched |= From.ModeTouched;
  To.ParametersTaken |= From.ParametersTaken;
  To.Frozen |= From.Frozen;
  To.Escapes |= From.Escapes;
  To.InTraining |= From.InTraining;
  To.Jit |= From.Jit;
  Objects.erase(B);
  Parent[B] = A;
}

/// The argument that a wrapping call hands through, or null.
static const Expr *handedThrough(const CallExpr &C) {
  const FunctionDecl *F = C.getDirectCallee();
  if (const auto *Op = dyn_cast<CXXOperatorCallExpr>(&C)) {
    OverloadedOperatorKind K = Op->getOperator();
    if (K == OO_Star || K == OO_Arrow || K == OO_Subscript)
      return Op->getArg(0);
    return nullptr;
  }
  if (const auto *M = dyn_cast<CXXMemberCallExpr>(&C)) {
    if (!F || !F->getIdentifier())
      return nullptr;
    llvm::StringRef Name = F->getName();
    bool Through = Name == "get" || Name == "ptr" || Name == "value" ||
                   Name == "at" || Name == "front" || Name == "back" ||
                   Name == "find" || Name == "begin" || Name == "clone" || Name == "deepcopy" || Name == "copy";
    return Through ? M->getImplicitObjectArgument() : nullptr;
  }
  if (F && F->getIdentifier() && C.getNumArgs() >= 1) {
    llvm::StringRef Name = F->getName();
    if (Name == "move" || Name == "forward" || Name == "make_shared" ||
        Name == "make_unique" || Name == "ref" || Name == "get")
      return C.getArg(0);
  }
  return nullptr;
}

const Decl *UnitFacts::resolve(const Expr *E) const {
  for (int Steps = 0; E && Steps < 32; ++Steps) {
    E = E->IgnoreUnlessSpelledInSource();
    if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
      if (isa<VarDecl, BindingDecl>(Ref->getDecl()))
        return Ref->getDecl()->getCanonicalDecl();
      return nullptr;
    }
    if (const auto *M = dyn_cast<MemberExpr>(E)) {
      // An element of a map is the map.
      if (const auto *R = dyn_cast<CXXRecordDecl>(
              M->getMemberDecl()->getDeclContext());
          R && R->isInStdNamespace()) {
        E = M->getBase();
        continue;
      }
      if (isa<FieldDecl, VarDecl>(M->getMemberDecl()))
        return M->getMemberDecl()->getCanonicalDecl();
      return nullptr;
    }
    if (const auto *U = dyn_cast<UnaryOperator>(E)) {
      E = U->getSubExpr();
    } else if (const auto *A = dyn_cast<ArraySubscriptExpr>(E)) {
      E = A->getBase();
    } else if (const auto *K = dyn_cast<CXXConstructExpr>(E)) {
      // A copy, a move, or a holder made from a pointer.
      E = K->getNumArgs() == 1 ? K->getArg(0) : nullptr;
    } else if (const auto *T = dyn_cast<CastExpr>(E)) {
      E = T->getSubExpr();
    } else if (const auto *C = dyn_cast<CallExpr>(E)) {
      if (const Expr *Inner = handedThrough(*C)) {
        E = Inner;
        continue;
      }
      const FunctionDecl *F = C->getDirectCallee();
      bool Ours = F && isUserCode(F->getLocation());
      return Ours ? F->getCanonicalDecl() : nullptr;
    } else {
      return nullptr;
    }
  }
  return nullptr;
}

const FunctionFacts *UnitFacts::function(const FunctionDecl *D) const {
  return D ? ByDecl.lookup(D->getCanonicalDecl()) : nullptr;
}

static bool isOrOverrides(const FunctionDecl *D, const FunctionDecl *Callee) {
  if (D->getCanonicalDecl() == Callee)
    return true;
  if (const auto *M = dyn_cast<CXXMethodDecl>(D))
    for (const CXXMethodDecl *Base : M->overridden_methods())
      if (isOrOverrides(Base, Callee))
        return true;
  return false;
}

std::vector<const CallSite *>
UnitFacts::callersOf(const FunctionFacts &F) const {
  std::vector<const CallSite *> Sites;
  for (const FunctionFacts &Other : Functions)
    for (const CallSite &C : Other.Calls)
      if (isOrOverrides(F.Decl, C.Callee) && C.In != &F)
        Sites.push_back(&C);
  return Sites;
}

bool UnitFacts::guarded(const FunctionFacts &F, const CallSite **Unguarded,
                        std::vector<const FunctionFacts *> &Open) const {
  // A shim hands guards out: who calls it through C may hold one.
  if (LeaksGuard && F.Decl->isExternC())
    return true;
  if (F.GuardedByMember || (F.GuardedWhereWritten && !F.OnThread))
    return true;
  if (const FunctionFacts *Runner = function(F.PassedTo))
    if (Runner->HasGuard)
      return true;
  if (llvm::is_contained(Open, &F)) // Recursion: the others decide.
    return true;
  Open.push_back(&F);
  std::vector<const CallSite *> Sites = callersOf(F);
  if (Sites.empty())
    return F.Outer && !F.OnThread && guarded(*F.Outer, nullptr, Open);
  for (const CallSite *C : Sites)
    if (!C->Guarded && !guarded(*C->In, nullptr, Open)) {
      if (Unguarded)
        *Unguarded = C;
      return false;
    }
  return true;
}

bool UnitFacts::guardedByCallers(const FunctionFacts &F,
                                 const CallSite **Unguarded) const {
  std::vector<const FunctionFacts *> Open;
  return guarded(F, Unguarded, Open);
}

bool UnitFacts::callersTrain(const FunctionFacts &F) const {
  std::vector<const FunctionFacts *> Todo = {&F}, Seen;
  while (!Todo.empty()) {
    const FunctionFacts *Next = Todo.back();
    Todo.pop_back();
    if (llvm::is_contained(Seen, Next))
      continue;
    Seen.push_back(Next);
    if (Next->Trains)
      return true;
    for (const CallSite *C : callersOf(*Next))
      Todo.push_back(C->In);
    if (Next->Outer)
      Todo.push_back(Next->Outer);
  }
  return false;
}

bool mayHoldParameters(const ForwardSite &S) {
  if (S.Jit)
    return true;
  const Expr *Object = nullptr;
  if (const auto *M = dyn_cast<CXXMemberCallExpr>(S.Call))
    Object = M->getImplicitObjectArgument();
  else if (const auto *Op = dyn_cast<CXXOperatorCallExpr>(S.Call))
    Object = Op->getArg(0);
  const CXXRecordDecl *R = Object ? recordOf(Object->getType()) : nullptr;
  if (!R || !R->getIdentifier())
    return false;
  std::string Name = qualifiedName(*R);
  llvm::StringRef Class(Name);
  if (!Class.consume_front("torch::nn::"))
    return true;
  return Class == "Module" || Class == "AnyModule" ||
         Class.starts_with("Sequential") || Class.starts_with("Linear") ||
         Class.starts_with("Conv") || Class.starts_with("Transformer") ||
         Class.starts_with("LSTM") || Class.starts_with("GRU") ||
         Class.starts_with("RNN");
}

bool UnitFacts::isUserCode(SourceLocation Loc) const {
  return isProjectCode(Loc, Context.getSourceManager());
}

bool UnitFacts::isInMacroBody(SourceLocation Loc) const {
  return isInMacro(Loc, Context);
}

} // namespace vramlint
