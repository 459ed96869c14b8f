//===- lib/torch/plugin/ClassView.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See ClassView.h.

#include "lib/torch/plugin/ClassView.h"
#include "lib/torch/plugin/TorchDomain.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace vramlint {

// --- Which classes ------------------------------------------------------------

static bool derivesFromModule(const CXXRecordDecl &D, Machine &M, unsigned Depth = 0) {
  if (!D.hasDefinition() || Depth > 16)
    return false;
  for (const CXXBaseSpecifier &B : D.bases()) {
    const CXXRecordDecl *Base = B.getType()->getAsCXXRecordDecl();
    if (!Base)
      continue;
    llvm::StringRef Name = M.nameOf(*Base);
    if (Name == "torch::nn::Module" || Name == "torch::nn::Cloneable" ||
        derivesFromModule(*Base, M, Depth + 1))
      return true;
  }
  return false;
}

/// Does the text of a template's pattern name nn::Module as a base?
static bool patternDerivesFromModule(const CXXRecordDecl &D, Machine &M) {
  for (const CXXBaseSpecifier &B : D.bases())
    if (const CXXRecordDecl *Base = B.getType()->getAsCXXRecordDecl())
      if (llvm::StringRef Name = M.nameOf(*Base);
          Name == "torch::nn::Module" || derivesFromModule(*Base, M))
        return true;
  return false;
}

static void collect(const Decl *D, Machine &M, std::vector<ModuleClass> &Classes) {
  if (auto *NS = dyn_cast<NamespaceDecl>(D)) {
    for (const Decl *Inner : NS->decls())
      collect(Inner, M, Classes);
    return;
  }
  auto Add = [&](const CXXRecordDecl &R, const CXXRecordDecl *Instance) {
    Classes.push_back({Instance, intern(withoutImpl(R.getName())),
                       M.posOf(R.getLocation())});
  };
  if (auto *T = dyn_cast<ClassTemplateDecl>(D)) {
    const CXXRecordDecl *Pattern = T->getTemplatedDecl();
    if (T->isThisDeclarationADefinition() && patternDerivesFromModule(*Pattern, M))
      Add(*Pattern, nullptr);
    return;
  }
  auto *R = dyn_cast<CXXRecordDecl>(D);
  if (R && R->isThisDeclarationADefinition() && !R->isDependentContext() &&
      !R->isAbstract() && derivesFromModule(*R, M))
    Add(*R, R);
}

std::vector<ModuleClass> findModuleClasses(Machine &M,
                                           llvm::ArrayRef<const Decl *> Own) {
  std::vector<ModuleClass> Classes;
  for (const Decl *D : Own)
    collect(D, M, Classes);
  return Classes;
}

// --- What is said of them -------------------------------------------------------

/// What follows "vramlint:" in the comments directly above line \p Line of \p Text,
/// or at its end.
static std::string markedComment(llvm::StringRef Text, unsigned Line) {
  static constexpr llvm::StringRef Mark = "vramlint:";
  llvm::SmallVector<llvm::StringRef, 0> Lines;
  Text.split(Lines, '\n');
  if (Line == 0 || Line > Lines.size())
    return "";
  auto Marked = [](llvm::StringRef L) {
    auto [Code, Comment] = L.split("//");
    size_t At = Comment.find(Mark);
    return At == llvm::StringRef::npos ? "" : Comment.substr(At + Mark.size()).trim().str();
  };
  std::string Found = Marked(Lines[Line - 1]);
  for (unsigned Above = Line - 1; Found.empty() && Above > 0; --Above) {
    llvm::StringRef L = Lines[Above - 1].trim();
    if (!L.starts_with("//") && !L.starts_with("template"))
      break;
    Found = Marked(L);
  }
  return Found;
}

StatedModel statedFor(const ModuleClass &C, const ProgramOptions &Options,
                      const ASTContext &Context, std::string &Problem) {
  StatedModel Said = statedFor(Options.Stated, C.Name);
  if (!C.Decl)
    return Said;
  const SourceManager &SM = Context.getSourceManager();
  SourceLocation Loc = SM.getFileLoc(C.Decl->getLocation());
  bool Invalid = false;
  llvm::StringRef Text = SM.getBufferData(SM.getFileID(Loc), &Invalid);
  std::string Comment =
      Invalid ? "" : markedComment(Text, SM.getSpellingLineNumber(Loc));
  if (Comment.empty())
    return Said;
  llvm::Expected<StatedModel> Near = parseStated(Comment);
  if (!Near) {
    Problem = "the comment beside it: " + llvm::toString(Near.takeError());
    return Said;
  }
  if (Near->Arguments)
    Said.Arguments = std::move(Near->Arguments);
  if (!Near->Inputs.empty())
    Said.Inputs = std::move(Near->Inputs);
  return Said;
}

