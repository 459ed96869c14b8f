//===- test/unit/report/BaselineTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Baselines: what is written is read, what is damaged is refused.

#include "lib/report/Baseline.h"
#include "gtest/gtest.h"

using namespace vramlint;
using namespace vramlint::report;

TEST(Baseline, ReadsWhatItWrote) {
  Baseline B;
  Finding F;
  F.Check = "torch-missing-eval";
  B.add(F, "z.cpp", "1f:1");
  B.add(F, "a \"b\".cpp", "2f:1");
  llvm::Expected<Baseline> Read = Baseline::parse(B.text());
  ASSERT_TRUE(bool(Read)) << llvm::toString(Read.takeError());
  EXPECT_TRUE(Read->knows("1f:1"));
  EXPECT_TRUE(Read->knows("2f:1"));
  EXPECT_FALSE(Read->knows("1f:2"));
  // One finding a line, sorted by file.
  EXPECT_LT(B.text().find("a \\\"b"), B.text().find("z.cpp"));
  EXPECT_EQ(Baseline().text(), "{\n  \"vramlint_baseline\": 1,\n  \"findings\": []\n}\n");
}

TEST(Baseline, RefusesWhatIsDamaged) {
  for (const char *Text :
       {"", "[]", "{}", "{\"vramlint_baseline\": 1}", "{\"vramlint_baseline\": \"1\"}",
        "{\"vramlint_baseline\": 2, \"findings\": []}",
        "{\"vramlint_baseline\": 1, \"findings\": [1]}",
        "{\"vramlint_baseline\": 1, \"findings\": [{\"fingerprint\": 3}]}"}) {
    llvm::Expected<Baseline> B = Baseline::parse(Text);
    ASSERT_FALSE(bool(B)) << Text;
    EXPECT_TRUE(llvm::StringRef(llvm::toString(B.takeError())).starts_with("not a baseline"));
  }
}
