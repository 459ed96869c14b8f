//===- test/unit/report/SummaryTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Tables of models from hand-made traces.

#include "HandMadeTrace.h"
#include "lib/report/Summary.h"
#include "gtest/gtest.h"

using namespace vramlint;
using namespace vramlint::report;

static std::string print(const FileReport &R) {
  SourceText Sources([](llvm::StringRef) { return std::nullopt; });
  PathPrinter Paths;
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  printSummary(R, Sources, Paths, OS);
  return Text;
}

TEST(Summary, RowsOfAForward) {
  Trace T = makeTraining();
  std::vector<Model> Models = findModels(T);
  ASSERT_EQ(Models.size(), 1u);
  EXPECT_EQ(Models[0].Parameters.expected(), 15);
  ModelSummary S = summarize(T, Models[0]);
  EXPECT_TRUE(S.Training);
  ASSERT_EQ(S.Rows.size(), 2u);
  EXPECT_EQ(S.Rows[0].Module, "fc");
  EXPECT_EQ(S.Rows[0].Op, "Linear");
  EXPECT_EQ(S.Rows[0].Parameters.expected(), 15);
  EXPECT_EQ(S.Rows[0].KeptBytes.expected(), 0);
  EXPECT_EQ(S.Rows[0].Flops.expected(), 48);
  EXPECT_EQ(S.Rows[1].Op, "relu");
  EXPECT_EQ(S.Rows[1].KeptBytes.expected(), 24);
  EXPECT_FALSE(S.Rows[1].HasParameters);
  // The input is kept too, but no op of the forward made it.
  EXPECT_EQ(S.KeptBytes.expected(), 24);
  EXPECT_EQ(S.FeatureMapBytes.expected(), 48);
}

TEST(Summary, NestedOpsBelongToTheOuterOne) {
  TraceMaker M;
  StackId Call = M.at(3);
  ModuleInfo Net;
  Net.Class = "Net";
  Net.ClassPos = {"train.cpp", 1, 8};
  M.T.Modules = {Net};
  OpId Outer = M.beginOp("cross_entropy", Call);
  OpId Inner = M.beginOp("log_softmax", Call);
  StorageId Kept = M.storage(40, Category::Activation, Call);
  M.event(EventKind::Save, Kept);
  M.T.Ops[Inner].Outputs.push_back(M.tensor({10}, Kept));
  M.endOp(Inner, Call);
  StorageId Loss = M.storage(4, Category::Activation, Call);
  M.T.Ops[Outer].Outputs.push_back(M.tensor({}, Loss));
  M.endOp(Outer, Call);
  ForwardCall F;
  F.Module = 0;
  F.FirstOp = 0;
  F.EndOp = 2;
  M.T.Forwards.push_back(F);
  ModelSummary S = summarize(M.T, findModels(M.T).at(0));
  ASSERT_EQ(S.Rows.size(), 1u);
  EXPECT_EQ(S.Rows[0].Op, "cross_entropy");
  EXPECT_EQ(S.Rows[0].KeptBytes.expected(), 40);
}

TEST(Summary, AModelNeverRunShowsItsParameters) {
  Trace T = makeTraining();
  T.Forwards.clear();
  ModelSummary S = summarize(T, findModels(T).at(0));
  ASSERT_EQ(S.Rows.size(), 1u);
  EXPECT_FALSE(S.Rows[0].HasOutput);
  EXPECT_EQ(S.Rows[0].Parameters.expected(), 15);
}

TEST(Summary, TiedWeightsCountOnce) {
  Trace T = makeTraining();
  ModuleInfo Tied = T.Modules[1];
  T.Modules.push_back(Tied);
  T.Modules[0].Children.push_back({"head", 2});
  EXPECT_EQ(findModels(T).at(0).Parameters.expected(), 15);
}

TEST(Summary, FlattenedWeightsCountEach) {
  Trace T = makeTraining();
  for (ParameterInfo &P : T.Modules[1].Parameters) {
    P.Tensor.Storage = 0;
    P.Elements = 12;
  }
  EXPECT_EQ(findModels(T).at(0).Parameters.expected(), 24);
}

TEST(Summary, UnknownSizes) {
  Trace T = makeTraining();
  T.Modules[1].Parameters[0].Elements = -1;
  T.Modules[1].Parameters[0].SizeBytes = -1;
  Model M = findModels(T).at(0);
  EXPECT_TRUE(M.Parameters.isUnknown());
  EXPECT_EQ(M.Parameters.lower(), 3);
}

TEST(Summary, LossModulesAreNoModels) {
  Trace T;
  ModuleInfo Loss;
  Loss.Class = "MSELoss";
  Loss.Builtin = true;
  T.Modules = {Loss};
  EXPECT_TRUE(findModels(T).empty());
}

TEST(Summary, Text) {
  EXPECT_EQ(
      print(makeReport(makeTraining())),
      "Net (train.cpp:5)   training   input 2×4 float32 (torch::randn, "
      "train.cpp:13)   SGD momentum 0.5   LibTorch 1.13.1, CPU, oneDNN off\n"
      "\n"
      "module   op       output   parameters   kept for backward   MFLOP\n"
      "fc       Linear   2×3              15                   ·       ·\n"
      "         relu     2×3               ·                24 B       ·\n"
      "total                              15                24 B       ·\n"
      "\n"
      "                                     rule of thumb   this program\n"
      "parameters × 3 (SGD with momentum)           180 B          120 B\n"
      "feature maps × 2 (training)                   96 B           24 B kept "
      "for backward\n"
      "peak                                         276 B          176 B at "
      "train.cpp:15\n"
      "\n"
      "Kept counts each storage once, at the op whose result it is. MFLOP: "
      "forward, whole batch, 1 multiply-add = 2. Not understood: nothing.\n");
}
