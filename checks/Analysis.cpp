//===- checks/Analysis.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See Analysis.h.

#include "checks/Analysis.h"
#include "checks/GrowingMemory.h"
#include "checks/RecurrentState.h"
#include "checks/TorchNames.h"
#include "lib/torch/plugin/ArchiveStore.h"
#include "clang/AST/ASTContext.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Support/Path.h"

using namespace clang;

namespace vramlint {

static thread_local AnalysisScope *CurrentScope = nullptr;

AnalysisScope::AnalysisScope(AnalysisOptions Options)
    : Options(std::move(Options)), Outer(CurrentScope) {
  CurrentScope = this;
}
AnalysisScope::~AnalysisScope() { CurrentScope = Outer; }
AnalysisScope *AnalysisScope::current() { return CurrentScope; }

/// Where hosts other than the command line look for archives: beside the source
/// file, then in the compile command's folder, in which they run the compiler.
static std::shared_ptr<ArchiveStore> archivesNear(SourceManager &SM) {
  FileManager &Files = SM.getFileManager();
  std::vector<std::string> Dirs;
  if (OptionalFileEntryRef Main = SM.getFileEntryRefForID(SM.getMainFileID())) {
    llvm::SmallString<256> Path(Main->getName());
    Files.makeAbsolutePath(Path);
    Dirs.push_back(llvm::sys::path::parent_path(Path).str());
  }
  llvm::SmallString<256> Here(".");
  Files.makeAbsolutePath(Here);
  Dirs.push_back(Here.str().str());
  return std::make_shared<ArchiveStore>(
      DataFiles(Files.getVirtualFileSystemPtr(), std::move(Dirs)));
}

Analysis::Analysis(ASTContext &Context, AnalysisOptions Options)
    : Context(Context), Options(std::move(Options)) {
  if (!this->Options.Program.Archives)
    this->Options.Program.Archives = archivesNear(Context.getSourceManager());
}
Analysis::~Analysis() = default;

const UnitFacts &Analysis::unit() const {
  if (!Unit)
    Unit = std::make_unique<UnitFacts>(Context);
  return *Unit;
}

UnitView Analysis::view() const {
  return {&Context, Options.Sema, Options.OwnHeadersInPreamble};
}

std::shared_ptr<const Trace> Analysis::trace() const {
  if (!TheTrace)
    TheTrace = runProgram(view(), Options.Others, Options.Program);
  if (!TheTrace)
    TheTrace = std::make_shared<Trace>();
  return TheTrace;
}

std::shared_ptr<const ClassView> Analysis::classes() const {
  return viewClasses(view(), Options.Others, Options.Program, *trace());
}

std::shared_ptr<const Timeline> Analysis::timeline() const {
  if (!TheTimeline)
    TheTimeline = std::make_shared<Timeline>(
        computeTimeline(trace(), DeviceKind::CUDA));
  return TheTimeline;
}

std::shared_ptr<const Timeline> Analysis::hostTimeline() const {
  if (!TheHostTimeline)
    TheHostTimeline = std::make_shared<Timeline>(
        computeTimeline(trace(), DeviceKind::CPU));
  return TheHostTimeline;
}

const std::vector<Growing> &Analysis::growingLoops() const {
  if (!Growth)
    Growth = std::make_unique<const std::vector<Growing>>(findGrowingLoops(*this));
  return *Growth;
}

const std::vector<CarriedState> &Analysis::carriedStates() const {
  if (!States)
    States = std::make_unique<const std::vector<CarriedState>>(findCarriedStates(*this));
  return *States;
}

const Fit &Analysis::fit(const GpuSpec &Gpu) const {
  auto It = Fits.find(Gpu.Id);
  if (It == Fits.end())
    It = Fits.try_emplace(Gpu.Id, computeFit(*timeline(), Gpu, Options.Fit))
             .first;
  return It->second;
}

std::shared_ptr<const Timeline>
Analysis::rerun(const ProgramOptions &Program) const {
  auto T = runProgram(view(), Options.Others, Program);
  // What LibTorch then refuses is no program.
  if (!T || T->Entry.empty() || T->Failures.size() > trace()->Failures.size())
    return nullptr;
  return std::make_shared<Timeline>(computeTimeline(T, DeviceKind::CUDA));
}

const Assumption *Analysis::assumption(llvm::StringRef What) const {
  for (const Assumption &A : trace()->Assumptions)
    if (A.What == What)
      return &A;
  return nullptr;
}

std::optional<int64_t> Analysis::batch() const {
  if (Options.Program.Batch)
    return Options.Program.Batch;
  int64_t N;
  if (const Assumption *A = assumption("batch"))
    if (!llvm::StringRef(A->Value).getAsInteger(10, N) && N > 0)
      return N;
  return std::nullopt;
}

BatchSearch *Analysis::batchSearch() const {
  if (Search)
    return Search.get();
  std::optional<int64_t> Batch = batch();
  if (!Batch)
    return nullptr;
  const Assumption *Told = assumption("batch");
  bool Made = Told && Told->From == MadeBatch;
  auto Run = [this, Made, Own = *Batch](int64_t N) {
    ProgramOptions P = Options.Program;
    P.Batch = N;
    if (Made)
      P.If.Batch = {P.If.Batch ? P.If.Batch->From : Own, N};
    return rerun(P);
  };
  Search = std::make_unique<BatchSearch>(Run, *Batch, timeline(), Options.Fit);
  return Search.get();
}

std::optional<Analysis::ImageSize> Analysis::imageSize() const {
  constexpr size_t Rank = 4, Smallest = 16; // N×C×H×W
  const ForwardCall *F = firstModelInput(*trace());
  if (!F || F->Inputs[0].Shape.size() != Rank)
    return std::nullopt;
  int64_t Height = F->Inputs[0].Shape[2], Width = F->Inputs[0].Shape[3];
  if (Height < int64_t(Smallest) || Width < int64_t(Smallest))
    return std::nullopt;
  SourcePos Pos;
  for (const NamedSize &N : trace()->ImageSizes)
    if (!Pos.isValid() && (N.Value == Height || N.Value == Width))
      Pos = N.Pos;
  return ImageSize{Height, Width, Pos};
}

SizeSearch *Analysis::sizeSearch() const {
  std::optional<ImageSize> Own = imageSize();
  if (!Sizes && Own) {
    auto Run = [this, Own = *Own](int64_t Side) -> std::shared_ptr<const Timeline> {
      ProgramOptions P = Options.Program;
      P.If.Size = WhatIf::Image{Own.Height, Own.Width, Side};
      std::shared_ptr<const Timeline> T = rerun(P);
      const ForwardCall *F = T ? firstModelInput(*T->Of) : nullptr;
      bool Changed = F && F->Inputs[0].Shape.size() > 2 && F->Inputs[0].Shape[2] == Side;
      return Changed ? T : nullptr;
    };
    Sizes = std::make_unique<SizeSearch>(Run, Own->Height, Own->Width, timeline(),
                                         Options.Fit);
  }
  return Sizes.get();
}

SourceLocation Analysis::locate(const SourcePos &Pos) const {
  if (!Pos.isValid())
    return {};
  SourceManager &SM = Context.getSourceManager();
  if (OptionalFileEntryRef Main =
          SM.getFileEntryRefForID(SM.getMainFileID());
      Main && Main->getName() == Pos.File)
    return SM.translateLineCol(SM.getMainFileID(), Pos.Line,
                               std::max(1u, Pos.Column));
  auto File = SM.getFileManager().getOptionalFileRef(Pos.File);
  if (!File)
    return {};
  return SM.translateFileLineCol(*File, Pos.Line, std::max(1u, Pos.Column));
}

SourcePos Analysis::posOf(SourceLocation Loc) const {
  if (Loc.isInvalid())
    return {};
  const SourceManager &SM = Context.getSourceManager();
  Loc = SM.getFileLoc(Loc);
  return {intern(SM.getFilename(Loc)), SM.getSpellingLineNumber(Loc),
          SM.getSpellingColumnNumber(Loc)};
}

SourceLocation Analysis::ownLocation(const Trace &T, StackId Stack) const {
  if (Stack >= T.Stacks.size())
    return {};
  for (const Frame &F : llvm::reverse(T.Stacks[Stack]))
    if (SourceLocation L = locate(F.Pos);
        isProjectCode(L, Context.getSourceManager()))
      return L;
  return {};
}

std::vector<const ForwardCall *> Analysis::forwardsOf(const ForwardSite &S) const {
  std::shared_ptr<const Trace> T = trace();
  SourcePos Pos = posOf(S.Loc);
  auto There = [&](const SourcePos &At) {
    return At.Line == Pos.Line && At.File == Pos.File;
  };
  std::vector<const ForwardCall *> Calls;
  for (const ForwardCall &F : T->Forwards)
    if (S.Through ? F.Stack < T->Stacks.size() &&
                        llvm::any_of(T->Stacks[F.Stack],
                                     [&](const Frame &At) { return There(posOf(locate(At.Pos))); })
                  : There(posOf(ownLocation(*T, F.Stack))))
      Calls.push_back(&F);
  return Calls;
}

SourceLocation Analysis::findingLocation(const Trace &T, StackId Stack,
                                         bool InMainFile) const {
  const SourceManager &SM = Context.getSourceManager();
  SourceLocation Inner = ownLocation(T, Stack);
  bool HereToo = Options.FindingsInHeaders || (Inner.isValid() && SM.isInMainFile(Inner));
  if (Stack >= T.Stacks.size() || (HereToo && !InMainFile))
    return Inner;
  for (const Frame &F : T.Stacks[Stack])
    if (SourceLocation L = locate(F.Pos); L.isValid() && SM.isInMainFile(L))
      return L;
  return Inner;
}

} // namespace vramlint
