//===- test/unit/report/TextTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Findings in clang's form.

#include "lib/report/Text.h"
#include "gtest/gtest.h"

using namespace vramlint;
using namespace vramlint::report;

namespace {

const char *const Source = "int a;\n"
                           "  while (true) {\n"
                           "\tloss.backward(); // größer\n";

std::string print(const Finding &F, TextOptions Options = {}) {
  SourceText Sources([](llvm::StringRef File) -> std::optional<std::string> {
    if (File != "train.cpp")
      return std::nullopt;
    return Source;
  });
  PathPrinter Paths;
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  TextPrinter(OS, Sources, Paths, Options).print(F);
  return Text;
}

Finding finding(unsigned Line, unsigned Column) {
  Finding F;
  F.Check = "torch-vram-overflow";
  F.Pos = {"train.cpp", Line, Column};
  F.Message = "does not fit";
  return F;
}

} // namespace

TEST(Text, CaretStandsUnderItsPlace) {
  EXPECT_EQ(print(finding(2, 10)),
            "train.cpp:2:10: warning: does not fit [torch-vram-overflow]\n"
            "    2 |   while (true) {\n"
            "      |          ^\n");
}

TEST(Text, TabsAreKept) {
  EXPECT_EQ(print(finding(3, 7)),
            "train.cpp:3:7: warning: does not fit [torch-vram-overflow]\n"
            "    3 | \tloss.backward(); // größer\n"
            "      | \t     ^\n");
}

TEST(Text, NoteWithFixShowsTheNewLine) {
  Finding F = finding(1, 5);
  FindingNote Plain{{"train.cpp", 2, 3}, "a loop", {}};
  FindingNote Fix{{"train.cpp", 2, 17}, "put a guard here", {}};
  Fix.Fixes.push_back({"train.cpp", 23, 0, "\n    torch::NoGradGuard no_grad;",
                       {"train.cpp", 2, 17}});
  F.Notes = {Plain, Fix};
  EXPECT_EQ(print(F),
            "train.cpp:1:5: warning: does not fit [torch-vram-overflow]\n"
            "    1 | int a;\n"
            "      |     ^\n"
            "train.cpp:2:3: note: a loop\n"
            "train.cpp:2:17: note: put a guard here (fix available: --fix)\n"
            "    2 |   while (true) {\n"
            "      |                 ^\n"
            "      |                  torch::NoGradGuard no_grad;\n");
  TextOptions Applied;
  Applied.FixesApplied = true;
  EXPECT_NE(print(F, Applied).find("put a guard here (fixed)"),
            std::string::npos);
}

TEST(Text, FixStartsAtItsFirstLetter) {
  Finding F = finding(1, 1);
  F.Fixes.push_back({"train.cpp", 4, 0, " b", {"train.cpp", 1, 4}});
  EXPECT_EQ(print(F), "train.cpp:1:1: warning: does not fit (fix available: "
                      "--fix) [torch-vram-overflow]\n"
                      "    1 | int a;\n"
                      "      | ^\n"
                      "      |     b\n");
}

TEST(Text, UnreadableFileHasNoSnippet) {
  Finding F = finding(2, 10);
  F.Pos.File = "gone.h";
  F.Level = Severity::Remark;
  EXPECT_EQ(print(F),
            "gone.h:2:10: remark: does not fit [torch-vram-overflow]\n");
  F.Pos = {"train.cpp", 99, 1};
  EXPECT_EQ(print(F),
            "train.cpp:99:1: remark: does not fit [torch-vram-overflow]\n");
}

TEST(Text, ColourOnlyWhereAsked) {
  TextOptions Colour;
  Colour.Color = true;
  EXPECT_NE(print(finding(2, 10), Colour).find("\033["), std::string::npos);
  EXPECT_EQ(print(finding(2, 10)).find("\033["), std::string::npos);
}

TEST(Text, SortedAndOnce) {
  std::vector<Finding> Sorted = sortedFindings(
      {finding(3, 1), finding(2, 10), finding(3, 1), finding(2, 3)});
  ASSERT_EQ(Sorted.size(), 3u);
  EXPECT_EQ(Sorted[0].Pos.Column, 3u);
  EXPECT_EQ(Sorted[1].Pos.Column, 10u);
  EXPECT_EQ(Sorted[2].Pos.Line, 3u);
}
