//===- checks/ModuleFields.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See ModuleFields.h.

#include "checks/ModuleFields.h"
#include "checks/TorchNames.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringSwitch.h"
#include <set>

using namespace clang;

namespace vramlint {

static constexpr unsigned MaxDepth = 6; ///< Types inside types, classes in classes.

//===-- What fields hold ---------------------------------------------------===//

static void collectHeld(QualType T, HeldTypes &Out, unsigned Depth) {
  if (T.isNull() || Depth > MaxDepth || T->isPointerType() || T->isReferenceType())
    return;
  if (T->isArrayType())
    return collectHeld(QualType(T->getBaseElementTypeUnsafe(), 0), Out, Depth + 1);
  const CXXRecordDecl *R = T.getCanonicalType()->getAsCXXRecordDecl();
  if (!R || !R->getIdentifier())
    return;
  if (isOrDerivesFrom(R, "torch::nn::Module") ||
      isOrDerivesFrom(R, "torch::nn::AnyModule")) {
    Out.Modules.push_back(R);
    return;
  }
  if (isOrDerivesFrom(R, "at::Tensor")) {
    Out.Tensors = true;
    return;
  }
  const CXXRecordDecl *Inner = recordOf(T); // A holder's module.
  const auto *S = dyn_cast<ClassTemplateSpecializationDecl>(R);
  if (!S) {
    if (Inner != R && isOrDerivesFrom(Inner, "torch::nn::Module"))
      Out.Modules.push_back(Inner);
    return;
  }
  bool Holds = llvm::StringSwitch<bool>(S->getName())
                   .Cases("vector", "array", "deque", "list", "map", true)
                   .Cases("unordered_map", "multimap", "pair", "tuple", true)
                   .Cases("optional", "shared_ptr", "unique_ptr", "variant", true)
                   .Cases("ModuleHolder", "SmallVector", "OrderedDict", true)
                   .Default(false);
  if (!Holds)
    return;
  auto Add = [&](const TemplateArgument &A) {
    if (A.getKind() == TemplateArgument::Type)
      collectHeld(A.getAsType(), Out, Depth + 1);
  };
  bool One = S->getName() != "pair" && S->getName() != "tuple" &&
             S->getName() != "variant" && !S->getName().contains("map");
  for (const TemplateArgument &A : S->getTemplateArgs().asArray()) {
    if (A.getKind() == TemplateArgument::Pack)
      for (const TemplateArgument &P : A.pack_elements())
        Add(P);
    else
      Add(A);
    if (One)
      break;
  }
}

HeldTypes heldTypes(QualType T) {
  HeldTypes Out;
  collectHeld(T, Out, 0);
  return Out;
}

static ModuleState builtinState(llvm::StringRef Class) {
  Class.consume_back("Impl");
  if (Class.contains("Dropout") || Class == "RReLU")
    return ModuleState::Mode;
  for (llvm::StringRef Start : {"Linear", "Bilinear", "Conv", "Embedding", "RNN",
                                "LSTM", "GRU", "BatchNorm", "LayerNorm",
                                "GroupNorm", "MultiheadAttention", "Transformer",
                                "PReLU", "AdaptiveLogSoftmax", "Parameter"})
    if (Class.starts_with(Start))
      return ModuleState::Weights;
  return llvm::StringSwitch<ModuleState>(Class)
      .Cases("Sequential", "ModuleList", "ModuleDict", "AnyModule", "Module",
             "Cloneable", ModuleState::Unknown)
      .Default(ModuleState::None);
}

static ModuleState stateOf(const CXXRecordDecl *R, const ASTContext &Context,
                           unsigned Depth) {
  if (!R || !R->getIdentifier() || Depth > MaxDepth)
    return ModuleState::Unknown;
  std::string Name = qualifiedName(*R);
  if (llvm::StringRef Class(Name); Class.consume_front("torch::nn::"))
    return builtinState(Class);
  R = R->getDefinition();
  if (!R)
    return ModuleState::Unknown;
  ModuleState State = ModuleState::None;
  for (const CXXBaseSpecifier &B : R->bases()) {
    const CXXRecordDecl *Base = B.getType()->getAsCXXRecordDecl();
    if (!isOrDerivesFrom(Base, "torch::nn::Module"))
      continue;
    std::string BaseName = qualifiedName(*Base);
    if (BaseName != "torch::nn::Module" && BaseName != "torch::nn::Cloneable")
      State = std::max(State, stateOf(Base, Context, Depth + 1));
  }
  for (const FieldDecl *F : R->fields()) {
    HeldTypes Held = heldTypes(F->getType());
    for (const CXXRecordDecl *M : Held.Modules)
      State = std::max(State, std::min(stateOf(M, Context, Depth + 1),
                                       ModuleState::Weights));
  }
  llvm::StringRef Text = Lexer::getSourceText(
      CharSourceRange::getTokenRange(R->getSourceRange()),
      Context.getSourceManager(), Context.getLangOpts());
  if (Text.contains("register_parameter") || Text.contains("register_buffer"))
    return ModuleState::Weights;
  if (Text.contains_insensitive("dropout") || Text.contains("is_training"))
    State = std::max(State, ModuleState::Mode);
  return State;
}

ModuleState stateOf(const CXXRecordDecl *Module, const ASTContext &Context) {
  return stateOf(Module, Context, 0);
}

/// The state of the modules that \p Top makes or names.
static ModuleState stateIn(const Stmt *Top, const ASTContext &Context) {
  ModuleState State = ModuleState::None;
  std::vector<const Stmt *> Work{Top};
  while (!Work.empty()) {
    const auto *S = Work.back();
    Work.pop_back();
    const auto *E = dyn_cast_or_null<Expr>(S);
    // A field is judged by itself.
    if (const auto *M = dyn_cast_or_null<MemberExpr>(E);
        M && isa<FieldDecl>(M->getMemberDecl()))
      continue;
    // What makes a module, or names one; not copies and conversions of those.
    const auto *Made = dyn_cast_or_null<CXXConstructExpr>(E);
    bool Counts = Made ? !Made->getConstructor()->isCopyOrMoveConstructor()
                       : E && isa<CallExpr, DeclRefExpr>(E);
    if (Counts && isNNModule(E->getType())) {
      ModuleState Here = stateOf(recordOf(E->getType()), Context);
      if (Here == ModuleState::Unknown)
        Here = isa<DeclRefExpr>(E) ? ModuleState::Weights : ModuleState::None;
      State = std::max(State, Here);
    }
    if (S)
      for (const Stmt *Child : S->children())
        Work.push_back(Child);
  }
  return State;
}

ModuleState stateOf(const FieldDecl &Field, const FieldFlow &Flow,
                    const ASTContext &Context) {
  ModuleState State = ModuleState::None;
  bool Open = false;
  for (const CXXRecordDecl *M : heldTypes(Field.getType()).Modules) {
    ModuleState Here = stateOf(M, Context);
    if (Here == ModuleState::Unknown)
      Open = true;
    else
      State = std::max(State, Here);
  }
  if (!Open)
    return State;
  for (const Origin &O : Flow.Origins) {
    State = std::max(State, stateIn(O.E, Context));
    // A function of the unit that makes a Sequential fills it with something.
    if (isa_and_nonnull<CallExpr>(O.E) && Flow.Contents.empty() &&
        !cast<CallExpr>(O.E)->getDirectCallee()->isInStdNamespace())
      State = std::max(State, ModuleState::Weights);
  }
  for (const Expr *E : Flow.Contents)
    State = std::max(State, stateIn(E, Context));
  return State;
}

//===-- Classes --------------------------------------------------------------===//

/// Does a method hand the whole object to code that we don't see and that knows
/// more of it than that it is a Module?
static bool escapes(const Mentions &Index, const CXXRecordDecl &R) {
  for (const Mention &M : Index.thisIn(&R)) {
    const Stmt *Child = M.E;
    const Stmt *P = Index.parent(Child);
    while (P && (isa<CastExpr, ParenExpr>(P) ||
                 (isa<UnaryOperator>(P) &&
                  cast<UnaryOperator>(P)->getOpcode() == UO_Deref))) {
      Child = P;
      P = Index.parent(P);
    }
    const auto *C = dyn_cast_or_null<CallExpr>(P);
    if (!C || !C->getDirectCallee() || Index.isVisible(C->getDirectCallee()))
      continue;
    for (unsigned I = 0; I < C->getNumArgs(); ++I)
      if (C->getArg(I) == Child &&
          recordOf(cast<Expr>(Child)->getType()) &&
          recordOf(cast<Expr>(Child)->getType())->getCanonicalDecl() ==
              R.getCanonicalDecl())
        return true;
  }
  return false;
}

static bool judgeable(const Mentions &Index, const CXXRecordDecl &R) {
  for (const CXXMethodDecl *M : R.methods()) {
    if (M->isImplicit() || M->isDefaulted() || M->isDeleted() || M->isStatic() ||
        M->isPureVirtual() || M->isConst() || isa<CXXDestructorDecl>(M))
      continue;
    // A constructor that was never instantiated has no statements to look at.
    bool Seen = isa<CXXConstructorDecl>(M) ? Index.Unit.function(M) != nullptr
                                           : Index.isVisible(M);
    if (!Seen)
      return false;
  }
  return !escapes(Index, R);
}

std::vector<const CXXRecordDecl *> judgeableClasses(const Mentions &Index) {
  std::vector<const CXXRecordDecl *> Out;
  std::set<const CXXRecordDecl *> Seen;
  for (const FunctionFacts &F : Index.Unit.Functions) {
    const auto *M = dyn_cast<CXXMethodDecl>(F.Decl);
    const CXXRecordDecl *R = M ? M->getParent()->getDefinition() : nullptr;
    if (!R || R->isLambda() || !Seen.insert(R->getCanonicalDecl()).second)
      continue;
    if (isOrDerivesFrom(R, "torch::nn::Module") && judgeable(Index, *R))
      Out.push_back(R);
  }
  return Out;
}

//===-- What ran -------------------------------------------------------------===//

/// Parameters of \p Id and all below it; -1: unknown.
static int64_t elementsBelow(const Trace &T, ModuleId Id,
                             std::set<ModuleId> &Counted) {
  if (Id >= T.Modules.size() || !Counted.insert(Id).second)
    return 0;
  Bytes N;
  for (const ParameterInfo &P : T.Modules[Id].Parameters) {
    if (P.Elements < 0)
      return -1;
    N += Bytes{P.Elements};
  }
  for (const ModuleInfo::Child &C : T.Modules[Id].Children) {
    int64_t Below = elementsBelow(T, C.Id, Counted);
    if (Below < 0)
      return -1;
    N += Bytes{Below};
  }
  return N.Count;
}

SeenModules seenModules(const Analysis &A, const FieldDecl &F,
                        llvm::ArrayRef<Origin> Origins) {
  SeenModules Seen;
  std::set<llvm::StringRef> Names;
  for (const CXXRecordDecl *R : heldTypes(F.getType()).Modules) {
    llvm::StringRef Name = R->getIdentifier() ? R->getName() : "";
    Name.consume_back("Impl");
    Names.insert(Name);
  }
  std::shared_ptr<const Trace> T = A.trace();
  bool Parents = true;
  for (ModuleId Id = 0; Id < T->Modules.size(); ++Id) {
    const ModuleInfo &M = T->Modules[Id];
    if (!Names.count(M.Class))
      continue;
    SourcePos Made = A.posOf(A.ownLocation(*T, M.Created));
    bool Here = llvm::any_of(Origins, [&](const Origin &O) {
      if (!O.E)
        return false;
      SourcePos Begin = A.posOf(O.E->getBeginLoc()), End = A.posOf(O.E->getEndLoc());
      auto Key = [](const SourcePos &P) { return std::pair(P.Line, P.Column); };
      return Made.File == Begin.File && Key(Begin) <= Key(Made) &&
             Key(Made) <= Key(End);
    });
    if (!Here)
      continue;
    std::set<ModuleId> Counted;
    int64_t N = elementsBelow(*T, Id, Counted);
    Seen.Elements = N < 0 || Seen.Elements < 0 ? -1 : std::max(Seen.Elements, N);
    Seen.Any = true;
    Parents &= M.HasParent;
  }
  Seen.Registered = Seen.Any && Parents;
  return Seen;
}

SourceLocation firstUse(const std::vector<Mention> &Uses,
                        const SourceManager &SM) {
  SourceLocation First;
  for (const Mention &M : Uses) {
    SourceLocation L = M.E->getExprLoc();
    if (First.isInvalid() || SM.isBeforeInTranslationUnit(L, First))
      First = L;
  }
  return First;
}

//===-- Fix-its --------------------------------------------------------------===//

static bool isMadeOnce(const Mentions &Index, const FieldDecl &F,
                       const Origin &O) {
  const auto *M = dyn_cast_or_null<CXXMethodDecl>(O.In);
  bool Ctor = isa_and_nonnull<CXXConstructorDecl>(M);
  bool Reset = M && M->getIdentifier() && M->getName() == "reset";
  const auto *R = cast<CXXRecordDecl>(F.getParent());
  bool Cloneable = false; // Registers in reset(), or clone() throws.
  for (const CXXBaseSpecifier &B : R->bases())
    if (const CXXRecordDecl *Base = B.getType()->getAsCXXRecordDecl())
      Cloneable |= Base->getNameAsString() == "Cloneable";
  if (O.In && M && M->getParent()->getCanonicalDecl() != R->getCanonicalDecl())
    return false;
  if (Cloneable ? !Reset : O.In && !Ctor)
    return false;
  if (O.Kind == Origin::Added)
    return true;
  for (const Stmt *P = O.E ? Index.parent(O.E) : nullptr; P; P = Index.parent(P))
    if (isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt, LambdaExpr>(P))
      return false;
  return true;
}

static std::string sourceText(SourceRange R, const ASTContext &Context) {
  return Lexer::getSourceText(CharSourceRange::getTokenRange(R),
                              Context.getSourceManager(), Context.getLangOpts())
      .str();
}

/// Does a method of the field's class have the field's name in quotes? Something
/// else may be registered under it then.
static bool isNameTaken(const Mentions &Index, const FieldDecl &F) {
  std::string Quoted = "\"" + F.getNameAsString() + "\"";
  for (const FunctionFacts &Facts : Index.Unit.Functions) {
    const auto *M = dyn_cast<CXXMethodDecl>(Facts.Decl);
    if (M && M->getParent()->getCanonicalDecl() == F.getParent()->getCanonicalDecl() &&
        llvm::StringRef(sourceText(M->getSourceRange(), F.getASTContext()))
            .contains(Quoted))
      return true;
  }
  return false;
}

std::optional<FixItHint> registrationFix(const Mentions &Index,
                                         const FieldDecl &F, const Origin &O,
                                         llvm::StringRef Call) {
  const ASTContext &Context = F.getASTContext();
  const auto *R = cast<CXXRecordDecl>(F.getParent());
  if (R->getTemplateInstantiationPattern() ||
      isa<ClassTemplateSpecializationDecl>(R) || R->isLocalClass() ||
      F.getLocation().isMacroID() || !isMadeOnce(Index, F, O) ||
      isNameTaken(Index, F))
    return std::nullopt;
  std::string Name = F.getNameAsString();
  std::string Type =
      sourceText(F.getTypeSourceInfo()->getTypeLoc().getSourceRange(), Context);
  std::string Open = Call.str() + "(\"" + Name + "\", ";
  if (O.Kind == Origin::Implicit)
    return FixItHint::CreateInsertion(
        Lexer::getLocForEndOfToken(F.getLocation(), 0, Context.getSourceManager(),
                                   Context.getLangOpts()),
        "{" + Open + Type + "())}");
  if (!O.E || O.E->getBeginLoc().isMacroID() || O.E->getEndLoc().isMacroID())
    return std::nullopt;
  bool One = isNNModule(F.getType()) ||
             isOrDerivesFrom(F.getType()->getAsCXXRecordDecl(), "at::Tensor");
  if (One == (O.Kind == Origin::Added))
    return std::nullopt; // A map's entry; what is added to a Sequential.
  if (O.Kind == Origin::Added)
    Open = Call.str() + "(\"" + Name + "\" + std::to_string(" + Name +
           ".size()), ";
  else if (O.Kind == Origin::Elsewhere)
    return std::nullopt;
  SourceRange Whole = O.E->getSourceRange();
  bool Written = isa<CXXTemporaryObjectExpr, CallExpr>(O.E);
  for (const Stmt *P = Index.parent(O.E); P && !Written; P = Index.parent(P)) {
    if (isa<CXXFunctionalCastExpr>(P)) {
      Written = true;
      Whole = P->getSourceRange();
    } else if (!isa<ImplicitCastExpr, FullExpr, MaterializeTemporaryExpr,
                    CXXBindTemporaryExpr>(P)) {
      break;
    }
  }
  std::string Text;
  if (Written) {
    Text = sourceText(Whole, Context);
  } else if (const auto *C = dyn_cast<CXXConstructExpr>(O.E);
             C && O.Kind == Origin::Initialiser && C->getNumArgs()) {
    // fc(3, 4): the arguments of the field's own constructor.
    const Expr *Last = nullptr;
    for (const Expr *A : C->arguments())
      if (!isa<CXXDefaultArgExpr>(A))
        Last = A;
    if (!Last)
      return std::nullopt;
    Whole = SourceRange(C->getArg(0)->getBeginLoc(), Last->getEndLoc());
    Text = sourceText(Whole, Context);
    if (!Text.empty())
      Text = Type + "(" + Text + ")";
  }
  if (Text.empty() || Whole.getBegin().isMacroID() || Whole.getEnd().isMacroID())
    return std::nullopt;
  return FixItHint::CreateReplacement(Whole, Open + Text + ")");
}

} // namespace vramlint
