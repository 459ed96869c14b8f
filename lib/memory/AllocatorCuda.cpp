//===- lib/memory/AllocatorCuda.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The caching allocator, and the replay of a timeline through it.
//
// Addresses matter in one place only: among free blocks of one size the one
// with the lowest address is taken. The driver's addresses are not known;
// segments get increasing ones here, as a fresh process mostly sees.

#include "lib/memory/AllocatorCuda.h"

#include <algorithm>
#include <cassert>

namespace vramlint {

struct AllocatorCuda::Block {
  int64_t Address = 0;
  int64_t Size = 0;
  bool IsSmall = false; ///< Of the small pool.
  bool IsFree = false;
  Block *Prev = nullptr, *Next = nullptr; ///< Neighbours in the segment.
};

bool AllocatorCuda::BySize::operator()(const Block *A, const Block *B) const {
  return A->Size != B->Size ? A->Size < B->Size : A->Address < B->Address;
}

AllocatorCuda::AllocatorCuda(int64_t CapacityBytes) : Capacity(CapacityBytes) {}

AllocatorCuda::~AllocatorCuda() {
  for (Pool *P : {&Small, &Large})
    for (Block *B : *P)
      delete B;
  for (auto &[Key, B] : Live)
    delete B;
}

int64_t AllocatorCuda::roundSize(int64_t SizeBytes) {
  if (SizeBytes < MinBlock)
    return MinBlock;
  // Saturated sizes stay near the top instead of wrapping around.
  int64_t Limit = Bytes::Max - RoundLarge;
  return (std::min(SizeBytes, Limit) + MinBlock - 1) / MinBlock * MinBlock;
}

int64_t AllocatorCuda::segmentSize(int64_t RoundedBytes) {
  if (RoundedBytes <= SmallSize)
    return SmallSegment;
  if (RoundedBytes < MinLargeAlloc)
    return LargeSegment;
  return (std::min(RoundedBytes, Bytes::Max - RoundLarge) + RoundLarge - 1) /
         RoundLarge * RoundLarge;
}

AllocatorCuda::Pool &AllocatorCuda::poolOf(const Block &B) {
  return B.IsSmall ? Small : Large;
}

AllocatorCuda::Block *AllocatorCuda::findFree(int64_t Size) {
  Pool &P = Size <= SmallSize ? Small : Large;
  Block Wanted;
  Wanted.Size = Size;
  auto It = P.lower_bound(&Wanted);
  if (It == P.end())
    return nullptr;
  Block *B = *It;
  P.erase(It);
  return B;
}

AllocatorCuda::Block *AllocatorCuda::newSegment(int64_t Size) {
  int64_t Segment = segmentSize(Size);
  if (Segment > Capacity || Reserved > Capacity - Segment)
    return nullptr;
  auto *B = new Block;
  B->Address = NextAddress;
  B->Size = Segment;
  B->IsSmall = Size <= SmallSize;
  NextAddress = (Bytes{NextAddress} + Bytes{Segment}).Count;
  Reserved = (Bytes{Reserved} + Bytes{Segment}).Count;
  PeakReserved = std::max(PeakReserved, Reserved);
  return B;
}

void AllocatorCuda::splitIfLarge(Block *B, int64_t Size) {
  int64_t Rest = B->Size - Size;
  if (B->IsSmall ? Rest < MinBlock : Rest <= SmallSize)
    return;
  auto *Remaining = new Block(*B);
  Remaining->Address = B->Address + Size;
  Remaining->Size = Rest;
  Remaining->IsFree = true;
  Remaining->Prev = B;
  if (Remaining->Next)
    Remaining->Next->Prev = Remaining;
  B->Next = Remaining;
  B->Size = Size;
  poolOf(*Remaining).insert(Remaining);
}

bool AllocatorCuda::allocate(uint32_t Key, int64_t SizeBytes) {
  if (SizeBytes <= 0)
    return true;
  int64_t Size = roundSize(SizeBytes);
  Block *B = findFree(Size);
  if (!B)
    B = newSegment(Size);
  if (!B) {
    ++Releases;
    emptyCache();
    B = newSegment(Size);
  }
  if (!B)
    return false;
  splitIfLarge(B, Size);
  B->IsFree = false;
  release(Key); // A key that is in use again: its old block is gone.
  Live[Key] = B;
  Allocated = (Bytes{Allocated} + Bytes{B->Size}).Count;
  PeakAllocated = std::max(PeakAllocated, Allocated);
  return true;
}

AllocatorCuda::Block *AllocatorCuda::mergeWithNeighbours(Block *B) {
  if (Block *Prev = B->Prev; Prev && Prev->IsFree) {
    poolOf(*Prev).erase(Prev);
    Prev->Size += B->Size;
    Prev->Next = B->Next;
    if (B->Next)
      B->Next->Prev = Prev;
    delete B;
    B = Prev;
  }
  if (Block *Next = B->Next; Next && Next->IsFree) {
    poolOf(*Next).erase(Next);
    B->Size += Next->Size;
    B->Next = Next->Next;
    if (Next->Next)
      Next->Next->Prev = B;
    delete Next;
  }
  return B;
}

void AllocatorCuda::release(uint32_t Key) {
  auto It = Live.find(Key);
  if (It == Live.end())
    return;
  Block *B = It->second;
  Live.erase(It);
  Allocated -= B->Size;
  B = mergeWithNeighbours(B);
  B->IsFree = true;
  poolOf(*B).insert(B);
}

void AllocatorCuda::releasePool(Pool &P) {
  for (auto It = P.begin(); It != P.end();) {
    Block *B = *It;
    if (B->Prev || B->Next) {
      ++It;
      continue;
    }
    Reserved -= B->Size;
    It = P.erase(It);
    delete B;
  }
}

void AllocatorCuda::emptyCache() {
  releasePool(Large);
  releasePool(Small);
}

void AllocatorCuda::checkConsistency() const {
#ifndef NDEBUG
  int64_t Free = 0, Used = 0;
  for (const Pool *P : {&Small, &Large})
    for (const Block *B : *P) {
      assert(B->IsFree && "a block in a pool must be free");
      assert((!B->Next || !B->Next->IsFree) && "free neighbours are merged");
      assert((!B->Next || B->Next->Address == B->Address + B->Size) &&
             "blocks tile their segment");
      Free += B->Size;
    }
  for (const auto &[Key, B] : Live) {
    assert(!B->IsFree && "a live block is not free");
    assert((!B->Next || B->Next->Address == B->Address + B->Size) &&
           "blocks tile their segment");
    Used += B->Size;
  }
  assert(Used == Allocated && "allocated is the sum of live blocks");
  assert(Used + Free == Reserved && "reserved is the sum of all blocks");
#endif
}

int64_t
convolutionWorkspace(const OpRecord &Op,
                     llvm::function_ref<int64_t(const TensorDesc &)> SizeOf) {
  Bytes Sum;
  if (!Op.Inputs.empty())
    Sum += Bytes{SizeOf(Op.Inputs[0])} * 9;
  if (!Op.Outputs.empty())
    Sum += Bytes{SizeOf(Op.Outputs[0])} * 9;
  if (Op.Inputs.size() > 1)
    Sum += Bytes{SizeOf(Op.Inputs[1])} * 16;
  return Sum.Count / 4;
}

namespace {

/// Keys that no storage has.
constexpr uint32_t CublasForward = None - 3, CublasBackward = None - 4,
                   ConvWorkspace = None - 5;

class CudaReplay {
public:
  CudaReplay(const Timeline &L, const CudaReplayOptions &Options,
             llvm::ArrayRef<int64_t> Sizes)
      : T(*L.Of), L(L), Options(Options), Sizes(Sizes),
        Allocator(Options.CapacityBytes) {}

