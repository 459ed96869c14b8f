//===- checks/AnalysisOptions.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What a host tells the checks of one run beyond `.clang-tidy`.

#pragma once

#include "lib/gpu/Fit.h"
#include "lib/torch/Program.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace clang {
class Sema;
}

namespace vramlint {

class Analysis;

/// Everything here wins over the options torch.Gpu, torch.BatchSize,
/// torch.Optimizer, torch.Precision, torch.Construct and torch.Input of `.clang-tidy`.
struct AnalysisOptions {
  ProgramOptions Program;
  bool VersionTold = false;        ///< Program.Target's version is the host's;
                                   ///< else it is read from the headers' macros.
  std::vector<GpuSpec> Gpus;       ///< Empty: what torch.Gpu names.
  const GpuCatalog *Catalog = nullptr; ///< Null: the built-in one.
  FitOptions Fit;
  std::optional<int64_t> HostMemoryBytes; ///< Judged too, if told.
  /// The host shows findings in the project's headers. clang-tidy and clangd by
  /// default do not: there a finding needs a place in the main file.
  bool FindingsInHeaders = false;
  clang::Sema *Sema = nullptr;     ///< Null: the compiler's, where there is one.
  bool OwnHeadersInPreamble = false; ///< See UnitView.
  UnitProvider *Others = nullptr;
};

/// The one way in which a host hands options to the checks that are made while
/// it lives, on this thread, and gets their analysis back. Life: construct; run
/// the checks; read Result; destroy.
class AnalysisScope {
public:
  explicit AnalysisScope(AnalysisOptions Options);
  ~AnalysisScope();
  AnalysisScope(const AnalysisScope &) = delete;

  AnalysisOptions Options;
  /// Set when the first check ran; what the checks read.
  std::shared_ptr<const Analysis> Result;

  static AnalysisScope *current();

private:
  AnalysisScope *Outer;
};

} // namespace vramlint
