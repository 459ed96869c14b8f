//===- test/unit/frontend/CompileFlagsTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Flags from a database, from the command line, made up; and cleaned.

#include "lib/frontend/CompileFlags.h"
#include "lib/frontend/ForeignFlags.h"
#include "test/unit/frontend/TestProject.h"
#include "gmock/gmock.h"

namespace vramlint {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> cleaned(std::vector<std::string> Flags,
                                 std::vector<std::string> *Dropped = nullptr) {
  std::vector<std::string> Unknown;
  auto Result = cleanFlags(Flags, Unknown);
  if (Dropped)
    *Dropped = Unknown;
  return Result;
}

TEST(CleanFlags, KeepsLanguageMacrosAndPaths) {
  EXPECT_THAT(cleaned({"-std=gnu++17", "-DX=1", "-UY", "-Iinc", "-isystem",
                       "/opt/x", "-include", "pre.h", "-fno-exceptions"}),
              ElementsAre("-std=c++17", "-DX=1", "-UY", "-Iinc", "-isystem",
                          "/opt/x", "-include", "pre.h", "-fno-exceptions"));
}

TEST(CleanFlags, DropsWhatChangesNoAnswer) {
  std::vector<std::string> Dropped;
  EXPECT_THAT(cleaned({"-O2", "-g", "-fPIC", "-pthread", "-march=native",
                       "-Wall", "-Werror", "-MD", "-MF", "x.d", "-o", "x.o",
                       "-c", "-pipe", "-fopenmp", "-Wl,-rpath,/x"},
                      &Dropped),
              IsEmpty());
  EXPECT_THAT(Dropped, IsEmpty());
}

TEST(CleanFlags, NamesWhatClangDoesNotKnow) {
  std::vector<std::string> Dropped;
  EXPECT_THAT(cleaned({"-DA", "-fno-such-thing-at-all", "--frobnicate"},
                      &Dropped),
              ElementsAre("-DA"));
  EXPECT_THAT(Dropped, Contains("--frobnicate"));
}

TEST(CleanFlags, UnderstandsNvcc) {
  std::vector<std::string> Dropped;
  EXPECT_THAT(cleaned({"-gencode", "arch=compute_70,code=sm_70", "-Xcompiler",
                       "-fPIC,-DHOST=1", "-isystem=/opt/torch",
                       "--expt-relaxed-constexpr", "-DB"},
                      &Dropped),
              ElementsAre("-DHOST=1", "-isystem", "/opt/torch", "-DB"));
  EXPECT_EQ(Dropped.size(), 2u);
}

TEST(FromMsvc, TranslatesWhatMatters) {
  std::vector<std::string> Dropped;
  EXPECT_THAT(fromMsvc({"/nologo", "/DX=1", "/D", "Y", "/Iinc", "-I", "more", "/external:I",
                        "C:/torch", "/imsvcD:/sdk", "/std:c++17", "/EHsc", "/W4", "/FIpre.h",
                        "/Zc:__cplusplus", "/Foa.obj", "/c", "-fexceptions", "/clang:-DZ",
                        "/await", "a.cpp"},
                       Dropped),
              ElementsAre("-DX=1", "-DY", "-Iinc", "-Imore", "-isystem", "C:/torch",
                          "-isystem", "D:/sdk", "-std=c++17", "-include", "pre.h",
                          "-fexceptions", "-DZ", "a.cpp"));
  EXPECT_THAT(Dropped, ElementsAre("/await"));
  EXPECT_TRUE(isMsvcDriver("C:\\VC\\bin\\CL.exe"));
  EXPECT_TRUE(isMsvcDriver("/usr/bin/clang-cl"));
  EXPECT_FALSE(isMsvcDriver("clang++"));
}

TEST(HostCompiler, ByName) {
  EXPECT_EQ(hostCompilerOf({"/usr/bin/g++"}), HostCompiler::Gcc);
  EXPECT_EQ(hostCompilerOf({"clang++-19"}), HostCompiler::Clang);
  EXPECT_EQ(hostCompilerOf({"ccache", "/usr/bin/clang++"}),
            HostCompiler::Clang);
  EXPECT_EQ(hostCompilerOf({"/usr/local/cuda/bin/nvcc"}), HostCompiler::Gcc);
  EXPECT_EQ(hostCompilerOf({"sccache", "distcc", "CCACHE_X=1", "clang++"}),
            HostCompiler::Clang);
  EXPECT_EQ(hostCompilerOf({}), HostCompiler::Gcc);
}

std::string databaseText(const TestProject &P, llvm::StringRef Compiler,
                         llvm::StringRef Flags) {
  return "[{\"directory\": \"" + P.path("project") + "\", \"file\": \"a.cpp\", "
         "\"output\": \"CMakeFiles/a.dir/a.cpp.o\", \"command\": \"" +
         Compiler.str() + " " + Flags.str() + " -c a.cpp -o a.o\"}]";
}

TEST(FlagFinder, DatabaseUpwardAndInBuildFolders) {
  TestProject P;
  std::string File = P.write("project/a.cpp", "");
  P.write("project/build/debug/compile_commands.json",
          databaseText(P, "clang++", "-DDEEP -Irel -O3"));
  auto C = FlagFinder(P.flagOptions()).commandFor(File);
  ASSERT_TRUE(bool(C)) << llvm::toString(C.takeError());
  EXPECT_EQ(C->Source, FlagSource::Database);
  EXPECT_EQ(C->Compiler, HostCompiler::Clang);
  EXPECT_THAT(C->Flags, Contains("-DDEEP"));
  EXPECT_THAT(C->Flags, Not(Contains("-O3")));
  EXPECT_THAT(C->Output, HasSubstr("CMakeFiles/a.dir"));

  P.write("project/compile_commands.json", databaseText(P, "g++", "-DNEAR"));
  C = FlagFinder(P.flagOptions()).commandFor(File);
  EXPECT_THAT(C->Flags, Contains("-DNEAR"));
  EXPECT_EQ(C->Compiler, HostCompiler::Gcc);
}

TEST(FlagFinder, FileThatNoTargetBuildsTakesTheNearestFilesFlags) {
  TestProject P;
  P.write("project/a.cpp", "");
  std::string Other = P.write("project/b.cpp", "");
  std::string Api = P.path("libtorch/include/torch/csrc/api/include");
  P.write("project/compile_commands.json",
          databaseText(P, "g++", "-DNEAR -I" + Api));
  auto C = FlagFinder(P.flagOptions()).commandFor(Other);
  ASSERT_TRUE(bool(C));
  EXPECT_THAT(C->Flags, Contains("-DNEAR"));
  EXPECT_THAT(C->Note, HasSubstr("flags of "));
  // A database of code without LibTorch says nothing about it.
  P.write("project/compile_commands.json", databaseText(P, "g++", "-DNEAR"));
  EXPECT_EQ(FlagFinder(P.flagOptions()).commandFor(Other)->Source,
            FlagSource::MadeUp);
}

TEST(FlagFinder, FlagsOfFiles) {
  TestProject P;
  std::string File = P.write("project/a.cpp", "");
  P.write("project/inc.rsp", "-DFROM_FILE=1 @more.rsp\n\"-Iwith space\"");
  P.write("project/more.rsp", "-DFROM_MORE");
  P.write("project/self.rsp", "@self.rsp -DSELF");
  P.write("project/compile_commands.json",
          databaseText(P, "sccache nvcc",
                       "-forward-unknown-to-host-compiler --options-file inc.rsp @gone.rsp"));
  auto C = FlagFinder(P.flagOptions()).commandFor(File);
  ASSERT_TRUE(bool(C));
  EXPECT_THAT(C->Flags, Contains("-DFROM_FILE=1"));
  EXPECT_THAT(C->Flags, Contains("-DFROM_MORE"));
  EXPECT_THAT(C->Flags, Contains("-Iwith space"));
  EXPECT_THAT(C->Note, HasSubstr("dropped what clang doesn't know: "
                                 "-forward-unknown-to-host-compiler"));
  // A file that names itself ends.
  FlagOptions O = P.flagOptions();
  O.Flags = {"@" + P.path("project/self.rsp")};
  EXPECT_THAT(FlagFinder(O).commandFor(File)->Flags, Contains("-DSELF"));
}

TEST(FlagFinder, MsvcDatabase) {
  TestProject P;
  std::string File = P.write("project/a.cpp", "");
  P.write("project/compile_commands.json",
          databaseText(P, "cl.exe", "/nologo /DWIN=1 /std:c++17 /Iinc"));
  auto C = FlagFinder(P.flagOptions()).commandFor(File);
  ASSERT_TRUE(bool(C));
  EXPECT_THAT(C->Flags, Contains("-DWIN=1"));
  EXPECT_THAT(C->Flags, Contains("-std=c++17"));
  EXPECT_THAT(C->Flags, Contains("-Iinc"));
  EXPECT_EQ(C->Note, "");
}

TEST(FlagFinder, BrokenOrMissingDatabaseIsAnError) {
  TestProject P;
  std::string File = P.write("project/a.cpp", "");
  FlagOptions O = P.flagOptions();
  O.BuildDir = P.path("project/nothing");
  auto C = FlagFinder(O).commandFor(File);
  ASSERT_FALSE(bool(C));
  EXPECT_THAT(llvm::toString(C.takeError()),
              HasSubstr("no compile_commands.json there"));
  P.write("project/compile_commands.json", "[{");
  C = FlagFinder(P.flagOptions()).commandFor(File);
  ASSERT_FALSE(bool(C));
  EXPECT_THAT(llvm::toString(C.takeError()), HasSubstr("compile_commands.json"));
}

TEST(FlagFinder, MadeUp) {
  TestProject P;
  std::string File = P.write("project/src/a.cpp", "");
  P.write("project/include/a.h", "");
  auto C = FlagFinder(P.flagOptions()).commandFor(File);
  ASSERT_TRUE(bool(C));
  EXPECT_EQ(C->Source, FlagSource::MadeUp);
  EXPECT_EQ(C->Compiler, HostCompiler::Gcc);
  EXPECT_EQ(C->Note, "flags made up: -std=c++17, LibTorch 2.6.1 by TORCH_HOME");
  EXPECT_THAT(C->Flags, Contains(P.path("libtorch/include")));
  EXPECT_THAT(C->Flags,
              Contains(P.path("libtorch/include/torch/csrc/api/include")));
  EXPECT_THAT(C->Flags, Contains("-I" + P.path("project/include")));
}

TEST(FlagFinder, FlagsAfterDashesWin) {
  TestProject P;
  std::string File = P.write("project/a.cpp", "");
  P.write("project/compile_commands.json", databaseText(P, "g++", "-DNEAR"));
  FlagOptions O = P.flagOptions();
  O.Flags = {"-DGIVEN", "-std=c++20"};
  auto C = FlagFinder(O).commandFor(File);
  ASSERT_TRUE(bool(C));
  EXPECT_EQ(C->Source, FlagSource::CommandLine);
  EXPECT_THAT(C->Flags, Contains("-DGIVEN"));
  EXPECT_THAT(C->Flags, Contains("-std=c++20"));
  EXPECT_THAT(C->Flags, Not(Contains("-DNEAR")));
  // Added where the flags reach none.
  EXPECT_THAT(C->Flags, Contains(P.path("libtorch/include")));
}

TEST(FlagFinder, OldLibTorchInCxx20NeedsIValueFirst) {
  TestProject P;
  std::string File = P.write("project/a.cpp", "");
  P.write("libtorch/include/torch/csrc/api/include/torch/version.h",
          "#define TORCH_VERSION_MAJOR 1\n#define TORCH_VERSION_MINOR 13\n"
          "#define TORCH_VERSION_PATCH 0\n");
  FlagOptions O = P.flagOptions();
  O.Flags = {"-std=c++20"};
  EXPECT_THAT(FlagFinder(O).commandFor(File)->Flags,
              Contains("ATen/core/ivalue.h"));
  O.Flags = {"-std=c++17"};
  EXPECT_THAT(FlagFinder(O).commandFor(File)->Flags,
              Not(Contains("ATen/core/ivalue.h")));
}

} // namespace
} // namespace vramlint
