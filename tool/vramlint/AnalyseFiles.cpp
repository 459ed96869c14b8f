//===- tool/vramlint/AnalyseFiles.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// All files of the command line.
//
//   names ─► per file: result kept? ─► print it
//              └─ no: analyse, keep ─► print it     (--jobs: in several
//              processes)

#include "tool/vramlint/AnalyseFiles.h"

#include "tool/vramlint/InputFiles.h"
#include "tool/vramlint/Jobs.h"
#include "tool/vramlint/Lists.h"
#include "tool/vramlint/Output.h"
#include "tool/vramlint/ResultCache.h"
#include <atomic>
#include <sys/mman.h>

namespace vramlint::tool {

/// What there is of a file that can't be analysed.
static FileOutput problemOf(const InputFile &File, const CommandLine &C,
                            Output &Out) {
  FileResult R;
  R.Report.File = File.Name;
  R.Report.Problem = File.Problem;
  return render(R, C, Out.sources(), Out.paths());
}

namespace {

/// All that one process needs to do files; each process has its own.
class FileWorker {
public:
  FileWorker(const CommandLine &C, const GpuCatalog &Catalog, Analyser::Setup S,
             RecordingFileSystem &Shared, Output &Out)
      : C(C), Out(Out),
        Own(new RecordingFileSystem(llvm::vfs::createPhysicalFileSystem())),
        Salt(saltOf(S)), Analyse(C, Catalog, withOwn(std::move(S), Own)),
        Results(C, Analyse.headers(), Salt, Shared, *Own) {}

  FileOutput run(const InputFile &File) {
    if (!File.Problem.empty())
      return problemOf(File, C, Out);
    if (std::optional<FileOutput> Kept = Results.find(File.Name))
      return std::move(*Kept);
    Results.begin();
    FileResult R = Analyse.run(File.Name);
    FileOutput O = render(R, C, Out.sources(), Out.paths());
    if (R.Report.Is == report::FileOutcome::State::Analysed && R.isRepeatable())
      Results.keep(File.Name, O);
    return O;
  }

private:
  static std::string saltOf(const Analyser::Setup &S) {
    std::string Salt = S.Colors ? "colours" : "";
    for (const GpuSpec &Gpu : S.Gpus) // `native` is this machine's.
      Salt += " " + Gpu.Id.str();
    for (const std::string &Name : S.Files)
      Salt += '\n' + Name;
    return Salt;
  }
  static Analyser::Setup withOwn(Analyser::Setup S, FileSystemPtr Own) {
    S.FS = std::move(Own);
    return S;
  }

  const CommandLine &C;
  Output &Out;
  llvm::IntrusiveRefCntPtr<RecordingFileSystem> Own;
  std::string Salt;
  Analyser Analyse;
  ResultCache Results;
};

} // namespace

/// A flag that all processes forked from here on share: the first one to ask
/// for it gets it.
static std::function<bool()> makeOnce() {
  void *Page = mmap(nullptr, sizeof(std::atomic_flag), PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (Page == MAP_FAILED)
    return [] { return true; };
  auto *Flag = new (Page) std::atomic_flag();
  return [Flag] { return !Flag->test_and_set(); };
}

int analyseFiles(const CommandLine &C, const GpuCatalog &Catalog,
                 Analyser::Setup S,
                 llvm::IntrusiveRefCntPtr<RecordingFileSystem> Shared) {
  Output Out(C, *llvm::vfs::getRealFileSystem());
  if (llvm::Error E = Out.readFilters())
    return complain(llvm::toString(std::move(E)));
  std::vector<InputFile> Files =
      expandInputs(*llvm::vfs::getRealFileSystem(), C.Files);
  for (const InputFile &File : Files)
    if (File.Problem.empty())
      S.Files.push_back(File.Name);
  S.Colors = Out.color();
  S.SharedFS = Shared;
  S.Say = [First = makeOnce()](llvm::StringRef Text) {
    if (First())
      llvm::errs() << Text << '\n';
  };
  Out.expect(Files.size());
  if (C.Jobs == 1 || Files.size() < 2) {
    FileWorker Worker(C, Catalog, std::move(S), *Shared, Out);
    for (const InputFile &File : Files) {
      Out.started(File.Name);
      Out.file(Worker.run(File));
    }
    return Out.finish();
  }
  JobCallbacks On;
  On.MakeWorker = [&]() -> Worker {
    auto Work = std::make_shared<FileWorker>(C, Catalog, S, *Shared, Out);
    return [&, Work](size_t I) { return pack(Work->run(Files[I])); };
  };
  On.Started = [&](size_t I) { Out.started(Files[I].Name); };
  On.Done = [&](size_t I, std::optional<std::string> Packed) {
    std::optional<FileOutput> O = Packed ? unpack(*Packed) : std::nullopt;
    if (!O)
      O = problemOf({Files[I].Name, "the analysis crashed; this is our bug"}, C,
                    Out);
    Out.file(std::move(*O));
  };
  runJobs(Files.size(), C.Jobs, On);
  return Out.finish();
}

} // namespace vramlint::tool
