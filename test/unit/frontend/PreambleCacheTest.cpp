//===- test/unit/frontend/PreambleCacheTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// One precompiled header per set of external headers; damage, changes, limits.

#include "lib/frontend/PreambleCache.h"
#include "test/unit/frontend/TestProject.h"
#include "clang/AST/ASTContext.h"
#include "gmock/gmock.h"
#include <thread>

namespace vramlint {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class PreambleCacheTest : public testing::Test {
protected:
  PreambleCacheOptions options() {
    PreambleCacheOptions O;
    O.Dir = P.path("cache");
    O.Env = P.environment();
    O.Say = [this](llvm::StringRef Text) { Said.push_back(Text.str()); };
    return O;
  }
  /// Loads a file and returns its unit, which must have no errors.
  std::unique_ptr<Unit> load(PreambleCache &Cache, llvm::StringRef Text,
                             llvm::StringRef Name = "main.cpp",
                             std::vector<std::string> Extra = {}) {
    std::string File = P.write(("project/" + Name).str(), Text);
    FlagOptions F = P.flagOptions();
    F.Flags = std::move(Extra);
    auto C = FlagFinder(F).commandFor(File);
    FrontendOptions O;
    O.Cache = &Cache;
    auto U = loadUnit(*C, O);
    if (!U) {
      ADD_FAILURE() << llvm::toString(U.takeError());
      return nullptr;
    }
    for (const CompilerDiagnostic &D : (*U)->diagnostics())
      ADD_FAILURE() << D.Text;
    return std::move(*U);
  }
  std::vector<std::string> entries(llvm::StringRef End = ".pch") {
    std::vector<std::string> Found;
    std::error_code EC;
    for (llvm::sys::fs::directory_iterator I(P.path("cache"), EC), E;
         !EC && I != E; I.increment(EC))
      if (llvm::StringRef(I->path()).ends_with(End))
        Found.push_back(I->path());
    return Found;
  }

