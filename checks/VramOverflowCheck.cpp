//===- checks/VramOverflowCheck.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See VramOverflowCheck.h.

#include "checks/VramOverflowCheck.h"
#include "checks/WaysOut.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace vramlint {

static constexpr llvm::StringLiteral WarnOnNames[] = {
    "does-not-fit", "may-not-fit", "should-fit"};

VramOverflowCheck::VramOverflowCheck(llvm::StringRef Name,
                                     tidy::ClangTidyContext *Context)
    : TorchCheck(Name, Context), WarnOn(Verdict::DoesNotFit) {
  llvm::StringRef Text = Options.get("WarnOn", WarnOnNames[0]);
  WarnOn = llvm::StringSwitch<Verdict>(Text)
               .Case("does-not-fit", Verdict::DoesNotFit)
               .Case("may-not-fit", Verdict::MayNotFit)
               .Case("should-fit", Verdict::ShouldFit)
               .Default(Verdict::NotJudged);
  if (WarnOn == Verdict::NotJudged) {
    WarnOn = Verdict::DoesNotFit;
    configurationDiag("torch-vram-overflow.WarnOn: expected does-not-fit, "
                      "may-not-fit or should-fit, got '%0'")
        << Text;
  }
}

void VramOverflowCheck::storeOptions(tidy::ClangTidyOptions::OptionMap &Opts) {
  TorchCheck::storeOptions(Opts);
  Options.store(Opts, "WarnOn",
                WarnOn == Verdict::DoesNotFit  ? WarnOnNames[0]
                : WarnOn == Verdict::MayNotFit ? WarnOnNames[1]
                                               : WarnOnNames[2]);
}

void VramOverflowCheck::onAnalysis(const Analysis &A) {
  judgeHost(A);
  if (A.gpus().empty() ||
      A.options().Program.Target.Target != DeviceKind::CUDA)
    return;
  if (A.trace()->Entry.empty() || A.timeline()->Highest.EventIndex == None)
    return;
  for (const GpuSpec &Gpu : A.gpus()) {
    const Fit &F = A.fit(Gpu);
    if (F.Is == Verdict::ShouldFit || F.Is == Verdict::MayNotFit ||
        F.Is == Verdict::DoesNotFit)
      report(A, F);
  }
}

/// Tensors on the CPU alone: what the process takes beside them is not known.
void VramOverflowCheck::judgeHost(const Analysis &A) {
  std::optional<int64_t> Memory = A.options().HostMemoryBytes;
  if (!Memory || A.trace()->Entry.empty())
    return;
  const Timeline &Host = *A.hostTimeline();
  if (Host.Live.lower() <= *Memory)
    return;
  SourceLocation At = A.findingLocation(*A.trace(), Host.Highest.Stack, /*InMainFile=*/true);
  if (At.isValid())
    diag(At, "the host's memory does not hold this program's tensors on the CPU: they take "
             "at least %0, the host has %1")
        << formatBytes(Bytes{Host.Live.lower()}) << formatBytes(Bytes{*Memory});
}

static std::string estimate(int64_t SizeBytes) {
  return "~" + formatBytes(Bytes{SizeBytes});
}

void VramOverflowCheck::report(const Analysis &A, const Fit &F) {
  SourceLocation At = A.findingLocation(*A.trace(), A.timeline()->Highest.Stack,
                                        /*InMainFile=*/true);
  if (At.isInvalid())
    return;
  std::string Need;
  if (F.Is == Verdict::DoesNotFit)
    Need = "at least " + formatBytes(Bytes{F.Need.lower()});
  else if (F.Is == Verdict::MayNotFit)
    Need = estimate(F.Need.expected()) + " (at least " +
           formatBytes(Bytes{F.Need.lower()}) + ")";
  else
    Need = estimate(F.Need.expected()) + " (at most " +
           formatBytes(Bytes{F.Need.upper()}) + ")";
  // Verdicts are ordered from mild to severe.
  diag(At, "%0 %1 %2: needs %3, %4 %5",
       F.Is >= WarnOn ? DiagnosticIDs::Warning : DiagnosticIDs::Remark)
      << (A.timeline()->TrainsHere ? "training" : "this program")
      << verdictText(F.Is) << F.Gpu.Name << Need << formatBytes(F.Usable)
      << (F.UsableIsNominal ? "nominal" : "usable");
  noteBreakdown(A, F, At);
  noteOwners(A);
  noteBatch(A, F);
  noteWaysOut(A, F, At);
}

