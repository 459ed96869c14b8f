//===- test/unit/report/AnnotateTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The annotated source, from a table of lines made by hand.

#include "HandMadeTrace.h"
#include "lib/report/Annotate.h"
#include "gtest/gtest.h"

using namespace vramlint;
using namespace vramlint::report;

namespace {

LineRow row(unsigned Line, LineUse Use, llvm::StringRef Function = "main") {
  LineRow R;
  R.Pos = {"train.cpp", Line, 0};
  R.Function = Function;
  R.Use = Use;
  return R;
}

std::string print(const FileReport &R, const LineTable &Lines) {
  SourceText Sources([](llvm::StringRef) {
    return std::optional<std::string>("int main() {\n  Net net;\n  for (;;) {\n"
                                      "    step();\n  }\n}\n");
  });
  PathPrinter Paths;
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  printAnnotated(R, Lines, Sources, Paths, OS);
  return Text;
}

} // namespace

TEST(Annotate, Lines) {
  LineTable Lines;
  Lines.Rows = {row(2, {2048, 0, 2048, 2048}),
                row(4, {1024, 1024, 2048, 3072})};
  Lines.Rows[1].InLoop = true;
  Lines.Rows[1].Iteration = 2;
  Lines.Rows[1].First = LineUse{2048, 1024, 3072, 4096};
  Lines.Rows[1].HoldsPeak = true;
  FileReport R = makeReport(makeTraining());
  std::string Text = print(R, Lines);
  EXPECT_EQ(Text.substr(0, Text.find("\nPeak")),
            "train.cpp: main, lines 2-4; LibTorch 1.13.1, CPU, oneDNN off. In "
            "the loop: iteration 2, as all after it; iteration 1 differs at "
            "line 4.\n"
            "\n"
            "     +alloc   -freed    alive     peak\n"
            " 2   2048 B        ·   2048 B   2048 B  │   Net net;\n"
            " 3        ·        ·        ·        ·  │   for (;;) {\n"
            " 4   1024 B   1024 B   2048 B   3072 B ◄│     step();\n");
  EXPECT_NE(Text.find("Peak 176 B (176 B) inside line 15: parameters 60, "
                      "gradients 60, kept for backward 24, inputs 32\n"
                      "Line 4, iteration 1: allocates 2048 B, frees 1024 B; "
                      "1024 B more stays than later.\n"),
            std::string::npos)
      << Text;
}

TEST(Annotate, ALambdaIsShownInsideItsFunction) {
  LineTable Lines;
  Lines.Rows = {row(2, {}), row(3, {}, "main::lambda"), row(5, {}),
                row(9, {}, "Net::forward")};
  std::vector<AnnotatedSection> S = sectionsOf(Lines, "train.cpp");
  ASSERT_EQ(S.size(), 2u);
  EXPECT_EQ(S[0].Function, "main");
  EXPECT_EQ(S[0].LastLine, 5u);
  EXPECT_EQ(S[1].Function, "Net::forward");
}

TEST(Annotate, NothingAllocated) {
  FileReport R = makeReport(makeTraining());
  EXPECT_EQ(print(R, {}), "train.cpp: nothing is allocated\n");
}
