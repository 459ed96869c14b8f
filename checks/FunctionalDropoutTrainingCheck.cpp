//===- checks/FunctionalDropoutTrainingCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See FunctionalDropoutTrainingCheck.h.

#include "checks/FunctionalDropoutTrainingCheck.h"
#include "checks/Surroundings.h"
#include "checks/TorchNames.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringSwitch.h"
#include <set>

using namespace clang;

namespace vramlint {

namespace {
/// What a call says about its mode.
struct Mode {
  enum KindTy {
    Unknown, ///< Set by the program, or not visible.
    Default, ///< Not set: the options' default holds.
    On,      ///< A literal true.
  } Kind = Unknown;
  const Expr *Literal = nullptr; ///< The literal.
  const Expr *Options = nullptr; ///< Where .training(…) can be added.
};
} // namespace

static std::optional<bool> literalBool(const Expr *E) {
  if (const auto *B = dyn_cast<CXXBoolLiteralExpr>(E->IgnoreParenImpCasts()))
    return B->getValue();
  return std::nullopt;
}

/// Is training(…) called on \p V somewhere in \p F, or \p V handed on?
static bool setElsewhere(const VarDecl &V, const FunctionFacts &F) {
  bool Set = false;
  forEachCall(F, [&](const CallExpr &C, StmtPath) {
    const auto *M = dyn_cast<CXXMemberCallExpr>(&C);
    if (!M || !M->getMethodDecl() || plainName(*M->getMethodDecl()) != "training")
      return;
    Set |= anyBelow(M->getImplicitObjectArgument(), [&](const Stmt &S) {
      const auto *Ref = dyn_cast<DeclRefExpr>(&S);
      return Ref && Ref->getDecl() == &V;
    });
  });
  return Set;
}

/// Reads DropoutFuncOptions().p(0.5).training(…), from the outside.
static Mode modeOf(const Expr *E, const FunctionFacts &F, int Depth = 0) {
  const Expr *Whole = E;
  for (int Steps = 0; E && Steps < 16; ++Steps) {
    E = E->IgnoreUnlessSpelledInSource();
    if (isa<CXXDefaultArgExpr>(E))
      return {Mode::Default, nullptr, nullptr};
    if (const auto *M = dyn_cast<CXXMemberCallExpr>(E)) {
      if (M->getMethodDecl() && plainName(*M->getMethodDecl()) == "training") {
        std::optional<bool> Value =
            M->getNumArgs() ? literalBool(M->getArg(0)) : std::nullopt;
        if (Value == true)
          return {Mode::On, M->getArg(0)->IgnoreParenImpCasts(), nullptr};
        return {};
      }
      E = M->getImplicitObjectArgument();
    } else if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
      const auto *V = dyn_cast<VarDecl>(Ref->getDecl());
      if (!V || !V->hasLocalStorage() || !V->getInit() || isa<ParmVarDecl>(V) ||
          Depth > 0 || setElsewhere(*V, F))
        return {};
      Mode M = modeOf(V->getInit(), F, Depth + 1);
      // At the call: the variable may serve several.
      M.Options = M.Kind == Mode::Default ? Whole : nullptr;
      return M;
    } else if (const auto *K = dyn_cast<CXXConstructExpr>(E)) {
      if (K->getNumArgs() == 1 && K->getConstructor()->isCopyOrMoveConstructor()) {
        E = K->getArg(0);
        continue;
      }
      bool Spelled = isa<CXXTemporaryObjectExpr>(K);
      return {Mode::Default, nullptr, Spelled ? Whole : nullptr};
    } else if (isa<CXXScalarValueInitExpr, InitListExpr>(E)) {
      return {Mode::Default, nullptr, nullptr};
    } else if (const auto *T = dyn_cast<CXXFunctionalCastExpr>(E)) {
      return {Mode::Default, nullptr, T->getType()->isRecordType() ? Whole : nullptr};
    } else {
      return {};
    }
  }
  return {};
}

