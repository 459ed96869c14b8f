//===- test/unit/memory/AllocatorCudaTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The caching allocator: worked cases, and a random comparison with a simple
// model written independently (flat lists, linear searches).

#include "lib/memory/AllocatorCuda.h"
#include "lib/memory/AllocatorExact.h"
#include "test/unit/TraceBuilder.h"
#include "gtest/gtest.h"
#include <random>

using namespace vramlint;

namespace {

constexpr int64_t KiB = 1 << 10, MiB = 1 << 20;

int64_t reservedFor(std::vector<int64_t> Sizes) {
  AllocatorCuda A;
  uint32_t Key = 0;
  for (int64_t Size : Sizes)
    EXPECT_TRUE(A.allocate(Key++, Size));
  A.checkConsistency();
  return A.reservedBytes();
}

TEST(AllocatorCuda, WorkedCases) {
  EXPECT_EQ(reservedFor({40 * KiB}), 2 * MiB);
  EXPECT_EQ(reservedFor({1 * MiB}), 2 * MiB);
  EXPECT_EQ(reservedFor({1 * MiB + 1}), 20 * MiB);
  EXPECT_EQ(reservedFor({9 * MiB, 9 * MiB}), 20 * MiB);
  EXPECT_EQ(reservedFor({10 * MiB}), 10 * MiB);
  EXPECT_EQ(reservedFor({10 * MiB + 1}), 12 * MiB);
  EXPECT_EQ(reservedFor({10 * MiB - 1}), 10 * MiB); // Rounded to 10 MiB first.
  EXPECT_EQ(reservedFor({0}), 0);
  EXPECT_EQ(reservedFor({1, 1, 1}), 2 * MiB);
  EXPECT_EQ(reservedFor({9 * MiB, 9 * MiB, 9 * MiB}), 40 * MiB);
}

TEST(AllocatorCuda, RoundsTo512) {
  AllocatorCuda A;
  A.allocate(0, 1);
  EXPECT_EQ(A.allocatedBytes(), 512);
  A.allocate(1, 513);
  EXPECT_EQ(A.allocatedBytes(), 512 + 1024);
}

TEST(AllocatorCuda, SplitsSmallAt512AndLargeAboveOneMiB) {
  AllocatorCuda A;
  A.allocate(0, 19 * MiB); // 20 MiB: the rest is exactly 1 MiB, not split off.
  EXPECT_EQ(A.allocatedBytes(), 20 * MiB);
  AllocatorCuda B;
  B.allocate(0, 18 * MiB + 512 * KiB); // Rounds to 20 MiB: 1.5 MiB split off.
  EXPECT_EQ(B.allocatedBytes(), 18 * MiB + 512 * KiB);
  B.allocate(1, 1 * MiB + 512); // Takes it whole: the rest is below 1 MiB.
  EXPECT_EQ(B.allocatedBytes(), 20 * MiB);
  EXPECT_EQ(B.reservedBytes(), 20 * MiB);
}

TEST(AllocatorCuda, TakesTheBestFit) {
  AllocatorCuda A;
  A.allocate(0, 40 * MiB);
  A.allocate(1, 20 * MiB);
  A.release(0);
  A.release(1);
  A.allocate(2, 15 * MiB); // Into the 20 MiB one.
  A.allocate(3, 40 * MiB); // The 40 MiB one is still whole.
  EXPECT_EQ(A.reservedBytes(), 60 * MiB);
  A.checkConsistency();
}

TEST(AllocatorCuda, MergesNeighbours) {
  AllocatorCuda A;
  for (uint32_t I = 0; I < 3; ++I)
    A.allocate(I, 6 * MiB); // Three in one 20 MiB segment.
  EXPECT_EQ(A.reservedBytes(), 20 * MiB);
  A.release(0);
  A.release(2);
  A.release(1);
  A.checkConsistency();
  A.allocate(3, 20 * MiB);
  EXPECT_EQ(A.reservedBytes(), 20 * MiB);
}

TEST(AllocatorCuda, FragmentedMemoryIsReservedTwice) {
  AllocatorCuda A;
  A.allocate(0, 30 * MiB);
  A.release(0);
  A.allocate(1, 12 * MiB); // Splits the cached 30 MiB.
  A.allocate(2, 30 * MiB); // The 18 MiB left do not do.
  EXPECT_EQ(A.reservedBytes(), 60 * MiB);
  EXPECT_EQ(A.allocatedBytes(), 42 * MiB);
}

TEST(AllocatorCuda, FreesCachedSegmentsWhenShort) {
  AllocatorCuda A(64 * MiB);
  EXPECT_TRUE(A.allocate(0, 40 * MiB));
  A.release(0);
  EXPECT_TRUE(A.allocate(1, 60 * MiB));
  EXPECT_EQ(A.cacheReleases(), 1u);
  EXPECT_EQ(A.reservedBytes(), 60 * MiB);
  EXPECT_FALSE(A.allocate(2, 6 * MiB)); // Needs a segment of 20 MiB.
  A.checkConsistency();
}

TEST(AllocatorCuda, KeepsSegmentsInUseWhenShort) {
  AllocatorCuda A(64 * MiB);
  A.allocate(0, 40 * MiB);
  A.release(0);
  A.allocate(1, 2 * MiB); // A part of the 40 MiB segment.
  EXPECT_FALSE(A.allocate(2, 60 * MiB));
  EXPECT_EQ(A.reservedBytes(), 40 * MiB);
}

TEST(AllocatorCuda, HugeSizesSaturate) {
  AllocatorCuda A;
  EXPECT_TRUE(A.allocate(0, Bytes::Max / 2));
  A.allocate(1, Bytes::Max);
  A.allocate(2, Bytes::Max);
  EXPECT_GT(A.reservedBytes(), 0);
  A.release(77); // Unknown keys are ignored.
}

AllocatorConf confOf(llvm::StringRef Text) {
  llvm::Expected<AllocatorConf> Conf = AllocatorConf::parse(Text);
  EXPECT_TRUE(bool(Conf)) << Text.str();
  return Conf ? *Conf : (llvm::consumeError(Conf.takeError()), AllocatorConf());
}

TEST(AllocatorCuda, ExpandableSegmentsMapPagesAsTheyAreNeeded) {
  AllocatorCuda A(Bytes::Max, confOf("expandable_segments:True"));
  A.allocate(0, 30 * MiB); // Two pages of 20 MiB.
  EXPECT_EQ(A.reservedBytes(), 40 * MiB);
  EXPECT_EQ(A.allocatedBytes(), 30 * MiB);
  A.allocate(1, 12 * MiB); // The 10 MiB left and a page more.
  EXPECT_EQ(A.reservedBytes(), 60 * MiB);
  A.release(0);
  A.checkConsistency();
  A.allocate(2, 12 * MiB); // Into the hole, not behind: that can grow.
  EXPECT_EQ(A.reservedBytes(), 60 * MiB);
  A.release(1);
  A.allocate(3, 40 * MiB); // 48 MiB in a row: no page more.
  EXPECT_EQ(A.reservedBytes(), 60 * MiB);
  A.allocate(4, 1 * KiB); // The small pool's own page.
  EXPECT_EQ(A.reservedBytes(), 62 * MiB);
  A.checkConsistency();
}

TEST(AllocatorCuda, FragmentsThatSegmentsKeepApartAreOneRange) {
  AllocatorCuda A(Bytes::Max, confOf("expandable_segments:True"));
  A.allocate(0, 30 * MiB);
  A.release(0);
  A.allocate(1, 12 * MiB);
  A.allocate(2, 30 * MiB); // 28 MiB are left of 40: one page more, not 30 MiB.
  EXPECT_EQ(A.reservedBytes(), 60 * MiB);
}

TEST(AllocatorCuda, ExpandableSegmentsGiveWholePagesBack) {
  AllocatorCuda A(100 * MiB, confOf("expandable_segments:True"));
  A.allocate(0, 50 * MiB); // 60 MiB mapped.
  A.allocate(1, 5 * MiB);
  A.release(0);
  A.emptyCache(); // 0..50 MiB is free: pages 0 and 1 go, 50..60 holds block 1.
  EXPECT_EQ(A.reservedBytes(), 20 * MiB);
  A.checkConsistency();
  EXPECT_TRUE(A.allocate(2, 45 * MiB)); // The hole is mapped again.
  EXPECT_EQ(A.reservedBytes(), 60 * MiB);
  EXPECT_FALSE(A.allocate(3, 60 * MiB));
  A.checkConsistency();
}

TEST(AllocatorCuda, ExpandableSegmentsStayConsistent) {
  std::mt19937_64 Random(7);
  for (int Round = 0; Round < 20; ++Round) {
    AllocatorCuda A(400 * MiB, confOf("expandable_segments:True"));
    std::vector<uint32_t> Live;
    for (uint32_t I = 0; I < 600; ++I) {
      if (Live.empty() || Random() % 100 < 55) {
        if (A.allocate(I, 1 + Random() % (Random() % 2 ? 90 * MiB : 300 * KiB)))
          Live.push_back(I);
      } else {
        size_t At = Random() % Live.size();
        A.release(Live[At]);
        Live.erase(Live.begin() + At);
      }
      A.checkConsistency();
      ASSERT_LE(A.allocatedBytes(), A.reservedBytes());
      ASSERT_LE(A.reservedBytes(), 400 * MiB);
    }
  }
}

TEST(AllocatorCuda, LargeBlocksAreNotSplitAboveTheLimit) {
  AllocatorCuda A(Bytes::Max, confOf("max_split_size_mb:64"));
  A.allocate(0, 100 * MiB);
  A.release(0);
  A.allocate(1, 30 * MiB); // Not out of the 100 MiB.
  EXPECT_EQ(A.reservedBytes(), 130 * MiB);
  A.allocate(2, 90 * MiB); // The 100 MiB are less than a segment larger: whole.
  EXPECT_EQ(A.reservedBytes(), 130 * MiB);
  EXPECT_EQ(A.allocatedBytes(), 130 * MiB);
}

TEST(AllocatorConf, NamesWhatIsWrong) {
  for (llvm::StringRef Text : {"expandable_segments:yes", "max_split_size_mb:1",
                               "garbage_collection_threshold:0.6", "x"})
    EXPECT_TRUE(bool(AllocatorConf::parse(Text).takeError())) << Text.str();
}

/// The same rules on flat lists.
class SimpleModel {
public:
  explicit SimpleModel(int64_t Capacity) : Capacity(Capacity) {}

