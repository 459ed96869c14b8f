//===- tool/vramlint/Main.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// vramlint's command line: reads the options, hands each file to the analyser
// and what it finds to the report of the format asked for.

#include "lib/gpu/Calibration.h"
#include "lib/gpu/NativeGpu.h"
#include "tool/vramlint/AnalyseFiles.h"
#include "tool/vramlint/Completion.h"
#include "tool/vramlint/Config.h"
#include "tool/vramlint/Diff.h"
#include "tool/vramlint/Lists.h"
#include "llvm/Support/Compiler.h"
#include "llvm/Support/InitLLVM.h"

using namespace vramlint;
using namespace vramlint::tool;

/// The GPUs of --gpu, each named once.
static llvm::Expected<std::vector<GpuSpec>>
findGpus(const CommandLine &C, const GpuCatalog &Catalog) {
  std::vector<GpuSpec> Gpus;
  for (const std::string &Name : C.Gpus) {
    GpuSpec Found;
    if (llvm::StringRef(Name).equals_insensitive("native")) {
      llvm::Expected<GpuSpec> Native = findNativeGpu(Catalog);
      if (!Native)
        return Native.takeError();
      Found = *Native;
    } else {
      llvm::Expected<const GpuSpec *> Spec = Catalog.find(Name);
      if (!Spec)
        return Spec.takeError();
      Found = **Spec;
    }
    if (llvm::none_of(Gpus, [&](const GpuSpec &G) { return G.Id == Found.Id; }))
      Gpus.push_back(Found);
  }
  return Gpus;
}

/// The files of --archive, which must be right.
static llvm::Expected<Analyser::ArchiveMap> readArchives(const CommandLine &C,
                                                         FileSystemPtr FS) {
  DataFiles Files(std::move(FS), {});
  Analyser::ArchiveMap Archives;
  for (const auto &[Name, Path] : C.Archives) {
    KnownArchive A = readArchiveFile(Files, Path);
    if (!A.Contents)
      return llvm::createStringError("--archive: " + Path + ": " + A.Problem);
    Archives[Name] = std::move(A);
  }
  return Archives;
}

/// The files of --calibration, which must be right.
static llvm::Expected<std::vector<Calibration>>
readCalibrations(const CommandLine &C, const GpuCatalog &Catalog,
                 llvm::vfs::FileSystem &FS) {
  std::vector<Calibration> All;
  for (const std::string &Path : C.Calibrations) {
    auto Text = FS.getBufferForFile(Path);
    if (!Text)
      return llvm::createStringError("--calibration: " + Path + ": " +
                                     Text.getError().message());
    llvm::Expected<Calibration> One =
        parseCalibration((*Text)->getBuffer(), Path, Catalog);
    if (!One)
      return One.takeError();
    All.push_back(*One);
  }
  return All;
}

int main(int Argc, char **Argv) {
  llvm::InitLLVM Init(Argc, Argv);
  llvm::Expected<CommandLine> C =
      parseCommandLine({Argv + 1, static_cast<size_t>(Argc - 1)});
  if (!C)
    return complain(llvm::toString(C.takeError()));
  if (C->Help) {
    printHelp(llvm::outs());
    return 0;
  }
  if (!C->Completion.empty()) {
    printCompletion(C->Completion, llvm::outs());
    return 0;
  }
  if (C->ManPage) {
    printManPage(versionText(), llvm::outs());
    return 0;
  }
  if (C->Version)
    return printVersion(*C, llvm::outs());
  GpuCatalog Catalog = GpuCatalog::withBuiltin();
  // What is read from here on is read for all files.
  llvm::IntrusiveRefCntPtr<RecordingFileSystem> FS(
      new RecordingFileSystem(llvm::vfs::createPhysicalFileSystem()));
  if (!C->GpuSpecsDir.empty())
    if (llvm::Error E = Catalog.addDirectory(*FS, C->GpuSpecsDir))
      return complain(llvm::toString(std::move(E)));
  switch (C->What) {
  case Verb::Gpus:
    return listGpus(*C, Catalog, llvm::outs());
  case Verb::Config:
    return showConfig(*C, llvm::outs());
  case Verb::Explain:
    return explainCheck(C->Files.front(), llvm::outs());
  case Verb::Checks:
    if (C->Files.empty())
      return listChecks(*C, llvm::outs());
    break;
  default:
    break;
  }
  llvm::Expected<std::vector<GpuSpec>> Gpus = findGpus(*C, Catalog);
  if (!Gpus)
    return complain(llvm::toString(Gpus.takeError()));
  if (C->What == Verb::Checks)
    return listActiveChecks(*C, llvm::outs());
  llvm::Expected<Analyser::ArchiveMap> Archives = readArchives(*C, FS);
  if (!Archives)
    return complain(llvm::toString(Archives.takeError()));
  llvm::Expected<std::vector<Calibration>> Measured = readCalibrations(*C, Catalog, *FS);
  if (!Measured)
    return complain(llvm::toString(Measured.takeError()));
  Analyser::Setup S;
  S.Gpus = std::move(*Gpus);
  S.Archives = std::move(*Archives);
  S.Measured = std::move(*Measured);
  if (C->What == Verb::Diff)
    return showDiff(*C, Catalog, std::move(S));
  return analyseFiles(*C, Catalog, std::move(S), FS);
}

#if LLVM_ADDRESS_SANITIZER_BUILD
/// As in ./x, for a sanitizer build that is started by hand.
extern "C" const char *__asan_default_options() {
  return "detect_leaks=0:allow_user_poisoning=0";
}
#endif
