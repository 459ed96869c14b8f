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

CudaReplayOptions replayOptions(const CardTerms &Card, double Share,
                                const FitOptions &Options) {
  CudaReplayOptions R;
  R.CublasWorkspaceBytes = Card.CublasBytes;
  R.ConvWorkspaceShare = Share;
  R.ConvWorkspaceBytes = Card.ConvBytes;
  R.Conf = Options.Allocator;
  return R;
}

const Calibration *measuredOn(const GpuSpec &Gpu, const FitOptions &Options) {
  for (const Calibration &C : Options.Measured)
    if (C.GpuId == Gpu.Id)
      return &C;
  return nullptr;
}

/// The most that tensors on the CPU hold, and that they and those on the GPU (in blocks
/// of 512 bytes) hold at one time.
void addHost(const Timeline &L, llvm::ArrayRef<int64_t> Sizes, ReservedNeed &Need) {
  const Trace &T = *L.Of;
  Bytes Host, Device;
  std::vector<bool> Alive(T.Storages.size());
  for (const Event &E : T.Events) {
    bool Comes = E.Kind == EventKind::Alloc, Goes = E.Kind == EventKind::Free;
    if ((!Comes && !Goes) || E.Id >= T.Storages.size() || Alive[E.Id] == Comes)
      continue;
    Alive[E.Id] = Comes;
    bool Here = T.Storages[E.Id].Device == L.Device;
    int64_t Size = E.Id < Sizes.size() ? Sizes[E.Id] : T.Storages[E.Id].SizeBytes;
    if (Here && Size > 0)
      Size = AllocatorCuda::roundSize(Size);
    Bytes &Sum = Here ? Device : Host;
    Sum = Comes ? Sum + Bytes{Size} : Sum - Bytes{Size};
    Need.HostBytes = std::max(Need.HostBytes, Host.Count);
    Need.TogetherBytes = std::max(Need.TogetherBytes, (Host + Device).Count);
  }
}

/// \p FreeBytes: what the peak leaves of the card. cuDNN takes an algorithm
/// that does with it.
Quantity cudnnQuantity(const Timeline &T, const ReservedNeed &Need,
                       const CardTerms &Card, int64_t FreeBytes) {
  if (!T.ConvolvesHere)
    return Quantity::exact(0);
  if (Card.ConvBytes >= 0)
    return Quantity::estimate(Card.ConvBytes, Card.ConvBytes, Card.ConvBytes,
                              "cuDNN workspace as told");
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
  if (const Calibration *C = measuredOn(Gpu, Options))
    return Quantity::estimate(C->ContextBytes, C->ContextBytes, C->ContextBytes,
                              "CUDA context and kernels (measured on this card)");
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

int64_t roomBytes(const GpuSpec &Gpu, const FitOptions &Options, bool Upper) {
  Quantity Context = contextBytes(Gpu, Options);
  return Gpu.usable().Count - Options.ReserveBytes -
         (Upper ? Context.upper() : Context.lower());
}

int64_t cublasWorkspaceBytes(const GpuSpec &Gpu) {
  // aten/src/ATen/cuda/CublasHandlePool.cpp: ":4096:2:16:8", from 9.0 on 32
  // MiB.
  return Gpu.cudaCapability() >= 90 ? 32 * MiB : (2 * 4096 + 8 * 16) * 1024;
}

CardTerms cardTerms(const GpuSpec &Gpu, const FitOptions &Options) {
  CardTerms Card{cublasWorkspaceBytes(Gpu)};
  const Calibration *C = measuredOn(Gpu, Options);
  if (Options.CudnnWorkspaceBytes)
    Card.ConvBytes = *Options.CudnnWorkspaceBytes;
  else if (C && C->WorkspaceBytes)
    Card.ConvBytes = *C->WorkspaceBytes;
  return Card;
}

ReservedNeed computeReserved(const Timeline &T, const CardTerms &Card,
                             const FitOptions &Options,
                             llvm::ArrayRef<int64_t> Sizes, NeedOf Which) {
  ReservedNeed Need;
  addHost(T, Sizes, Need);
  if (Which != NeedOf::Upper)
    Need.AllocatedBytes = replayCuda(T, CudaReplayOptions(), Sizes).AllocatedBytes;
  if (Which == NeedOf::Lower)
    return Need;
  AllocatorPeaks Expected =
      replayCuda(T, replayOptions(Card, ExpectedWorkspaceShare, Options), Sizes);
  AllocatorPeaks Upper = replayCuda(T, replayOptions(Card, 1, Options), Sizes);
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
  CardTerms Card = cardTerms(Gpu, Options);
  int64_t Cublas = Card.CublasBytes;
  F.Parts.CublasWorkspace =
      T.MultipliesHere
          ? Quantity::estimate(0, T.MultipliesInBackward ? 2 * Cublas : Cublas,
                               T.MultipliesInBackward ? 2 * Cublas : Cublas,
                               "cuBLAS workspace, one for each thread")
          : Quantity::exact(0);
  F.Parts.CudnnWorkspace = cudnnQuantity(
      T, Need, Card,
      F.Usable.Count - F.Parts.Context.lower() - Need.AllocatedBytes);
  int64_t Expected = Need.ExpectedBytes;
  int64_t Room = F.Usable.Count - F.Parts.Context.expected();
  if (Expected > Room && Need.AllocatedBytes <= Room) {
    // Short of memory, the allocator gives cached segments back and retries.
    CudaReplayOptions Capped =
        replayOptions(Card, ExpectedWorkspaceShare, Options);
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
  F.Parts.Host =
      Gpu.UnifiedMemory && Need.HostBytes
          ? Quantity::estimate(Need.lowerOn(Gpu) - Need.AllocatedBytes,
                               Need.lowerOn(Gpu) - Need.AllocatedBytes, Need.HostBytes,
                               "what tensors on the CPU take of the shared memory")
          : Quantity::exact(0);
  F.Need = F.Parts.Reserved + F.Parts.Context + F.Parts.Host;
  F.Is = judge(F.Need, F.Usable.Count);
  return F;
}

Fit computeFit(const Timeline &T, const GpuSpec &Gpu,
               const FitOptions &Options) {
  return fitFrom(T, computeReserved(T, cardTerms(Gpu, Options), Options), Gpu,
                 Options);
}

std::vector<Fit> computeFits(const Timeline &T,
                             llvm::ArrayRef<const GpuSpec *> Gpus,
                             const FitOptions &Options) {
  std::map<CardTerms, ReservedNeed> ByCard;
  std::vector<Fit> Fits;
  for (const GpuSpec *Gpu : Gpus) {
    CardTerms Card = cardTerms(*Gpu, Options);
    auto [It, New] = ByCard.try_emplace(Card);
    if (New)
      It->second = computeReserved(T, Card, Options);
    Fits.push_back(fitFrom(T, It->second, *Gpu, Options));
  }
  return Fits;
}

int64_t iterationsUntilFull(const Fit &F, const Timeline &T, const LoopGrowth &G) {
  int64_t Room = F.Usable.Count - F.Parts.Context.expected() - T.Live.lower();
  return std::max<int64_t>(Room, 0) / G.BytesPerIteration;
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
  if (F.Gpu.UnifiedMemory)
    Line("host", F.Parts.Host);
  Line("need", F.Need);
  if (F.NeedsCacheRelease)
    OS << "fits only since cached segments are given back\n";
}

} // namespace vramlint
