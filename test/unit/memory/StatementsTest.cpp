//===- test/unit/memory/StatementsTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What statements allocate, free and reach, one by one as they ran.

#include "lib/memory/Statements.h"
#include "test/unit/TraceBuilder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace vramlint;
using testing::ElementsAre;

namespace {

std::vector<StatementUse> statementsOf(TraceBuilder &B) {
  return computeStatements(computeTimeline(B.take(), DeviceKind::CUDA));
}

StatementUse use(const char *File, unsigned Line, int64_t Allocated,
                 int64_t Freed, int64_t Alive, int64_t Peak) {
  return {{File, Line, 3}, Allocated, Freed, Alive, Peak};
}

TEST(Statements, CountWhatTheyChangeAndReach) {
  TraceBuilder B;
  StorageId X = B.alloc(100, Category::Input, B.at(1));
  B.endStatement(1);
  B.endStatement(2); // Changes nothing.
  StorageId Y = B.alloc(50, Category::Temporary, B.at(3));
  B.free(Y, B.at(3));
  B.endStatement(3);
  B.free(X, B.at(4));
  B.endStatement(4);
  EXPECT_THAT(statementsOf(B),
              ElementsAre(use("train.cpp", 1, 100, 0, 100, 100),
                          use("train.cpp", 3, 50, 50, 100, 150),
                          use("train.cpp", 4, 0, 100, 0, 100)));
}

TEST(Statements, ACallCountsForItsCallerToo) {
  TraceBuilder B;
  StorageId X = B.alloc(100, Category::Activation, B.at(1, 20));
  B.event(EventKind::StatementEnd, None, 0, B.at(1, 20));
  B.alloc(30, Category::Activation, B.at(1, 21));
  B.event(EventKind::StatementEnd, None, 0, B.at(1, 21));
  B.free(X, B.at(1, 21)); // A local of the callee.
  B.endStatement(1);
  EXPECT_THAT(statementsOf(B),
              ElementsAre(use("net.h", 20, 100, 0, 100, 100),
                          use("net.h", 21, 30, 0, 130, 130),
                          use("train.cpp", 1, 130, 100, 30, 130)));
}

TEST(Statements, TheEndOfAScopeCountsForNone) {
  TraceBuilder B;
  for (int Iteration = 0; Iteration < 2; ++Iteration) {
    B.event(EventKind::LoopIteration, 0, Iteration, B.at(1));
    StorageId Local = B.alloc(100, Category::Activation, B.at(2));
    B.endStatement(2);
    B.free(Local, B.at(2));
  }
  B.alloc(30, Category::Activation, B.at(4));
  B.endStatement(4);
  EXPECT_THAT(statementsOf(B),
              ElementsAre(use("train.cpp", 2, 100, 0, 100, 100),
                          use("train.cpp", 2, 100, 0, 100, 100),
                          use("train.cpp", 4, 30, 0, 30, 30)));
}

TEST(Statements, IterationsNotRunAreLikeTheOneBefore) {
  TraceBuilder B;
  B.event(EventKind::LoopIteration, 0, 0, B.at(1));
  B.alloc(10, Category::Activation, B.at(2)); // Kept: each adds as much.
  B.endStatement(2);
  B.event(EventKind::LoopJump, 0, 2, B.at(1));
  B.event(EventKind::LoopEnd, 0, 0, B.at(1));
  EXPECT_THAT(statementsOf(B), ElementsAre(use("train.cpp", 2, 10, 0, 10, 10),
                                           use("train.cpp", 2, 10, 0, 20, 20),
                                           use("train.cpp", 2, 10, 0, 30, 30)));
}

} // namespace
