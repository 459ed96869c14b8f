//===- lib/report/RunFacts.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What one analysed file is for the reports: findings, the run's trace, what
// memory and gpu made of it, and the words for the platform it was run for.

#pragma once

#include "lib/gpu/BatchSearch.h"
#include "lib/gpu/Fit.h"
#include "lib/memory/Timeline.h"
#include "lib/support/Finding.h"
#include "lib/torch/ClassView.h"
#include "lib/torch/Trace.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace vramlint::report {

/// The platform of a run, in words.
struct Platform {
  DeviceKind Device = DeviceKind::CUDA;
  bool OneDNN = false;
  std::string TorchVersion; ///< "1.13.1"; empty: not known.

  /// "LibTorch 1.13.1, CPU, oneDNN off"; for CUDA "LibTorch 1.13.1".
  std::string text() const;
};

/// One GPU that the run is judged against.
struct GpuVerdict {
  Fit Result;
  std::string From; ///< "--gpu", ".clang-tidy:7", "default".
  BatchLimit Batch;
};

/// The host's memory, where --host-memory gives it. The process itself is not counted.
struct HostVerdict {
  int64_t MemoryBytes = 0;
  Quantity Live; ///< Of tensors on the CPU, at their peak.
};

/// What became of one file: all that counts when a run is summed up.
struct FileOutcome {
  enum class State {
    Analysed,
    NoTorch,     ///< It reaches no LibTorch header.
    NotAnalysed, ///< It could not be: Problem says why.
  };
  std::string File; ///< As the user named it.
  State Is = State::NotAnalysed;
  std::string Problem; ///< One line, without the file's name; may be empty.
  std::vector<Finding> Findings; ///< The compiler's errors too.
  bool FitNotJudged = false; ///< On a GPU that was named.
};

/// The same with what was found out, for the reports on the file itself.
struct FileReport : FileOutcome {
  std::shared_ptr<const Trace> Run; ///< Null: nothing was run.
  std::shared_ptr<const Timeline> Line;
  std::shared_ptr<const ClassView> Classes; ///< `summary`: classes by themselves.
  Platform On;
  std::vector<GpuVerdict> Gpus;
  std::string SmallestGpu; ///< Without --gpu: the smallest card that fits.
  std::optional<HostVerdict> Host;
  BatchCost Cost;
};

/// The findings of all files that were analysed, sorted, each once: a header's
/// comes from every unit that includes it.
std::vector<Finding> allFindings(llvm::ArrayRef<FileOutcome> Files);

/// The assumption named \p What ("batch", "optimizer"), or null.
const Assumption *findAssumption(const Trace &T, llvm::StringRef What);

/// "64×3×224×224 float32".
std::string tensorText(const TensorDesc &D);

/// A TorchScript module of the run, one whose weights are not known first; or null.
/// With one, what is known of the need is a lower bound only.
const ModuleInfo *jitModule(const Trace &T);

/// The most that parameters, gradients and optimizer state come to together at
/// any moment on \p Device, with the reasons where a size is not known.
Quantity largestStates(const Trace &T, DeviceKind Device);

} // namespace vramlint::report
