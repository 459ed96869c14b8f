//===- checks/Analysis.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What all checks of one run share: facts on the unit's text, the trace of its
// program, the timeline and the fit. Each is made when it is first asked for,
// once.
//
//   AST ─► unit()   (structural)
//     └──► trace() ─► timeline() ─► fit(gpu)
//              └─ rerun(what if …)

#pragma once

#include "checks/AnalysisOptions.h"
#include "checks/UnitFacts.h"
#include "lib/gpu/BatchSearch.h"
#include "lib/gpu/SizeSearch.h"
#include "lib/memory/Timeline.h"
#include "llvm/ADT/StringMap.h"

namespace vramlint {

struct CarriedState;
struct Growing;

class Analysis {
public:
  /// \p Options is complete: `.clang-tidy` is already in it.
  Analysis(clang::ASTContext &Context, AnalysisOptions Options);
  ~Analysis();

  clang::ASTContext &context() const { return Context; }
  const AnalysisOptions &options() const { return Options; }
  const UnitFacts &unit() const;
  /// The TorchScript archives that the program may load.
  ArchiveStore &archives() const { return *Options.Program.Archives; }

  /// Never null; a run of nothing has an empty Entry.
  std::shared_ptr<const Trace> trace() const;
  /// The module classes, also those that the program does not build.
  std::shared_ptr<const ClassView> classes() const;
  /// Of the CUDA device.
  std::shared_ptr<const Timeline> timeline() const;
  /// Of the CPU.
  std::shared_ptr<const Timeline> hostTimeline() const;
  /// Loops whose memory grows: on the GPU, or if nothing grows there, on the CPU.
  const std::vector<Growing> &growingLoops() const;
  /// The recurrent states that training loops carry with their graph.
  const std::vector<CarriedState> &carriedStates() const;
  /// The GPUs to judge; empty: none named.
  const std::vector<GpuSpec> &gpus() const { return Options.Gpus; }
  const Fit &fit(const GpuSpec &Gpu) const;
  /// What the program would need if …; null if it can't be run.
  std::shared_ptr<const Timeline> rerun(const ProgramOptions &Program) const;
  /// The program's own batch; nothing if unknown.
  std::optional<int64_t> batch() const;
  const Assumption *assumption(llvm::StringRef What) const;
  /// Null if the batch is unknown.
  BatchSearch *batchSearch() const;
  /// Of the images that the first model gets, height and width; nothing if it gets none
  /// or their size is not known.
  struct ImageSize {
    int64_t Height, Width;
    SourcePos Pos; ///< The variable that sets it; invalid if there is none.
  };
  std::optional<ImageSize> imageSize() const;
  /// Null if there is no image size.
  SizeSearch *sizeSearch() const;

  /// \p Pos in this unit; invalid if its file isn't part of it.
  clang::SourceLocation locate(const SourcePos &Pos) const;
  SourcePos posOf(clang::SourceLocation Loc) const;
  /// The innermost frame of \p Stack in the project's code of this unit (LibTorch's
  /// holders are executed and have frames too); invalid if there is none.
  clang::SourceLocation ownLocation(const Trace &T, StackId Stack) const;
  /// The forward calls that the run made for \p S: at its line, or inside what
  /// that line calls if it goes through another method.
  std::vector<const ForwardCall *> forwardsOf(const ForwardSite &S) const;
  /// Where a finding on \p Stack stands: ownLocation() where the host shows
  /// findings in headers; else, or where \p InMainFile, the outermost frame that
  /// lies in the main file. Invalid: not in this unit.
  clang::SourceLocation findingLocation(const Trace &T, StackId Stack,
                                        bool InMainFile = false) const;

private:
  UnitView view() const;

  clang::ASTContext &Context;
  AnalysisOptions Options;
  mutable std::unique_ptr<UnitFacts> Unit;
  mutable std::shared_ptr<const Trace> TheTrace;
  mutable std::shared_ptr<const Timeline> TheTimeline, TheHostTimeline;
  mutable std::unique_ptr<const std::vector<Growing>> Growth;
  mutable std::unique_ptr<const std::vector<CarriedState>> States;
  mutable llvm::StringMap<Fit> Fits;
  mutable std::unique_ptr<BatchSearch> Search;
  mutable std::unique_ptr<SizeSearch> Sizes;
};

} // namespace vramlint
