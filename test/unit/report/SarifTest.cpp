//===- test/unit/report/SarifTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// SARIF logs: one run, stable fingerprints, regions in characters.

#include "lib/report/Sarif.h"
#include "llvm/Support/JSON.h"
#include "gtest/gtest.h"

using namespace vramlint;
using namespace vramlint::report;

namespace {

Finding finding(unsigned Line, unsigned Column) {
  Finding F;
  F.Check = "torch-missing-eval";
  F.Pos = {"src/a b.cpp", Line, Column};
  F.Message = "no eval()";
  return F;
}

llvm::json::Value print(const SarifReport &R, std::string Source) {
  SourceText Sources([&](llvm::StringRef) { return std::optional(Source); });
  PathPrinter Paths;
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  printSarif(R, Sources, Paths, OS);
  llvm::Expected<llvm::json::Value> V = llvm::json::parse(Text);
  if (!V) {
    ADD_FAILURE() << llvm::toString(V.takeError());
    return nullptr;
  }
  return *V;
}

SarifReport makeReport(std::vector<Finding> Findings) {
  SarifReport R;
  R.Rules = {{"torch-missing-eval", "finds models without eval()", "autograd",
              "https://example.org/missing-eval"}};
  FileReport F;
  F.File = "src/a b.cpp";
  F.Is = FileReport::State::Analysed;
  F.Findings = std::move(Findings);
  R.Files = {F, F}; // A header's finding comes from each unit that sees it.
  return R;
}

const llvm::json::Object &run(const llvm::json::Value &Log) {
  return *Log.getAsObject()->getArray("runs")->front().getAsObject();
}

std::string printOf(const llvm::json::Value &Result) {
  return Result.getAsObject()
      ->getObject("partialFingerprints")
      ->getString("primaryLocationLineHash")
      ->str();
}

} // namespace

TEST(Sarif, OneRunOneResultPerFinding) {
  llvm::json::Value Log = print(makeReport({finding(2, 3)}), "x\n  é model(x);\n");
  EXPECT_EQ(Log.getAsObject()->getArray("runs")->size(), 1u);
  const llvm::json::Array &Results = *run(Log).getArray("results");
  ASSERT_EQ(Results.size(), 1u);
  const llvm::json::Object &R = *Results.front().getAsObject();
  EXPECT_EQ(R.getString("level"), "warning");
  EXPECT_EQ(R.getInteger("ruleIndex"), 0);
  const llvm::json::Object &Place =
      *R.getArray("locations")->front().getAsObject()->getObject(
          "physicalLocation");
  EXPECT_EQ(Place.getObject("artifactLocation")->getString("uri"),
            "src/a%20b.cpp");
}

TEST(Sarif, ColumnsAreCharacters) {
  // "é" is two bytes: byte column 6 is character 5.
  llvm::json::Value Log = print(makeReport({finding(2, 6)}), "x\n  é model(x);\n");
  const llvm::json::Object &R =
      *run(Log).getArray("results")->front().getAsObject();
  EXPECT_EQ(R.getArray("locations")
                ->front()
                .getAsObject()
                ->getObject("physicalLocation")
                ->getObject("region")
                ->getInteger("startColumn"),
            5);
}

TEST(Sarif, FingerprintOutlivesAMove) {
  std::string Before =
      printOf(run(print(makeReport({finding(2, 3)}), "x\n  model(x);\n"))
                  .getArray("results")
                  ->front());
  std::string After =
      printOf(run(print(makeReport({finding(4, 5)}), "x\n\n\n    model(x);\n"))
                  .getArray("results")
                  ->front());
  EXPECT_EQ(Before, After);
  // Two of the same text differ by their number.
  llvm::json::Value Two =
      print(makeReport({finding(1, 1), finding(2, 1)}), "model(x);\nmodel(x);\n");
  const llvm::json::Array &Results = *run(Two).getArray("results");
  ASSERT_EQ(Results.size(), 2u);
  EXPECT_NE(printOf(Results[0]), printOf(Results[1]));
}

TEST(Sarif, Fixes) {
  Finding F = finding(1, 1);
  F.Notes.push_back({{"src/a b.cpp", 1, 10}, "call eval()", {}});
  F.Notes[0].Fixes.push_back(
      {"src/a b.cpp", 2, 4, "y", {"src/a b.cpp", 1, 3}});
  llvm::json::Value Log = print(makeReport({F}), "ab\ncdef\n");
  const llvm::json::Object &R =
      *run(Log).getArray("results")->front().getAsObject();
  const llvm::json::Object &Change =
      *R.getArray("fixes")->front().getAsObject()->getArray("artifactChanges")
           ->front()
           .getAsObject();
  const llvm::json::Object &Region =
      *Change.getArray("replacements")->front().getAsObject()->getObject(
          "deletedRegion");
  EXPECT_EQ(Region.getInteger("startLine"), 1);
  EXPECT_EQ(Region.getInteger("startColumn"), 3);
  EXPECT_EQ(Region.getInteger("endLine"), 2);
  EXPECT_EQ(Region.getInteger("endColumn"), 4);
}

TEST(Sarif, CapKeepsTheLoudest) {
  Finding Quiet = finding(1, 1), Loud = finding(2, 1);
  Quiet.Level = Severity::Remark;
  SarifReport R = makeReport({Quiet, Loud});
  R.MaxResults = 1;
  llvm::json::Value Log = print(R, "a\nb\n");
  const llvm::json::Array &Results = *run(Log).getArray("results");
  ASSERT_EQ(Results.size(), 1u);
  EXPECT_EQ(Results.front().getAsObject()->getString("level"), "warning");
}

TEST(Sarif, FilesNotAnalysedAreSaid) {
  SarifReport R = makeReport({});
  R.Files[0].Is = FileReport::State::NotAnalysed;
  R.Files[0].Problem = "no such file";
  llvm::json::Value Log = print(R, "");
  const llvm::json::Object &I =
      *run(Log).getArray("invocations")->front().getAsObject();
  EXPECT_EQ(I.getBoolean("executionSuccessful"), false);
  EXPECT_EQ(I.getArray("toolExecutionNotifications")->size(), 1u);
}