  static constexpr const char *Program =
      "#include <iostream>\n#include <torch/torch.h>\n"
      "int main() { torch::Tensor T; return T.N + torch::nn::kept(); }\n";
  TestProject P;
  std::vector<std::string> Said;
};

TEST_F(PreambleCacheTest, MadeOnceThenReused) {
  {
    PreambleCache Cache(options());
    EXPECT_TRUE(load(Cache, Program)->usedPreamble());
  }
  ASSERT_THAT(Said, SizeIs(1));
  EXPECT_THAT(Said[0], HasSubstr("reading LibTorch's headers once"));
  EXPECT_THAT(Said[0], HasSubstr("~/cache"));
  PreambleCache Again(options());
  auto U = load(Again, Program);
  EXPECT_TRUE(U->usedPreamble());
  EXPECT_THAT(Said, SizeIs(1));
  EXPECT_EQ(U->view().Context->getTraversalScope().size(), 1u);
  // Another file with other standard headers and optimisation shares it.
  load(Again, "#include <torch/torch.h>\n#include <vector>\nint x;\n", "b.cpp",
       {"-O2", "-fPIC", "-std=gnu++17"});
  EXPECT_THAT(entries(), SizeIs(1));
  EXPECT_THAT(Said, SizeIs(1));
}

TEST_F(PreambleCacheTest, HeaderWithoutAGuard) {
  PreambleCache Cache(options());
  P.write("other/values.h", "struct Values { int N = 3; };\n");
  auto U = load(Cache, "#include <torch/torch.h>\n#include <values.h>\n"
                       "int main() { return Values().N; }\n",
                "main.cpp", {"-I" + P.path("other")});
  ASSERT_TRUE(U);
  EXPECT_FALSE(U->usedPreamble());
}

TEST_F(PreambleCacheTest, ThroughOwnHeadersAndMacros) {
  PreambleCache Cache(options());
  P.write("project/model.h",
          "#ifndef MODEL_H\n#define MODEL_H\n#define WIDTH 3\n"
          "#include <torch/torch.h>\nstruct M { int W = WIDTH; };\n#endif\n");
  auto U = load(Cache, "#include \"model.h\"\n#if WIDTH != 3\n#error lost\n"
                       "#endif\nM m;\n");
  EXPECT_TRUE(U->usedPreamble());
  EXPECT_EQ(U->view().Context->getTraversalScope().size(), 2u);
  auto Texts = entries(".h");
  ASSERT_THAT(Texts, SizeIs(1));
  auto Text = llvm::MemoryBuffer::getFile(Texts[0]);
  EXPECT_EQ((*Text)->getBuffer(), "#define WIDTH 3\n#include <torch/torch.h>\n"
                                  "#undef WIDTH\n");
}

TEST_F(PreambleCacheTest, NoLibTorchNoPreamble) {
  PreambleCache Cache(options());
  EXPECT_FALSE(load(Cache, "#include <vector>\nint x;\n")->usedPreamble());
  EXPECT_THAT(Said, SizeIs(0));
}

TEST_F(PreambleCacheTest, ChangedHeaderIsReadAgain) {
  {
    PreambleCache Cache(options());
    load(Cache, Program);
  }
  P.write("libtorch/include/torch/csrc/api/include/torch/nn.h",
          "#pragma once\n#include <torch/nn/pimpl.h>\nconstexpr int New = 1;\n");
  PreambleCache Cache(options());
  auto U = load(Cache, "#include <torch/torch.h>\nint x = New;\n");
  EXPECT_TRUE(U->usedPreamble());
  EXPECT_THAT(entries(), SizeIs(1));
}

TEST_F(PreambleCacheTest, TouchedHeaderIsNoChange) {
  {
    PreambleCache Cache(options());
    load(Cache, Program);
  }
  std::string Nn = P.path("libtorch/include/torch/csrc/api/include/torch/nn.h");
  int Descriptor;
  ASSERT_FALSE(llvm::sys::fs::openFileForReadWrite(
      Nn, Descriptor, llvm::sys::fs::CD_OpenExisting, llvm::sys::fs::OF_None));
  ASSERT_FALSE(llvm::sys::fs::setLastAccessAndModificationTime(
      Descriptor, std::chrono::system_clock::now() - std::chrono::hours(99)));
  llvm::sys::fs::file_t Handle = llvm::sys::fs::convertFDToNativeFile(Descriptor);
  llvm::sys::fs::closeFile(Handle);
  Said.clear();
  PreambleCache Cache(options());
  EXPECT_TRUE(load(Cache, Program)->usedPreamble());
  EXPECT_THAT(Said, SizeIs(0));
}

TEST_F(PreambleCacheTest, DamagedEntryIsMadeAgain) {
  for (int Kind = 0; Kind < 4; ++Kind) {
    {
      PreambleCache Cache(options());
      load(Cache, Program);
    }
    std::string Pch = entries().front();
    std::string Manifest = entries(".manifest").front();
    std::error_code EC;
    if (Kind == 0) { // Bytes overwritten in place.
      llvm::raw_fd_ostream Out(Pch, EC, llvm::sys::fs::CD_OpenExisting,
                               llvm::sys::fs::FA_Write, llvm::sys::fs::OF_None);
      Out.seek(4000);
      Out << "damage";
    } else if (Kind == 1) { // Cut short.
      llvm::raw_fd_ostream(Pch, EC) << "CPCH";
    } else if (Kind == 2) { // The manifest cut short.
      llvm::raw_fd_ostream(Manifest, EC) << "vramlint preamble 1\n";
    } else {
      llvm::sys::fs::remove(Pch);
    }
    PreambleCache Cache(options());
    EXPECT_TRUE(load(Cache, Program)->usedPreamble()) << Kind;
    EXPECT_GT(llvm::sys::fs::directory_entry(Pch).status()->getSize(), 10000u);
  }
}

TEST_F(PreambleCacheTest, UnwritableFolderStillWorks) {
  PreambleCacheOptions O = options();
  O.Dir = P.write("plain-file", "x") + "/cache"; // Not a folder: for root, too.
  PreambleCache Cache(O);
  EXPECT_TRUE(load(Cache, Program)->usedPreamble());
  ASSERT_THAT(Said, SizeIs(1));
  EXPECT_THAT(Said[0], HasSubstr("can't be written"));
}

TEST_F(PreambleCacheTest, OldEntriesGoBeyondTheLimit) {
  PreambleCacheOptions O = options();
  O.MaxBytes = 1;
  PreambleCache Cache(O);
  load(Cache, Program, "a.cpp", {"-DA"});
  load(Cache, Program, "b.cpp", {"-DB"});
  EXPECT_THAT(entries(), SizeIs(1));
}

TEST_F(PreambleCacheTest, ManyAtOnceMakeOne) {
  std::vector<std::unique_ptr<PreambleCache>> Caches;
  for (int I = 0; I < 4; ++I)
    Caches.push_back(std::make_unique<PreambleCache>([&] {
      PreambleCacheOptions O = options();
      O.Say = nullptr;
      return O;
    }()));
  std::vector<std::thread> Threads;
  for (int I = 0; I < 4; ++I)
    Threads.emplace_back([&, I] {
      EXPECT_TRUE(load(*Caches[I], Program, "t" + std::to_string(I) + ".cpp")
                      ->usedPreamble());
    });
  for (std::thread &T : Threads)
    T.join();
  EXPECT_THAT(entries(), SizeIs(1));
}

TEST_F(PreambleCacheTest, HeaderWithErrorsIsLeftToTheUnit) {
  P.write("libtorch/include/torch/csrc/api/include/torch/nn.h", "#error odd\n");
  PreambleCache Cache(options());
  std::string File = P.write("project/main.cpp", Program);
  auto C = FlagFinder(P.flagOptions()).commandFor(File);
  FrontendOptions O;
  O.Cache = &Cache;
  auto U = loadUnit(*C, O);
  ASSERT_TRUE(bool(U));
  EXPECT_FALSE((*U)->usedPreamble());
  ASSERT_TRUE((*U)->hasErrors());
  EXPECT_EQ((*U)->diagnostics().front().Message, "odd");
}

TEST_F(PreambleCacheTest, HeadersBeforeOneWithErrorsAreKept) {
  P.write("libtorch/include/c10/broken.h", "#include <not/here.h>\n");
  std::string File = P.write("project/main.cpp",
                             "#include <torch/torch.h>\n#include <c10/broken.h>\nint x;\n");
  auto C = FlagFinder(P.flagOptions()).commandFor(File);
  for (int Run = 0; Run < 2; ++Run) {
    PreambleCache Cache(options());
    FrontendOptions O;
    O.Cache = &Cache;
    auto U = loadUnit(*C, O);
    ASSERT_TRUE(bool(U));
    EXPECT_TRUE((*U)->usedPreamble());
    ASSERT_TRUE((*U)->hasErrors());
    EXPECT_EQ((*U)->diagnostics().front().MissingHeader, "not/here.h");
  }
  EXPECT_THAT(entries(), SizeIs(1));
  EXPECT_THAT(entries(".fails"), SizeIs(1));
  EXPECT_THAT(Said, SizeIs(1)); // The second run made nothing.
}

TEST(PreambleCacheDir, Order) {
  std::map<std::string, std::string> Set;
  Environment Env = [&](llvm::StringRef Name) -> std::optional<std::string> {
    auto I = Set.find(Name.str());
    return I == Set.end() ? std::nullopt : std::optional(I->second);
  };
  EXPECT_EQ(PreambleCache::defaultDir(Env), "");
  Set["HOME"] = "/home/u";
  EXPECT_EQ(PreambleCache::defaultDir(Env), "/home/u/.cache/vramlint");
  Set["XDG_CACHE_HOME"] = "/x";
  EXPECT_EQ(PreambleCache::defaultDir(Env), "/x/vramlint");
  Set["VRAMLINT_CACHE_DIR"] = "/v";
  EXPECT_EQ(PreambleCache::defaultDir(Env), "/v");
}

} // namespace
} // namespace vramlint