  AllocatorPeaks run() {
    for (uint32_t I = 0; I < T.Events.size(); ++I)
      if (!step(T.Events[I])) {
        Peaks.OutOfMemory = true;
        Peaks.FailedAt = I;
        break;
      }
    Peaks.AllocatedBytes = Allocator.peakAllocatedBytes();
    Peaks.ReservedBytes = Allocator.peakReservedBytes();
    Peaks.CacheReleases = Allocator.cacheReleases();
    return Peaks;
  }

private:
  bool onDevice(const OpRecord &Op) const {
    for (const TensorDesc &D : Op.Outputs)
      if (D.Device == L.Device)
        return true;
    return false;
  }

  int64_t sizeOf(StorageId Id) const {
    if (Id >= T.Storages.size())
      return 0;
    return Id < Sizes.size() ? Sizes[Id] : T.Storages[Id].SizeBytes;
  }

  bool step(const Event &E) {
    switch (E.Kind) {
    case EventKind::Alloc:
      return allocate(E.Id);
    case EventKind::Free:
      Allocator.release(E.Id);
      return true;
    case EventKind::OpBegin:
      if (E.Id < T.Ops.size() && isMatrixProductOp(T.Ops[E.Id].Name) &&
          onDevice(T.Ops[E.Id]))
        return cublas(T.Ops[E.Id].In == Phase::Backward);
      return true;
    case EventKind::OpEnd:
      if (E.Id < T.Ops.size() && isConvolutionOp(T.Ops[E.Id].Name) &&
          onDevice(T.Ops[E.Id]))
        convolve(T.Ops[E.Id]);
      return true;
    case EventKind::PhaseBegin:
      InBackward = E.Value == static_cast<int64_t>(Phase::Backward);
      // Autograd's own thread takes its own handle and workspace.
      return !InBackward || !HasForward || !L.MultipliesInBackward ||
             cublas(true);
    case EventKind::PhaseEnd:
      InBackward = false;
      return true;
    default:
      return true;
    }
  }

