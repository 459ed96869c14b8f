//===- test/unit/tool/JobsTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Work in several processes: order, crashes, more processes than pieces.

#include "tool/vramlint/Jobs.h"
#include "gtest/gtest.h"
#include <chrono>
#include <thread>
#include <unistd.h>

using namespace vramlint::tool;

static std::vector<std::string> run(size_t Pieces, unsigned Jobs, Worker Do) {
  std::vector<std::string> Results;
  JobCallbacks On;
  On.MakeWorker = [&] { return Do; };
  On.Started = [](size_t) {};
  On.Done = [&](size_t Piece, std::optional<std::string> R) {
    EXPECT_EQ(Piece, Results.size());
    Results.push_back(R.value_or("lost"));
  };
  runJobs(Pieces, Jobs, On);
  return Results;
}

TEST(Jobs, ResultsComeInOrder) {
  auto Results = run(9, 3, [](size_t Piece) {
    // The first of each three is the slowest.
    std::this_thread::sleep_for(std::chrono::milliseconds(Piece % 3 ? 1 : 30));
    return std::string(Piece, 'x');
  });
  ASSERT_EQ(Results.size(), 9u);
  for (size_t I = 0; I < Results.size(); ++I)
    EXPECT_EQ(Results[I], std::string(I, 'x'));
}

TEST(Jobs, ACrashCostsItsPieceOnly) {
  for (unsigned Jobs : {1u, 2u, 8u}) {
    auto Results = run(5, Jobs, [](size_t Piece) {
      if (Piece == 1 || Piece == 2)
        _exit(3);
      return std::to_string(Piece);
    });
    EXPECT_EQ(Results, (std::vector<std::string>{"0", "lost", "lost", "3", "4"}));
  }
}

TEST(Jobs, LargeResults) {
  auto Results = run(3, 2, [](size_t Piece) { return std::string(5 << 20, 'a' + Piece); });
  ASSERT_EQ(Results.size(), 3u);
  EXPECT_EQ(Results[2], std::string(5 << 20, 'c'));
}

TEST(Jobs, Nothing) { EXPECT_TRUE(run(0, 2, [](size_t) { return ""; }).empty()); }
