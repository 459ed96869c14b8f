//===- test/unit/modules/DataTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Data sets and the loader against the figures of test/oracle/recorded/mnist.*.

#include "Probe.h"
#include "lib/torch/data/Data.h"

namespace vramlint {
namespace {

int64_t live(const Bench &B) { return B.R.liveBytes(DeviceKind::CPU); }

TEST(DataTest, MnistAsRecorded) {
  Bench B;
  DatasetRef D = makeMnist(B.R, true);
  D = mapDataset(D, makeNormalize(B.R));
  D = mapDataset(D, makeStack());
  // train.cpp:90 of the MNIST program.
  EXPECT_EQ(live(B), 188640008);
  EXPECT_EQ(B.R.peakBytes(DeviceKind::CPU), 235200012);
  int64_t Before = live(B);
  DataLoader L(D, Sampler(B.R, SamplerKind::Sequential, D->size()), LoaderOptions{64});
  EXPECT_EQ(L.batches(), 938);
  EXPECT_EQ(L.samplesIn(937), 32);
  L.begin(B.R);
  ASSERT_TRUE(L.next(B.R));
  EXPECT_EQ(live(B) - Before, 201216);
  EXPECT_EQ(L.batch().size(), 1u);
  EXPECT_EQ(L.batch()[0].Data->Sizes.str(), "64×1×28×28");
  ASSERT_TRUE(L.next(B.R));
  EXPECT_EQ(live(B) - Before, 201216);
  L.skip(935);
  ASSERT_TRUE(L.next(B.R));
  EXPECT_EQ(L.batch()[0].Data->Sizes.str(), "32×1×28×28");
  EXPECT_FALSE(L.next(B.R));
  EXPECT_EQ(live(B), Before);
}

TEST(DataTest, RandomSamplerHoldsAPermutation) {
  Bench B;
  Sampler S(B.R, SamplerKind::Random, 10000);
  EXPECT_EQ(live(B), 80000);
  EXPECT_EQ(B.R.peakBytes(DeviceKind::CPU), 80008);
  S.reset(B.R);
  EXPECT_EQ(live(B), 80000);
}

TEST(DataTest, DropLastAndUnknownSize) {
  Bench B;
  auto Get = [](Runtime &R) {
    Shape S;
    S.Dims = {Dim(3)};
    return Example{R.make(S, DType::Float32, Device{}, Category::Input, "rand")};
  };
  DatasetRef D = mapDataset(makeUserDataset([] { return 10; }, Get), makeStack());
  DataLoader L(D, Sampler(B.R, SamplerKind::Sequential, D->size()),
               LoaderOptions{4, true});
  EXPECT_EQ(L.batches(), 2);
  DatasetRef U = mapDataset(makeUserDataset(nullptr, Get), makeStack());
  DataLoader Endless(U, Sampler(B.R, SamplerKind::Sequential, U->size()), LoaderOptions{4});
  EXPECT_FALSE(Endless.batches().has_value());
  Endless.begin(B.R);
  EXPECT_TRUE(Endless.next(B.R));
  EXPECT_EQ(Endless.batch()[0].Data->Sizes.str(), "4×3");
}

TEST(DataTest, WorkersKeepBatchesReady) {
  Bench B;
  auto Get = [](Runtime &R) {
    Shape S;
    S.Dims = {Dim(25)};
    return Example{R.make(S, DType::Float32, Device{}, Category::Input, "rand")};
  };
  DatasetRef D = mapDataset(makeUserDataset([] { return 1000; }, Get), makeStack());
  DataLoader L(D, Sampler(B.R, SamplerKind::Sequential, D->size()),
               LoaderOptions{1, false, 2});
  L.begin(B.R);
  L.next(B.R);
  EXPECT_EQ(live(B), 400); // One is used, three of the four jobs wait.
}

/// A batch of ten samples of \p Before floats, each made into one of \p After floats
/// while its input is still there, and then \p Stacked.
int64_t peakOfTen(int64_t Before, int64_t After, bool Stacked) {
  Bench B;
  auto Floats = [](Runtime &R, int64_t N) {
    Shape S;
    S.Dims = {Dim(N)};
    return R.make(S, DType::Float32, Device{}, Category::Input, "sample");
  };
  auto Get = [=](Runtime &R) {
    TensorRef Scratch = Floats(R, 5);
    return Example{Floats(R, Before), Floats(R, 1)};
  };
  DatasetRef D = mapDataset(makeUserDataset([] { return 10; }, Get),
                            makeLambda([=](Runtime &R, Example E) {
                              E.Data = Floats(R, After);
                              return E;
                            }));
  if (Stacked)
    D = mapDataset(D, makeStack());
  std::vector<Example> Batch = D->getBatch(B.R, 10);
  EXPECT_EQ(live(B), 10 * 4 * (After + 1));
  return B.R.peakBytes(DeviceKind::CPU);
}

TEST(DataTest, ManySamplesPeakAsOneByOne) {
  // Targets 40 B. Growing: before the last dies nine are grown, and its own.
  EXPECT_EQ(peakOfTen(25, 50, false), 40 + 9 * 200 + 100 + 200);
  // Shrinking: all as they were, and the first one's new one.
  EXPECT_EQ(peakOfTen(50, 25, false), 40 + 10 * 200 + 100);
  EXPECT_EQ(peakOfTen(50, 5, false), 40 + 10 * 200 + 20);
  EXPECT_EQ(peakOfTen(25, 50, true), 2 * (40 + 10 * 200));
}

TEST(DataTest, LargestBatchIsBounded) {
  Bench B;
  auto Get = [](Runtime &R) {
    Shape S;
    S.Dims = {Dim(25)};
    return Example{R.make(S, DType::Float32, Device{}, Category::Input, "rand")};
  };
  DatasetRef D = makeUserDataset(nullptr, Get);
  DataLoader L(D, Sampler(B.R, SamplerKind::Sequential, D->size()),
               LoaderOptions{int64_t(1) << 50});
  L.begin(B.R);
  L.next(B.R);
  EXPECT_LT(L.batch().size(), 10000u);
  EXPECT_GT(live(B), int64_t(1) << 50);
}

} // namespace
} // namespace vramlint
