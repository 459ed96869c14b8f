//===- lib/torch/plugin/Program.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Runs a program: finds the entry, runs it, and runs it again with the other
// side of conditions that could not be known. The run with the highest peak that
// is certain is the one reported.

#include "lib/torch/Program.h"

#include "lib/frontend/Frontend.h"
#include "lib/interp/Machine.h"
#include "lib/torch/plugin/TorchDomain.h"

#include <ctime>

using namespace clang;

namespace vramlint {

/// How many unknown conditions are tried the other way round.
static constexpr size_t MaxAlternatives = 6;

/// The project's own declarations. clang-tidy's traversal scope is the whole unit,
/// that of the other hosts is these.
static std::vector<const Decl *> ownDecls(Machine &M) {
  std::vector<const Decl *> Own;
  for (const Decl *D : M.context().getTraversalScope()) {
    auto *Whole = dyn_cast<TranslationUnitDecl>(D);
    if (!Whole) {
      Own.push_back(D);
      continue;
    }
    for (const Decl *Top : Whole->noload_decls())
      if (!M.isExternal(Top->getLocation()))
        Own.push_back(Top);
  }
  return Own;
}

/// The program's main in the main file, or null.
static const FunctionDecl *findMain(llvm::ArrayRef<const Decl *> Own) {
  for (const Decl *D : Own)
    if (auto *F = dyn_cast<FunctionDecl>(D))
      if (F->isMain() && F->doesThisDeclarationHaveABody())
        return F;
  return nullptr;
}

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

static void collectClasses(const DeclContext &DC, Machine &M,
                           std::vector<const CXXRecordDecl *> &Classes) {
  for (const Decl *D : DC.decls()) {
    if (auto *NS = dyn_cast<NamespaceDecl>(D))
      collectClasses(*NS, M, Classes);
    auto *R = dyn_cast<CXXRecordDecl>(D);
    if (!R || !R->isThisDeclarationADefinition() || R->isDependentContext() ||
        R->isAbstract())
      continue;
    if (derivesFromModule(*R, M))
      Classes.push_back(R);
  }
}

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

/// Without a main: each module class that can be built without arguments.
static void buildClasses(Machine &M, TorchDomain &D, const ProgramOptions &Options,
                         llvm::ArrayRef<const Decl *> Own) {
  std::vector<const CXXRecordDecl *> Classes;
  for (const Decl *Top : Own) {
    if (auto *NS = dyn_cast<NamespaceDecl>(Top)) {
      collectClasses(*NS, M, Classes);
      continue;
    }
    auto *R = dyn_cast<CXXRecordDecl>(Top);
    if (R && R->isThisDeclarationADefinition() && !R->isDependentContext() &&
        !R->isAbstract() && derivesFromModule(*R, M))
      Classes.push_back(R);
  }
  for (const CXXRecordDecl *R : Classes) {
    if (!defaultConstructible(*R)) {
      D.Out.Unknowns.push_back({M.posOf(R->getLocation()), withoutImpl(R->getName()).str(),
                                "its constructor needs arguments and no analysed code constructs it",
                                ""});
      continue;
    }
    M.buildAndDrop(M.context().getRecordType(R), [&](CellRef Object) {
      if (Options.Input.empty())
        return;
      Shape S;
      S.Dims.push_back(Dim(Options.Batch.value_or(1)));
      for (int64_t L : Options.Input)
        S.Dims.push_back(Dim(L));
      Operand X(makeCell(D.tensorValue(D.R.make(S, DType::Float32, Device(),
                                                Category::Input, "--input"))));
      D.assume("input", S.str() + " float32", SourcePos(), "--input");
      M.callMethod(Object, "forward", X);
    });
  }
}

static void runMain(Machine &M, TorchDomain &D, const FunctionDecl &Main,
                    const ProgramOptions &Options) {
  llvm::SmallVector<Operand, 2> Args;
  if (Options.Args) {
    auto List = std::make_unique<Sequence>(Sequence::CArray);
    List->Elements.push_back(makeCell(Value(std::string("program"))));
    for (const std::string &A : *Options.Args)
      List->Elements.push_back(makeCell(Value(A)));
    int64_t N = List->Elements.size();
    CellRef First = List->Elements[0];
    CellRef Array = makeCell(Value(std::move(List)));
    Args.push_back(Operand(Value::integer(N)));
    Args.push_back(Operand(Value(PointerValue{First, Array, 0})));
  } else {
    UnknownRef Info(new UnknownInfo());
    Info->Reason = "the program's command line";
    Info->Tell = "--args \"...\"";
    Args.push_back(Operand(Value(Info)));
    Args.push_back(Operand(Value(Info)));
  }
  Args.resize(std::min<size_t>(Args.size(), Main.getNumParams()));
  M.run(Main, Args);
}

namespace {
struct Run {
  std::shared_ptr<Trace> T = std::make_shared<Trace>();
  int64_t Peak = 0;
  size_t OnTarget = 0; ///< Storages on the target device.
  std::vector<std::pair<SourcePos, bool>> Asked;
};
} // namespace

static Run runOnce(UnitView Unit, UnitProvider *Others,
                   const ProgramOptions &Options, const Decisions &Choices) {
  Run Result;
  Runtime R(Options.Target, *Result.T);
  if (Options.Precision)
    R.DefaultDType = *Options.Precision;
  if (Options.NoGrad.value_or(false))
    R.GradMode = false;
  TorchDomain D(R, *Result.T, Options);
  Budget Limits;
  Limits.MaxSteps = Options.MaxSteps;
  // A what-if run of another batch is one of many: it gets less time.
  Limits.MaxSeconds = Options.Batch ? Options.MaxSeconds / 8 : Options.MaxSeconds;
  {
    Machine M(Unit, Others, D, Limits);
    M.RightToLeft = Options.GccOrder;
    M.Overrides = Options.Set;
    M.Choices = Choices;
    std::vector<const Decl *> Own = ownDecls(M);
    if (const FunctionDecl *Main = findMain(Own)) {
      Result.T->Entry = "main";
      runMain(M, D, *Main, Options);
    } else {
      buildClasses(M, D, Options, Own);
    }
    if (M.unwinding() && !M.exceptionText().empty())
      Result.T->Unknowns.push_back({M.currentPos(), "an exception ends the program",
                                    M.exceptionText().str(), ""});
    Result.Asked = M.Choices.Asked;
  }
  Result.Peak = R.peakBytes(Options.Target.Target) ? R.peakBytes(Options.Target.Target)
                                                   : R.peakBytes(DeviceKind::CPU);
  Result.OnTarget = llvm::count_if(Result.T->Storages, [&](const StorageInfo &S) {
    return S.Device == Options.Target.Target;
  });
  return Result;
}

std::shared_ptr<const Trace> runProgram(UnitView Unit, UnitProvider *Others,
                                        const ProgramOptions &Options) {
  Run Best;
  llvm::Error E = runGuarded("the analysis", [&] {
    auto Start = std::clock();
    Best = runOnce(Unit, Others, Options, {});
    // Other sides of unknown conditions are tried where a run is cheap.
    if (std::clock() - Start > CLOCKS_PER_SEC)
      return;
    std::vector<std::pair<SourcePos, bool>> Asked = Best.Asked;
    size_t Tries = 0;
    for (auto &[Pos, Side] : Asked) {
      if (!Pos.isValid() || Tries++ >= MaxAlternatives)
        break;
      Decisions Choices;
      Choices.Chosen[Pos] = !Side;
      Run Other = runOnce(Unit, Others, Options, Choices);
      // Without known sizes the run that uses the device tells more.
      if (std::tie(Other.Peak, Other.OnTarget) > std::tie(Best.Peak, Best.OnTarget))
        Best = std::move(Other);
    }
  });
  if (E) {
    Best.T->Complete = false;
    Best.T->Unknowns.push_back({SourcePos(), "the whole program",
                                llvm::toString(std::move(E)), ""});
  }
  return Best.T;
}

} // namespace vramlint
