//===- lib/torch/Program.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The one entry point from an AST to a trace: runs the program of a unit on the
// abstract machine with the LibTorch plug-in.

#pragma once

#include "lib/frontend/UnitProvider.h"
#include "lib/torch/ClassView.h"
#include "lib/torch/Runtime.h"
#include "lib/torch/Stated.h"
#include "lib/torch/Trace.h"
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace vramlint {

class ArchiveStore;

struct ProgramOptions {
  TargetConfig Target;
  /// main's argv[1…]; nothing: not told, so argc and argv are unknown.
  std::optional<std::vector<std::string>> Args;
  /// --set NAME=VALUE: constants by (qualified or plain) name.
  std::map<std::string, std::string> Set;
  /// TorchScript archives that the program may load; null: none is looked for.
  std::shared_ptr<ArchiveStore> Archives;
  /// What-if re-runs. Each replaces what the program says, where it says it.
  std::optional<int64_t> Batch;
  std::optional<std::string> Optimizer; ///< "SGD", "Adam" …
  std::optional<DType> Precision;       ///< Parameters and inputs are made in it.
  std::optional<bool> NoGrad;           ///< true: as if under a NoGradGuard.
  WhatIf If;
  /// --construct, --input: for classes that no analysed code builds or runs.
  StatedModels Stated;
  /// Evaluation order of arguments: g++ right to left, clang left to right.
  bool GccOrder = true;
  /// Limits; running out gives a partial trace that says so.
  int64_t MaxSteps = 50'000'000;
  double MaxSeconds = 6;
  /// Of the classes by themselves.
  double MaxClassSeconds = 2;
};

/// Where a batch comes from that no variable and no data loader tells.
inline constexpr llvm::StringLiteral MadeBatch = "first dimension of the input";

/// The first call of a module that is not TorchScript's and gets a tensor; or null.
const ForwardCall *firstModelInput(const Trace &T);

/// Runs `main` of \p Unit if it has one, else each module class that can be built
/// with default arguments. Never fails: a trace of nothing has an empty Entry.
std::shared_ptr<const Trace> runProgram(UnitView Unit, UnitProvider *Others,
                                        const ProgramOptions &Options);

/// Builds the module classes that \p Ran, the unit's own run, did not, and runs them
/// on the input that the user states or that their layers ask for. Such figures are
/// for summaries: they never lead to a warning.
std::shared_ptr<const ClassView> viewClasses(UnitView Unit, UnitProvider *Others,
                                             const ProgramOptions &Options,
                                             const Trace &Ran);

} // namespace vramlint
