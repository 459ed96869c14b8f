//===- tool/vramlint/CommandLine.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The command line: verbs, options and what follows "--". One table holds the
// options; --help and the suggestions for misspelt ones derive from it.

#pragma once

#include "lib/memory/AllocatorCuda.h"
#include "lib/torch/Stated.h"
#include "lib/torch/Trace.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace vramlint::tool {

enum class Verb {
  Check,
  Summary,
  Annotate,
  Fit,
  Calibrate,
  Gpus,
  Checks,
  Explain,
  Config,
  Diff
};
enum class Format { Text, Json, Sarif, Github, Gitlab, Markdown };
enum class ColorWhen { Auto, Always, Never };

struct CommandLine {
  Verb What = Verb::Check;
  std::vector<std::string> Files; ///< Or the verb's other arguments.
  bool Help = false, Version = false, ManPage = false;
  std::string Completion; ///< "bash", "zsh" or "fish".

  std::vector<std::string> Gpus; ///< As typed.
  std::string GpuSpecsDir;
  int64_t ReserveBytes = 0;
  std::optional<int64_t> ContextBytes, CudnnWorkspaceBytes, HostMemoryBytes;
  AllocatorConf Allocator;
  std::vector<std::string> Calibrations; ///< Files.
  DeviceKind Device = DeviceKind::CUDA;
  bool OneDNN = false; ///< On the CPU.
  std::optional<int64_t> Batch;
  std::optional<std::string> Optimizer, Precision;
  std::optional<std::vector<std::string>> Args;
  std::map<std::string, std::string> Set;
  StatedModels Stated; ///< --construct and --input.
  std::map<std::string, std::string> Archives; ///< Path by name in the program.
  bool RequireKnown = false;

  std::string BuildDir;
  std::optional<std::vector<std::string>> Flags; ///< What stood after "--".
  std::string Baseline; ///< File of known findings.
  bool WriteBaseline = false;
  std::vector<std::string> Lines; ///< "FILE:A-B,…"
  std::string DiffRev;
  std::string Checks;                            ///< Appended to .clang-tidy's.
  std::string Profile;
  std::string CacheDir;
  bool NoCache = false;
  unsigned Jobs = 1;
  std::string OutputFile;
  /// The options that decide what is found and printed of a file, as typed.
  std::string ResultOptions;
  bool Fix = false, Quiet = false;
  Format Output = Format::Text;
  ColorWhen Color = ColorWhen::Auto;
  bool DumpTrace = false, DumpTimeline = false, DumpStatements = false,
       DumpFit = false;

  bool dumps() const {
    return DumpTrace || DumpTimeline || DumpStatements || DumpFit;
  }
};

/// Reads the arguments after the program's name. The error is one line for the
/// user, and suggests the nearest word for a misspelt option.
llvm::Expected<CommandLine> parseCommandLine(llvm::ArrayRef<const char *> Argv);

void printHelp(llvm::raw_ostream &OS);

/// The tables of verbs and options, for what is derived from them.
struct VerbInfo {
  llvm::StringRef Name;
  Verb Value;
  llvm::StringRef Arguments, Help;
};
struct OptionInfo {
  llvm::StringRef Name;
  const char *Value; ///< Null: a flag.
  llvm::StringRef Help;
};
llvm::ArrayRef<VerbInfo> allVerbs();
std::vector<OptionInfo> visibleOptions();

/// The name of \p V, as typed.
llvm::StringRef verbName(Verb V);
/// The verb nearest to \p Word, or "".
llvm::StringRef nearestVerb(llvm::StringRef Word);

/// The word of \p Words that is nearest to \p Word, or "" if none is near.
llvm::StringRef nearest(llvm::StringRef Word,
                        llvm::ArrayRef<llvm::StringRef> Words);

} // namespace vramlint::tool