  bool allocate(uint32_t Key, int64_t Bytes) {
    if (Bytes == 0)
      return true;
    int64_t Size = (Bytes + 511) / 512 * 512;
    bool Small = Size <= MiB;
    if (place(Key, Size, Small))
      return true;
    int64_t Segment = Small ? 2 * MiB
                      : Size < 10 * MiB
                          ? 20 * MiB
                          : (Size + 2 * MiB - 1) / (2 * MiB) * (2 * MiB);
    if (reserved() + Segment > Capacity)
      std::erase_if(Segments, [](const Segment_ &S) {
        return S.Blocks.size() == 1 && S.Blocks[0].Key < 0;
      });
    if (reserved() + Segment > Capacity)
      return false;
    Segments.push_back({Small, {{-1, Segment}}});
    return place(Key, Size, Small);
  }

  void release(uint32_t Key) {
    for (Segment_ &S : Segments) {
      for (Block &B : S.Blocks)
        if (B.Key == Key)
          B.Key = -1;
      for (size_t I = 0; I + 1 < S.Blocks.size();) {
        if (S.Blocks[I].Key < 0 && S.Blocks[I + 1].Key < 0) {
          S.Blocks[I].Size += S.Blocks[I + 1].Size;
          S.Blocks.erase(S.Blocks.begin() + I + 1);
        } else {
          ++I;
        }
      }
    }
  }

