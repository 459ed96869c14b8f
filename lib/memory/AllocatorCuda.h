//===- lib/memory/AllocatorCuda.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// PyTorch's CUDA caching allocator, as c10/cuda/CUDACachingAllocator.cpp has it
// from 1.7 to 2.x, for one stream:
//
//   request ─► rounded to 512 B ─► best fit in its pool (small: up to 1 MiB)
//                  └─ none ─► new segment: 2 MiB small, 20 MiB below 10 MiB,
//                             else rounded up to 2 MiB
//                  └─ segment does not fit ─► free whole cached segments, retry
//   block too large ─► split (rest ≥ 512 B small, > 1 MiB large)
//   release ─► merged with free neighbours, kept cached
//
// With expandable segments (from 2.1 on, if asked for) each pool is one range of
// addresses without end, of which pages of 2 MiB (small) or 20 MiB are mapped when a
// block needs them; a block is split wherever 512 B remain.
//
// Left out: several streams, garbage collection, CUDA graphs' private pools. Of
// PYTORCH_CUDA_ALLOC_CONF: all but expandable_segments and max_split_size_mb (whose
// partial release of cached blocks before a retry is taken as a whole one).

#pragma once

#include "lib/memory/Timeline.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <set>
#include <vector>

namespace vramlint {

/// What PYTORCH_CUDA_ALLOC_CONF changes.
struct AllocatorConf {
  bool ExpandableSegments = false;
  int64_t MaxSplitBytes = Bytes::Max; ///< Larger blocks are never split.

  /// Reads "expandable_segments:True,max_split_size_mb:128"; the error names the key.
  static llvm::Expected<AllocatorConf> parse(llvm::StringRef Text);
};

class AllocatorCuda {
public:
  static constexpr int64_t MinBlock = 512;
  static constexpr int64_t SmallSize = 1 << 20;
  static constexpr int64_t SmallSegment = 2 << 20;
  static constexpr int64_t LargeSegment = 20 << 20;
  static constexpr int64_t MinLargeAlloc = 10 << 20;
  static constexpr int64_t RoundLarge = 2 << 20;

  /// \p CapacityBytes: what cudaMalloc can give in all; default unlimited.
  explicit AllocatorCuda(int64_t CapacityBytes = Bytes::Max, AllocatorConf Conf = {});
  ~AllocatorCuda();
  AllocatorCuda(const AllocatorCuda &) = delete;

  /// False: out of memory, even after freeing what was cached. Zero bytes take
  /// no block. \p Key names the block until its release.
  bool allocate(uint32_t Key, int64_t SizeBytes);
  /// Unknown keys are ignored.
  void release(uint32_t Key);
  /// torch.cuda.empty_cache(): gives segments without a live block back.
  void emptyCache();

  int64_t allocatedBytes() const { return Allocated; }
  int64_t reservedBytes() const { return Reserved; }
  int64_t peakAllocatedBytes() const { return PeakAllocated; }
  int64_t peakReservedBytes() const { return PeakReserved; }
  unsigned cacheReleases() const { return Releases; } ///< Retries after OOM.

  static int64_t roundSize(int64_t SizeBytes);
  static int64_t segmentSize(int64_t RoundedBytes);
  /// Aborts (assert) unless blocks tile their segments and the sums agree.
  void checkConsistency() const;

private:
  struct Block;
  struct BySize {
    bool operator()(const Block *A, const Block *B) const;
  };
  struct ByAddress {
    bool operator()(const Block *A, const Block *B) const;
  };
  using Pool = std::set<Block *, BySize>;
  using Unmapped = std::set<Block *, ByAddress>;

  Pool &poolOf(const Block &B);
  Unmapped &roomOf(const Block &B);
  Block *findFree(int64_t Size);
  bool suits(const Block &B, int64_t Size) const;
  Block *newSegment(int64_t Size);
  bool reserve(int64_t SizeBytes);
  bool splits(const Block &B, int64_t Size) const;
  void splitIfLarge(Block *B, int64_t Size);
  Block *cutAt(Block *B, int64_t Size);
  Block *joinNext(Block *B);
  Block *mergeWithNeighbours(Block *B);
  void releasePool(Pool &P);
  // Expandable segments.
  Block *findRoom(int64_t Size);
  Block *expand(int64_t Size);
  Block *map(Block *B, int64_t Size);
  void unmap(Block *B);

  int64_t Capacity;
  AllocatorConf Conf;
  int64_t Allocated = 0, Reserved = 0, PeakAllocated = 0, PeakReserved = 0;
  int64_t NextAddress = 0;
  unsigned Releases = 0;
  Pool Small, Large;
  Unmapped SmallRoom, LargeRoom; ///< Expandable segments: addresses without memory.
  llvm::DenseMap<uint32_t, Block *> Live;
};

/// What a replay through the caching allocator came to.
struct AllocatorPeaks {
  int64_t AllocatedBytes = 0; ///< Rounded to 512 B.
  int64_t ReservedBytes = 0;
  bool OutOfMemory = false; ///< Only with a capacity.
  uint32_t FailedAt = None; ///< The event that could not be served.
  unsigned CacheReleases = 0;
  int64_t LargestConvWorkspaceBytes = 0;
};

/// What cuDNN may take for one convolution: non-fused Winograd F(4×4, 3×3)
/// holds its input and output in tiles of 6×6 for 4×4 elements, 2.25 times
/// each, and its weight as 6×6 for 3×3, 4 times (Lavin and Gray, 2016).
/// \p SizeOf gives a tensor's bytes.
int64_t
convolutionWorkspace(const OpRecord &Op,
                     llvm::function_ref<int64_t(const TensorDesc &)> SizeOf);

struct CudaReplayOptions {
  int64_t CapacityBytes = Bytes::Max;
  AllocatorConf Conf;
  /// cuBLAS's workspace, allocated at the first matrix product of the forward
  /// thread and again at the first one of autograd's thread; 0: none.
  int64_t CublasWorkspaceBytes = 0;
  /// cuDNN's workspace, a temporary in every convolution: this share of what
  /// the hungriest algorithm for it takes (convolutionWorkspace); 0: none.
  double ConvWorkspaceShare = 0;
  /// The same size for every convolution instead; negative: by the share.
  int64_t ConvWorkspaceBytes = -1;
};

/// Replays the allocations of \p T. \p Sizes, if not empty, replaces the sizes
/// of the storages (by StorageId).
AllocatorPeaks replayCuda(const Timeline &T, const CudaReplayOptions &Options,
                          llvm::ArrayRef<int64_t> Sizes = {});

} // namespace vramlint
