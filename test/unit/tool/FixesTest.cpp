//===- test/unit/tool/FixesTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Edits applied to text.

#include "tool/vramlint/Fixes.h"
#include "gtest/gtest.h"

using namespace vramlint;
using namespace vramlint::tool;

static FixEdit edit(unsigned Offset, unsigned Length, const char *Text) {
  return {"a.cpp", Offset, Length, Text, {"a.cpp", 1, Offset + 1}};
}

TEST(Fixes, InOrderWhateverTheirOrder) {
  unsigned Applied = 0;
  EXPECT_EQ(applyEdits("abcdef", {edit(4, 1, "E"), edit(0, 0, ">"),
                                  edit(1, 2, "")},
                       Applied),
            ">adEf");
  EXPECT_EQ(Applied, 3u);
}

TEST(Fixes, TheSameOnceAndNoneThatOverlaps) {
  unsigned Applied = 0;
  EXPECT_EQ(applyEdits("abcdef", {edit(1, 3, "x"), edit(1, 3, "x"),
                                  edit(2, 3, "y"), edit(6, 0, "!")},
                       Applied),
            "axef!");
  EXPECT_EQ(Applied, 2u);
}

TEST(Fixes, OutsideTheFile) {
  unsigned Applied = 0;
  EXPECT_EQ(applyEdits("ab", {edit(1, 5, "x"), edit(9, 0, "y")}, Applied),
            "ab");
  EXPECT_EQ(Applied, 0u);
}