/// "kept for backward 17.5 GiB, Adam state 1.03 GiB, …": largest first.
static std::string partsOf(const Analysis &A, const Peak &P) {
  std::vector<std::pair<int64_t, std::string>> Parts;
  std::string Optimizer = trainingMultiple(*A.trace()).Optimizer;
  const TargetConfig &Torch = A.options().Program.Target;
  for (unsigned I = 0; I < HoldingCount; ++I) {
    auto H = static_cast<Holding>(I);
    if (P.By[I] <= 0)
      continue;
    std::string Name = H == Holding::OptimizerState && !Optimizer.empty()
                           ? Optimizer + " state"
                           : holdingName(H).str();
    std::string Text = Name + " " + formatBytes(Bytes{P.By[I]});
    if (H == Holding::Gradients && P.Iteration > 1 && !Torch.atLeast(2, 0))
      Text += " (zero_grad() keeps them in LibTorch " +
              std::to_string(Torch.TorchMajor) + "." +
              std::to_string(Torch.TorchMinor) + ")";
    Parts.push_back({P.By[I], Text});
  }
  llvm::sort(Parts, [](const auto &X, const auto &Y) {
    return X.first != Y.first ? X.first > Y.first : X.second < Y.second;
  });
  std::string Text;
  for (const auto &[Size, Part] : Parts)
    Text += (Text.empty() ? "" : ", ") + Part;
  return Text;
}

void VramOverflowCheck::noteBreakdown(const Analysis &A, const Fit &F,
                                      SourceLocation At) {
  const Peak &P = A.timeline()->Highest;
  std::string Text = "alive here";
  if (P.Iteration > 1)
    Text += " from iteration " + std::to_string(P.Iteration) + " on";
  Text += ": " + partsOf(A, P);
  bool Convolves = F.Parts.CudnnWorkspace.upper() > 0;
  Quantity More = F.Parts.Context;
  if (Convolves)
    More += F.Parts.CudnnWorkspace;
  Text += Convolves ? "; CUDA context and cuDNN workspaces add "
                    : "; the CUDA context adds ";
  Text += estimate(More.lower()) + " to " + estimate(More.upper());
  note(At, Text);
}

void VramOverflowCheck::noteOwners(const Analysis &A) {
  const Peak &P = A.timeline()->Highest;
  std::string Text;
  SourceLocation At;
  unsigned Count = 0;
  for (const Owner &O : P.ByModule) {
    if (O.Name.empty() || Count == 3)
      continue;
    if (At.isInvalid())
      At = A.locate(O.Pos);
    Text += (Count++ ? ", " : "") + O.Name.str();
    if (!O.ModuleClass.empty())
      Text += " " + O.ModuleClass.str();
    Text += " " + formatBytes(Bytes{O.SizeBytes});
  }
  if (!Count)
    for (const Owner &O : P.ByLine) {
      if (Count == 3)
        break;
      if (At.isInvalid())
        At = A.locate(O.Pos);
      Text += (Count++ ? ", line " : "line ") + std::to_string(O.Pos.Line) +
              " " + formatBytes(Bytes{O.SizeBytes});
    }
  if (Count && At.isValid())
    note(At, "largest owners: " + Text);
}

void VramOverflowCheck::noteBatch(const Analysis &A, const Fit &F) {
  BatchSearch *Search = A.batchSearch();
  const Assumption *Batch = A.assumption("batch");
  if (!Search)
    return;
  BatchCost Cost = Search->cost();
  BatchLimit Limit = Search->largest(F.Gpu);
  if (!Cost.Known && !Limit.Known)
    return;
  std::string Text = "batch " + std::to_string(*A.batch());
  SourceLocation At = Batch ? A.locate(Batch->Pos) : SourceLocation();
  Text += At.isValid() ? " is set here" : " is assumed";
  if (Cost.Known)
    Text += "; each sample costs " + formatBytes(Bytes{Cost.PerSampleBytes}) +
            ", the rest " + formatBytes(Bytes{Cost.RestBytes});
  if (Limit.Known) {
    Text += Limit.Sure ? "; batch " + std::to_string(Limit.Sure) +
                             " fits for certain"
                       : "; no batch fits for certain";
    if (Limit.Possible > Limit.Sure)
      Text += ", up to " + std::to_string(Limit.Possible) + " may fit";
    if (A.timeline()->TrainsHere && Limit.Sure && Limit.Sure < *A.batch())
      Text += "; gradients of several such batches can be added up before each step";
  }
  if (At.isInvalid())
    At = A.findingLocation(*A.trace(), A.timeline()->Highest.Stack, true);
  note(At, Text);
}

void VramOverflowCheck::noteWaysOut(const Analysis &A, const Fit &F,
                                    SourceLocation At) {
  std::string Enough, NotEnough, NoHelp;
  for (const WayOut &W : findWaysOut(A, F)) {
    std::string &Text = W.Fits ? Enough : W.LessBytes ? NotEnough : NoHelp;
    Text += (Text.empty() ? "" : "; ") + W.What;
    if (W.Fits)
      Text += " " + estimate(W.NeedBytes);
    else if (W.LessBytes)
      Text += " -" + formatBytes(Bytes{W.LessBytes});
  }
  if (!Enough.empty())
    note(At, "would fit: " + Enough);
  if (!NotEnough.empty())
    note(At, "would not be enough alone: " + NotEnough);
  if (!NoHelp.empty())
    note(At, "would save nothing at the peak: " + NoHelp);
}

} // namespace vramlint
