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

} // namespace
} // namespace vramlint
