//===- test/unit/frontend/FileManifestTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What a cache's entry was made of: files, folders, names without a file.

#include "lib/frontend/RecordingFileSystem.h"
#include "test/unit/frontend/TestProject.h"
#include "gtest/gtest.h"

namespace vramlint {
namespace {

class FileManifestTest : public testing::Test {
protected:
  bool holds(const FileManifest &M) {
    std::string Text;
    llvm::raw_string_ostream OS(Text);
    M.print(OS);
    llvm::StringRef Rest = Text;
    std::optional<FileManifest> Read = FileManifest::parse(Rest);
    EXPECT_TRUE(Read && Rest.empty()) << Text;
    Changed = false;
    return Read && Read->holds(Changed);
  }
  void touch(const std::string &Path) {
    int Descriptor;
    ASSERT_FALSE(llvm::sys::fs::openFileForReadWrite(
        Path, Descriptor, llvm::sys::fs::CD_OpenExisting, llvm::sys::fs::OF_None));
    ASSERT_FALSE(llvm::sys::fs::setLastAccessAndModificationTime(
        Descriptor, std::chrono::system_clock::now() - std::chrono::hours(99)));
    llvm::sys::fs::file_t Handle = llvm::sys::fs::convertFDToNativeFile(Descriptor);
    llvm::sys::fs::closeFile(Handle);
  }
  TestProject P;
  bool Changed = false;
};

TEST_F(FileManifestTest, Kinds) {
  std::string File = P.write("project/a.h", "one"), Large = P.write("project/b.bin", "two");
  FileManifest M;
  ASSERT_TRUE(M.addFile(File));
  ASSERT_TRUE(M.addLargeFile(Large));
  ASSERT_TRUE(M.addFolder(P.path("project")));
  M.addAbsent(P.path("project/none.h"));
  EXPECT_FALSE(M.addFile(P.path("project/none.h")));
  EXPECT_TRUE(holds(M));
  EXPECT_FALSE(Changed);
  // Another time alone is no change, but of a large file.
  touch(File);
  EXPECT_TRUE(holds(M));
  EXPECT_TRUE(Changed);
  touch(Large);
  EXPECT_FALSE(holds(M));
}

TEST_F(FileManifestTest, EachChangeIsSeen) {
  auto Made = [&] {
    FileManifest M;
    M.addFile(P.path("project/a.h"));
    M.addAbsent(P.path("project/sub/none.h"));
    M.addFolder(P.path("project"));
    return M;
  };
  P.write("project/a.h", "one");
  P.write("project/sub/x.h", "");
  FileManifest M = Made();
  P.write("project/a.h", "two");
  EXPECT_FALSE(holds(M));
  M = Made();
  P.write("project/sub/none.h", "");
  EXPECT_FALSE(holds(M));
  llvm::sys::fs::remove(P.path("project/sub/none.h"));
  M = Made();
  EXPECT_TRUE(holds(M));
  P.write("project/notes.txt", "");
  EXPECT_TRUE(holds(M));
  P.write("project/new.cpp", "");
  EXPECT_FALSE(holds(M));
  M = Made();
  llvm::sys::fs::remove(P.path("project/a.h"));
  EXPECT_FALSE(holds(M));
}

TEST_F(FileManifestTest, TornTextIsNone) {
  P.write("project/a.h", "one");
  FileManifest M;
  M.addFile(P.path("project/a.h"));
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  M.print(OS);
  for (size_t Size = 0; Size < Text.size(); ++Size) {
    llvm::StringRef Torn = llvm::StringRef(Text).take_front(Size);
    EXPECT_FALSE(FileManifest::parse(Torn)) << Size;
  }
}

TEST_F(FileManifestTest, RecordsWhatIsAsked) {
  P.write("project/a.h", "one");
  RecordingFileSystem FS(llvm::vfs::createPhysicalFileSystem());
  FS.setCurrentWorkingDirectory(P.path("project"));
  EXPECT_TRUE(FS.getBufferForFile("a.h"));
  EXPECT_FALSE(FS.exists("none.h"));
  FileManifest M;
  ASSERT_TRUE(FS.addTo(M));
  EXPECT_EQ(M.size(), 2u);
  EXPECT_TRUE(holds(M));
  // What was read is not what lies there now.
  P.write("project/a.h", "longer");
  FileManifest Late;
  EXPECT_FALSE(FS.addTo(Late));
}

} // namespace
} // namespace vramlint
