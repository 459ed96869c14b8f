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

#include "llvm/ADT/SmallVector.h"
#include <algorithm>
#include <cassert>

namespace vramlint {

/// The addresses of one expandable segment: more than anything takes.
static constexpr int64_t Range = int64_t(1) << 61;

struct AllocatorCuda::Block {
  int64_t Address = 0;
  int64_t Size = 0;
  bool IsSmall = false; ///< Of the small pool.
  bool IsFree = false;
  bool IsMapped = true; ///< False: addresses of an expandable segment, no memory.
  Block *Prev = nullptr, *Next = nullptr; ///< Neighbours in the segment.

  // Of an expandable segment.
  int64_t firstAddress() const { return IsSmall ? 0 : Range; }
  int64_t pageSize() const { return IsSmall ? SmallSegment : LargeSegment; }

  bool joins(const Block *Other) const {
    return Other && Other->IsFree && Other->IsMapped == IsMapped;
  }
};

bool AllocatorCuda::BySize::operator()(const Block *A, const Block *B) const {
  return A->Size != B->Size ? A->Size < B->Size : A->Address < B->Address;
}

bool AllocatorCuda::ByAddress::operator()(const Block *A, const Block *B) const {
  return A->Address < B->Address;
}

llvm::Expected<AllocatorConf> AllocatorConf::parse(llvm::StringRef Text) {
  constexpr int64_t SmallestSplitMiB = 20; // LibTorch refuses less.
  AllocatorConf Conf;
  llvm::SmallVector<llvm::StringRef, 4> Entries;
  Text.split(Entries, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef Entry : Entries) {
    auto [Key, Value] = Entry.split(':');
    Key = Key.trim();
    Value = Value.trim();
    if (Key == "expandable_segments") {
      if (Value != "True" && Value != "False")
        return llvm::createStringError("expandable_segments must be True or False");
      Conf.ExpandableSegments = Value == "True";
    } else if (Key == "max_split_size_mb") {
      int64_t MiB;
      if (Value.getAsInteger(10, MiB) || MiB < SmallestSplitMiB || MiB > INT32_MAX)
        return llvm::createStringError(
            "max_split_size_mb must be a number of MiB, 20 or more");
      Conf.MaxSplitBytes = MiB << 20;
    } else {
      return llvm::createStringError("'" + Key +
                                     "' is not modelled; known are "
                                     "expandable_segments and max_split_size_mb");
    }
  }
  return Conf;
}

AllocatorCuda::AllocatorCuda(int64_t CapacityBytes, AllocatorConf Conf)
    : Capacity(CapacityBytes), Conf(Conf) {
  if (!Conf.ExpandableSegments)
    return;
  for (bool IsSmall : {true, false}) {
    auto *B = new Block;
    B->IsSmall = IsSmall;
    B->Address = B->firstAddress();
    B->Size = Range;
    B->IsFree = true;
    B->IsMapped = false;
    roomOf(*B).insert(B);
  }
}

AllocatorCuda::~AllocatorCuda() {
  for (Pool *P : {&Small, &Large})
    for (Block *B : *P)
      delete B;
  for (Unmapped *P : {&SmallRoom, &LargeRoom})
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

/// With max_split_size_mb: small requests take no large block, since it is not split,
/// and large ones none that is larger by a segment.
bool AllocatorCuda::suits(const Block &B, int64_t Size) const {
  if (Size < Conf.MaxSplitBytes)
    return B.Size < Conf.MaxSplitBytes;
  return B.Size < Size + LargeSegment;
}

AllocatorCuda::Unmapped &AllocatorCuda::roomOf(const Block &B) {
  return B.IsSmall ? SmallRoom : LargeRoom;
}

AllocatorCuda::Block *AllocatorCuda::findFree(int64_t Size) {
  Pool &P = Size <= SmallSize ? Small : Large;
  Block Wanted;
  Wanted.Size = Size;
  auto It = P.lower_bound(&Wanted);
  if (It == P.end())
    return nullptr;
  if (Conf.ExpandableSegments) {
    // The block before unmapped addresses counts as what it can grow to.
    auto Reach = [](const Block *B) {
      return B->Size + (B->Next && !B->Next->IsMapped ? B->Next->Size : 0);
    };
    for (auto Next = std::next(It); Next != P.end() && Reach(*Next) < Reach(*It);)
      It = Next++;
  } else if (!suits(**It, Size)) {
    return nullptr;
  }
  Block *B = *It;
  P.erase(It);
  return B;
}

bool AllocatorCuda::reserve(int64_t SizeBytes) {
  if (SizeBytes > Capacity || Reserved > Capacity - SizeBytes)
    return false;
  Reserved = (Bytes{Reserved} + Bytes{SizeBytes}).Count;
  PeakReserved = std::max(PeakReserved, Reserved);
  return true;
}

AllocatorCuda::Block *AllocatorCuda::newSegment(int64_t Size) {
  if (Conf.ExpandableSegments)
    return expand(Size);
  int64_t Segment = segmentSize(Size);
  if (!reserve(Segment))
    return nullptr;
  auto *B = new Block;
  B->Address = NextAddress;
  B->Size = Segment;
  B->IsSmall = Size <= SmallSize;
  NextAddress = (Bytes{NextAddress} + Bytes{Segment}).Count;
  return B;
}

bool AllocatorCuda::splits(const Block &B, int64_t Size) const {
  int64_t Rest = B.Size - Size;
  if (B.IsSmall || Conf.ExpandableSegments)
    return Rest >= MinBlock;
  return Rest > SmallSize && Size < Conf.MaxSplitBytes;
}

/// \p B keeps its first \p Size bytes; the rest is a block of its own, in no pool.
AllocatorCuda::Block *AllocatorCuda::cutAt(Block *B, int64_t Size) {
  auto *Rest = new Block(*B);
  Rest->Address = B->Address + Size;
  Rest->Size = B->Size - Size;
  Rest->Prev = B;
  if (Rest->Next)
    Rest->Next->Prev = Rest;
  B->Next = Rest;
  B->Size = Size;
  return Rest;
}

/// \p B takes over its next neighbour, which is in no pool.
AllocatorCuda::Block *AllocatorCuda::joinNext(Block *B) {
  Block *Next = B->Next;
  B->Size += Next->Size;
  B->Next = Next->Next;
  if (Next->Next)
    Next->Next->Prev = B;
  delete Next;
  return B;
}

void AllocatorCuda::splitIfLarge(Block *B, int64_t Size) {
  if (!splits(*B, Size))
    return;
  Block *Rest = cutAt(B, Size);
  Rest->IsFree = true;
  poolOf(*Rest).insert(Rest);
}

/// The first place where mapped free blocks and unmapped addresses in a row hold it.
AllocatorCuda::Block *AllocatorCuda::findRoom(int64_t Size) {
  for (Block *B : Size <= SmallSize ? SmallRoom : LargeRoom) {
    if (B->Prev && B->Prev->IsFree)
      B = B->Prev;
    int64_t Sum = 0;
    for (Block *C = B; C && C->IsFree && Sum < Size; C = C->Next)
      Sum += C->Size;
    if (Sum >= Size)
      return B;
  }
  return nullptr;
}

/// Maps the pages that the first \p Size bytes of \p B, unmapped, need, and joins them
/// with the free blocks beside. Null: no memory.
AllocatorCuda::Block *AllocatorCuda::map(Block *B, int64_t Size) {
  int64_t Page = B->pageSize();
  int64_t Mapped = std::min((Size + Page - 1) / Page * Page, B->Size);
  if (!reserve(Mapped))
    return nullptr;
  roomOf(*B).erase(B);
  if (Mapped < B->Size)
    roomOf(*B).insert(cutAt(B, Mapped));
  B->IsMapped = true;
  return mergeWithNeighbours(B);
}

AllocatorCuda::Block *AllocatorCuda::expand(int64_t Size) {
  Block *B = findRoom(Size);
  if (!B)
    return nullptr;
  if (B->IsMapped)
    poolOf(*B).erase(B);
  else if (!(B = map(B, std::min(B->Size, Size))))
    return nullptr;
  while (B->Size < Size) {
    Block *Next = B->Next;
    // The free block in front must be found in its pool when it is joined.
    poolOf(*B).insert(B);
    Block *Joined = map(Next, std::min(Size - B->Size, Next->Size));
    if (!Joined)
      return nullptr;
    B = Joined;
  }
  return B;
}

/// Gives the pages back that \p B, free and in no pool, covers as a whole.
void AllocatorCuda::unmap(Block *B) {
  int64_t Page = B->pageSize(), Base = B->firstAddress(); // Pages count from there.
  int64_t Begin = (B->Address - Base + Page - 1) / Page * Page + Base;
  int64_t End = (B->Address + B->Size - Base) / Page * Page + Base;
  if (Begin >= End) {
    poolOf(*B).insert(B);
    return;
  }
  if (End < B->Address + B->Size)
    poolOf(*B).insert(cutAt(B, End - B->Address));
  if (Begin > B->Address) {
    Block *Rest = cutAt(B, Begin - B->Address);
    poolOf(*B).insert(B);
    B = Rest;
  }
  Reserved -= B->Size;
  B->IsMapped = false;
  B = mergeWithNeighbours(B);
  roomOf(*B).insert(B);
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

/// \p B is in no pool, and neither is the result.
AllocatorCuda::Block *AllocatorCuda::mergeWithNeighbours(Block *B) {
  auto Forget = [&](Block *Other) {
    if (Other->IsMapped)
      poolOf(*Other).erase(Other);
    else
      roomOf(*Other).erase(Other);
  };
  if (B->joins(B->Prev)) {
    Block *Prev = B->Prev;
    Forget(Prev);
    B = joinNext(Prev);
  }
  if (B->joins(B->Next)) {
    Forget(B->Next);
    joinNext(B);
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
  if (Conf.ExpandableSegments) {
    for (Block *B : std::vector<Block *>(P.begin(), P.end())) {
      P.erase(B);
      unmap(B);
    }
    return;
  }
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
      assert(!B->joins(B->Next) && "free neighbours are merged");
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
        Allocator(Options.CapacityBytes, Options.Conf) {}

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
