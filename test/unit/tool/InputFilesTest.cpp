//===- test/unit/tool/InputFilesTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Files and folders of the command line.

#include "tool/vramlint/InputFiles.h"
#include "gtest/gtest.h"

using namespace vramlint::tool;

static std::string expand(std::vector<std::string> Names) {
  llvm::vfs::InMemoryFileSystem FS;
  FS.setCurrentWorkingDirectory("/work");
  for (const char *File :
       {"/work/train.cpp", "/work/model.h", "/work/src/b.cc", "/work/src/a.cpp",
        "/work/src/deep/c.cxx", "/work/src/.hidden/d.cpp",
        "/work/src/notes.txt", "/work/src/build/CMakeCache.txt",
        "/work/src/build/e.cpp", "/work/empty/readme"})
    FS.addFile(File, 0, llvm::MemoryBuffer::getMemBuffer(""));
  std::string Text;
  for (const InputFile &F : expandInputs(FS, Names))
    Text += F.Name + (F.Problem.empty() ? "" : " (" + F.Problem + ")") + ";";
  return Text;
}

TEST(InputFiles, FoldersStandForTheirSources) {
  EXPECT_EQ(expand({"train.cpp", "src"}),
            "train.cpp;src/a.cpp;src/b.cc;src/deep/c.cxx;");
  EXPECT_EQ(expand({"src/"}), "src/a.cpp;src/b.cc;src/deep/c.cxx;");
}

TEST(InputFiles, EachOnce) {
  EXPECT_EQ(expand({"src/b.cc", "src", "src/b.cc"}),
            "src/b.cc;src/a.cpp;src/deep/c.cxx;");
}

TEST(InputFiles, Problems) {
  EXPECT_EQ(expand({"gone.cpp"}), "gone.cpp (no such file);");
  EXPECT_EQ(expand({"empty"}), "empty (no C++ files in this folder);");
  EXPECT_EQ(expand({"sumary"}),
            "sumary (no such file; did you mean the verb 'summary'?);");
}

TEST(InputFiles, HeadersCanBeNamed) {
  EXPECT_EQ(expand({"model.h"}), "model.h;");
}
