//===- test/unit/support/SourcePosTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Places outlive the text they were made from, print and sort.

#include "lib/support/SourcePos.h"
#include "gtest/gtest.h"

using namespace vramlint;

namespace {

TEST(SourcePos, InternedTextOutlivesItsOrigin) {
  llvm::StringRef First;
  {
    std::string Text = "train.cpp";
    First = intern(Text);
    EXPECT_NE(First.data(), Text.data());
  }
  EXPECT_EQ(First, "train.cpp");
  EXPECT_EQ(First.data(), intern("train.cpp").data());
}

TEST(SourcePos, Prints) {
  EXPECT_EQ((SourcePos{intern("a/b.cpp"), 12, 3}).str(), "a/b.cpp:12:3");
  EXPECT_FALSE(SourcePos().isValid());
  EXPECT_EQ(SourcePos().str(), "<unknown>");
}

TEST(SourcePos, SortsByFileLineColumn) {
  SourcePos A{intern("a.cpp"), 9, 1}, B{intern("a.cpp"), 10, 1},
      C{intern("a.cpp"), 10, 2}, D{intern("b.cpp"), 1, 1};
  EXPECT_LT(A, B);
  EXPECT_LT(B, C);
  EXPECT_LT(C, D);
}

} // namespace
