//===- lib/gpu/Fit.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Adds up what the driver will show, and judges it.

#include "lib/gpu/Fit.h"

#include "lib/gpu/ContextTable.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <map>

namespace vramlint {

namespace {

constexpr int64_t MiB = 1 << 20;

/// Fitted to 95 published peaks of training runs of ResNet-18 and -50, VGG-16
/// and DenseNet-121 on six cards (SchedTune, GPUMemNet): with them and the
/// contexts of ContextTable.cpp, the upper figure covers all 95, and the
/// expected one's median error is 110 to 270 MiB a card.
///
/// What is expected of the hungriest algorithm's workspace: cuDNN's heuristics
/// take it for some layers only.
constexpr double ExpectedWorkspaceShare = 0.1;
/// What packing may cost above the replay: addresses, streams, benchmarking.
constexpr double UpperPacking = 1.05;

CudaReplayOptions replayOptions(int64_t CublasBytes, double Share,
                                const FitOptions &Options) {
  CudaReplayOptions R;
  R.CublasWorkspaceBytes = CublasBytes;
  R.ConvWorkspaceShare = Share;
  R.ConvWorkspaceBytes = Options.CudnnWorkspaceBytes.value_or(-1);
  return R;
}

/// \p FreeBytes: what the peak leaves of the card. cuDNN takes an algorithm
/// that does with it.
Quantity cudnnQuantity(const Timeline &T, const ReservedNeed &Need,
                       const FitOptions &Options, int64_t FreeBytes) {
  if (!T.ConvolvesHere)
    return Quantity::exact(0);
  if (Options.CudnnWorkspaceBytes)
    return Quantity::estimate(
        *Options.CudnnWorkspaceBytes, *Options.CudnnWorkspaceBytes,
        *Options.CudnnWorkspaceBytes, "cuDNN workspace as told");
  int64_t Most = std::max<int64_t>(FreeBytes, 0);
  return Quantity::estimate(
      0, std::min(Need.ExpectedConvBytes, Most),
      std::min(Need.UpperConvBytes, Most),
      "cuDNN workspaces depend on the algorithm it picks at run time");
}

Verdict judge(const Quantity &Need, int64_t Usable) {
  if (Need.lower() > Usable)
    return Verdict::DoesNotFit;
  if (Need.isUnknown())
    return Verdict::NotJudged;
  if (Need.upper() <= Usable)
    return Verdict::Fits;
  return Need.expected() <= Usable ? Verdict::ShouldFit : Verdict::MayNotFit;
}

} // namespace

llvm::StringRef verdictText(Verdict V) {
  switch (V) {
  case Verdict::Fits:
    return "fits";
  case Verdict::ShouldFit:
    return "should fit";
  case Verdict::MayNotFit:
    return "may not fit";
  case Verdict::DoesNotFit:
    return "does not fit";
  case Verdict::NotJudged:
    return "not judged";
  }
  return "not judged";
}

Quantity contextBytes(const GpuSpec &Gpu, const FitOptions &Options) {
  if (Options.ContextBytes)
    return Quantity::estimate(*Options.ContextBytes, *Options.ContextBytes,
                              *Options.ContextBytes, "CUDA context as told");
  const ContextRow &Row = contextRow(Gpu.cudaCapability());
  auto AtLeast = [&](unsigned Major, unsigned Minor) {
    return Options.TorchMajor != Major ? Options.TorchMajor > Major
                                       : Options.TorchMinor >= Minor;
  };
  // 1.13 asks CUDA 11.7 to load kernels lazily when it initializes, but a C++ program
  // has asked for the devices before, which is when CUDA decides (pytorch pull request
  // 86509); with CUDA 11.6 it can't. From 2.0 on CUDA itself is lazy (12.2) or is asked
  // in time.
  int64_t Expected = AtLeast(2, 0) ? Row.LazyExpected : Row.EagerExpected;
  int64_t Upper = AtLeast(2, 0) ? Row.LazyUpper : Row.EagerUpper;
  return Quantity::estimate(Row.Lower * MiB, Expected * MiB, Upper * MiB,
                            std::string("CUDA context and kernels (") +
                                Row.Source + ")");
}

int64_t cublasWorkspaceBytes(const GpuSpec &Gpu) {
  // aten/src/ATen/cuda/CublasHandlePool.cpp: ":4096:2:16:8", from 9.0 on 32
  // MiB.
  return Gpu.cudaCapability() >= 90 ? 32 * MiB : (2 * 4096 + 8 * 16) * 1024;
}

ReservedNeed computeReserved(const Timeline &T, int64_t CublasBytes,
                             const FitOptions &Options,
                             llvm::ArrayRef<int64_t> Sizes) {
  ReservedNeed Need;
  CudaReplayOptions Bare;
  Need.AllocatedBytes = replayCuda(T, Bare, Sizes).AllocatedBytes;
  AllocatorPeaks Expected = replayCuda(
      T, replayOptions(CublasBytes, ExpectedWorkspaceShare, Options), Sizes);
  AllocatorPeaks Upper =
      replayCuda(T, replayOptions(CublasBytes, 1, Options), Sizes);
  Need.ExpectedConvBytes = Expected.LargestConvWorkspaceBytes;
  Need.UpperConvBytes = Upper.LargestConvWorkspaceBytes;
  Need.ExpectedBytes = Expected.ReservedBytes;
  // Larger workspaces sometimes leave blocks that others fit into, so that more
  // reserves less: not to be relied on.
  int64_t Most = std::max(
      Upper.ReservedBytes,
      (Bytes{Expected.ReservedBytes} + Bytes{Need.UpperConvBytes}).Count);
  double Packed = static_cast<double>(Most) * UpperPacking;
  Need.UpperBytes = Packed >= static_cast<double>(Bytes::Max)
                        ? Bytes::Max
                        : static_cast<int64_t>(Packed);
  return Need;
}

static Fit fitFrom(const Timeline &T, const ReservedNeed &Need,
                   const GpuSpec &Gpu, const FitOptions &Options) {
  Fit F;
  F.Gpu = Gpu;
  F.Usable = Gpu.usable() - Bytes{Options.ReserveBytes};
  F.UsableIsNominal = Gpu.usableIsNominal();
  F.Parts.Live = T.Live;
  F.Parts.Context = contextBytes(Gpu, Options);
  int64_t Cublas = cublasWorkspaceBytes(Gpu);
  F.Parts.CublasWorkspace =
      T.MultipliesHere
          ? Quantity::estimate(0, T.MultipliesInBackward ? 2 * Cublas : Cublas,
                               T.MultipliesInBackward ? 2 * Cublas : Cublas,
                               "cuBLAS workspace, one for each thread")
          : Quantity::exact(0);
  F.Parts.CudnnWorkspace = cudnnQuantity(
      T, Need, Options,
      F.Usable.Count - F.Parts.Context.lower() - Need.AllocatedBytes);
  int64_t Expected = Need.ExpectedBytes;
  int64_t Room = F.Usable.Count - F.Parts.Context.expected();
  if (Expected > Room && Need.AllocatedBytes <= Room) {
    // Short of memory, the allocator gives cached segments back and retries.
    CudaReplayOptions Capped =
        replayOptions(Cublas, ExpectedWorkspaceShare, Options);
    Capped.CapacityBytes = Room;
    AllocatorPeaks Peaks = replayCuda(T, Capped);
    if (!Peaks.OutOfMemory) {
      Expected = Peaks.ReservedBytes;
      F.NeedsCacheRelease = true;
    }
  }
  F.Parts.Reserved = Quantity::estimate(
      std::min(Need.AllocatedBytes, Expected), Expected, Need.UpperBytes,
      "how the caching allocator packs tensors and workspaces");
  for (const std::string &Cause : T.Live.causes())
    F.Parts.Reserved += Quantity::unknown(Cause);
  F.Need = F.Parts.Reserved + F.Parts.Context;
  F.Is = judge(F.Need, F.Usable.Count);
  return F;
}

Fit computeFit(const Timeline &T, const GpuSpec &Gpu,
               const FitOptions &Options) {
  return fitFrom(T, computeReserved(T, cublasWorkspaceBytes(Gpu), Options), Gpu,
                 Options);
}

std::vector<Fit> computeFits(const Timeline &T,
                             llvm::ArrayRef<const GpuSpec *> Gpus,
                             const FitOptions &Options) {
  std::map<int64_t, ReservedNeed> ByCublas;
  std::vector<Fit> Fits;
  for (const GpuSpec *Gpu : Gpus) {
    int64_t Cublas = cublasWorkspaceBytes(*Gpu);
    auto [It, New] = ByCublas.try_emplace(Cublas);
    if (New)
      It->second = computeReserved(T, Cublas, Options);
    Fits.push_back(fitFrom(T, It->second, *Gpu, Options));
  }
  return Fits;
}

SmallestFit smallestFit(const Timeline &T, const GpuCatalog &Catalog,
                        const FitOptions &Options) {
  SmallestFit Result;
  std::vector<const GpuSpec *> Gpus;
  for (const GpuSpec &Gpu : Catalog.gpus())
    if (Gpu.Vendor == "nvidia" && Gpu.Market != "embedded")
      Gpus.push_back(&Gpu);
  llvm::sort(Gpus, [](const GpuSpec *A, const GpuSpec *B) {
    return std::make_tuple(A->usable().Count, -A->ReleaseYear, A->Id) <
           std::make_tuple(B->usable().Count, -B->ReleaseYear, B->Id);
  });
  std::vector<Fit> Fits = computeFits(T, Gpus, Options);
  for (Verdict Wanted : {Verdict::Fits, Verdict::ShouldFit})
    for (size_t I = 0; I < Gpus.size(); ++I) {
      if (Fits[I].Is != Wanted)
        continue;
      auto Take = [&](const GpuSpec *&Slot, bool Suits) {
        if (!Slot && Suits)
          Slot = Gpus[I];
      };
      llvm::StringRef Market = Gpus[I]->Market;
      Take(Result.Any, true);
      Take(Result.Datacenter, Market == "datacenter");
      Take(Result.Consumer, Market == "desktop" || Market == "laptop");
    }
  return Result;
}

void printFit(const Fit &F, llvm::raw_ostream &OS) {
  auto Line = [&](llvm::StringRef Name, const Quantity &Q) {
    OS << Name << ": " << Q.lower() << ' ' << Q.expected() << ' ';
    if (Q.isUnknown())
      OS << '?';
    else
      OS << Q.upper();
    for (const std::string &Cause : Q.causes())
      OS << "; " << Cause;
    OS << '\n';
  };
  OS << F.Gpu.Name << ": " << verdictText(F.Is) << ", usable " << F.Usable.Count
     << (F.UsableIsNominal ? " (nominal)" : "") << '\n';
  Line("live", F.Parts.Live);
  Line("reserved", F.Parts.Reserved);
  Line("context", F.Parts.Context);
  Line("cublas workspace", F.Parts.CublasWorkspace);
  Line("cudnn workspace", F.Parts.CudnnWorkspace);
  Line("need", F.Need);
  if (F.NeedsCacheRelease)
    OS << "fits only since cached segments are given back\n";
}

} // namespace vramlint