/// Does \p E ask for the module's mode, or name something that says it does?
static bool asksForMode(const Expr *E) {
  return anyBelow(E, [](const Stmt &S) {
    const NamedDecl *D = nullptr;
    if (const auto *Ref = dyn_cast<DeclRefExpr>(&S))
      D = Ref->getDecl();
    else if (const auto *M = dyn_cast<MemberExpr>(&S))
      D = M->getMemberDecl();
    if (!D || !D->getIdentifier())
      return false;
    if (const auto *V = dyn_cast<VarDecl>(D); V && V->getInit() &&
                                               V->hasLocalStorage() &&
                                               asksForMode(V->getInit()))
      return true;
    return hasWord(D->getName(), {"train", "eval", "infer", "mode", "sampl",
                                  "stochastic", "determin", "mc", "bayes"}) ||
           // A switch of the class: it may follow the mode.
           (isa<FieldDecl>(D) && cast<FieldDecl>(D)->getType()->isBooleanType());
  });
}

static bool leaves(const Stmt *S) {
  return anyBelow(S, [](const Stmt &Part) { return isa<ReturnStmt>(Part); });
}

/// Is the last of \p Path run in one mode only: under a condition that asks for
/// the mode, or after a return under one?
static bool underMode(StmtPath Path) {
  for (size_t I = 0; I + 1 < Path.size(); ++I) {
    const Stmt *Next = Path[I + 1];
    const Expr *Condition = nullptr;
    if (const auto *If = dyn_cast<IfStmt>(Path[I]))
      Condition = If->getCond();
    else if (const auto *Q = dyn_cast<AbstractConditionalOperator>(Path[I]))
      Condition = Q->getCond();
    else if (const auto *B = dyn_cast<BinaryOperator>(Path[I]);
             B && B->isLogicalOp())
      Condition = B->getLHS();
    if (Condition && Condition != Next && asksForMode(Condition))
      return true;
    if (const auto *Block = dyn_cast<CompoundStmt>(Path[I]))
      for (const Stmt *S : Block->body()) {
        if (S == Next)
          break;
        if (const auto *If = dyn_cast<IfStmt>(S))
          if (asksForMode(If->getCond()) && leaves(If->getThen()))
            return true;
      }
  }
  return false;
}

/// Is \p F only called in one mode?
static bool calledUnderMode(const UnitFacts &U, const FunctionFacts &F) {
  std::vector<const CallSite *> Sites = U.callersOf(F);
  for (const CallSite *S : Sites) {
    bool Under = false;
    forEachCall(*S->In, [&](const CallExpr &C, StmtPath Path) {
      if (C.getBeginLoc() == S->Loc)
        Under |= underMode(Path);
    });
    if (!Under)
      return false;
  }
  return !Sites.empty();
}

/// Monte Carlo dropout and its like want to drop values at all times.
static bool isOnPurpose(const FunctionDecl &F) {
  for (llvm::StringRef Name :
       {plainName(F), F.getParent()->isRecord()
                          ? cast<CXXRecordDecl>(F.getParent())->getName()
                          : llvm::StringRef()})
    if (hasWord(Name, {"mc", "bayes", "monte", "uncertain", "sampl", "augment",
                       "stochastic", "train"}))
      return true;
  return false;
}

namespace {
struct Dropout {
  std::string Name; ///< As spelled, with its qualifier.
  std::string Qualifier;
  bool Functional = false; ///< With options.
  bool OnByDefault = true;
  llvm::StringRef Options; ///< The class of its options.
};
} // namespace

