//===- checks/FunctionCalls.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// FunctionWalker's other half: what calls do with models, guards and training.

#include "checks/FunctionWalker.h"
#include "checks/TorchNames.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace clang;

namespace vramlint {

static std::optional<bool> literalBool(const CallExpr &C, unsigned Index) {
  if (C.getNumArgs() <= Index)
    return std::nullopt;
  const Expr *E = C.getArg(Index)->IgnoreUnlessSpelledInSource();
  if (const auto *B = dyn_cast<CXXBoolLiteralExpr>(E))
    return B->getValue();
  return std::nullopt;
}

void FunctionWalker::call(const CallExpr &C) {
  const FunctionDecl *F = C.getDirectCallee();
  // Callee and arguments first: they run before the call.
  {
    bool Detach = isa<CXXMemberCallExpr>(C) && nameOf(F) == "detach";
    llvm::SaveAndRestore D(Detaching, Detach);
    if (!F || !isa<DeclRefExpr>(C.getCallee()->IgnoreImpCasts()))
      walk(C.getCallee());
    for (const Expr *A : C.arguments())
      walk(A);
  }
  if (F) {
    Facts.Calls.push_back({F->getCanonicalDecl(), C.getBeginLoc(), Guarded,
                           &Facts, guardHere()});
    passArguments(C, *F);
    startByCall(C, *F);
  }
  if (const auto *Op = dyn_cast<CXXOperatorCallExpr>(&C))
    operatorCall(*Op);
  else if (const auto *M = dyn_cast<CXXMemberCallExpr>(&C))
    memberCall(*M);
  else if (F)
    plainCall(C, *F);
}

void FunctionWalker::forward(const CallExpr &C, SourceLocation Loc,
                             const Expr *Object, bool Jit, std::string Method) {
  ForwardSite Site;
  Site.Call = &C;
  Site.Loc = Loc;
  Site.Object = Unit.resolve(Object);
  if (const auto *Named = dyn_cast_or_null<NamedDecl>(Site.Object))
    Site.ObjectName = isa<FunctionDecl>(Named) ? Named->getNameAsString() + "()"
                                               : Named->getNameAsString();
  Site.Method = std::move(Method);
  Site.Jit = Jit;
  Site.Guarded = Guarded;
  Site.Guard = guardHere();
  Site.Detached = Detaching;
  Site.Returned = InReturn;
  Site.Result = Initialised && mayHoldTensor(Initialised->getType())
                    ? Initialised
                    : nullptr;
  Site.Blocks = Blocks;
  Site.In = &Facts;
  if (Site.Object && Jit)
    Unit.objectOf(Site.Object).Jit = true;
  Facts.Forwards.push_back(std::move(Site));
}

/// The object behind a torch::jit::Method: get_method("x")'s receiver.
static const Expr *receiverOfMethod(const Expr *E) {
  for (int Steps = 0; E && Steps < 16; ++Steps) {
    E = E->IgnoreUnlessSpelledInSource();
    if (const auto *M = dyn_cast<CXXMemberCallExpr>(E)) {
      if (nameOf(M->getMethodDecl()) == "get_method" ||
          nameOf(M->getMethodDecl()) == "find_method")
        return M->getImplicitObjectArgument();
      E = M->getImplicitObjectArgument();
    } else if (const auto *Op = dyn_cast<CXXOperatorCallExpr>(E)) {
      E = Op->getArg(0);
    } else if (const auto *U = dyn_cast<UnaryOperator>(E)) {
      E = U->getSubExpr();
    } else if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
      const auto *V = dyn_cast<VarDecl>(Ref->getDecl());
      if (!V || !V->getInit())
        return nullptr;
      E = V->getInit();
    } else if (const auto *K = dyn_cast<CXXConstructExpr>(E)) {
      E = K->getNumArgs() ? K->getArg(0) : nullptr;
    } else {
      return nullptr;
    }
  }
  return nullptr;
}

