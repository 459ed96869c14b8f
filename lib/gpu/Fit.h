//===- lib/gpu/Fit.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// One timeline against one GPU: what the driver will show (nvidia-smi), and
// whether that fits.
//
//   live tensors ─► caching allocator ─► reserved (lib/memory/AllocatorCuda)
//   + cuBLAS workspaces (inside the allocator)
//   + cuDNN workspaces  (inside, a range by nature: they depend on free memory)
//   + CUDA context      (outside: a range by architecture and CUDA version)
//   = need, as lower, expected and upper
//
// The lower figure holds only what is certain: live bytes in 512-byte blocks
// and the smallest context. The upper covers every named uncertainty.

#pragma once

#include "lib/gpu/GpuCatalog.h"
#include "lib/memory/AllocatorCuda.h"
#include "lib/memory/Timeline.h"

namespace vramlint {

enum class Verdict : uint8_t {
  Fits,       ///< Upper ≤ usable.
  ShouldFit,  ///< Expected ≤ usable < upper.
  MayNotFit,  ///< Lower ≤ usable < expected.
  DoesNotFit, ///< Lower > usable. The only one that warns.
  NotJudged,  ///< Some size is unknown, and what is known would fit.
};
llvm::StringRef verdictText(Verdict V); ///< "fits", "should fit", …

/// What a run of the program of `vramlint calibrate` measured on a card.
struct Calibration {
  llvm::StringRef GpuId;
  int64_t ContextBytes = 0;
  std::optional<int64_t> WorkspaceBytes; ///< cuDNN's; not known for every program.
};

struct FitOptions {
  int64_t ReserveBytes = 0; ///< --reserve: a display, other processes.
  unsigned TorchMajor = 1, TorchMinor = 13;
  AllocatorConf Allocator; ///< --alloc-conf
  std::vector<Calibration> Measured; ///< --calibration
  /// Replace the estimates (--cuda-context, --cudnn-workspace).
  std::optional<int64_t> ContextBytes, CudnnWorkspaceBytes;
};

/// The parts of the need. Context + Reserved + Host = the need; the workspaces are
/// inside Reserved and shown for themselves.
struct FitBreakdown {
  Quantity Live;            ///< As the program asks for it.
  Quantity Reserved;        ///< By the caching allocator, workspaces included.
  Quantity Context;         ///< Outside the allocator.
  Quantity CublasWorkspace; ///< Exact 0 if no matrix product runs.
  Quantity CudnnWorkspace;  ///< Exact 0 if no convolution runs.
  /// What the CPU's tensors take of a memory that both share; else exact 0. The
  /// process itself and the operating system are not counted.
  Quantity Host;
};

struct Fit {
  GpuSpec Gpu;
  Verdict Is = Verdict::NotJudged;
  Bytes Usable;                 ///< Less FitOptions::ReserveBytes.
  bool UsableIsNominal = false; ///< Usable memory not known: the nominal size.
  Quantity Need;                ///< At driver level.
  FitBreakdown Parts;
  /// Fits only since the allocator gives cached segments back and retries.
  bool NeedsCacheRelease = false;
};

/// What of a GPU a replay through the allocator depends on.
struct CardTerms {
  int64_t CublasBytes = 0;
  int64_t ConvBytes = -1; ///< cuDNN's workspace as told or measured; else negative.
  auto operator<=>(const CardTerms &) const = default;
};
CardTerms cardTerms(const GpuSpec &Gpu, const FitOptions &Options);

/// What a program takes of the caching allocator, and of the host beside it.
struct ReservedNeed {
  int64_t AllocatedBytes = 0; ///< Live tensors in blocks of 512 bytes, no more.
  int64_t ExpectedBytes = 0, UpperBytes = 0; ///< Reserved, with workspaces.
  int64_t ExpectedConvBytes = 0, UpperConvBytes = 0; ///< Largest workspace.
  int64_t HostBytes = 0;     ///< The most that tensors on the CPU hold.
  int64_t TogetherBytes = 0; ///< The most that both devices' tensors hold at once.

  /// The need on \p Gpu without the context. Host tensors count where the memory is
  /// shared.
  int64_t lowerOn(const GpuSpec &Gpu) const {
    return Gpu.UnifiedMemory ? std::max(AllocatedBytes, TogetherBytes) : AllocatedBytes;
  }
  int64_t upperOn(const GpuSpec &Gpu) const {
    return (Bytes{UpperBytes} + Bytes{Gpu.UnifiedMemory ? HostBytes : 0}).Count;
  }
};
/// Which figures of a need are asked for: Lower depends on no card and costs a third.
enum class NeedOf : uint8_t { All, Lower, Upper };
/// \p Sizes: see replayCuda. Figures that are not asked for are 0.
ReservedNeed computeReserved(const Timeline &T, const CardTerms &Card,
                             const FitOptions &Options,
                             llvm::ArrayRef<int64_t> Sizes = {},
                             NeedOf Which = NeedOf::All);

/// \p T must be of DeviceKind::CUDA.
Fit computeFit(const Timeline &T, const GpuSpec &Gpu,
               const FitOptions &Options);
/// One fit per GPU, in order; the replays are shared.
std::vector<Fit> computeFits(const Timeline &T,
                             llvm::ArrayRef<const GpuSpec *> Gpus,
                             const FitOptions &Options);

/// CUDA context and loaded kernels on \p Gpu, with its source as the cause.
Quantity contextBytes(const GpuSpec &Gpu, const FitOptions &Options);
/// What the context leaves of \p Gpu, as the upper or the lower figure has it.
int64_t roomBytes(const GpuSpec &Gpu, const FitOptions &Options, bool Upper);
/// One workspace of cuBLAS: 8.125 MiB, from Hopper on 32 MiB.
int64_t cublasWorkspaceBytes(const GpuSpec &Gpu);

/// After how many more iterations \p G, of \p T, has filled the GPU of \p F.
int64_t iterationsUntilFull(const Fit &F, const Timeline &T, const LoopGrowth &G);

/// The smallest GPU on which \p T fits (Verdict::Fits; if none, should fit), by
/// usable memory, then by age; of NVIDIA's own if any. Null: none.
struct SmallestFit {
  const GpuSpec *Any = nullptr; ///< Of all markets but embedded.
  const GpuSpec *Datacenter = nullptr;
  const GpuSpec *Consumer = nullptr; ///< Desktop or laptop.
};
SmallestFit smallestFit(const Timeline &T, const GpuCatalog &Catalog,
                        const FitOptions &Options);

/// Prints \p F in lines "part: lower expected upper"; what --dump-fit shows.
void printFit(const Fit &F, llvm::raw_ostream &OS);

} // namespace vramlint
