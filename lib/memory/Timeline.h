//===- lib/memory/Timeline.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The timeline: a trace's allocations on one device replayed in order, the peak
// among them, and who owns the bytes that are alive there.
//
// These are live bytes as the program asks for them ("live tensors" in every
// report). What PyTorch's caching allocator makes of them is AllocatorCuda's
// matter, what the driver shows that of lib/gpu.

#pragma once

#include "lib/support/Bytes.h"
#include "lib/support/SourcePos.h"
#include "lib/torch/Trace.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace vramlint {

/// As what a storage is held at some moment: its category, with activations
/// that autograd keeps told apart from those that only the program holds.
enum class Holding : uint8_t {
  Parameters,
  Buffers,
  Gradients,
  OptimizerState,
  KeptForBackward, ///< An Activation that an autograd node holds just then.
  Activations,
  Temporaries,
  Inputs,
  Workspaces,
};
inline constexpr unsigned HoldingCount = 9;
llvm::StringRef
holdingName(Holding H); ///< "parameters", "kept for backward", …
using HoldingBytes = std::array<int64_t, HoldingCount>;

struct AliveStorage {
  StorageId Id = None;
  int64_t SizeBytes = 0; ///< A lower bound unless StorageInfo::SizeKnown.
  Holding As = Holding::Activations;
};

/// All that one module path, op or source line owns at the peak.
struct Owner {
  llvm::StringRef Name;        ///< Module path or op; empty for lines.
  llvm::StringRef ModuleClass; ///< For modules: "ReLU".
  SourcePos Pos;               ///< For lines; else where its largest was made.
  int64_t SizeBytes = 0;
  HoldingBytes By = {};
  llvm::SmallVector<StorageId, 2> Storages; ///< Largest first.
};

/// The highest point of a timeline.
struct Peak {
  uint32_t EventIndex = None; ///< The Alloc that reached it; None: no alloc.
  int64_t SizeBytes = 0;
  StackId Stack = 0; ///< Where that Alloc happened.
  Phase In = Phase::Forward;
  unsigned Iteration = 0; ///< Of the innermost loop, from 1; 0: in no loop.
  std::vector<AliveStorage> Alive; ///< Largest first.
  HoldingBytes By = {};
  std::vector<Owner> ByModule, ByOp, ByLine; ///< Largest first.

  int64_t of(Holding H) const { return By[static_cast<unsigned>(H)]; }
};

/// A loop whose iterations were skipped although each left more bytes behind.
struct LoopGrowth {
  uint32_t Loop = None;
  int64_t BytesPerIteration = 0;
  int64_t Skipped = 0; ///< Iterations not run.
  StackId Stack = 0;   ///< The loop.
  /// The largest of what an iteration leaves behind.
  StorageId Largest = None;
  /// The op that joins the iteration's graph to the one of those before ("total +=
  /// loss"); None: no op does, a container of the program's holds it.
  OpId KeptBy = None;
};

struct Timeline {
  std::shared_ptr<const Trace> Of;
  DeviceKind Device = DeviceKind::CUDA;
  std::vector<int64_t> LiveAfter; ///< One per event of the trace.
  Peak Highest;
  /// The peak as reports give it: exact; an estimate where temporaries that
  /// aren't modelled may reach above it; or unknown with the reasons and, as its
  /// lower bound, the bytes that are certain.
  Quantity Live;
  std::vector<LoopGrowth> Growth;
  int64_t AtEndBytes = 0;
  bool TrainsHere = false;     ///< A backward pass ran.
  bool ConvolvesHere = false;  ///< A convolution ran on this device.
  bool MultipliesHere = false; ///< A matrix product ran on this device.
  bool MultipliesInBackward = false;

  /// Who is alive after event \p Index, largest first. O(events).
  std::vector<AliveStorage> aliveAfter(uint32_t Index) const;
};

/// Replays \p T on \p Device. Never fails: Free of an unknown storage is
/// ignored.
Timeline computeTimeline(std::shared_ptr<const Trace> T, DeviceKind Device);

/// Is the op \p Name a convolution; one that ends in a cuBLAS matrix product?
bool isConvolutionOp(llvm::StringRef Name);
bool isMatrixProductOp(llvm::StringRef Name);

/// Prints \p T, a line per allocation or release; what --dump-timeline shows.
void printTimeline(const Timeline &T, llvm::raw_ostream &OS);

} // namespace vramlint