  int64_t reserved() const { return sum(true); }
  int64_t allocated() const { return sum(false); }

private:
  struct Block {
    int64_t Key, Size;
  };
  struct Segment_ {
    bool Small;
    std::vector<Block> Blocks;
  };

  int64_t sum(bool Free) const {
    int64_t Sum = 0;
    for (const Segment_ &S : Segments)
      for (const Block &B : S.Blocks)
        Sum += Free || B.Key >= 0 ? B.Size : 0;
    return Sum;
  }

  /// Into the smallest free block that does, the first of several.
  bool place(uint32_t Key, int64_t Size, bool Small) {
    Segment_ *In = nullptr;
    size_t At = 0;
    for (Segment_ &S : Segments)
      for (size_t I = 0; S.Small == Small && I < S.Blocks.size(); ++I)
        if (S.Blocks[I].Key < 0 && S.Blocks[I].Size >= Size &&
            (!In || S.Blocks[I].Size < In->Blocks[At].Size)) {
          In = &S;
          At = I;
        }
    if (!In)
      return false;
    int64_t Rest = In->Blocks[At].Size - Size;
    In->Blocks[At].Key = Key;
    if (Small ? Rest >= 512 : Rest > MiB) {
      In->Blocks[At].Size = Size;
      In->Blocks.insert(In->Blocks.begin() + At + 1, {-1, Rest});
    }
    return true;
  }