static std::optional<Dropout> dropoutOf(const CallExpr &C, const ASTContext &Ctx) {
  const FunctionDecl *F = C.getDirectCallee();
  if (!F || !plainName(*F).contains("dropout"))
    return std::nullopt;
  Dropout D;
  std::string Full = qualifiedName(*F);
  llvm::StringRef Name(Full);
  if (Name.consume_front("torch::nn::functional::")) {
    D.Functional = true;
    D.OnByDefault = !Name.contains("alpha");
    D.Options = llvm::StringSwitch<llvm::StringRef>(Name)
                    .Case("dropout", "DropoutFuncOptions")
                    .Case("dropout2d", "Dropout2dFuncOptions")
                    .Case("dropout3d", "Dropout3dFuncOptions")
                    .Case("alpha_dropout", "AlphaDropoutFuncOptions")
                    .Case("feature_alpha_dropout", "FeatureAlphaDropoutFuncOptions")
                    .Default("");
    if (D.Options.empty())
      return std::nullopt;
  } else if (!Name.consume_front("at::") ||
             !llvm::StringSwitch<bool>(Name)
                  .Cases("dropout", "dropout_", "feature_dropout", true)
                  .Cases("feature_dropout_", "alpha_dropout", true)
                  .Cases("alpha_dropout_", "feature_alpha_dropout", true)
                  .Case("feature_alpha_dropout_", true)
                  .Default(false)) {
    return std::nullopt;
  }
  auto TextOf = [&](SourceRange R) {
    return Lexer::getSourceText(CharSourceRange::getTokenRange(R),
                                Ctx.getSourceManager(), Ctx.getLangOpts())
        .str();
  };
  D.Name = TextOf(C.getCallee()->getSourceRange());
  D.Qualifier = "torch::nn::functional::";
  if (const auto *Ref = dyn_cast<DeclRefExpr>(C.getCallee()->IgnoreImpCasts()))
    if (Ref->getQualifier())
      D.Qualifier = TextOf(Ref->getQualifierLoc().getSourceRange());
  return D;
}

/// The edit that makes \p C follow the module; nothing if there is no sure one.
static std::optional<FixItHint> fixOf(const CallExpr &C, const Dropout &D,
                                      const Mode &M, const ASTContext &Ctx) {
  if (M.Literal)
    return M.Literal->getBeginLoc().isMacroID()
               ? std::nullopt
               : std::optional(FixItHint::CreateReplacement(
                     M.Literal->getSourceRange(), "is_training()"));
  if (M.Options) {
    SourceLocation End = Lexer::getLocForEndOfToken(
        M.Options->getEndLoc(), 0, Ctx.getSourceManager(), Ctx.getLangOpts());
    if (End.isInvalid())
      return std::nullopt;
    // A variable is copied: its setters would change it for the next call too.
    return FixItHint::CreateInsertion(End, ".training(is_training())");
  }
  if (C.getNumArgs() == 2 && isa<CXXDefaultArgExpr>(C.getArg(1)))
    return FixItHint::CreateInsertion(C.getRParenLoc(),
                                      ", " + D.Qualifier + D.Options.str() +
                                          "().training(is_training())");
  return std::nullopt;
}

void FunctionalDropoutTrainingCheck::onAnalysis(const Analysis &A) {
  const UnitFacts &U = A.unit();
  std::set<SourceLocation> Done; // Instantiations share their text.
  for (const FunctionFacts &F : U.Functions) {
    const auto *Method = dyn_cast<CXXMethodDecl>(F.Decl);
    if (!F.InModule || F.InTest || !Method || Method->isStatic() ||
        isOnPurpose(*F.Decl))
      continue;
    std::optional<bool> CallersAsk;
    forEachCall(F, [&](const CallExpr &C, StmtPath Path) {
      if (U.isInMacroBody(C.getBeginLoc()))
        return;
      std::optional<Dropout> D = dropoutOf(C, A.context());
      if (!D)
        return;
      Mode M;
      if (D->Functional && C.getNumArgs() >= 2)
        M = modeOf(C.getArg(1), F);
      else if (!D->Functional && C.getNumArgs() == 3 &&
               literalBool(C.getArg(2)) == true)
        M = {Mode::On, C.getArg(2)->IgnoreParenImpCasts(), nullptr};
      if (M.Kind == Mode::Unknown || underMode(Path))
        return;
      if (!CallersAsk)
        CallersAsk = calledUnderMode(U, F);
      if (*CallersAsk || !Done.insert(C.getExprLoc()).second)
        return;
      std::optional<FixItHint> Fix;
      if (!F.Outer) // A lambda may have no 'this'.
        Fix = fixOf(C, *D, M, A.context());
      bool Active = M.Kind == Mode::On || D->OnByDefault;
      auto Warning =
          diag(C.getExprLoc(),
               Active ? "%0 drops values in evaluation mode too: %1"
                      : "%0 never drops anything: %1")
          << D->Name
          << (M.Kind == Mode::On ? "its mode is a literal true"
              : D->OnByDefault   ? "its options have training(true) by default"
                                 : "its options have training(false) by default");
      if (Fix)
        Warning << *Fix;
    });
  }
}

} // namespace vramlint
