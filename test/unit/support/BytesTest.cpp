//===- test/unit/support/BytesTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Sizes never wrap, and a figure never claims more certainty than its parts.

#include "lib/support/Bytes.h"
#include "gtest/gtest.h"

using namespace vramlint;

namespace {

TEST(Bytes, ReadsAsPeopleWriteIt) {
  EXPECT_EQ(formatBytes(Bytes{0}), "0 B");
  EXPECT_EQ(formatBytes(Bytes{784}), "784 B");
  EXPECT_EQ(formatBytes(Bytes{12800}), "12.5 KiB");
  EXPECT_EQ(formatBytes(Bytes{360 * 1024}), "360 KiB");
  EXPECT_EQ(formatBytes(Bytes{1643118592}), "1.53 GiB");
  EXPECT_EQ(formatBytes(Bytes{-2048}), "-2.00 KiB");
}

TEST(Bytes, NextUnitBeforeFourDigits) {
  EXPECT_EQ(formatBytes(Bytes{1023}), "1023 B");
  EXPECT_EQ(formatBytes(Bytes{1024 * 1024 - 1}), "1.00 MiB");
}

TEST(Bytes, ArithmeticSaturates) {
  Bytes Huge{Bytes::Max};
  EXPECT_EQ(Huge + Bytes{1}, Huge);
  EXPECT_EQ(Huge * 2, Huge);
  EXPECT_EQ(Huge * -2, Bytes{-Bytes::Max});
  EXPECT_EQ(Bytes{-Bytes::Max} - Bytes{10}, Bytes{-Bytes::Max});
  EXPECT_EQ(Bytes{5} - Bytes{3}, Bytes{2});
}

TEST(Bytes, CountsAreGrouped) {
  EXPECT_EQ(formatCount(0), "0");
  EXPECT_EQ(formatCount(999), "999");
  EXPECT_EQ(formatCount(21840), "21,840");
  EXPECT_EQ(formatCount(138357544), "138,357,544");
  EXPECT_EQ(formatCount(-1000), "-1,000");
}

TEST(Quantity, ExactStaysExact) {
  Quantity Sum = Quantity::exact(3) + Quantity::exact(4);
  EXPECT_TRUE(Sum.isExact());
  EXPECT_EQ(Sum.lower(), 7);
  EXPECT_EQ(Sum.upper(), 7);
  EXPECT_EQ(formatBytes(Sum), "7 B");
}

TEST(Quantity, EstimateMarksTheSumAndKeepsEachCauseOnce) {
  Quantity Workspace = Quantity::estimate(0, 1024, 4096, "cuDNN workspace");
  Quantity Sum = Quantity::exact(1024) + Workspace + Workspace;
  EXPECT_EQ(Sum.certainty(), Certainty::Estimate);
  EXPECT_EQ(Sum.lower(), 1024);
  EXPECT_EQ(Sum.expected(), 3072);
  EXPECT_EQ(Sum.upper(), 9216);
  EXPECT_EQ(Sum.causes(), std::vector<std::string>{"cuDNN workspace"});
  EXPECT_EQ(formatBytes(Sum), "~3.00 KiB");
}

TEST(Quantity, UnknownWinsAndKeepsItsLowerBound) {
  Quantity Sum = Quantity::unknown("argv[1]", 10) + Quantity::exact(5);
  EXPECT_TRUE(Sum.isUnknown());
  EXPECT_EQ(Sum.lower(), 15);
  EXPECT_EQ(Sum.upper(), Bytes::Max);
  EXPECT_EQ(formatBytes(Sum), "?");
}

} // namespace