  bool allocate(StorageId Id) {
    if (Id >= T.Storages.size() || T.Storages[Id].Device != L.Device)
      return true;
    if (!Allocator.allocate(Id, sizeOf(Id)))
      return false;
    const StorageInfo &S = T.Storages[Id];
    if (InBackward && S.Op.contains_insensitive("conv")) {
      // A convolution's gradients are convolutions of about the same size.
      auto It = OfModule.find(S.ModulePath);
      useWorkspace(It != OfModule.end() ? It->second
                                        : (Bytes{sizeOf(Id)} * 9).Count / 2);
    }
    return true;
  }

  bool cublas(bool Backward) {
    bool &Has = Backward ? HasBackward : HasForward;
    if (Has || !Options.CublasWorkspaceBytes)
      return true;
    Has = true;
    return Allocator.allocate(Backward ? CublasBackward : CublasForward,
                              Options.CublasWorkspaceBytes);
  }

  void convolve(const OpRecord &Op) {
    int64_t Size = convolutionWorkspace(Op, [&](const TensorDesc &D) {
      return D.Storage == None ? 0 : sizeOf(D.Storage);
    });
    int64_t &Largest = OfModule[Op.ModulePath];
    Largest = std::max(Largest, Size);
    useWorkspace(Size);
  }

  /// cuDNN falls back to an algorithm without a workspace when there is no
  /// room.
  void useWorkspace(int64_t Hungriest) {
    int64_t Size = Options.ConvWorkspaceBytes >= 0
                       ? Options.ConvWorkspaceBytes
                       : static_cast<int64_t>(static_cast<double>(Hungriest) *
                                              Options.ConvWorkspaceShare);
    if (Size <= 0 || !Allocator.allocate(ConvWorkspace, Size))
      return;
    Allocator.release(ConvWorkspace);
    Peaks.LargestConvWorkspaceBytes =
        std::max(Peaks.LargestConvWorkspaceBytes, Size);
  }

  const Trace &T;
  const Timeline &L;
  const CudaReplayOptions &Options;
  llvm::ArrayRef<int64_t> Sizes;
  AllocatorCuda Allocator;
  AllocatorPeaks Peaks;
  llvm::DenseMap<llvm::StringRef, int64_t> OfModule; ///< Forward workspaces.
  bool InBackward = false, HasForward = false, HasBackward = false;
};

} // namespace

AllocatorPeaks replayCuda(const Timeline &L, const CudaReplayOptions &Options,
                          llvm::ArrayRef<int64_t> Sizes) {
  return CudaReplay(L, Options, Sizes).run();
}

} // namespace vramlint
