//===- tool/vramlint/Analyser.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// One file from its name to what reports show.
//
//   name ─► flags ─► reaches LibTorch? ─► AST ─► checks ─► trace, timeline
//             │            └─ no: "no LibTorch code"  └─► fits, tables
//             └─ each step may end with a problem, which is the file's result

#include "tool/vramlint/Analyser.h"

#include "checks/Analysis.h"
#include "checks/RunChecks.h"
#include "lib/frontend/IncludeScan.h"
#include "lib/frontend/ProjectIndex.h"
#include "lib/memory/Statements.h"
#include "lib/torch/Tensor.h"
#include "tool/vramlint/Calibrate.h"
#include "tool/vramlint/Lists.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Path.h"

namespace vramlint::tool {

using report::FileReport;

static PreambleCacheOptions cacheOptions(const CommandLine &C, const Analyser::Setup &S) {
  PreambleCacheOptions Options;
  Options.Dir = C.CacheDir;
  if (!C.Quiet)
    Options.Say = S.Say;
  return Options;
}

bool FileResult::isRepeatable() const {
  auto Whole = [](const std::shared_ptr<const Trace> &T) { return !T || T->Complete; };
  return Whole(Report.Run) && (!Report.Classes || Whole(Report.Classes->Run));
}

static FlagOptions flagOptions(const CommandLine &C, FileSystemPtr FS) {
  FlagOptions Options;
  Options.BuildDir = C.BuildDir;
  Options.Flags = C.Flags;
  Options.FS = std::move(FS);
  return Options;
}

Analyser::Analyser(const CommandLine &C, const GpuCatalog &Catalog, Setup Given)
    : C(C), Catalog(Catalog), S(std::move(Given)), FS(S.FS),
      Finder(flagOptions(C, S.SharedFS)), Cache(cacheOptions(C, S)) {}

Analyser::~Analyser() = default;

/// The error's text, without the file that the line is about anyway.
static std::string problemText(llvm::Error E, llvm::StringRef Path) {
  std::string Text = llvm::toString(std::move(E));
  llvm::StringRef Rest = Text;
  if (Rest.consume_front(Path) && Rest.consume_front(": "))
    return Rest.str();
  return Text;
}

FileResult Analyser::run(const std::string &File) {
  FileResult R;
  R.Report.File = File;
  CompileCommand Command;
  if (!findCommand(File, R, Command))
    return R;
  if (llvm::Error E =
          runGuarded("analysing it", [&] { runUnit(Command, R); })) {
    R.Report.Is = FileReport::State::NotAnalysed;
    R.Report.Problem = llvm::toString(std::move(E));
  }
  return R;
}

bool Analyser::findCommand(const std::string &File, FileResult &R,
                           CompileCommand &Command) {
  llvm::Expected<CompileCommand> Found = Finder.commandFor(absolutePath(File));
  if (!Found) {
    R.Report.Problem = problemText(Found.takeError(), absolutePath(File));
    return false;
  }
  Command = std::move(*Found);
  R.FlagsNote = Command.Note;
  if (Command.Torch)
    R.Report.On.TorchVersion = Command.Torch->version();
  R.Report.On.Device = C.Device;
  R.Report.On.OneDNN = C.OneDNN;
  llvm::Expected<bool> Reaches = reachesTorch(*FS, Command);
  if (!Reaches) {
    R.Report.Problem = problemText(Reaches.takeError(), Command.File);
    return false;
  }
  if (!*Reaches) {
    R.Report.Is = FileReport::State::NoTorch;
    return false;
  }
  if (!Command.Torch) {
    R.Report.Problem =
        "no LibTorch found; install libtorch-dev, set CMAKE_PREFIX_PATH or "
        "Torch_DIR, or give its include folders after --";
    return false;
  }
  // An older one stops at an option that it does not know.
  if (C.Allocator.ExpandableSegments && !Command.Torch->atLeast(2, 1)) {
    R.Report.Problem = "--alloc-conf expandable_segments: LibTorch " +
                       Command.Torch->version() + " has none (from 2.1 on)";
    return false;
  }
  return true;
}

/// Whether it is CUDA's headers that are at fault: none are here, or those of a release
/// that clang does not know.
static bool lacksCuda(const Unit &U, llvm::vfs::FileSystem &FS) {
  llvm::StringRef Extension = llvm::sys::path::extension(U.command().File);
  if (Extension != ".cu" && Extension != ".cuh")
    return false;
  return !FS.exists("/usr/local/cuda/include/cuda.h") ||
         llvm::any_of(U.diagnostics(), [](const CompilerDiagnostic &D) {
           return D.Pos.File.ends_with("__clang_cuda_runtime_wrapper.h");
         });
}

/// The compiler's errors as findings, for JSON; text shows clang's own.
static void reportErrors(const Unit &U, llvm::vfs::FileSystem &FS, FileResult &R) {
  std::string Missing;
  for (const CompilerDiagnostic &D : U.diagnostics()) {
    R.CompilerText.push_back(D.Text);
    if (Missing.empty())
      Missing = D.MissingHeader;
    if (!D.IsError && !R.Report.Findings.empty()) {
      R.Report.Findings.back().Notes.push_back({D.Pos, D.Message, {}});
      continue;
    }
    Finding F;
    F.Check = "clang-diagnostic-error";
    F.Level = Severity::Error;
    F.Pos = D.Pos;
    F.Message = D.Message;
    R.Report.Findings.push_back(std::move(F));
  }
  R.Report.Is = FileReport::State::NotAnalysed;
  if (lacksCuda(U, FS))
    R.Report.Problem = "a CUDA source, and no CUDA toolkit is here that clang " +
                       std::to_string(LLVM_VERSION_MAJOR) +
                       " can read (--cuda-path=DIR after -- names one)";
  else if (!Missing.empty())
    R.Report.Problem = explainMissingHeader(Missing);
}

ProgramOptions Analyser::programOptions(const CompileCommand &Command) const {
  ProgramOptions P;
  P.Target.Target = C.Device;
  P.Target.OneDNN = C.OneDNN;
  if (Command.Torch) {
    P.Target.TorchMajor = Command.Torch->Major;
    P.Target.TorchMinor = Command.Torch->Minor;
  }
  P.Args = C.Args;
  P.Set = C.Set;
  P.Batch = C.Batch;
  P.Optimizer = C.Optimizer;
  if (C.Precision)
    P.Precision = parseDType(*C.Precision);
  P.Stated = C.Stated;
  DataFiles Beside(FS, {llvm::sys::path::parent_path(Command.File).str(),
                        Command.Directory, absolutePath(".")});
  P.Archives = std::make_shared<ArchiveStore>(std::move(Beside), S.Archives);
  P.GccOrder = Command.Compiler == HostCompiler::Gcc;
  return P;
}

void Analyser::runUnit(const CompileCommand &Command, FileResult &R) {
  FrontendOptions Options;
  Options.FS = FS;
  Options.Cache = &Cache;
  Options.Colors = S.Colors;
  llvm::Expected<std::unique_ptr<Unit>> Loaded = loadUnit(Command, Options);
  if (!Loaded) {
    R.Report.Problem = problemText(Loaded.takeError(), Command.File);
    return;
  }
  Unit &U = **Loaded;
  if (U.hasErrors())
    return reportErrors(U, *FS, R);
  ProjectIndexOptions Index;
  Index.Files = S.Files;
  ProjectIndex Others(Finder, Options, Index);
  Others.addUnit(U);
  CheckOptions Checks;
  Checks.Config.Checks = C.Checks;
  Checks.Config.Profile = C.Profile;
  Checks.Config.FS = FS;
  Checks.Analysis.Program = programOptions(Command);
  Checks.Analysis.VersionTold = Command.Torch.has_value();
  Checks.Analysis.Gpus = S.Gpus;
  Checks.Analysis.Catalog = &Catalog;
  Checks.Analysis.Fit.ReserveBytes = C.ReserveBytes;
  Checks.Analysis.Fit.ContextBytes = C.ContextBytes;
  Checks.Analysis.Fit.CudnnWorkspaceBytes = C.CudnnWorkspaceBytes;
  Checks.Analysis.Fit.Allocator = C.Allocator;
  Checks.Analysis.Fit.Measured = S.Measured;
  Checks.Analysis.HostMemoryBytes = C.HostMemoryBytes;
  Checks.Analysis.Others = &Others;
  std::shared_ptr<const Analysis> Facts;
  if (C.What == Verb::Check && !C.dumps()) {
    llvm::Expected<CheckResult> Result = runChecks(U, Checks);
    if (!Result) {
      R.Report.Problem = llvm::toString(Result.takeError());
      return;
    }
    R.Report.Findings = std::move(Result->Findings);
    Facts = Result->Facts;
  }
  if (!Facts) {
    llvm::Expected<std::shared_ptr<const Analysis>> Made =
        makeAnalysis(U, Checks);
    if (!Made) {
      R.Report.Problem = llvm::toString(Made.takeError());
      return;
    }
    Facts = *Made;
  }
  R.Report.Is = FileReport::State::Analysed;
  judge(*Facts, R);
}

/// "no main; Net and Block need constructor arguments", or nothing.
static std::string classesNotBuilt(const Trace &T) {
  static constexpr size_t MaxNames = 3;
  std::string Text;
  for (size_t I = 0; I < T.Unknowns.size() && I < MaxNames; ++I)
    Text += (I ? ", " : "") + T.Unknowns[I].What;
  if (T.Unknowns.size() > MaxNames)
    Text += " and " + std::to_string(T.Unknowns.size() - MaxNames) + " more";
  if (Text.empty())
    return Text;
  return "no main; " + Text + (T.Unknowns.size() > 1 ? " need" : " needs") +
         " constructor arguments";
}

void Analyser::judge(const Analysis &A, FileResult &R) {
  std::shared_ptr<const Trace> Run = A.trace();
  if (C.What == Verb::Summary || C.What == Verb::Diff)
    R.Report.Classes = A.classes();
  if (Run->Entry.empty() && Run->Modules.empty()) {
    // Nothing to run: findings on the text are all there is.
    R.Report.Problem = classesNotBuilt(*Run);
    return;
  }
  R.Report.Run = Run;
  R.Report.Line = C.Device == DeviceKind::CUDA ? A.timeline() : A.hostTimeline();
  if (C.What == Verb::Annotate)
    R.Lines = computeLineTable(*R.Report.Line);
  if (C.What == Verb::Calibrate)
    R.Dump = calibrationProgram(R.Report.File, *R.Report.Line, A.options().Fit);
  if (C.HostMemoryBytes)
    R.Report.Host = report::HostVerdict{*C.HostMemoryBytes, A.hostTimeline()->Live};
  if (C.Device == DeviceKind::CUDA && C.What != Verb::Calibrate)
    judgeGpus(A, R);
  if (C.dumps())
    dump(R);
}

/// Without a TorchScript module's weights only "does not fit" can be said.
static void capVerdict(const Trace &T, Fit &F) {
  if (report::jitModule(T) && F.Is != Verdict::DoesNotFit)
    F.Is = Verdict::NotJudged;
}

void Analyser::judgeGpus(const Analysis &A, FileResult &R) {
  const Timeline &Line = *R.Report.Line;
  const FitOptions &Options = A.options().Fit;
  const Trace &Run = *R.Report.Run;
  bool Known = !Line.Live.isUnknown() && !report::jitModule(Run);
  BatchSearch *Search = Known && !C.dumps() ? A.batchSearch() : nullptr;
  if (C.What == Verb::Fit) {
    std::vector<const GpuSpec *> Rows;
    for (const GpuSpec &Gpu : A.gpus())
      Rows.push_back(&Gpu);
    if (C.Gpus.empty())
      Rows = Catalog.matching("");
    R.Rows = fitTable(Line, Rows, Options, Search, Known ? A.sizeSearch() : nullptr);
    for (FitRow &Row : R.Rows)
      capVerdict(Run, Row.Result);
    return;
  }
  for (const GpuSpec &Gpu : A.gpus()) {
    report::GpuVerdict V;
    V.Result = A.fit(Gpu);
    capVerdict(Run, V.Result);
    V.From = S.Gpus.empty() ? gpuConfigPlace(*FS, R.Report.File) : "--gpu";
    if (Search && C.What == Verb::Check)
      V.Batch = Search->largest(Gpu);
    R.Report.FitNotJudged |= V.Result.Is == Verdict::NotJudged;
    R.Report.Gpus.push_back(std::move(V));
  }
  if (A.gpus().empty() && Known) {
    SmallestFit Smallest = smallestFit(Line, Catalog, Options);
    if (Smallest.Any)
      R.Report.SmallestGpu = Smallest.Any->Name.str();
  }
}

void Analyser::dump(FileResult &R) const {
  llvm::raw_string_ostream OS(R.Dump);
  if (C.DumpTrace)
    printTrace(*R.Report.Run, OS);
  if (C.DumpTimeline)
    printTimeline(*R.Report.Line, OS);
  if (C.DumpStatements)
    printStatements(*R.Report.Line, OS);
  if (C.DumpFit)
    for (const report::GpuVerdict &G : R.Report.Gpus)
      printFit(G.Result, OS);
}

std::string gpuConfigPlace(llvm::vfs::FileSystem &FS, llvm::StringRef File) {
  std::string Path = absolutePath(File);
  std::string Here = absolutePath(".");
  for (llvm::StringRef Dir = llvm::sys::path::parent_path(Path); !Dir.empty();
       Dir = llvm::sys::path::parent_path(Dir)) {
    llvm::SmallString<128> Config(Dir);
    llvm::sys::path::append(Config, ".clang-tidy");
    auto Text = FS.getBufferForFile(Config);
    if (!Text)
      continue;
    size_t At = (*Text)->getBuffer().find("torch.Gpu");
    if (At == llvm::StringRef::npos)
      continue;
    unsigned Line = (*Text)->getBuffer().take_front(At).count('\n') + 1;
    report::PathPrinter Paths(Here);
    return Paths.file(Config) + ":" + std::to_string(Line);
  }
  return ".clang-tidy";
}

int listActiveChecks(const CommandLine &C, llvm::raw_ostream &OS) {
  for (const std::string &File : C.Files) {
    ConfigOptions Config;
    Config.Checks = C.Checks;
    Config.Profile = C.Profile;
    Config.FS = llvm::vfs::getRealFileSystem();
    llvm::Expected<std::vector<std::string>> Active =
        activeChecksFor(absolutePath(File), Config);
    if (!Active)
      return complain(llvm::toString(Active.takeError()));
    if (C.Files.size() > 1)
      OS << File << ":\n";
    for (const std::string &Name : *Active)
      OS << Name << '\n';
  }
  return 0;
}

} // namespace vramlint::tool
