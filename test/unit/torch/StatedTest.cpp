//===- test/unit/torch/StatedTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// How users state a model's arguments and inputs.

#include "lib/torch/Stated.h"

#include "gtest/gtest.h"

using namespace vramlint;

namespace {

TEST(Stated, Arguments) {
  StatedModels M;
  ASSERT_FALSE(bool(stateConstruct(M, "Net(3, -1, 0.5, true, \"a, b\", {1, {2}}); Empty()")));
  const auto &Args = *M.at("Net").Arguments;
  ASSERT_EQ(Args.size(), 6u);
  EXPECT_EQ(std::get<int64_t>(Args[0].Is), 3);
  EXPECT_EQ(std::get<int64_t>(Args[1].Is), -1);
  EXPECT_EQ(std::get<double>(Args[2].Is), 0.5);
  EXPECT_TRUE(std::get<bool>(Args[3].Is));
  EXPECT_EQ(std::get<std::string>(Args[4].Is), "a, b");
  const auto &List = std::get<StatedValue::List>(Args[5].Is);
  EXPECT_EQ(std::get<int64_t>(List[0].Is), 1);
  EXPECT_EQ(std::get<StatedValue::List>(List[1].Is).size(), 1u);
  EXPECT_TRUE(M.at("Empty").Arguments->empty());
}

TEST(Stated, Inputs) {
  StatedModels M;
  ASSERT_FALSE(bool(stateInput(M, "3x224x224; Net=16:int64,8x8")));
  EXPECT_EQ(M.at("").Inputs[0].Sizes, (std::vector<int64_t>{3, 224, 224}));
  ASSERT_EQ(M.at("Net").Inputs.size(), 2u);
  EXPECT_EQ(M.at("Net").Inputs[0].Type, DType::Int64);
  EXPECT_EQ(M.at("Net").Inputs[1].Sizes, (std::vector<int64_t>{8, 8}));
  EXPECT_EQ(statedFor(M, "Other").Inputs[0].Sizes.size(), 3u);
  EXPECT_EQ(statedFor(M, "Net").Inputs.size(), 2u);
}

struct Wrong {
  const char *Text;
  const char *Message;
};

TEST(Stated, WrongArgumentsSayWhere) {
  const Wrong Cases[] = {
      {"Net", "expected CLASS(ARGUMENTS) such as Net(3, 64), got 'Net'"},
      {"Net(3", "expected ',' or ')' before '' in '3'"},
      {"Net(x)", "expected a number, true, false, \"text\" or {a list}, got 'x' in 'x)'"},
      {"Net(1) 2", "nothing may follow the ')' in 'Net(1) 2'"},
      {"Net(\"a)", "the text has no closing quote in '\"a)'"},
      {"Net(99999999999999999999)", nullptr}, // A double then.
      {"a b(1)", "expected CLASS(ARGUMENTS) such as Net(3, 64), got 'a b(1)'"}};
  for (const Wrong &C : Cases) {
    StatedModels M;
    std::string Got = llvm::toString(stateConstruct(M, C.Text));
    EXPECT_EQ(Got, C.Message ? C.Message : "") << C.Text;
  }
  StatedModels M;
  EXPECT_NE(llvm::toString(stateConstruct(M, "N(" + std::string(100'000, '{'))), "");
}

TEST(Stated, WrongInputsSayWhere) {
  for (const Wrong &C : {Wrong{"3x", "expected a shape such as 3x224x224, got '3x'"},
                         Wrong{"3x-2", "expected a shape such as 3x224x224, got '3x-2'"},
                         Wrong{"3:text", "expected a type such as float32 or int64, got 'text'"}}) {
    StatedModels M;
    EXPECT_EQ(llvm::toString(stateInput(M, C.Text)), C.Message) << C.Text;
  }
  EXPECT_EQ(llvm::toString(parseStated("build(3)").takeError()),
            "expected construct(…) or input(…), got 'build(3)'");
}

} // namespace
