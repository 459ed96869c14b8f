//===- lib/report/Closing.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The closing lines.

#include "lib/report/Closing.h"

#include "lib/report/FitText.h"
#include "lib/torch/Models.h"
#include "llvm/ADT/STLExtras.h"

namespace vramlint::report {

void Totals::add(const FileOutcome &R) {
  switch (R.Is) {
  case FileOutcome::State::Analysed:
    ++Analysed;
    break;
  case FileOutcome::State::NoTorch:
    ++WithoutTorch;
    break;
  case FileOutcome::State::NotAnalysed:
    ++NotAnalysed;
    return; // The compiler's errors are no findings.
  }
  for (const Finding &F : R.Findings) {
    ++(F.Level == Severity::Remark ? Remarks : Warnings);
    Fixable += F.isFixable();
    Overflow |= F.Check == "torch-vram-overflow";
    BudgetsNotShown +=
        F.Check == "torch-budget-exceeded" && F.Level == Severity::Remark;
  }
  NotJudged += R.FitNotJudged;
}

int Totals::exitCode(bool RequireKnown) const {
  if (NotAnalysed)
    return 2;
  return Warnings || (RequireKnown && (NotJudged || BudgetsNotShown)) ? 1 : 0;
}

namespace {

/// A figure split into its number and its unit, so that a sentence can name a
/// shared unit once.
struct Figure {
  std::string Number, Unit;
};

} // namespace

static Figure split(const std::string &Text) {
  auto [Number, Unit] = llvm::StringRef(Text).split(' ');
  return {Number.str(), Unit.str()};
}

/// "19.9" if \p Text has the unit \p Shared, else "7.39 MiB".
static std::string without(llvm::StringRef Shared, const std::string &Text) {
  Figure F = split(Text);
  return F.Unit == Shared ? F.Number : Text;
}

std::string levelsText(const Fit &F) {
  std::string Need = formatBytes(F.Need);
  Figure Whole = split(Need);
  std::string Text =
      "live " + without(Whole.Unit, formatBytes(F.Parts.Live)) +
      ", reserved " + without(Whole.Unit, formatBytes(F.Parts.Reserved)) +
      ", nvidia-smi " + Need;
  if (!F.Need.isExact()) {
    Text += " (lower " + without(Whole.Unit, formatBytes(Bytes{F.Need.lower()}));
    if (!F.Need.isUnknown())
      Text +=
          ", upper " + without(Whole.Unit, formatBytes(Bytes{F.Need.upper()}));
    Text += ")";
  }
  Text += " of " + without(Whole.Unit, formatBytes(F.Usable));
  if (F.UsableIsNominal)
    Text += " (nominal)";
  return Text;
}

static std::string origin(const Assumption &A, const PathPrinter &Paths) {
  std::string From = A.Pos.isValid() ? Paths.line(A.Pos) : A.From;
  return From.empty() ? "" : " (" + From + ")";
}

static std::string modelText(const Trace &T, const Model &M,
                             const PathPrinter &Paths) {
  std::string Where =
      M.Pos.isValid() ? " (" + Paths.line(M.Pos) + ")" : std::string();
  if (M.Jit) {
    const std::string &Name = T.Modules[M.Root].Options;
    return "TorchScript module" + (Name.empty() ? "" : " '" + Name + "'") + Where +
           (T.Modules[M.Root].WeightsRead
                ? ", " + countText(M.Parameters) + " parameters"
                : ", weights ?");
  }
  return M.Class.str() + Where + ", " + countText(M.Parameters) + " parameters";
}

/// What the first model that is run gets, "" if none is.
static std::string forwardInput(const Trace &T,
                                const std::vector<Model> &Models) {
  for (const Model &M : Models)
    if (M.Forward != None && !T.Forwards[M.Forward].Inputs.empty())
      return tensorText(T.Forwards[M.Forward].Inputs.front());
  return "";
}

/// "VGG (vgg.h:12), 138,357,544 parameters; batch 64 (train.cpp:14), …"
static std::string factsText(const FileReport &R, const PathPrinter &Paths) {
  static constexpr size_t MaxModels = 3;
  const Trace &T = *R.Run;
  std::vector<Model> Models = findModels(T);
  std::string Text;
  for (size_t I = 0; I < Models.size() && I < MaxModels; ++I)
    Text += (I ? "; " : "") + modelText(T, Models[I], Paths);
  if (Models.size() > MaxModels)
    Text += "; " + std::to_string(Models.size() - MaxModels) + " more models";
  if (Models.empty())
    Text += "no model is built";
  const char *Separator = "; ";
  // In this order; whatever else was assumed follows.
  static const llvm::StringRef Order[] = {"batch", "input", "optimizer"};
  auto Put = [&](const Assumption &A, bool Named) {
    Text += Separator + (Named ? A.What + " " : "") + A.Value +
            origin(A, Paths);
    Separator = ", ";
  };
  for (llvm::StringRef What : Order) {
    if (const Assumption *A = findAssumption(T, What))
      Put(*A, What == "batch");
    else if (What == "input" && !forwardInput(T, Models).empty())
      Put({"input", forwardInput(T, Models), {}, ""}, false);
  }
  for (const Assumption &A : T.Assumptions)
    if (!llvm::is_contained(Order, A.What))
      Put(A, true);
  return Text + Separator + R.On.text();
}

/// What the run could not know, with what to tell vramlint.
static void printUnknownInputs(const Trace &T, const PathPrinter &Paths,
                               llvm::raw_ostream &OS) {
  static constexpr unsigned MaxRows = 10;
  using A = Table::Align;
  Table Rows({A::Left, A::Left, A::Left, A::Left}, 4);
  unsigned Count = 0;
  for (const UnknownNote &N : T.Unknowns) {
    if (++Count > MaxRows)
      continue;
    Rows.row({N.What, N.Pos.isValid() ? Paths.line(N.Pos) : "", N.Why,
              N.Tell.empty() ? "" : "tell: " + N.Tell});
  }
  Rows.print(OS, "  ");
  if (Count > MaxRows)
    OS << "  and " << Count - MaxRows << " more (vramlint summary)\n";
}

/// Nothing is ever allocated on the device that is judged.
static bool staysOnCpu(const FileReport &R) {
  return R.On.Device == DeviceKind::CUDA && !R.Line->Live.isUnknown() &&
         R.Line->Highest.EventIndex == None;
}

static void printStaysOnCpu(const FileReport &R, llvm::raw_ostream &OS) {
  Timeline Host = computeTimeline(R.Run, DeviceKind::CPU);
  OS << "nothing to judge, the program puts no tensor on the GPU (peak on the "
        "CPU "
     << formatBytes(Host.Live) << "; --device cpu shows it)\n";
}

/// "2 inputs unknown", where something can be told; else what was not followed.
static std::string unknownsText(const Trace &T) {
  size_t Inputs = llvm::count_if(
      T.Unknowns, [](const UnknownNote &N) { return !N.Tell.empty(); });
  if (Inputs)
    return ", " + plural(Inputs, "input") + " unknown";
  if (const ModuleInfo *Jit = jitModule(T))
    return Jit->WeightsRead
               ? ": what TorchScript module '" + Jit->Options +
                     "' allocates when it runs is not known"
           : Jit->WeightsUnknown.empty()
               ? ": the weights of TorchScript module '" + Jit->Options +
                     "' are not read"
               : ": the weights of the TorchScript module are not known, " +
                     Jit->WeightsUnknown;
  size_t N = T.Unknowns.size();
  return N ? ", " + plural(N, "thing") + " not understood" : "";
}

static void printVerdict(const FileReport &R, const GpuVerdict &G,
                         const PathPrinter &Paths, bool Unknowns,
                         llvm::raw_ostream &OS) {
  OS << G.Result.Gpu.Name << (G.From.empty() ? "" : " (" + G.From + ")")
     << ": ";
  if (staysOnCpu(R))
    return printStaysOnCpu(R, OS);
  if (G.Result.Is == Verdict::NotJudged) {
    OS << "not judged" << unknownsText(*R.Run) << '\n';
    if (Unknowns)
      printUnknownInputs(*R.Run, Paths, OS);
    return;
  }
  OS << verdictText(G.Result.Is) << "; " << levelsText(G.Result);
  if (G.Result.NeedsCacheRelease)
    OS << "; only since the allocator frees what it caches and retries";
  if (G.Batch.Known)
    OS << "; largest batch " << batchText(G.Batch);
  OS << '\n';
}

static void printWithoutGpu(const FileReport &R, llvm::raw_ostream &OS) {
  if (R.On.Device == DeviceKind::CPU) {
    OS << "CPU: peak " << formatBytes(R.Line->Live) << " of live tensors\n";
    return;
  }
  OS << "No GPU named (--gpu, or torch.Gpu in .clang-tidy): ";
  if (staysOnCpu(R))
    return printStaysOnCpu(R, OS);
  if (R.Line->Live.isUnknown() || jitModule(*R.Run)) {
    OS << "fit not judged\n";
    return;
  }
  OS << "needs " << formatBytes(R.Line->Live) << " of live tensors; ";
  if (R.SmallestGpu.empty())
    OS << "no card known here holds that\n";
  else
    OS << "smallest card that fits: " << R.SmallestGpu << '\n';
}

/// What a loop keeps of each iteration, and when that fills the GPU.
static void printGrowth(const FileReport &R, const PathPrinter &Paths,
                        llvm::raw_ostream &OS) {
  constexpr size_t MaxLines = 3;
  constexpr int64_t Endless = INT64_MAX / 8;
  const Trace &T = *R.Run;
  for (size_t I = 0; I < R.Line->Growth.size() && I < MaxLines; ++I) {
    const LoopGrowth &G = R.Line->Growth[I];
    OS << "The loop at " << Paths.line(T.posOf(G.Stack)) << " keeps "
       << formatBytes(Bytes{G.BytesPerIteration}) << " more with each iteration";
    if (G.Largest != None && T.posOf(T.Storages[G.Largest].Stack).isValid())
      OS << " (most of it made at " << Paths.line(T.posOf(T.Storages[G.Largest].Stack))
         << (G.KeptBy == None
                 ? ", held by a container"
                 : ", kept by the graph that grows at " +
                       Paths.line(T.posOf(T.Ops[G.KeptBy].Stack)))
         << ")";
    for (const GpuVerdict &V : R.Gpus) {
      int64_t Full = iterationsUntilFull(V.Result, *R.Line, G);
      if (Full < G.Skipped)
        OS << "; " << V.Result.Gpu.Name << " is full after about " << formatCount(Full);
    }
    if (G.Skipped < Endless)
      OS << "; " << formatBytes(Bytes{G.BytesPerIteration} * G.Skipped) << " after all "
         << formatCount(G.Skipped) << " that follow";
    OS << '\n';
  }
}

static void printHost(const HostVerdict &H, llvm::raw_ostream &OS) {
  OS << "Host memory (--host-memory): ";
  if (H.Live.lower() > H.MemoryBytes)
    OS << "does not fit";
  else if (H.Live.isUnknown())
    OS << "not judged";
  else
    OS << (H.Live.upper() <= H.MemoryBytes ? "tensors fit" : "tensors may not fit");
  OS << "; they take " << formatBytes(H.Live) << " of " << formatBytes(Bytes{H.MemoryBytes})
     << " (the process itself is not counted)\n";
}

static void printKnownPart(const FileReport &R, llvm::raw_ostream &OS) {
  Quantity States = largestStates(*R.Run, R.On.Device);
  if (States.expected() > 0)
    OS << "Known: parameters, gradients and optimizer state "
       << formatBytes(Bytes{States.expected()})
       << (States.isUnknown() ? " at least" : "") << ".\n";
}

void printFileClosing(const FileReport &R, const PathPrinter &Paths,
                      llvm::raw_ostream &OS, bool Verdicts) {
  if (R.Is == FileReport::State::NotAnalysed) {
    OS << R.File << ": not analysed"
       << (R.Problem.empty() ? "" : ": " + R.Problem) << '\n';
    return;
  }
  if (R.Is == FileReport::State::NoTorch) {
    OS << R.File << ": no LibTorch code\n";
    return;
  }
  if (!R.Run || !R.Line) {
    OS << R.File << ": nothing to run, so no figures"
       << (R.Problem.empty() ? "" : " (" + R.Problem + ")") << "; "
       << R.On.text() << '\n';
    return;
  }
  OS << R.File << ": " << factsText(R, Paths) << '\n';
  if (!R.Run->Complete)
    OS << "The run was cut short by a limit; what follows is a lower bound\n";
  if (!Verdicts)
    return;
  printGrowth(R, Paths, OS);
  if (R.Host)
    printHost(*R.Host, OS);
  bool Unknowns = true;
  for (const GpuVerdict &G : R.Gpus) {
    printVerdict(R, G, Paths, Unknowns, OS);
    Unknowns &= G.Result.Is != Verdict::NotJudged;
  }
  if (R.Gpus.empty())
    printWithoutGpu(R, OS);
  else if (!Unknowns)
    printKnownPart(R, OS);
}

static std::string filesText(const Totals &T) {
  unsigned Files = T.Analysed + T.WithoutTorch + T.NotAnalysed;
  if (Files < 2)
    return "";
  std::string Text = " (" + plural(T.Analysed, "file") + " analysed";
  if (T.WithoutTorch)
    Text += ", " + std::to_string(T.WithoutTorch) + " without LibTorch code";
  if (T.NotAnalysed)
    Text += ", " + std::to_string(T.NotAnalysed) + " not analysed";
  return Text + ")";
}

void printTotals(const Totals &T, llvm::ArrayRef<std::string> Files,
                 bool RequireKnown, llvm::raw_ostream &OS) {
  if (T.Analysed == 0)
    return; // Nothing was looked at, so nothing can be said of it.
  std::string Text;
  if (T.Warnings)
    Text = plural(T.Warnings, "warning");
  if (T.Remarks)
    Text += (Text.empty() ? "" : ", ") + plural(T.Remarks, "remark");
  bool Nothing = Text.empty();
  if (Nothing)
    Text = T.InBaseline || T.OnOtherLines ? "Nothing new found" : "Nothing found";
  if (Nothing && T.NotAnalysed)
    Text += " in what was analysed";
  if (T.Fixable)
    Text += ", " + std::to_string(T.Fixable) + " fixable";
  Text += filesText(T);
  if (T.InBaseline)
    Text += "; " + std::to_string(T.InBaseline) + " in the baseline not shown";
  if (T.OnOtherLines)
    Text += "; " + std::to_string(T.OnOtherLines) + " on other lines not shown";
  if (T.NotJudged)
    Text += "; fit not judged";
  if (T.BudgetsNotShown)
    Text += "; " + plural(T.BudgetsNotShown, "budget") + " not shown to hold";
  if (RequireKnown && T.BudgetsNotShown)
    Text += " (--require-known)";
  else if (T.NotJudged && RequireKnown)
    Text += ", so not shown to hold (--require-known)";
  bool Hints = T.Overflow && Files.size() == 1;
  OS << Text << (Nothing || Hints || T.NotJudged ? "." : "");
  if (Hints)
    OS << " Other cards: vramlint fit " << Files.front()
       << ". How it is computed: vramlint explain torch-vram-overflow";
  OS << '\n';
}

} // namespace vramlint::report
