//===- test/unit/tool/LineFilterTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Which lines --lines names and which a diff says are new.

#include "tool/vramlint/LineFilter.h"
#include "gtest/gtest.h"

using namespace vramlint;
using namespace vramlint::tool;

static bool has(const LineFilter &F, llvm::StringRef File, unsigned Line) {
  return F.contains({File, Line, 1});
}

TEST(LineFilter, Ranges) {
  LineFilter F;
  ASSERT_FALSE(bool(F.add("/no:such/a.cpp:2-3,7")));
  for (unsigned Line : {2u, 3u, 7u})
    EXPECT_TRUE(has(F, "/no:such/a.cpp", Line)) << Line;
  for (unsigned Line : {0u, 1u, 4u, 8u})
    EXPECT_FALSE(has(F, "/no:such/a.cpp", Line)) << Line;
  EXPECT_FALSE(has(F, "/no:such/b.cpp", 2));
}

TEST(LineFilter, WrongRanges) {
  for (const char *Text : {"", "a.cpp", "a.cpp:", ":1", "a.cpp:x", "a.cpp:3-2", "a.cpp:0",
                           "a.cpp:1-", "a.cpp:-2", "a.cpp:1,,2", "a.cpp:99999999999"}) {
    LineFilter F;
    llvm::Error E = F.add(Text);
    EXPECT_TRUE(bool(E)) << Text;
    llvm::consumeError(std::move(E));
  }
}

TEST(LineFilter, Diffs) {
  LineFilter F;
  F.addDiff("diff --git a/a.cpp b/a.cpp\n"
            "--- a/a.cpp\n+++ b/a.cpp\n"
            "@@ -3 +3,2 @@ int main() {\n-old\n+new\n+++ b/c.cpp\n"
            "@@ -9,2 +10,0 @@ gone\n-x\n-y\n"
            "@@ -20,0 +19 @@\n+one\n"
            "--- a/gone.cpp\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
            "--- \"a/\\303\\244 \\\"b\\\".cpp\"\n+++ \"b/\\303\\244 \\\"b\\\".cpp\"\n@@ -1 +1 @@\n-x\n+y\n"
            "--- a/with space.cpp\n+++ b/with space.cpp\t\n@@ -1 +1 @@\n-x\n+y\n",
            "/no/such");
  for (unsigned Line : {3u, 4u, 19u})
    EXPECT_TRUE(has(F, "/no/such/a.cpp", Line)) << Line;
  for (unsigned Line : {2u, 5u, 10u, 20u})
    EXPECT_FALSE(has(F, "/no/such/a.cpp", Line)) << Line;
  EXPECT_FALSE(has(F, "/no/such/c.cpp", 3));
  EXPECT_TRUE(has(F, "/no/such/ä \"b\".cpp", 1));
  EXPECT_TRUE(has(F, "/no/such/with space.cpp", 1));
}
