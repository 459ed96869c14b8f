//===- test/unit/tool/CommandLineTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What the command line accepts, and what it says to the rest.

#include "tool/vramlint/CommandLine.h"
#include "lib/support/Sizes.h"
#include "gtest/gtest.h"

using namespace vramlint;
using namespace vramlint::tool;

static llvm::Expected<CommandLine> parse(std::vector<const char *> Argv) {
  return parseCommandLine(Argv);
}

static std::string errorOf(std::vector<const char *> Argv) {
  llvm::Expected<CommandLine> C = parse(std::move(Argv));
  return C ? "no error" : llvm::toString(C.takeError());
}

TEST(CommandLine, CheckIsTheVerbWhenNoneIsGiven) {
  llvm::Expected<CommandLine> C = parse({"train.cpp", "--gpu", "t4"});
  ASSERT_TRUE(bool(C));
  EXPECT_EQ(C->What, Verb::Check);
  EXPECT_EQ(C->Files, std::vector<std::string>{"train.cpp"});
  EXPECT_EQ(C->Gpus, std::vector<std::string>{"t4"});
}

TEST(CommandLine, VerbsStandAnywhereBeforeTheFiles) {
  llvm::Expected<CommandLine> C = parse({"--quiet", "summary", "a.cpp", "fit"});
  ASSERT_TRUE(bool(C));
  EXPECT_EQ(C->What, Verb::Summary);
  EXPECT_TRUE(C->Quiet);
  // After the verb a verb's name is a file.
  EXPECT_EQ(C->Files, (std::vector<std::string>{"a.cpp", "fit"}));
}

TEST(CommandLine, AllOptions) {
  llvm::Expected<CommandLine> C = parse(
      {"a.cpp", "--gpu=t4", "--gpu", "rtx 3060 laptop", "--reserve", "512MiB",
       "--batch=32", "--optimizer", "adamw", "--precision=bf16", "--args",
       "--lr 0.1 \"two words\"", "--set", "kWidth=64", "--set=N::depth=3",
       "--input", "3x224x224", "--require-known", "-p", "build", "--checks=-*",
       "--cache-dir", "/tmp/c", "--format=json", "--", "-std=c++17", "--gpu"});
  ASSERT_TRUE(bool(C)) << llvm::toString(C.takeError());
  EXPECT_EQ(C->Gpus.size(), 2u);
  EXPECT_EQ(C->ReserveBytes, 512 << 20);
  EXPECT_EQ(C->Batch, 32);
  EXPECT_EQ(C->Optimizer, "AdamW");
  EXPECT_EQ(C->Precision, "bfloat16");
  EXPECT_EQ(*C->Args,
            (std::vector<std::string>{"--lr", "0.1", "two words"}));
  EXPECT_EQ(C->Set.at("kWidth"), "64");
  EXPECT_EQ(C->Set.at("N::depth"), "3");
  EXPECT_EQ(C->Stated.at("").Inputs.at(0).Sizes, (std::vector<int64_t>{3, 224, 224}));
  EXPECT_TRUE(C->RequireKnown);
  EXPECT_EQ(C->BuildDir, "build");
  EXPECT_EQ(C->Output, Format::Json);
  EXPECT_EQ(*C->Flags, (std::vector<std::string>{"-std=c++17", "--gpu"}));
}

TEST(CommandLine, EmptyFlagsAreFlags) {
  llvm::Expected<CommandLine> C = parse({"a.cpp", "--"});
  ASSERT_TRUE(bool(C));
  ASSERT_TRUE(C->Flags.has_value());
  EXPECT_TRUE(C->Flags->empty());
}

TEST(CommandLine, Errors) {
  struct Case {
    std::vector<const char *> Argv;
    const char *Message;
  } Cases[] = {
      {{}, "no files given; see vramlint --help"},
      {{"--gpuu", "t4", "a.cpp"},
       "unknown option '--gpuu'; did you mean '--gpu'?"},
      {{"--frobnicate"}, "unknown option '--frobnicate'; see vramlint --help"},
      {{"a.cpp", "--gpu"}, "option '--gpu' needs a value: --gpu NAME"},
      {{"a.cpp", "--gpu", "--", "-O2"},
       "option '--gpu' needs a value: --gpu NAME"},
      {{"a.cpp", "--fix=yes"}, "option '--fix' takes no value"},
      {{"a.cpp", "--batch=0"}, "not a batch size: '0'"},
      {{"a.cpp", "--batch=many"}, "not a batch size: 'many'"},
      {{"a.cpp", "--reserve=lots"},
       "not a size: 'lots' (as 512MiB, 1.5GiB or 1000000)"},
      {{"a.cpp", "--input=3xx2"}, "expected a shape such as 3x224x224, got '3xx2'"},
      {{"a.cpp", "--set=x"}, "--set needs NAME=VALUE, not 'x'"},
      {{"a.cpp", "--device=tpu"}, "unknown device 'tpu': cpu or cuda"},
      {{"a.cpp", "--format=xml"},
       "unknown format 'xml': text, json, sarif, github, gitlab or markdown"},
      {{"a.cpp", "--optimizer=adm"},
       "unknown optimizer 'adm'; did you mean 'Adam'?"},
      {{"explain"},
       "explain needs the name of one check; see vramlint checks"},
      {{"fit", "a.cpp", "--fix"}, "--fix goes with check only"},
      {{"a.cpp", "--device=cpu", "--gpu=t4"},
       "--gpu and --device cpu exclude each other"},
  };
  for (const Case &C : Cases)
    EXPECT_EQ(errorOf(C.Argv), C.Message);
}

TEST(CommandLine, HelpNeedsNoFiles) {
  EXPECT_EQ(errorOf({"--help"}), "no error");
  EXPECT_EQ(errorOf({"--version"}), "no error");
}

TEST(CommandLine, HelpNamesEveryVisibleOption) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  printHelp(OS);
  for (const char *Word :
       {"summary", "annotate", "explain CHECK", "--gpu NAME", "--reserve BYTES",
        "--format text|json|sarif|github|gitlab|markdown", "--require-known", "-p DIR"})
    EXPECT_NE(Text.find(Word), std::string::npos) << Word;
  EXPECT_EQ(Text.find("--dump-trace"), std::string::npos);
}

TEST(CommandLine, Sizes) {
  struct Case {
    const char *Text;
    int64_t SizeBytes;
  } Cases[] = {{"0", 0},
               {"1000000", 1000000},
               {"512MiB", 536870912},
               {"1.5 GiB", 1610612736},
               {"2GB", 2000000000},
               {"8b", 8}};
  for (const Case &C : Cases) {
    llvm::Expected<int64_t> N = parseBytes(C.Text);
    ASSERT_TRUE(bool(N)) << C.Text;
    EXPECT_EQ(*N, C.SizeBytes) << C.Text;
  }
  for (const char *Text : {"", "-1", "nan", "1e30", "MiB", "0x10q"}) {
    llvm::Expected<int64_t> N = parseBytes(Text);
    EXPECT_FALSE(bool(N)) << Text;
    llvm::consumeError(N.takeError());
  }
}

TEST(CommandLine, NearestVerb) {
  EXPECT_EQ(nearestVerb("sumary"), "summary");
  EXPECT_EQ(nearestVerb("train"), "");
}