/// The first string literal below \p E: a method's or a file's name.
static std::string literalText(const Stmt *E) {
  if (!E)
    return "";
  if (const auto *L = dyn_cast<StringLiteral>(E))
    return L->getCharByteWidth() == 1 ? L->getString().str() : "";
  for (const Stmt *Child : E->children())
    if (std::string Text = literalText(Child); !Text.empty())
      return Text;
  return "";
}

/// A module's own method that fills it from a file: load_weights(path).
static bool readsWeights(const CXXMethodDecl &M) {
  if (!nameOf(&M).starts_with_insensitive("load") || M.getNumParams() == 0)
    return false;
  QualType T = M.getParamDecl(0)->getType().getNonReferenceType();
  const CXXRecordDecl *R = T->getAsCXXRecordDecl();
  return (T->isPointerType() && T->getPointeeType()->isCharType()) ||
         (R && (nameOf(R) == "basic_string" || nameOf(R) == "path" ||
                nameOf(R) == "basic_string_view"));
}

/// Could \p M be another way to run a module than its forward? Whether it is, is
/// seen when all functions are known.
static bool mayRunParts(const CXXMethodDecl &M) {
  return !M.isStatic() && isOrDerivesFrom(M.getParent(), "torch::nn::Module") &&
         !isa<CXXConstructorDecl, CXXDestructorDecl>(M);
}

void FunctionWalker::memberCall(const CXXMemberCallExpr &C) {
  const CXXMethodDecl *M = C.getMethodDecl();
  llvm::StringRef Name = nameOf(M);
  const Expr *Object = C.getImplicitObjectArgument();
  if (!Object || Name.empty())
    return;
  Object = Object->IgnoreImpCasts(); // run_method is its base class's.
  QualType T = Object->getType();
  SourceLocation Loc = C.getExprLoc();
  if (Name == "backward") {
    if (isOrDerivesFrom(M->getParent(), "at::TensorBase") ||
        nameOf(M->getParent()) == "Tensor")
      trains(Loc);
    return;
  }
  if ((Name == "step" || Name == "zero_grad") &&
      (isOptimizer(T) || isNNModule(T)))
    return trains(Loc);
  if (Name == "requires_grad_" || Name == "set_requires_grad") {
    if (literalBool(C, 0).value_or(true) && !isNNModule(T))
      trains(Loc);
    return;
  }
  if (holdsGradGuard(T) && (Name == "emplace" || Name == "reset")) {
    Guarded = Facts.HasGuard = true;
    LastGuard = {Loc, false, false, nullptr};
    return;
  }
  bool Jit = isJitModule(T);
  if (!Jit && !isNNModule(T))
    return containerCall(C, Name, Object);
  const Decl *Key = Unit.resolve(Object);
  if (Name == "forward") {
    // A module that runs its own parts isn't a use of the model.
    forward(C, Loc, Object, Jit, "forward");
  } else if (Jit && (Name == "run_method" || Name == "operator()")) {
    std::string Method = C.getNumArgs() ? literalText(C.getArg(0)) : "";
    forward(C, Loc, Object, true, Method.empty() ? "forward" : Method);
  } else if (Key && (Name == "eval" || Name == "train")) {
    ObjectFacts &O = Unit.objectOf(Key);
    O.ModeTouched = true;
    bool Off = Name == "eval" || literalBool(C, 0) == false;
    if (Off && O.EvalLoc.isInvalid())
      O.EvalLoc = Loc;
    Facts.ModeCalls.push_back({Loc, Key, Off});
  } else if (Key && (Name == "parameters" || Name == "named_parameters")) {
    Unit.objectOf(Key).ParametersTaken = true;
  } else if (Key && Name == "reset" && C.getNumArgs() == 1) {
    Unit.unite(Key, Unit.resolve(C.getArg(0))); // A smart pointer's.
    load(Key, C.getArg(0), textOf(Object->getSourceRange()));
  } else if (Key && (Name == "load" || (!Jit && readsWeights(*M)))) {
    ObjectFacts &O = Unit.objectOf(Key);
    O.LoadLoc = Loc;
    O.LoadEnd = C.getEndLoc();
    O.LoadedInto = Key;
    O.LoadedIntoText = textOf(Object->getSourceRange());
    O.LoadedBy = Name.str();
  } else if (!Jit && mayRunParts(*M) && Unit.isUserCode(M->getLocation())) {
    forward(C, Loc, Object, false, Name.str());
    Facts.Forwards.back().Through =
        cast<CXXMethodDecl>(M->getCanonicalDecl());
  }
}

