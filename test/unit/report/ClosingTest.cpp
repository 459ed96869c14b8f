//===- test/unit/report/ClosingTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The closing lines and the exit code.

#include "HandMadeTrace.h"
#include "lib/report/Closing.h"
#include "gtest/gtest.h"

using namespace vramlint;
using namespace vramlint::report;

static std::string print(const FileReport &R) {
  PathPrinter Paths;
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  printFileClosing(R, Paths, OS);
  return Text;
}

static std::string totals(std::initializer_list<FileReport> Reports,
                          bool RequireKnown = false) {
  Totals T;
  std::vector<std::string> Files;
  for (const FileReport &R : Reports) {
    T.add(R);
    Files.push_back(R.File);
  }
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  printTotals(T, Files, RequireKnown, OS);
  return Text + std::to_string(T.exitCode(RequireKnown));
}

static FileReport withState(FileReport::State S) {
  FileReport R;
  R.File = "util.cpp";
  R.Is = S;
  return R;
}

static GpuVerdict verdict(Verdict V) {
  GpuVerdict G;
  G.Result.Gpu.Name = "NVIDIA T4";
  G.Result.Is = V;
  G.From = "--gpu";
  G.Result.Usable = {15843721216};
  G.Result.Parts.Live = Quantity::exact(21367000000);
  G.Result.Parts.Reserved = Quantity::exact(22000000000);
  G.Result.Need =
      Quantity::estimate(21800000000, 22600000000, 23500000000, "context");
  return G;
}

TEST(Closing, Files) {
  EXPECT_EQ(print(withState(FileReport::State::NoTorch)),
            "util.cpp: no LibTorch code\n");
  FileReport R = withState(FileReport::State::NotAnalysed);
  EXPECT_EQ(print(R), "util.cpp: not analysed\n");
  R.Problem = "no such file";
  EXPECT_EQ(print(R), "util.cpp: not analysed: no such file\n");
}

TEST(Closing, FactsAndVerdict) {
  FileReport R = makeReport(makeTraining());
  R.On.Device = DeviceKind::CUDA; // As if its storages were there.
  R.Gpus.push_back(verdict(Verdict::DoesNotFit));
  R.Gpus[0].Batch.Known = true;
  R.Gpus[0].Batch.Sure = 40;
  R.Gpus[0].Batch.Possible = 44;
  EXPECT_EQ(print(R),
            "train.cpp: Net (train.cpp:5), 15 parameters; batch 2 "
            "(train.cpp:11), 2×4 float32 (train.cpp:13), SGD momentum 0.5 "
            "(train.cpp:12), LibTorch 1.13.1\n"
            "NVIDIA T4 (--gpu): does not fit; live 19.9, reserved 20.5, "
            "nvidia-smi ~21.0 GiB (lower 20.3, upper 21.9) of 14.8; largest "
            "batch 40 for certain, up to 44 may fit\n");
}

TEST(Closing, AProgramThatStaysOnTheCpu) {
  FileReport R = makeReport(makeTraining());
  R.On.Device = DeviceKind::CUDA;
  R.Line = std::make_shared<Timeline>(computeTimeline(R.Run, DeviceKind::CUDA));
  R.Gpus.push_back(verdict(Verdict::Fits));
  EXPECT_NE(print(R).find("NVIDIA T4 (--gpu): nothing to judge, the program "
                          "puts no tensor on the GPU (peak on the CPU 176 B; "
                          "--device cpu shows it)\n"),
            std::string::npos)
      << print(R);
}

TEST(Closing, UnknownInputs) {
  FileReport R = makeReport(makeTraining());
  R.On.Device = DeviceKind::CPU;
  auto T = std::make_shared<Trace>(*R.Run);
  T->Unknowns = {{{"train.cpp", 12, 9}, "batch", "std::stoi(argv[1])",
                  "--args \"32\""},
                 {{"data.h", 27, 5}, "image size", "cv::imread",
                  "--input 3x224x224"}};
  R.Run = T;
  R.Gpus.push_back(verdict(Verdict::NotJudged));
  R.FitNotJudged = true;
  EXPECT_NE(print(R).find(
                "NVIDIA T4 (--gpu): not judged, 2 inputs unknown\n"
                "  batch         train.cpp:12    std::stoi(argv[1])    tell: "
                "--args \"32\"\n"
                "  image size    data.h:27       cv::imread            tell: "
                "--input 3x224x224\n"
                "Known: parameters, gradients and optimizer state 120 B.\n"),
            std::string::npos)
      << print(R);
  EXPECT_EQ(totals({R}), "Nothing found; fit not judged.\n0");
  EXPECT_EQ(totals({R}, true),
            "Nothing found; fit not judged, so not shown to hold "
            "(--require-known).\n1");
}

TEST(Closing, ExitCodes) {
  FileReport Clean = makeReport(makeTraining());
  FileReport Warned = Clean;
  Finding F;
  F.Check = "torch-missing-eval";
  F.Fixes.push_back({});
  Warned.Findings.push_back(F);
  FileReport Remarked = Clean;
  F.Level = Severity::Remark;
  F.Fixes.clear();
  Remarked.Findings.push_back(F);
  FileReport Broken = withState(FileReport::State::NotAnalysed);
  FileReport Other = withState(FileReport::State::NoTorch);
  EXPECT_EQ(totals({Clean}), "Nothing found.\n0");
  EXPECT_EQ(totals({Warned}), "1 warning, 1 fixable\n1");
  EXPECT_EQ(totals({Remarked}), "1 remark\n0");
  // Where nothing was looked at, nothing can be said to be found or not.
  EXPECT_EQ(totals({Other}), "0");
  EXPECT_EQ(totals({Broken}), "2");
  EXPECT_EQ(totals({Broken, Warned}),
            "1 warning, 1 fixable (1 file analysed, 1 not analysed)\n2");
}

TEST(Closing, OverflowPointsOn) {
  FileReport R = makeReport(makeTraining());
  Finding F;
  F.Check = "torch-vram-overflow";
  R.Findings.push_back(F);
  EXPECT_EQ(totals({R}),
            "1 warning. Other cards: vramlint fit train.cpp. How it is "
            "computed: vramlint explain torch-vram-overflow\n1");
}

TEST(Closing, SmallNeedKeepsItsUnit) {
  Fit F;
  F.Usable = {15843721216};
  F.Parts.Live = Quantity::exact(7750264);
  F.Parts.Reserved = Quantity::exact(23068672);
  F.Need = Quantity::estimate(900000000, 1181116006, 1300000000, "context");
  EXPECT_EQ(levelsText(F), "live 7.39 MiB, reserved 22.0 MiB, nvidia-smi ~1.10 "
                           "GiB (lower 858 MiB, upper 1.21) of 14.8");
}
