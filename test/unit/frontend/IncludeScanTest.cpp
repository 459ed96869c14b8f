//===- test/unit/frontend/IncludeScanTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What is told of files without parsing them.

#include "lib/frontend/IncludeScan.h"
#include "lib/frontend/DefinitionScan.h"
#include "test/unit/frontend/TestProject.h"
#include "gmock/gmock.h"

namespace vramlint {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

bool reaches(TestProject &P, llvm::StringRef Text) {
  auto FS = llvm::vfs::getRealFileSystem();
  std::string File = P.write("project/scan.cpp", Text);
  auto C = FlagFinder(P.flagOptions()).commandFor(File);
  auto Answer = reachesTorch(*FS, *C);
  EXPECT_TRUE(bool(Answer));
  return *Answer;
}

TEST(ReachesTorch, ItselfOrThroughOwnHeaders) {
  TestProject P;
  P.write("project/model.h", "#  include \"deeper/net.h\"\n");
  P.write("project/deeper/net.h", "#include <torch/nn.h>\n");
  P.write("project/circle.h", "#include \"circle.h\"\n");
  P.write("project/include/api.h", "#include <ATen/ATen.h>\n");
  EXPECT_TRUE(reaches(P, "#include <torch/torch.h>\n"));
  EXPECT_TRUE(reaches(P, "#include \"model.h\"\n"));
  EXPECT_TRUE(reaches(P, "#include <api.h>\n"));
  EXPECT_TRUE(reaches(P, "#include NAME\n"));
  EXPECT_FALSE(reaches(P, ""));
  EXPECT_FALSE(reaches(P, "#include <vector>\n#include \"circle.h\"\n"));
  EXPECT_FALSE(reaches(P, "#include \"missing.h\"\nint torch;\n"));
}

TEST(ReachesTorch, BinaryAndMissingFilesAreErrors) {
  TestProject P;
  auto FS = llvm::vfs::getRealFileSystem();
  CompileCommand C;
  C.File = P.write("project/a.out", llvm::StringRef("\177ELF\0\0", 6));
  auto Answer = reachesTorch(*FS, C);
  ASSERT_FALSE(bool(Answer));
  EXPECT_THAT(llvm::toString(Answer.takeError()), HasSubstr("binary file"));
  C.File = P.path("project/nothing.cpp");
  Answer = reachesTorch(*FS, C);
  ASSERT_FALSE(bool(Answer));
  EXPECT_THAT(llvm::toString(Answer.takeError()), HasSubstr("no such file"));
}

TEST(ExpandFiles, FoldersGiveTheirSources) {
  TestProject P;
  auto FS = llvm::vfs::getRealFileSystem();
  std::string A = P.write("project/src/a.cpp", "");
  std::string B = P.write("project/src/deep/b.cc", "");
  P.write("project/src/a.h", "");
  P.write("project/src/build/c.cpp", "");
  P.write("project/src/.hidden/d.cpp", "");
  auto Files = expandFiles(*FS, {P.path("project/src"), A});
  ASSERT_TRUE(bool(Files));
  EXPECT_THAT(*Files, ElementsAre(A, B));
  Files = expandFiles(*FS, {"nowhere.cpp", "neither.cpp"});
  ASSERT_FALSE(bool(Files));
  std::string Text = llvm::toString(Files.takeError());
  EXPECT_THAT(Text, HasSubstr("nowhere.cpp: no such file"));
  EXPECT_THAT(Text, HasSubstr("neither.cpp: no such file"));
}

TEST(MissingHeader, NamesThePackage) {
  EXPECT_THAT(explainMissingHeader("opencv2/opencv.hpp"),
              HasSubstr("libopencv-dev"));
  EXPECT_THAT(explainMissingHeader("cuda_runtime_api.h"),
              HasSubstr("nvidia-cuda-toolkit"));
  EXPECT_EQ(packageOf("my/own.h"), "");
  EXPECT_THAT(explainMissingHeader("my/own.h"), HasSubstr("'my/own.h'"));
}

TEST(DefinitionScan, FindsDefinitionsOnly) {
  auto Names = definedNames(R"(
    #define NOT(x) void x() {}
    int declared(int);
    int free(int a) { return called(a); }
    Net::Net(int n) : A(n), b{n} { register_module("x", fc); }
    Net::~Net() {}
    template <class T> T Box<T>::get() const noexcept { return V; }
    auto ns::late(int) -> std::vector<int> { return {}; }
    bool operator==(A, B) { return true; }
    if (use(x)) { }
  )");
  for (const char *Name : {"free", "Net::Net", "Net::~Net", "Box::get",
                           "ns::late", "operator"})
    EXPECT_TRUE(Names.contains(Name)) << Name;
  for (const char *Name : {"declared", "called", "NOT", "x", "use"})
    EXPECT_FALSE(Names.contains(Name)) << Name;
}

} // namespace
} // namespace vramlint