// --- Building -------------------------------------------------------------------

/// `{nullptr}`, `= nullptr`: a holder of nothing. Numbers build nothing either.
static bool isNullHolder(const Expr &E) {
  const Expr *Inner = E.IgnoreImplicit();
  while (true) {
    if (auto *L = dyn_cast<InitListExpr>(Inner); L && L->getNumInits() == 1)
      Inner = L->getInit(0)->IgnoreImplicit();
    else if (auto *C = dyn_cast<CXXConstructExpr>(Inner); C && C->getNumArgs() == 1)
      Inner = C->getArg(0)->IgnoreImplicit();
    else
      break;
  }
  return isa<CXXNullPtrLiteralExpr>(Inner) || Inner->getType()->isArithmeticType();
}

/// `NetImpl() {}` beside `NetImpl(int width)`: there for the holder, builds nothing.
static bool buildsNothing(const CXXConstructorDecl &C) {
  const FunctionDecl *Definition = nullptr;
  const Stmt *Body = C.getBody(Definition);
  if (!C.isDefaulted() && !(Body && Body->children().empty()))
    return false;
  const auto &Defined = Definition ? *cast<CXXConstructorDecl>(Definition) : C;
  for (const CXXCtorInitializer *I : Defined.inits())
    if (I->isWritten() && !I->isBaseInitializer())
      return false;
  for (const FieldDecl *F : C.getParent()->fields())
    if (const Expr *E = F->getInClassInitializer(); E && !isNullHolder(*E))
      return false;
  return true;
}

static bool defaultConstructible(const CXXRecordDecl &D) {
  const CXXConstructorDecl *Default = nullptr;
  bool Others = false;
  for (const CXXConstructorDecl *C : D.ctors()) {
    if (C->isDeleted() || C->isCopyOrMoveConstructor())
      continue;
    if (C->getMinRequiredArguments() == 0)
      Default = C;
    else
      Others = true;
  }
  if (Default)
    return !Others || !buildsNothing(*Default);
  return D.needsImplicitDefaultConstructor();
}

/// The constructor that takes \p Count arguments, or null.
static const CXXConstructorDecl *constructorFor(const CXXRecordDecl &D, size_t Count) {
  for (const CXXConstructorDecl *C : D.ctors())
    if (!C->isDeleted() && !C->isCopyOrMoveConstructor() &&
        C->getMinRequiredArguments() <= Count && Count <= C->getNumParams())
      return C;
  return nullptr;
}

static Value valueOf(const StatedValue &V) {
  if (auto *N = std::get_if<int64_t>(&V.Is))
    return Value::integer(*N);
  if (auto *B = std::get_if<bool>(&V.Is))
    return Value::integer(*B);
  if (auto *D = std::get_if<double>(&V.Is))
    return Value::real(*D);
  if (auto *S = std::get_if<std::string>(&V.Is))
    return Value(*S);
  auto List = std::make_unique<Sequence>(Sequence::Vector);
  for (const StatedValue &One : std::get<StatedValue::List>(V.Is))
    List->Elements.push_back(makeCell(valueOf(One)));
  return Value(std::move(List));
}

/// The type of a literal; lists and text have that of the parameter.
static QualType typeOf(const StatedValue &V, QualType Parameter, ASTContext &Context) {
  if (std::holds_alternative<int64_t>(V.Is))
    return Context.LongTy;
  if (std::holds_alternative<bool>(V.Is))
    return Context.BoolTy;
  if (std::holds_alternative<double>(V.Is))
    return Context.DoubleTy;
  return Parameter.getNonReferenceType().getUnqualifiedType();
}

// --- Running --------------------------------------------------------------------

static bool isTensor(QualType T, Machine &M) {
  const CXXRecordDecl *D = T.getNonReferenceType()->getAsCXXRecordDecl();
  return D && M.nameOf(*D) == "at::Tensor";
}

