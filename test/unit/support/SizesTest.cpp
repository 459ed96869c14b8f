//===- test/unit/support/SizesTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Sizes, counts and budgets as people write them.

#include "lib/support/Sizes.h"
#include "gtest/gtest.h"

using namespace vramlint;

TEST(Sizes, Counts) {
  struct Case {
    const char *Text;
    int64_t Count;
  } Cases[] = {{"0", 0}, {"25M", 25000000}, {"1.5 k", 1500}, {"2G", 2000000000}};
  for (const Case &C : Cases) {
    llvm::Expected<int64_t> N = parseCount(C.Text);
    ASSERT_TRUE(bool(N)) << C.Text;
    EXPECT_EQ(*N, C.Count) << C.Text;
  }
  for (const char *Text : {"", "-1", "many", "1e30", "M", "3MiB"}) {
    llvm::Expected<int64_t> N = parseCount(Text);
    EXPECT_FALSE(bool(N)) << Text;
    llvm::consumeError(N.takeError());
  }
}