  int64_t Capacity;
  std::vector<Segment_> Segments;
};

void compareRandomly(unsigned Seed, int64_t Capacity, int Steps) {
  std::mt19937_64 Random(Seed);
  AllocatorCuda A(Capacity);
  SimpleModel M(Capacity);
  std::vector<uint32_t> Live;
  uint32_t Next = 0;
  for (int I = 0; I < Steps; ++I) {
    if (Live.empty() || Random() % 100 < 55) {
      static constexpr int64_t Tops[] = {2000,     100 * KiB, MiB + 600,
                                         3 * MiB,  11 * MiB,  90 * MiB,
                                         10 * MiB, 2 * MiB};
      int64_t Size = Random() % Tops[Random() % std::size(Tops)];
      bool Done = A.allocate(Next, Size);
      ASSERT_EQ(Done, M.allocate(Next, Size)) << "step " << I;
      if (Done && Size)
        Live.push_back(Next);
      ++Next;
    } else {
      size_t At = Random() % Live.size();
      A.release(Live[At]);
      M.release(Live[At]);
      Live.erase(Live.begin() + At);
    }
    ASSERT_EQ(A.reservedBytes(), M.reserved()) << "step " << I;
    ASSERT_EQ(A.allocatedBytes(), M.allocated()) << "step " << I;
    if (I % 64 == 0)
      A.checkConsistency();
  }
}

TEST(AllocatorCuda, AgreesWithTheSimpleModel) {
  for (unsigned Seed = 0; Seed < 20; ++Seed)
    compareRandomly(Seed, int64_t(1) << 50, 600);
}

TEST(AllocatorCuda, AgreesWithTheSimpleModelWhenShort) {
  for (unsigned Seed = 100; Seed < 120; ++Seed)
    compareRandomly(Seed, 400 * MiB, 600);
}

TEST(AllocatorExact, CountsBytes) {
  AllocatorExact A;
  A.allocate(0, 100);
  A.allocate(1, 50);
  A.release(0);
  A.release(9);
  A.allocate(2, 20);
  EXPECT_EQ(A.allocatedBytes(), 70);
  EXPECT_EQ(A.peakAllocatedBytes(), 150);
}

TEST(ReplayCuda, CountsWorkspaces) {
  TraceBuilder B;
  StorageId X = B.alloc(4 * MiB, Category::Input);
  StorageId W = B.alloc(2 * MiB, Category::Parameter);
  B.op("addmm", {X, W}, [&] { return B.alloc(4 * MiB); });
  B.op("addmm", {X, W}, [&] { return B.alloc(4 * MiB); });
  Timeline L = computeTimeline(B.take(), DeviceKind::CUDA);
  EXPECT_TRUE(L.MultipliesHere);
  EXPECT_FALSE(L.ConvolvesHere);
  EXPECT_EQ(replayCuda(L, {}).ReservedBytes, 20 * MiB);
  CudaReplayOptions Options;
  Options.CublasWorkspaceBytes = (2 * 4096 + 8 * 16) * KiB;
  // 14 MiB and 8.125 MiB: one more segment; one workspace for both products.
  EXPECT_EQ(replayCuda(L, Options).ReservedBytes, 40 * MiB);
  EXPECT_EQ(replayCuda(L, Options).AllocatedBytes,
            14 * MiB + Options.CublasWorkspaceBytes);
}

TEST(ReplayCuda, ConvolutionWorkspaceIsTemporary) {
  TraceBuilder B;
  StorageId X = B.alloc(16 * MiB, Category::Input);
  StorageId W = B.alloc(4 * MiB, Category::Parameter);
  B.op("conv2d", {X, W}, [&] { return B.alloc(16 * MiB); });
  Timeline L = computeTimeline(B.take(), DeviceKind::CUDA);
  CudaReplayOptions Options;
  Options.ConvWorkspaceShare = 1;
  AllocatorPeaks Peaks = replayCuda(L, Options);
  EXPECT_EQ(Peaks.LargestConvWorkspaceBytes, (36 + 36 + 16) * MiB);
  EXPECT_EQ(Peaks.AllocatedBytes, 36 * MiB + 88 * MiB);
  Options.CapacityBytes = 100 * MiB; // Does without where there is no room.
  Peaks = replayCuda(L, Options);
  EXPECT_FALSE(Peaks.OutOfMemory);
  EXPECT_EQ(Peaks.AllocatedBytes, 36 * MiB);
  Options.CapacityBytes = 30 * MiB;
  EXPECT_TRUE(replayCuda(L, Options).OutOfMemory);
}

} // namespace
