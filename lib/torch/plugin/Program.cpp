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
#include "lib/torch/plugin/ClassView.h"
#include "lib/torch/plugin/InputSearch.h"
#include "lib/torch/plugin/TestCases.h"
#include "lib/torch/plugin/TorchDomain.h"

#include <set>

using namespace clang;

namespace vramlint {

/// How many unknown conditions are tried the other way round.
static constexpr size_t MaxAlternatives = 6;
/// Between its least and its greatest number, a random draw is tried at so many
/// places less one.
static constexpr size_t DrawParts = 4;

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

/// Is the class of \p C in the trace, by itself or as a part of another module?
static bool isBuilt(const Trace &T, const ModuleClass &C) {
  return llvm::any_of(T.Modules,
                      [&](const ModuleInfo &M) { return M.ClassPos == C.Pos; });
}

static std::string tellConstruct(const ModuleClass &C) {
  return "--construct \"" + C.Name.str() + "(…)\"";
}

/// Without a main: each module class that can be built, and run where its input is
/// stated.
static void buildClasses(Machine &M, TorchDomain &D, const ProgramOptions &Options,
                         llvm::ArrayRef<const Decl *> Own) {
  std::vector<std::pair<ModuleClass, std::string>> NotBuilt;
  for (const ModuleClass &C : findModuleClasses(M, Own)) {
    if (D.Out.Entry == "tests" && isBuilt(D.Out, C))
      continue;
    std::string Why;
    StatedModel Stated = statedFor(C, Options, M.context(), Why);
    if (Why.empty())
      Why = runClass(M, D, C, Stated,
                     {Stated.Inputs, Options.Batch.value_or(1), "stated"});
    if (!Why.empty())
      NotBuilt.emplace_back(C, Why);
  }
  for (auto &[C, Why] : NotBuilt) // Those that others hold were built all the same.
    if (!isBuilt(D.Out, C))
      D.Out.Unknowns.push_back({C.Pos, C.Name.str(), Why, tellConstruct(C)});
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

/// Each test case of a file without main. What one is refused is what it may be
/// about: that is no failure of the program.
static bool runTestCases(Machine &M, TorchDomain &D, llvm::ArrayRef<const Decl *> Own) {
  std::vector<TestCase> Cases = findTestCases(M, Own);
  for (const TestCase &Case : Cases) {
    if (M.stopped())
      break;
    runTestCase(M, Case);
    D.Out.Failures.clear();
  }
  return !Cases.empty();
}

namespace {
struct Run {
  std::shared_ptr<Trace> T = std::make_shared<Trace>();
  int64_t Peak = 0;
  double Seconds = 0; ///< It took.
  size_t OnTarget = 0; ///< Storages on the target device.
  Decisions Taken;
};
} // namespace

/// Calls \p Use with a machine and a domain that write to \p T.
static void onMachine(UnitView Unit, UnitProvider *Others,
                      const ProgramOptions &Options, double Seconds, Trace &T,
                      llvm::function_ref<void(Machine &, TorchDomain &)> Use) {
  Runtime R(Options.Target, T);
  if (Options.Precision)
    R.DefaultDType = *Options.Precision;
  if (Options.NoGrad.value_or(false))
    R.GradMode = false;
  R.If = Options.If;
  R.Autocast[int(DeviceKind::CUDA)] = Options.If.Autocast;
  TorchDomain D(R, T, Options);
  Budget Limits;
  Limits.MaxSteps = Options.MaxSteps;
  Limits.MaxSeconds = Seconds;
  Machine M(Unit, Others, D, Limits);
  M.RightToLeft = Options.GccOrder;
  M.Overrides = Options.Set;
  Use(M, D);
}

static Run runOnce(UnitView Unit, UnitProvider *Others,
                   const ProgramOptions &Options, const Decisions &Choices) {
  Run Result;
  // A what-if run of another batch is one of many: it gets less time.
  double Seconds = Options.Batch ? Options.MaxSeconds / 8 : Options.MaxSeconds;
  onMachine(Unit, Others, Options, Seconds, *Result.T, [&](Machine &M, TorchDomain &D) {
    M.Choices = Choices;
    std::vector<const Decl *> Own = ownDecls(M);
    if (const FunctionDecl *Main = findMain(Own)) {
      Result.T->Entry = "main";
      runMain(M, D, *Main, Options);
    } else {
      if (runTestCases(M, D, Own))
        Result.T->Entry = "tests";
      buildClasses(M, D, Options, Own);
    }
    if (M.unwinding() && !M.exceptionText().empty())
      Result.T->Unknowns.push_back({M.currentPos(), "an exception ends the program",
                                    M.exceptionText().str(), ""});
    Result.Taken = M.Choices;
    Result.Seconds = M.spent().count();
    DeviceKind Target = Options.Target.Target;
    Result.Peak = D.R.peakBytes(Target) ? D.R.peakBytes(Target)
                                        : D.R.peakBytes(DeviceKind::CPU);
  });
  Result.OnTarget = llvm::count_if(Result.T->Storages, [&](const StorageInfo &S) {
    return S.Device == Options.Target.Target;
  });
  return Result;
}

/// What a run refused: op, place and message.
using Refusals = std::set<std::tuple<llvm::StringRef, SourcePos, std::string>>;

static Refusals refusalsOf(const Trace &T) {
  Refusals All;
  for (const Failure &F : T.Failures)
    All.emplace(F.Op, T.posOf(F.Stack), F.Message);
  return All;
}

/// Failures of \p Of that are not among \p Others, of a run with another choice,
/// depend on that choice.
static void doubtFailures(Trace &Of, const Refusals &Others) {
  for (Failure &F : Of.Failures)
    F.Certain &= Others.count({F.Op, Of.posOf(F.Stack), F.Message}) != 0;
}

namespace {
/// Runs of one program that took other sides and other numbers.
class Alternatives {
public:
  Alternatives(UnitView Unit, UnitProvider *Others, const ProgramOptions &Options)
      : Unit(Unit), Others(Others), Left(Options) {
    Best = runOnce(Unit, Others, Left, {});
    First = Best.Taken;
    Cheap = Best.Seconds <= CheapSeconds;
    Left.MaxSeconds -= Best.Seconds;
    Seen.push_back(refusalsOf(*Best.T));
  }

  /// The run with the highest peak that is certain.
  Run best() {
    sides();
    draws();
    if (Untried)
      Seen.push_back({}); // Some condition was not tried.
    for (const Refusals &R : Seen)
      doubtFailures(*Best.T, R);
    noteDraws();
    return std::move(Best);
  }

private:
  static constexpr double CheapSeconds = 1;

  /// Other sides of unknown conditions are tried where a run is cheap.
  void sides() {
    size_t Tried = 0;
    for (auto &[Pos, Side] : First.Asked) {
      if (!Pos.isValid() || Tried >= MaxAlternatives || !affords()) {
        Untried = true;
        break;
      }
      ++Tried;
      Decisions Other;
      Other.Drawn = Wishes;
      Other.Chosen[Pos] = !Side;
      take(Other);
    }
  }

  /// Other numbers of random draws. Where the least gives the same peak as the
  /// greatest, nothing hangs on the draw; where those between give none that is
  /// higher, the greatest is the worst.
  void draws() {
    for (const Decisions::Draw &D : First.Draws) {
      if (!D.Info.Pos.isValid() || !affords()) {
        Untried = true;
        break;
      }
      std::set<size_t> Tried = {D.Taken};
      auto differs = [&](size_t Index) {
        if (!Tried.insert(Index).second || !affords())
          return false;
        Decisions Other;
        Other.Chosen = Sides;
        Other.Drawn = Wishes;
        Other.Drawn[D.Info.Pos] = Index;
        int64_t Peak = Best.Peak;
        return take(Other) != Peak;
      };
      if (!differs(D.Least))
        continue;
      for (size_t Part = 1; Part < DrawParts; ++Part)
        differs(D.Info.Numbers.size() * Part / DrawParts);
      Matter.insert(D.Info.Pos);
    }
  }

  /// Writes down which numbers the best run took.
  void noteDraws() {
    for (const Decisions::Draw &D : Best.Taken.Draws)
      if (!Cheap || Matter.count(D.Info.Pos))
        Best.T->Assumptions.push_back(
            {"drawn",
             D.Value + " of " + D.From + " to " + D.To +
                 (Matter.count(D.Info.Pos) ? "" : ", others not tried"),
             D.Info.Pos, "at random"});
  }

  bool affords() const { return Cheap && Left.MaxSeconds >= CheapSeconds; }

  /// Runs \p Choices; the peak.
  int64_t take(const Decisions &Choices) {
    Run Other = runOnce(Unit, Others, Left, Choices);
    Left.MaxSeconds -= Other.Seconds;
    Seen.push_back(refusalsOf(*Other.T));
    int64_t Peak = Other.Peak;
    // Without known sizes the run that uses the device tells more.
    if (std::tie(Other.Peak, Other.OnTarget) > std::tie(Best.Peak, Best.OnTarget)) {
      Best = std::move(Other);
      Sides = Choices.Chosen;
      Wishes = Choices.Drawn;
    }
    return Peak;
  }

  UnitView Unit;
  UnitProvider *Others;
  ProgramOptions Left; ///< All runs share the time.
  Run Best;
  Decisions First;     ///< What the first run asked.
  /// What the best run was told.
  std::map<SourcePos, bool> Sides;
  std::map<SourcePos, size_t> Wishes;
  std::set<SourcePos> Matter; ///< Draws that the peak hangs on.
  std::vector<Refusals> Seen;
  bool Cheap = false, Untried = false;
};
} // namespace

const ForwardCall *firstModelInput(const Trace &T) {
  for (const ForwardCall &F : T.Forwards)
    if (!F.Jit && !F.Inputs.empty() && F.Module < T.Modules.size())
      return &F;
  return nullptr;
}

/// The factory call outside of modules that made the first input of \p F, or what was
/// copied to the device; null if there is none.
static const OpRecord *factoryOf(const Trace &T, const ForwardCall &F) {
  for (OpId I = std::min<OpId>(F.FirstOp, T.Ops.size()); I-- > 0;) {
    const OpRecord &Op = T.Ops[I];
    if (Op.Module == None && Op.Outputs.size() == 1 &&
        Op.Outputs[0].Shape == F.Inputs[0].Shape &&
        Op.Outputs[0].Storage < T.Storages.size() && Op.Inputs.empty() &&
        T.Storages[Op.Outputs[0].Storage].Cat == Category::Input)
      return &Op;
  }
  return nullptr;
}

/// The batch of a program that names none: the first dimension of what its first
/// model gets, if the program makes that tensor itself and it has the rank of a batch
/// of vectors, images or volumes. Nothing otherwise.
static std::optional<int64_t> assumeMadeBatch(Trace &T) {
  for (const Assumption &A : T.Assumptions)
    if (A.What == "batch")
      return std::nullopt;
  const ForwardCall *F = firstModelInput(T);
  if (!F)
    return std::nullopt;
  const TensorDesc &In = F->Inputs[0];
  size_t Rank = In.Shape.size();
  if (!In.ShapeKnown || !In.DType.starts_with("float") || In.Shape[0] < 1 ||
      (Rank != 2 && Rank != 4 && Rank != 5))
    return std::nullopt;
  const OpRecord *Made = factoryOf(T, *F);
  if (!Made)
    return std::nullopt;
  T.Assumptions.push_back(
      {"batch", std::to_string(In.Shape[0]), T.posOf(Made->Stack), MadeBatch.str()});
  return In.Shape[0];
}

std::shared_ptr<const Trace> runProgram(UnitView Unit, UnitProvider *Others,
                                        const ProgramOptions &Options) {
  Run Best;
  llvm::Error E = runGuarded("the analysis", [&] {
    Best = Alternatives(Unit, Others, Options).best();
  });
  if (E) {
    Best.T->Complete = false;
    Best.T->Unknowns.push_back({SourcePos(), "the whole program",
                                llvm::toString(std::move(E)), ""});
  }
  if (std::optional<int64_t> Made = assumeMadeBatch(*Best.T);
      Made && Options.Batch && !Options.If.Batch && *Made != *Options.Batch) {
    ProgramOptions Told = Options;
    Told.If.Batch = {*Made, *Options.Batch};
    return runProgram(Unit, Others, Told);
  }
  return Best.T;
}

// --- Classes by themselves ------------------------------------------------------

namespace {

/// Builds one class again and again: what its input may be.
class ClassProbe {
public:
  ClassProbe(UnitView Unit, UnitProvider *Others, const ProgramOptions &Options,
             const ModuleClass &C, const StatedModel &Stated)
      : Unit(Unit), Others(Others), Options(Options), C(C), Stated(Stated) {}

  /// Null if the class can't be built, or its forward throws.
  std::shared_ptr<const Trace> run(const ClassRun &Run) const {
    static constexpr double Seconds = 1;
    auto T = std::make_shared<Trace>();
    bool Done = false;
    onMachine(Unit, Others, Options, Seconds, *T, [&](Machine &M, TorchDomain &D) {
      Done = runClass(M, D, C, Stated, Run).empty() && M.exceptionText().empty();
    });
    return Done ? T : nullptr;
  }

  std::optional<FoundInput> input() const {
    ClassRun Unknown;
    Unknown.UnknownInput = true;
    std::shared_ptr<const Trace> T = run(Unknown);
    if (!T)
      return std::nullopt;
    return searchInput(*T, [&](const StatedInput &Input) {
      return run({Input, TrialBatch, ""});
    });
  }

private:
  UnitView Unit;
  UnitProvider *Others;
  const ProgramOptions &Options;
  const ModuleClass &C;
  const StatedModel &Stated;
};

} // namespace

/// Builds \p C into \p View's trace and runs it on its stated or found input.
static void viewClass(UnitView Unit, UnitProvider *Others,
                      const ProgramOptions &Options, Machine &M, TorchDomain &D,
                      const ModuleClass &C, ClassNote &Note) {
  StatedModel Stated = statedFor(C, Options, M.context(), Note.Problem);
  std::string From = "stated";
  if (Note.Problem.empty() && Stated.Inputs.empty() && C.Decl) {
    if (auto Found = ClassProbe(Unit, Others, Options, C, Stated).input()) {
      Stated.Inputs = {Found->Input};
      From = Found->Forced ? "inferred from the layers" : "assumed, other sizes fit too";
    }
  }
  if (Note.Problem.empty())
    Note.Problem =
        runClass(M, D, C, Stated, {Stated.Inputs, Options.Batch.value_or(1), From});
}

std::shared_ptr<const ClassView> viewClasses(UnitView Unit, UnitProvider *Others,
                                             const ProgramOptions &Options,
                                             const Trace &Ran) {
  auto View = std::make_shared<ClassView>();
  auto T = std::make_shared<Trace>();
  View->Run = T;
  auto HasRun = [&](const ModuleClass &C) {
    return llvm::any_of(Ran.Forwards, [&](const ForwardCall &F) {
      return F.Module < Ran.Modules.size() && Ran.Modules[F.Module].ClassPos == C.Pos;
    });
  };
  llvm::Error E = runGuarded("the analysis of the classes", [&] {
    onMachine(Unit, Others, Options, Options.MaxClassSeconds, *T,
              [&](Machine &M, TorchDomain &D) {
      // With a main, a class that it never builds; without, one that was not run.
      bool Main = Ran.Entry == "main";
      for (const ModuleClass &C : findModuleClasses(M, ownDecls(M))) {
        ClassNote Note{C.Name, C.Pos, "", tellConstruct(C)};
        if (!(Main ? isBuilt(Ran, C) : HasRun(C)))
          viewClass(Unit, Others, Options, M, D, C, Note);
        View->Classes.push_back(std::move(Note));
      }
      for (ClassNote &Note : View->Classes)
        if (isBuilt(*T, {nullptr, Note.Class, Note.Pos}) ||
            isBuilt(Ran, {nullptr, Note.Class, Note.Pos}))
          Note.Problem.clear(); // Others hold one.
    });
  });
  if (E)
    T->Unknowns.push_back({SourcePos(), "the module classes",
                           llvm::toString(std::move(E)), ""});
  return View;
}

} // namespace vramlint
