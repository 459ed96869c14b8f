//===- test/unit/gpu/GpuSpecTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Specs: parsing with errors that name file, line and key; the catalog's names;
// the facts that are compiled in; native; fact sheets.

#include "lib/gpu/FactSheet.h"
#include "lib/gpu/GpuCatalog.h"
#include "lib/gpu/NativeGpu.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace vramlint;
using testing::HasSubstr;

namespace {

std::string readFile(const std::string &Path) {
  auto Buffer = llvm::MemoryBuffer::getFile(VRAMLINT_SOURCE_DIR "/" + Path);
  return Buffer ? (*Buffer)->getBuffer().str() : "";
}

std::string t4() { return readFile("gpu-specs/nvidia-t4.json"); }

std::string replaced(std::string Text, const std::string &Old,
                     const std::string &New) {
  size_t At = Text.find(Old);
  EXPECT_NE(At, std::string::npos) << Old;
  return At == std::string::npos ? Text : Text.replace(At, Old.size(), New);
}

std::string errorOf(const std::string &Text,
                    const std::string &File = "gpu-specs/nvidia-t4.json") {
  llvm::Expected<GpuSpec> Spec = parseGpuSpec(Text, File);
  return Spec ? "" : llvm::toString(Spec.takeError());
}

TEST(GpuSpec, Parses) {
  llvm::Expected<GpuSpec> Spec = parseGpuSpec(t4(), "gpu-specs/nvidia-t4.json");
  ASSERT_TRUE(bool(Spec)) << llvm::toString(Spec.takeError());
  EXPECT_EQ(Spec->Name, "NVIDIA T4");
  EXPECT_EQ(Spec->cudaCapability(), 75u);
  EXPECT_EQ(Spec->usable().Count, 15843721216);
  EXPECT_EQ(formatBytes(Spec->usable()), "14.8 GiB");
  EXPECT_FALSE(Spec->usableIsNominal());
  EXPECT_EQ(Spec->Fp16TensorTflops, 65.0);
  EXPECT_FALSE(Spec->Tf32TensorTflops);
  EXPECT_FALSE(Spec->Sources.empty());
}

TEST(GpuSpec, ErrorsNameFileLineAndKey) {
  struct Case {
    std::string Old, New, Error;
  };
  for (const Case &C : std::vector<Case>{
           {"\"sm_count\": 40", "\"sm_count\": \"40\"",
            "gpu-specs/nvidia-t4.json:26: key 'sm_count': expected an "
            "integer, not negative, or null, found a string"},
           {"\"sm_count\": 40", "\"sm_cuont\": 40",
            "gpu-specs/nvidia-t4.json:26: unknown key 'sm_cuont'; did you "
            "mean 'sm_count'?"},
           {"\"sm_count\": 40,", "",
            "gpu-specs/nvidia-t4.json:1: key 'sm_count' is missing"},
           {"\"sm_count\": 40,", "\"sm_count\": 40, \"sm_count\": 41,",
            "gpu-specs/nvidia-t4.json:26: key 'sm_count' is given twice, "
            "first in line 26"},
           {"\"sm_count\": 40", "\"sm_count\": 40.5", "found a fraction"},
           {"\"sm_count\": 40", "\"sm_count\": -1", "expected an integer"},
           {"\"sm_count\": 40,", "\"sm_count\": 40", "json:27: no valid JSON"},
           {"\"market\": \"datacenter\"", "\"market\": \"cloud\"",
            "json:25: key 'market': expected one of datacenter, workstation, "
            "desktop, laptop, embedded, found 'cloud'"},
           {"\"nvidia-t4\"", "\"nvidia-t5\"",
            "json:2: key 'id': expected the file's stem 'nvidia-t4'"},
           {"17179869184", "0", "json:29: key 'vram_bytes'"},
           {"15843721216", "99999999999", "json:30: key 'usable_vram_bytes'"},
           {"\"name\": \"NVIDIA T4\"", "\"name\": null",
            "json:3: key 'name': expected a string, found null"},
           {"\"t4\",", "7,", "json:4: key 'aliases': expected a list"},
       })
    EXPECT_THAT(errorOf(replaced(t4(), C.Old, C.New)), HasSubstr(C.Error));
}

TEST(GpuSpec, SurvivesGarbage) {
  EXPECT_THAT(errorOf(""), HasSubstr("no valid JSON"));
  EXPECT_THAT(errorOf("[]"), HasSubstr("expected an object"));
  EXPECT_THAT(errorOf(std::string(100000, '[')), HasSubstr("too deeply"));
  EXPECT_THAT(errorOf("{\"id\": \"\\"), HasSubstr("no valid JSON"));
  EXPECT_THAT(errorOf(std::string("\0\1\xff{", 4)), HasSubstr("json:1: "));
  EXPECT_THAT(errorOf(std::string(2 << 20, ' ')), HasSubstr("too large"));
}

TEST(GpuCatalog, TakesAnyAlias) {
  const GpuCatalog &C = GpuCatalog::builtin();
  EXPECT_EQ(C.gpus().size(), 265u);
  EXPECT_EQ(C.systems().size(), 38u);
  for (auto [Name, Id] :
       std::initializer_list<std::pair<const char *, const char *>>{
           {"t4", "nvidia-t4"},
           {"T4", "nvidia-t4"},
           {"NVIDIA T4", "nvidia-t4"},
           {"Tesla T4", "nvidia-t4"},
           {"nvidia-t4", "nvidia-t4"},
           {"rtx 3060 laptop", "nvidia-rtx-3060-laptop"},
           {"NVIDIA GeForce RTX 3060 Laptop GPU", "nvidia-rtx-3060-laptop"},
           {"RTX3060-Laptop", "nvidia-rtx-3060-laptop"},
           {"3060", "nvidia-rtx-3060-12gb"},
           {"GeForce RTX 3060", "nvidia-rtx-3060-12gb"},
           {"NVIDIA A100-PCIE-40GB", "nvidia-a100-pcie-40gb"}}) {
    llvm::Expected<const GpuSpec *> Found = C.find(Name);
    ASSERT_TRUE(bool(Found)) << llvm::toString(Found.takeError());
    EXPECT_EQ((*Found)->Id, Id) << Name;
  }
  llvm::Expected<const GpuSystem *> Dgx = C.findSystem("DGX-1");
  ASSERT_TRUE(bool(Dgx)) << llvm::toString(Dgx.takeError());
  EXPECT_EQ((*Dgx)->GpuCount, 8);
}

TEST(GpuCatalog, EveryAliasFindsItsGpu) {
  const GpuCatalog &C = GpuCatalog::builtin();
  for (const GpuSpec &G : C.gpus()) {
    std::vector<llvm::StringRef> Names(G.Aliases.begin(), G.Aliases.end());
    Names.push_back(G.Id);
    Names.push_back(G.Name);
    for (llvm::StringRef Name : Names) {
      llvm::Expected<const GpuSpec *> Found = C.find(Name);
      ASSERT_TRUE(bool(Found)) << llvm::toString(Found.takeError());
      EXPECT_EQ((*Found)->Id, G.Id) << Name.str();
    }
  }
}

TEST(GpuCatalog, SuggestsTheNearest) {
  auto ErrorOf = [](llvm::StringRef Name) {
    return llvm::toString(GpuCatalog::builtin().find(Name).takeError());
  };
  EXPECT_THAT(ErrorOf("rtx 3061"), HasSubstr("did you mean 'rtx 3060'"));
  EXPECT_THAT(ErrorOf("rtx 3060 lap"), HasSubstr("'rtx 3060 laptop'"));
  EXPECT_THAT(ErrorOf("h10"), HasSubstr("h100"));
  EXPECT_THAT(ErrorOf("zzzzzzzzzzzzzz"),
              HasSubstr("unknown GPU 'zzzzzzzzzzzzzz' ("));
  EXPECT_THAT(ErrorOf(""), HasSubstr("unknown GPU ''"));
}

TEST(GpuCatalog, EmbeddedFactsAreThoseOfTheFiles) {
  for (const GpuSpec &G : GpuCatalog::builtin().gpus()) {
    std::string File = "gpu-specs/" + G.Id.str() + ".json";
    llvm::Expected<llvm::json::Value> Parsed =
        llvm::json::parse(readFile(File));
    ASSERT_TRUE(bool(Parsed)) << File;
    EXPECT_EQ(*Parsed, llvm::json::Value(gpuToJson(G))) << File;
  }
  for (const GpuSystem &S : GpuCatalog::builtin().systems()) {
    std::string File = "gpu-specs/systems/" + S.Id.str() + ".json";
    llvm::Expected<llvm::json::Value> Parsed =
        llvm::json::parse(readFile(File));
    ASSERT_TRUE(bool(Parsed)) << File;
    EXPECT_EQ(*Parsed, llvm::json::Value(systemToJson(S))) << File;
  }
}

llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem>
filesOf(std::vector<std::pair<std::string, std::string>> Files) {
  auto FS = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  for (auto &[Path, Text] : Files)
    FS->addFile(Path, 0, llvm::MemoryBuffer::getMemBufferCopy(Text));
  return FS;
}

TEST(GpuCatalog, ADirectoryAddsAndOverrides) {
  std::string Own = replaced(t4(), "\"nvidia-t4\"", "\"my-card\"");
  size_t From = Own.find("\"aliases\": ["), To = Own.find(']', From);
  Own.replace(From, To - From, "\"aliases\": [\"mine\"");
  Own = replaced(Own, "\"NVIDIA T4\"", "\"My Card\"");
  auto FS = filesOf(
      {{"/s/my-card.json", Own},
       {"/s/nvidia-t4.json", replaced(t4(), "15843721216", "15000000000")},
       {"/s/schema.json", "{}"},
       {"/s/readme.txt", "x"}});
  GpuCatalog C = GpuCatalog::withBuiltin();
  llvm::Error E = C.addDirectory(*FS, "/s");
  ASSERT_FALSE(bool(E)) << llvm::toString(std::move(E));
  EXPECT_EQ((*C.find("mine"))->Id, "my-card");
  EXPECT_EQ((*C.find("t4"))->usable().Count, 15000000000);
  EXPECT_EQ(C.gpus().size(), 266u);
}

TEST(GpuCatalog, BrokenDirectories) {
  auto ErrorOf = [](llvm::vfs::FileSystem &FS, llvm::StringRef Dir) {
    GpuCatalog C = GpuCatalog::withBuiltin();
    llvm::Error E = C.addDirectory(FS, Dir);
    return E ? llvm::toString(std::move(E)) : "";
  };
  auto FS = filesOf({{"/a/x.json", "{"},
                     {"/b/y.json", replaced(replaced(t4(), "nvidia-t4", "y"),
                                            "NVIDIA T4", "Y")},
                     {"/c/readme.txt", ""}});
  EXPECT_THAT(ErrorOf(*FS, "/a"), HasSubstr("/a/x.json:1: no valid JSON"));
  EXPECT_THAT(ErrorOf(*FS, "/b"),
              HasSubstr("/b/y.json:4: key 'aliases': 't4' is also a name of "
                        "'nvidia-t4'"));
  EXPECT_THAT(ErrorOf(*FS, "/c"), HasSubstr("no GPU specs (*.json) in '/c'"));
  EXPECT_THAT(ErrorOf(*FS, "/d"), HasSubstr("cannot read GPU specs in '/d'"));
}

TEST(NativeGpu, ReadsWhatNvidiaSmiPrints) {
  const GpuCatalog &C = GpuCatalog::builtin();
  llvm::Expected<GpuSpec> G = parseNativeGpu("Tesla T4, 15360 MiB\n", C);
  ASSERT_TRUE(bool(G)) << llvm::toString(G.takeError());
  EXPECT_EQ(G->Id, "nvidia-t4");
  EXPECT_EQ(G->usable().Count, int64_t(15360) << 20);
  // Two cards of one name: the memory tells.
  G = parseNativeGpu("NVIDIA GeForce RTX 3060, 8192 MiB\n", C);
  ASSERT_TRUE(bool(G));
  EXPECT_EQ(G->Id, "nvidia-rtx-3060-8gb");
  G = parseNativeGpu("NVIDIA GeForce RTX 3060, 12288 MiB\n", C);
  ASSERT_TRUE(bool(G));
  EXPECT_EQ(G->Id, "nvidia-rtx-3060-12gb");
  EXPECT_THAT(llvm::toString(parseNativeGpu("", C).takeError()),
              HasSubstr("no NVIDIA GPU"));
  EXPECT_THAT(llvm::toString(parseNativeGpu("Foo 1, 1 MiB", C).takeError()),
              HasSubstr("unknown GPU 'Foo 1'"));
}

std::string sheet(llvm::StringRef Pattern) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  if (!printFactSheet(Pattern, GpuCatalog::builtin(), OS))
    OS << "nothing";
  return Text;
}

TEST(FactSheet, Prints) {
  std::string One = sheet("t4");
  EXPECT_THAT(One, HasSubstr("NVIDIA T4\n"));
  EXPECT_THAT(One, HasSubstr("14.8 GiB (15,843,721,216 B) usable"));
  EXPECT_THAT(One, HasSubstr("sources:\n"));
  std::string Many = sheet("rtx 30");
  EXPECT_THAT(Many, HasSubstr("GeForce RTX 3060 Ti (GDDR6)"));
  EXPECT_THAT(Many, HasSubstr("* nominal"));
  EXPECT_THAT(sheet("dgx-2"), HasSubstr("16 × NVIDIA"));
  EXPECT_THAT(sheet(""), HasSubstr("Apple"));
  EXPECT_EQ(sheet("no such thing"), "nothing");
}

} // namespace