/// What is put into a container, is the container.
void FunctionWalker::containerCall(const CXXMemberCallExpr &C,
                                   llvm::StringRef Name, const Expr *Object) {
  bool Puts = llvm::StringSwitch<bool>(Name)
                  .Cases("push_back", "emplace_back", "push", "emplace", true)
                  .Cases("insert", "insert_or_assign", "try_emplace", true)
                  .Cases("push_front", "emplace_front", true)
                  .Default(false);
  if (!Puts || !holdsModule(Object->getType()))
    return;
  const Decl *Key = Unit.resolve(Object);
  for (const Expr *A : C.arguments())
    if (Key && holdsModule(A->getType())) {
      Unit.unite(Key, Unit.resolve(A));
      load(Key, A);
    }
}

void FunctionWalker::operatorCall(const CXXOperatorCallExpr &C) {
  OverloadedOperatorKind K = C.getOperator();
  if (K == OO_Equal && C.getNumArgs() == 2)
    return assign(C.getArg(0), C.getArg(1));
  if (K != OO_Call || C.getNumArgs() == 0)
    return;
  const Expr *Object = C.getArg(0);
  QualType T = Object->getType();
  SourceLocation Loc = Object->getBeginLoc();
  if (isJitMethod(T)) {
    const Expr *Receiver = receiverOfMethod(Object);
    std::string Method = literalText(Object);
    if (const auto *M =
            dyn_cast<CXXMemberCallExpr>(Object->IgnoreUnlessSpelledInSource()))
      Loc = M->getExprLoc();
    return forward(C, Loc, Receiver, true, Method.empty() ? "forward" : Method);
  }
  if (isJitModule(T))
    return forward(C, Loc, Object, true, "forward");
  if (isNNModule(T))
    forward(C, Loc, Object, false, "forward");
}

void FunctionWalker::plainCall(const CallExpr &C, const FunctionDecl &F) {
  llvm::StringRef Name = nameOf(&F);
  if (Name.empty())
    return;
  if (Unit.leavesGuard(F))
    guardForGood(C.getBeginLoc(), true);
  if (Name == "set_enabled") {
    if (qualifiedName(F) == "c10::GradMode::set_enabled" ||
        qualifiedName(F) == "at::GradMode::set_enabled") {
      // On or off: what follows runs so on purpose.
      guardForGood(C.getBeginLoc(), literalBool(C, 0) == false);
    }
    return;
  }
  if (Name == "backward" || Name == "grad") {
    std::string Full = qualifiedName(F);
    if (Full == "torch::autograd::backward" || Full == "torch::autograd::grad")
      trains(C.getExprLoc());
    return;
  }
  if (Name == "load" && C.getNumArgs() >= 2 &&
      qualifiedName(F) == "torch::load") {
    if (const Decl *Key = Unit.resolve(C.getArg(0));
        Key && isNNModule(C.getArg(0)->getType())) {
      ObjectFacts &O = Unit.objectOf(Key);
      O.LoadLoc = C.getBeginLoc();
      O.LoadEnd = C.getEndLoc();
      O.LoadedInto = Key;
      O.LoadedIntoText = textOf(C.getArg(0)->getSourceRange());
      O.LoadedBy = "torch::load";
      O.LoadedFrom = literalText(C.getArg(1));
    }
  }
}

/// Functions of LibTorch and the standard library that neither keep a module
/// nor change its mode.
static bool isHarmless(llvm::StringRef Name) {
  return llvm::StringSwitch<bool>(Name)
      .Cases("load", "save", "move", "forward", "freeze", true)
      .Cases("optimize_for_inference", "make_shared", "make_unique", "swap", true)
      .Cases("data_parallel", "clone", "replicate", "get", "ref", "addressof",
             true)
      .Case("make_shared_for_overwrite", true)
      .Default(false);
}