/// The parameters that a call of \p Method must give, if all are tensors.
static std::vector<const ParmVarDecl *> tensorParameters(const CXXMethodDecl &Method,
                                                         Machine &M) {
  std::vector<const ParmVarDecl *> Tensors;
  for (const ParmVarDecl *P : Method.parameters()) {
    if (P->hasDefaultArg())
      break;
    if (!isTensor(P->getType(), M))
      return {};
    Tensors.push_back(P);
  }
  return Tensors;
}

/// What the class's forward takes; nothing where it takes what can't be made up, or
/// there is none.
static std::vector<const ParmVarDecl *> inputsOfForward(const CXXRecordDecl &D,
                                                        Machine &M) {
  for (const CXXMethodDecl *Method : D.methods())
    if (Method->getIdentifier() && Method->getName() == "forward")
      if (auto Tensors = tensorParameters(*Method, M); !Tensors.empty())
        return Tensors;
  for (const CXXBaseSpecifier &B : D.bases())
    if (const CXXRecordDecl *Base = B.getType()->getAsCXXRecordDecl();
        Base && Base->hasDefinition() && !M.isExternal(Base->getLocation()))
      if (auto Tensors = inputsOfForward(*Base, M); !Tensors.empty())
        return Tensors;
  return {};
}

static bool hasInput(const ClassRun &Run) {
  return Run.UnknownInput || !Run.Inputs.empty();
}

static void callForward(Machine &M, TorchDomain &D, CellRef Object,
                        const ModuleClass &C, const ClassRun &Run) {
  if (!hasInput(Run))
    return;
  std::vector<const ParmVarDecl *> Wanted = inputsOfForward(*C.Decl, M);
  if (Wanted.empty())
    return;
  std::vector<Operand> Args;
  for (size_t I = 0; I < Wanted.size(); ++I) {
    Shape S = Shape::unknown("forward's input");
    DType Type = DType::Float32;
    if (!Run.UnknownInput) {
      const StatedInput &In = Run.Inputs[std::min<size_t>(I, Run.Inputs.size() - 1)];
      S = Shape();
      S.Dims.push_back(Dim(Run.Batch));
      for (int64_t L : In.Sizes)
        S.Dims.push_back(Dim(L));
      Type = In.Type;
      if (!Run.From.empty())
        D.assume("input", S.str() + " " + dtypeName(Type).str(), C.Pos, Run.From);
    }
    Value X = D.tensorValue(D.R.make(
        S, Type, Device{D.R.Config.Target, 0}, Category::Input, "input"));
    if (Wanted[I]->getType()->isReferenceType())
      Args.emplace_back(makeCell(std::move(X)));
    else
      Args.emplace_back(std::move(X));
  }
  M.callMethod(Object, "forward", Args);
}

std::string runClass(Machine &M, TorchDomain &D, const ModuleClass &C,
                     const StatedModel &Stated, const ClassRun &Run) {
  if (!C.Decl)
    return "it is a template that nothing instantiates";
  std::vector<Operand> Args;
  std::vector<QualType> Types;
  if (Stated.Arguments) {
    const CXXConstructorDecl *K = constructorFor(*C.Decl, Stated.Arguments->size());
    if (!K)
      return "no constructor takes " + std::to_string(Stated.Arguments->size()) +
             " arguments";
    for (size_t I = 0; I < Stated.Arguments->size(); ++I) {
      const StatedValue &V = (*Stated.Arguments)[I];
      Types.push_back(typeOf(V, K->getParamDecl(I)->getType(), M.context()));
      Args.emplace_back(valueOf(V));
    }
  } else if (!defaultConstructible(*C.Decl)) {
    return "its constructor needs arguments and no analysed code constructs it";
  }
  bool Built = M.buildAndDrop(
      M.context().getRecordType(C.Decl), Args, Types,
      [&](CellRef Object) {
        // Where it would run; in the program, to(device) does that.
        if (TorchDomain::Handle H = D.moduleAt(M, Object); H && hasInput(Run))
          H.M->to(Device{D.R.Config.Target, 0}, std::nullopt);
        callForward(M, D, Object, C, Run);
      });
  return Built ? "" : "its constructor does not take these arguments, or throws";
}

} // namespace vramlint
