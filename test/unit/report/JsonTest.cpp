//===- test/unit/report/JsonTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// JSON reports: the keys that readers rely on.

#include "HandMadeTrace.h"
#include "lib/report/Json.h"
#include "gtest/gtest.h"

using namespace vramlint;
using namespace vramlint::report;

static llvm::json::Value roundTrip(JsonReport R) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  printJson(std::move(R), OS);
  llvm::Expected<llvm::json::Value> V = llvm::json::parse(Text);
  if (!V) {
    ADD_FAILURE() << llvm::toString(V.takeError()) << "\n" << Text;
    return nullptr;
  }
  return *V;
}

TEST(Json, Figures) {
  llvm::json::Object Exact = toJson(Quantity::exact(640));
  EXPECT_EQ(Exact.getString("kind"), "exact");
  EXPECT_EQ(Exact.getInteger("value"), 640);
  llvm::json::Object Unknown = toJson(Quantity::unknown("no shape", 8));
  EXPECT_EQ(Unknown.getString("kind"), "unknown");
  EXPECT_EQ(Unknown.getNull("value"), nullptr);
  EXPECT_EQ(Unknown.getInteger("lower"), 8);
  EXPECT_EQ(Unknown.getNull("upper"), nullptr);
  EXPECT_EQ(Unknown.getArray("causes")->front().getAsString(), "no shape");
}

TEST(Json, Summary) {
  JsonReport R;
  R.Verb = "summary";
  R.Files.push_back(fileJson(makeReport(makeTraining()), /*WithSummary=*/true, nullptr,
                             PathPrinter()));
  llvm::json::Value V = roundTrip(std::move(R));
  const llvm::json::Object *Root = V.getAsObject();
  ASSERT_TRUE(Root);
  EXPECT_EQ(Root->getInteger("schema_version"), JsonSchemaVersion);
  const llvm::json::Object *File = Root->getArray("files")->front().getAsObject();
  EXPECT_EQ(File->getString("state"), "analysed");
  const llvm::json::Object *Net =
      File->getArray("models")->front().getAsObject();
  EXPECT_EQ(Net->getObject("parameters")->getInteger("value"), 15);
  EXPECT_EQ(Net->getArray("rows")->size(), 2u);
  EXPECT_EQ(File->getObject("peak")->getObject("live_bytes")->getInteger("value"),
            176);
  EXPECT_FALSE(Root->get("lines"));
}

TEST(Json, AnnotatedLines) {
  JsonReport R;
  R.Verb = "annotate";
  LineTable Lines;
  LineRow Row;
  Row.Pos = {"train.cpp", 7, 0};
  Row.Use = {10, 4, 6, 10};
  Lines.Rows.push_back(Row);
  R.Lines = linesJson(Lines, PathPrinter());
  llvm::json::Value V = roundTrip(std::move(R));
  const llvm::json::Object *Line =
      V.getAsObject()->getArray("lines")->front().getAsObject();
  EXPECT_EQ(Line->getString("file"), "train.cpp");
  EXPECT_EQ(Line->getInteger("line"), 7);
  EXPECT_EQ(Line->getInteger("allocated_bytes"), 10);
  EXPECT_EQ(Line->getInteger("freed_bytes"), 4);
  EXPECT_EQ(Line->getInteger("alive_after_bytes"), 6);
  EXPECT_EQ(Line->getInteger("peak_bytes"), 10);
}

TEST(Json, SourcesThatAreNotUtf8) {
  JsonReport R;
  R.Verb = "check";
  FileReport F;
  F.File = "gbk.cpp";
  F.Is = FileReport::State::Analysed;
  Finding Found;
  Found.Message = "see '\xb0\xa1'";
  F.Findings.push_back(Found);
  llvm::json::Object File = fileJson(F, false, nullptr, PathPrinter());
  File["findings"] = findingsJson(F.Findings, PathPrinter());
  R.Files.push_back(std::move(File));
  EXPECT_TRUE(roundTrip(std::move(R)).getAsObject());
}
