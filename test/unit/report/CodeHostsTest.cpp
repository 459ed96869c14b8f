//===- test/unit/report/CodeHostsTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// GitHub's annotations and GitLab's code quality report.

#include "lib/report/Github.h"
#include "lib/report/Gitlab.h"
#include "llvm/Support/JSON.h"
#include "gtest/gtest.h"

using namespace vramlint;
using namespace vramlint::report;

static FileOutcome reportOf(std::vector<Finding> Findings) {
  FileOutcome R;
  R.File = "a.cpp";
  R.Is = FileOutcome::State::Analysed;
  R.Findings = std::move(Findings);
  return R;
}

static Finding finding(Severity Level, unsigned Line) {
  Finding F;
  F.Check = "torch-missing-eval";
  F.Level = Level;
  F.Pos = {"src/a,b:c.cpp", Line, 5};
  F.Message = "100 % of 'x'\nis lost";
  return F;
}

TEST(Github, EscapesWhatEndsACommand) {
  Finding F = finding(Severity::Warning, 3);
  F.Notes.push_back({{"src/h.h", 7, 1}, "made here", {}});
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  printGithub({reportOf({F})}, PathPrinter(), OS);
  EXPECT_EQ(Text, "::warning file=src/a%2Cb%3Ac.cpp,line=3,col=5,"
                  "title=torch-missing-eval::100 %25 of 'x'%0Ais lost%0A"
                  "src/h.h:7:1: made here\n");
}

TEST(Github, LevelsAndFilesThatFailed) {
  FileOutcome Gone;
  Gone.File = "gone.cpp";
  Gone.Problem = "no such file";
  Finding Whole = finding(Severity::Remark, 0);
  Whole.Message = "all of it";
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  printGithub({reportOf({Whole, finding(Severity::Error, 3)}), Gone}, PathPrinter(), OS);
  EXPECT_EQ(Text, "::notice file=src/a%2Cb%3Ac.cpp,title=torch-missing-eval::all of it\n"
                  "::error file=src/a%2Cb%3Ac.cpp,line=3,col=5,"
                  "title=torch-missing-eval::100 %25 of 'x'%0Ais lost\n"
                  "::error file=gone.cpp,title=vramlint::not analysed: no such file\n");
}

TEST(Gitlab, FingerprintsOfEqualLinesDiffer) {
  SourceText Sources([](llvm::StringRef) { return std::optional<std::string>("x();\nx();\n"); });
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  printGitlab({reportOf({finding(Severity::Warning, 1), finding(Severity::Warning, 2),
                         finding(Severity::Remark, 0)})},
              Sources, PathPrinter(), OS);
  llvm::Expected<llvm::json::Value> V = llvm::json::parse(Text);
  ASSERT_TRUE(bool(V)) << llvm::toString(V.takeError());
  const llvm::json::Array &Issues = *V->getAsArray();
  ASSERT_EQ(Issues.size(), 3u);
  auto Print = [&](size_t I) { return *Issues[I].getAsObject()->getString("fingerprint"); };
  EXPECT_NE(Print(1), Print(2));
  EXPECT_EQ(Print(1).split(':').first, Print(2).split(':').first);
  // A finding without a line is shown at the first.
  const llvm::json::Object &Whole = *Issues[0].getAsObject();
  EXPECT_EQ(Whole.getString("severity"), "info");
  EXPECT_EQ(Whole.getObject("location")->getObject("lines")->getInteger("begin"), 1);
}
