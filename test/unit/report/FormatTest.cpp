//===- test/unit/report/FormatTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Sizes, shapes, paths and tables as reports print them.

#include "lib/report/Format.h"
#include "gtest/gtest.h"

using namespace vramlint;
using namespace vramlint::report;

TEST(Format, TableBytesLineUp) {
  struct Case {
    int64_t SizeBytes;
    const char *Text;
  } Cases[] = {{0, "0 B"},
               {1023, "1023 B"},
               {2560, "2.5 KiB"},
               {262080, "255.9 KiB"},
               {1474560, "1.41 MiB"},
               {(1 << 20) - 1, "1.00 MiB"},
               {14677770240, "13.67 GiB"},
               {int64_t(3) << 40, "3.00 TiB"}};
  for (const Case &C : Cases)
    EXPECT_EQ(tableBytes(C.SizeBytes), C.Text);
  EXPECT_EQ(tableBytes(Quantity::estimate(1, 2048, 4096, "a guess")),
            "~2.0 KiB");
  EXPECT_EQ(tableBytes(Quantity::unknown("no shape")), "?");
}

TEST(Format, Shapes) {
  std::vector<int64_t> Image = {64, 3, -1, 28}, Scalar;
  EXPECT_EQ(shapeText(Image), "64×3×?×28");
  EXPECT_EQ(shapeText(Scalar), "scalar");
  EXPECT_EQ(shapeText(Scalar, false), "?");
}

TEST(Format, CommonUnit) {
  EXPECT_EQ(inUnit(5065904, commonUnit(5065904)), "4947.2");
  EXPECT_EQ(commonUnit(5065904).Name, "KiB");
  EXPECT_EQ(commonUnit(int64_t(20) << 30).Name, "GiB");
  EXPECT_EQ(commonUnit(0).Name, "B");
}

TEST(Format, PathsAreRelativeToTheWorkingFolder) {
  PathPrinter Paths("/home/me/project");
  EXPECT_EQ(Paths.file("/home/me/project/src/a.cpp"), "src/a.cpp");
  EXPECT_EQ(Paths.file("/home/me/project2/a.cpp"), "/home/me/project2/a.cpp");
  EXPECT_EQ(Paths.file("./a.cpp"), "a.cpp");
  EXPECT_EQ(Paths.place({"/home/me/project/a.cpp", 3, 4}), "a.cpp:3:4");
  EXPECT_EQ(Paths.line({}), "<unknown>");
  EXPECT_EQ(Paths.text("In file included from /home/me/project/a.h:1:\n"
                       "/home/me/project/b.h:2:1: error: /mnt/home/me/project/"
                       "c\n"),
            "In file included from a.h:1:\nb.h:2:1: error: "
            "/mnt/home/me/project/c\n");
  EXPECT_EQ(PathPrinter().text("/a/b.cpp:1: error"), "/a/b.cpp:1: error");
}

TEST(Format, TableCountsCharactersNotBytes) {
  Table T({Table::Left, Table::Right});
  T.row({"2×3", "·"});
  T.row({"x", "12", "remark"});
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  T.print(OS);
  EXPECT_EQ(Text, "2×3    ·\n"
                  "x     12 remark\n");
}
