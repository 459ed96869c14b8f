//===- test/unit/interp/TurnsTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Turns held against running on until they come; loops that stop for them.

#include "TestProgram.h"
#include "lib/interp/Turns.h"
#include "gtest/gtest.h"
#include <random>

using namespace vramlint;
using namespace clang;

static bool holds(BinaryOperatorKind Op, int64_t L, int64_t R) {
  switch (Op) {
  case BO_LT: return L < R;
  case BO_LE: return L <= R;
  case BO_GT: return L > R;
  case BO_GE: return L >= R;
  case BO_NE: return L != R;
  default:    return L == R;
  }
}

static constexpr BinaryOperatorKind Comparisons[] = {BO_LT, BO_LE, BO_GT,
                                                     BO_GE, BO_EQ, BO_NE};

// What it says must be the iteration in which the comparison turns, or, where its
// operands count further than one, the one before it.
TEST(Turns, OfComparisonsAreWhereTheyAre) {
  std::mt19937 Random(1);
  std::uniform_int_distribution<int64_t> Start(-60, 60), Step(-7, 7);
  constexpr int64_t Now = 3, Horizon = 400;
  for (int Round = 0; Round < 20000; ++Round) {
    int64_t L = Start(Random), DL = Step(Random), R = Start(Random), DR = Step(Random);
    BinaryOperatorKind Op = Comparisons[Random() % 6];
    auto At = [&](int64_t I) { return holds(Op, L + I * DL, R + I * DR); };
    Turns T;
    for (int64_t I = 0; I <= Now; ++I)
      T.compared(&T, Op, L + I * DL, R + I * DR, I);
    // One that turned already is not waited for.
    if (At(2) != At(3))
      continue;
    int64_t First = Now + 1;
    while (First < Horizon && At(First) == At(Now))
      ++First;
    std::optional<int64_t> Said = T.next(Now);
    bool Exact = std::abs(DL - DR) == 1;
    if (First < Horizon) {
      ASSERT_TRUE(Said.has_value()) << L << " " << DL << " " << Op << " " << R << " " << DR;
      EXPECT_LE(*Said, First);
      EXPECT_GE(*Said, Exact ? First : First - 1);
    } else if (Exact) {
      EXPECT_FALSE(Said.has_value());
    }
  }
}

TEST(Turns, OfRemaindersAreWhereTheyAre) {
  std::mt19937 Random(2);
  std::uniform_int_distribution<int64_t> Start(0, 500), Step(1, 9), Modulus(2, 300);
  constexpr int64_t Now = 3, Horizon = 2000;
  for (int Round = 0; Round < 5000; ++Round) {
    int64_t N = Start(Random), S = Step(Random), K = Modulus(Random), R = Random() % K;
    auto At = [&](int64_t I) { return (N + I * S) % K == R; };
    Turns T;
    for (int64_t I = 0; I <= Now; ++I)
      T.compared(&T, BO_EQ, (N + I * S) % K, R, I, (T.divided(&N, true, N + I * S, K, I), &N));
    if (At(2) || At(3) || (N + 2 * S) % K == 0 || (N + 3 * S) % K == 0)
      continue;
    int64_t First = Now + 1;
    // The remainder alone is a condition, too.
    while (First < Horizon && !At(First) && (N + First * S) % K != 0)
      ++First;
    std::optional<int64_t> Said = T.next(Now);
    if (First < Horizon)
      EXPECT_EQ(Said, First) << N << " " << S << " % " << K << " == " << R;
    else
      EXPECT_FALSE(Said.has_value());
  }
}

TEST(Turns, OfQuotients) {
  Turns T;
  for (int64_t I = 0; I <= 3; ++I)
    T.divided(&T, false, I, 40, I);
  EXPECT_EQ(T.next(3), 40);
}

TEST(Turns, NumbersNearTheirLimitsDoNotOverflow) {
  Turns T;
  for (int64_t I = 0; I <= 3; ++I)
    T.compared(&T, BO_LT, INT64_MIN + I, INT64_MAX, I);
  EXPECT_EQ(T.next(3), std::nullopt);
}

static std::string body(std::string Body) {
  return "int test() { int seen = 0; for (int i = 0; i < 1000000; ++i) { event(); " +
         Body + " } return seen; }";
}

TEST(Turns, LoopsStopWhereAConditionTurns) {
  for (const char *Body :
       {"if (i == 700) { event(); seen = 7; }", "if (i >= 700) seen = 7;",
        "if (700 < i) { event(); seen = 7; }", "if (i % 1000 == 700) seen = 7;",
        "int size[] = {0, 0, 7, 0}; seen = size[i / 1000 % 4] ? 7 : seen;",
        "switch (i) { case 700: event(); seen = 7; }",
        "auto f = [&](int n) { if (n - 3 == 700) seen = 7; }; f(i);"}) {
    TestResult R = runTest(body(Body));
    EXPECT_EQ(R.Value, "7") << Body;
    EXPECT_LT(R.Events, 200u) << Body;
  }
}

TEST(Turns, NestedLoopsStopInBoth) {
  TestResult R = runTest(
      "int test() { int seen = 0, step = 0; for (int e = 0; e < 1000; ++e) "
      "for (int b = 0; b < 938; ++b) { event(); if (step == 5000) { event(); seen = e; } ++step; } "
      "return seen * 10000000 + step; }");
  EXPECT_EQ(R.Value, std::to_string(5000 / 938 * 10000000 + 938000));
  EXPECT_LT(R.Events, 400u);
}

TEST(Turns, AnEndlessLoopIsLeftWhereItsCounterSays) {
  TestResult R = runTest(
      "int test() { int i = 0; while (true) { event(); if (++i > 50000) break; } return i; }");
  EXPECT_EQ(R.Value, "50001");
  EXPECT_FALSE(R.Stopped);
  EXPECT_LT(R.Events, 40u);
}

TEST(Turns, WhatBringsNothingNewIsRunOnceMore) {
  TestResult R = runTest(body("if (i % 1000 == 999) seen = 1;"));
  EXPECT_LT(R.Events, 40u);
}

TEST(Turns, TooManyAreNotRun) {
  TestResult R = runTest(body("if (i / 3 % 2) seen = 1; for (int k = 0; k < i / 1000; ++k) event();"));
  EXPECT_FALSE(R.Stopped);
}