void FunctionWalker::passArguments(const CallExpr &C, const FunctionDecl &F) {
  // Member operators have their object as first argument.
  unsigned Skip = isa<CXXOperatorCallExpr>(C) && isa<CXXMethodDecl>(F) ? 1 : 0;
  bool Seen = F.hasBody() && Unit.isUserCode(F.getLocation());
  for (unsigned I = Skip; I < C.getNumArgs(); ++I) {
    const Expr *A = C.getArg(I);
    const Expr *Bare = A->IgnoreUnlessSpelledInSource();
    if (const auto *K = dyn_cast<CXXConstructExpr>(Bare); K && K->getNumArgs() == 1)
      Bare = K->getArg(0)->IgnoreUnlessSpelledInSource();
    if (const auto *L = dyn_cast<LambdaExpr>(Bare)) {
      auto *Inner = const_cast<FunctionFacts *>(Unit.function(L->getCallOperator()));
      if (Inner && Seen)
        Inner->PassedTo = F.getCanonicalDecl();
      continue;
    }
    QualType T = A->getType();
    if (!holdsModule(T))
      continue;
    const Decl *Key = Unit.resolve(A);
    if (!Key)
      continue;
    unsigned Index = I - Skip;
    if (Seen && Index < F.getNumParams()) {
      const FunctionDecl *Def = F.getDefinition();
      Unit.unite(Key, (Def ? Def : &F)->getParamDecl(Index));
    } else if (!isHarmless(nameOf(&F)) && !isa<CXXOperatorCallExpr>(C) &&
               !isa<CXXConstructorDecl>(F)) {
      Unit.objectOf(Key).Escapes = true;
    }
  }
}

void FunctionWalker::assign(const Expr *To, const Expr *From) {
  QualType T = To->getType();
  const Decl *Key = Unit.resolve(To);
  if (holdsModule(T)) {
    if (Key) {
      Unit.unite(Key, Unit.resolve(From));
      load(Key, From, textOf(To->getSourceRange()));
    }
  } else if (holdsGradGuard(T)) {
    guardForGood(To->getBeginLoc(), false);
  }
}

/// Notes where \p Object gets what \p E loads, if it does.
void FunctionWalker::load(const Decl *Object, const Expr *E, std::string Text) {
  for (int Steps = 0; E && Steps < 16; ++Steps) {
    E = E->IgnoreUnlessSpelledInSource();
    if (const auto *K = dyn_cast<CXXConstructExpr>(E)) {
      E = K->getNumArgs() ? K->getArg(0) : nullptr;
      continue;
    }
    if (const auto *N = dyn_cast<CXXNewExpr>(E)) {
      E = N->getConstructExpr();
      continue;
    }
    const auto *C = dyn_cast<CallExpr>(E);
    const FunctionDecl *F = C ? C->getDirectCallee() : nullptr;
    llvm::StringRef Name = nameOf(F);
    if (Name.empty())
      return;
    ObjectFacts &O = Unit.objectOf(Object);
    if (Name == "freeze" || Name == "optimize_for_inference") {
      O.Frozen = true;
    } else if (Name == "load" || Name == "_load_for_mobile") {
      std::string Full = qualifiedName(*F);
      if (Full != "torch::jit::load" && Full != "torch::jit::import_ir_module" &&
          Full != "torch::jit::script::load")
        return;
      O.LoadLoc = C->getBeginLoc();
      O.LoadEnd = C->getEndLoc();
      O.LoadedInto = Object;
      O.LoadedIntoText = std::move(Text);
      O.LoadedBy = Full;
      O.LoadedFrom = C->getNumArgs() ? literalText(C->getArg(0)) : "";
      O.Jit = true;
      return;
    }
    E = C->getNumArgs() ? C->getArg(0) : nullptr;
  }
}

} // namespace vramlint
