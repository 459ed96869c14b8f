//===- checks/RunChecks.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Runs the checks over a unit that the frontend parsed, as clang-tidy would: with
// its options, NOLINT comments, WarningsAsErrors, header filter and fix-its.

#pragma once

#include "checks/AnalysisOptions.h"
#include "checks/TidyConfig.h"
#include "lib/support/Finding.h"

namespace vramlint {

class Unit;

struct CheckOptions {
  ConfigOptions Config;     ///< ProjectRoot empty: the unit's.
  AnalysisOptions Analysis; ///< Sema is taken from the unit.
};

struct CheckResult {
  std::vector<Finding> Findings;   ///< By file and place.
  std::vector<std::string> Active; ///< The checks that ran, sorted.
  /// What the checks read: trace, timeline, GPUs … Null if none ran. Dies with
  /// the unit.
  std::shared_ptr<const Analysis> Facts;
};

/// Requires: \p U has no errors. Fails on a mistake in the configuration, with a
/// text for people.
llvm::Expected<CheckResult> runChecks(Unit &U, const CheckOptions &Options);

/// The Analysis that the checks would share, for commands that run none.
llvm::Expected<std::shared_ptr<const Analysis>>
makeAnalysis(Unit &U, const CheckOptions &Options);

} // namespace vramlint
