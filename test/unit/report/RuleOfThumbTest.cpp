//===- test/unit/report/RuleOfThumbTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The estimate made by hand: factors and sums.

#include "lib/report/RuleOfThumb.h"
#include "gtest/gtest.h"

using namespace vramlint;
using namespace vramlint::report;

TEST(RuleOfThumb, FactorOfTheOptimizer) {
  struct Case {
    const char *Optimizer;
    int Factor;
    const char *Why;
  } Cases[] = {{"SGD", 2, "SGD"},
               {"SGD momentum 0", 2, "SGD"},
               {"SGD momentum 0.5", 3, "SGD with momentum"},
               {"SGD momentum 0.9, weight_decay 1e-4", 3, "SGD with momentum"},
               {"Adam", 4, "Adam"},
               {"AdamW", 4, "AdamW"},
               {"RMSprop", 3, "RMSprop"},
               {"?", 2, "gradients; optimizer not known"}};
  for (const Case &C : Cases) {
    std::string Why;
    EXPECT_EQ(parameterFactor(C.Optimizer, Why), C.Factor) << C.Optimizer;
    EXPECT_EQ(Why, C.Why);
  }
}

// VGG-16, batch 64, 224×224, Adam.
TEST(RuleOfThumb, Sums) {
  RuleOfThumb R = ruleOfThumb(Quantity::exact(138357544 * 4LL),
                              Quantity::exact(1000), true, "Adam");
  EXPECT_EQ(R.ParameterBytes.expected(), 138357544 * 16LL);
  EXPECT_EQ(R.MapBytes.expected(), 2000);
  EXPECT_EQ(R.PeakBytes.expected(), 138357544 * 16LL + 2000);
  EXPECT_TRUE(R.PeakBytes.isExact());
  R = ruleOfThumb(Quantity::exact(400), Quantity::exact(1000), false, "Adam");
  EXPECT_EQ(R.PeakBytes.expected(), 1400);
}

TEST(RuleOfThumb, UnknownStaysUnknown) {
  RuleOfThumb R = ruleOfThumb(Quantity::exact(400),
                              Quantity::unknown("no input"), true, "SGD");
  EXPECT_TRUE(R.PeakBytes.isUnknown());
  EXPECT_EQ(R.PeakBytes.lower(), 800);
}
