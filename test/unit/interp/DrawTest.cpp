//===- test/unit/interp/DrawTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Random draws: what each expression of one may be, and which number is taken.

#include "TestProgram.h"
#include "gtest/gtest.h"

using namespace vramlint;

/// What `Expression` is where something hangs on it: the number of times that a loop
/// so long runs.
static std::string times(const std::string &Expression) {
  return runTest("#include <algorithm>\n#include <cmath>\n#include <random>\n"
                 "#include <cstdlib>\n#include <vector>\n"
                 "int test() { std::mt19937 gen(1); int n = 0; const int size = " +
                 Expression + "; for (int i = 0; i < size; ++i) ++n; return n; }")
      .Value;
}

TEST(Draw, TheGreatestNumberIsTaken) {
  EXPECT_EQ(times("rand() % 10"), "9");
  EXPECT_EQ(times("320 + 32 * (rand() % 10)"), "608");
  EXPECT_EQ(times("320 - 32 * (rand() % 10)"), "320");
  EXPECT_EQ(times("gen() % 3 + 1"), "3");
  EXPECT_EQ(times("std::uniform_int_distribution<int>(5, 9)(gen)"), "9");
  EXPECT_EQ(times("std::uniform_int_distribution<>{1, 1000000}(gen) / 1000"), "1000");
}

TEST(Draw, IsCarriedThroughFunctionsAndSubscripts) {
  EXPECT_EQ(times("std::min(rand() % 10, 4)"), "4");
  EXPECT_EQ(times("std::max(2, rand() % 10)"), "9");
  EXPECT_EQ(times("std::vector<int>{3, 8, 5}[rand() % 3]"), "8");
  EXPECT_EQ(times("(int)std::round(10 * std::uniform_real_distribution<double>(0.5, 1.5)(gen))"), "15");
  EXPECT_EQ(times("(int)(rand() / (RAND_MAX + 1.0) * 4)"), "3");
  EXPECT_EQ(times("-(rand() % 4) + 5"), "5");
}

TEST(Draw, OnePlaceDrawsOneNumber) {
  EXPECT_EQ(times("[] { int a = rand() % 10; return a - a + 3; }()"), "3");
  EXPECT_EQ(times("[] { int a = rand() % 10; return a * a; }()"), "81");
}

TEST(Draw, ConditionsFollowTheNumberThatWasTaken) {
  TestResult R = runTest(
      "#include <cstdlib>\nint test() { int s = 3 + rand() % 4, n = 0; "
      "for (int i = 0; i < s; ++i) ++n; if (s < 5) return -n; return n; }");
  EXPECT_EQ(R.Value, "6");
}

TEST(Draw, RejectionEnds) {
  TestResult R = runTest(
      "#include <cstdlib>\nint test() { int a = rand() % 4, b; "
      "do { b = rand() % 4; } while (b == a); return 1; }");
  EXPECT_EQ(R.Value, "1");
}

TEST(Draw, WhatIsNoUniformDrawStaysUnknown) {
  EXPECT_EQ(times("(int)std::normal_distribution<double>(3, 1)(gen)"),
            "unknown: how often a loop runs");
  EXPECT_EQ(runTest("#include <cstdlib>\nint test() { return rand() + 1; }")
                .Value.substr(0, 7),
            "unknown");
}
