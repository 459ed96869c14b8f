//===- tool/vramlint/Analyser.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// One file from its name to what reports show: flags, AST, checks, trace,
// timeline, fits. Whatever goes wrong stays with the file.

#pragma once

#include "lib/frontend/Frontend.h"
#include "lib/frontend/PreambleCache.h"
#include "lib/gpu/FitTable.h"
#include "lib/gpu/GpuCatalog.h"
#include "lib/memory/LineTable.h"
#include "lib/report/RunFacts.h"
#include "lib/torch/Program.h"
#include "lib/torch/plugin/ArchiveStore.h"
#include "tool/vramlint/CommandLine.h"
#include <memory>
#include <string>
#include <vector>

namespace vramlint {
class Analysis;
}

namespace vramlint::tool {

struct FileResult {
  report::FileReport Report;
  std::vector<std::string> CompilerText; ///< The compiler's errors, with carets.
  std::string FlagsNote;                 ///< How flags were chosen for the user.
  std::vector<FitRow> Rows;              ///< `fit`
  LineTable Lines;                       ///< `annotate`
  std::string Dump;                      ///< --dump-…, `calibrate`

  /// False where a limit of time cut the run short: another may get further.
  bool isRepeatable() const;
};

class Analyser {
public:
  using ArchiveMap = std::map<std::string, KnownArchive>;

  struct Setup {
    std::vector<GpuSpec> Gpus;         ///< Those of --gpu.
    ArchiveMap Archives;               ///< Those of --archive.
    std::vector<Calibration> Measured; ///< Those of --calibration.
    std::vector<std::string> Files;    ///< All that are named; bodies are looked for
                                       ///< there first.
    bool Colors = false;
    /// By which one file and what it includes are read; what is read for all, as
    /// compile databases, goes by \p SharedFS.
    FileSystemPtr FS, SharedFS;
    std::function<void(llvm::StringRef)> Say; ///< What takes long, while it does.
  };
  Analyser(const CommandLine &C, const GpuCatalog &Catalog, Setup S);
  ~Analyser();

  FileResult run(const std::string &File);
  PreambleCache &headers() { return Cache; }

private:
  bool findCommand(const std::string &File, FileResult &R,
                   CompileCommand &Command);
  void runUnit(const CompileCommand &Command, FileResult &R);
  void judge(const Analysis &A, FileResult &R);
  void judgeGpus(const Analysis &A, FileResult &R);
  void dump(FileResult &R) const;
  ProgramOptions programOptions(const CompileCommand &Command) const;

  const CommandLine &C;
  const GpuCatalog &Catalog;
  Setup S;
  FileSystemPtr FS;
  FlagFinder Finder;
  PreambleCache Cache;
};

/// "dir/.clang-tidy:7": where torch.Gpu is set for \p File; "" if nowhere.
std::string gpuConfigPlace(llvm::vfs::FileSystem &FS, llvm::StringRef File);

/// `checks FILE`: the checks that are on for each file.
int listActiveChecks(const CommandLine &C, llvm::raw_ostream &OS);

} // namespace vramlint::tool
