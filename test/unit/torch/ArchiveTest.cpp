//===- test/unit/torch/ArchiveTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// TorchScript archives built by hand, as LibTorch writes them, and some thousand
// damaged ones.

#include "lib/torch/jit/Archive.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CRC.h"
#include "gmock/gmock.h"
#include <random>

using namespace vramlint;
using testing::HasSubstr;

namespace {

std::string le(uint64_t N, unsigned Size) {
  std::string Out;
  for (unsigned I = 0; I < Size; ++I)
    Out += char(N >> (8 * I));
  return Out;
}

struct File {
  std::string Name, Data;
};

/// A zip of stored files.
std::string zip(const std::vector<File> &Files) {
  std::string Out, Directory;
  for (const File &F : Files) {
    uint32_t Crc = llvm::crc32(llvm::ArrayRef(
        reinterpret_cast<const uint8_t *>(F.Data.data()), F.Data.size()));
    std::string Common = le(0, 2) + le(0, 2) + le(0, 4) + le(Crc, 4) +
                         le(F.Data.size(), 4) + le(F.Data.size(), 4) +
                         le(F.Name.size(), 2) + le(0, 2);
    Directory += "PK\1\2" + le(20, 2) + le(20, 2) + Common + le(0, 2) +
                 le(0, 2) + le(0, 2) + le(0, 4) + le(Out.size(), 4) + F.Name;
    Out += "PK\3\4" + le(20, 2) + Common + F.Name + F.Data;
  }
  size_t Start = Out.size();
  return Out + Directory + "PK\5\6" + le(0, 4) + le(Files.size(), 2) +
         le(Files.size(), 2) + le(Directory.size(), 4) + le(Start, 4) + le(0, 2);
}

// Pieces of a pickle.
std::string text(const std::string &S) { return "X" + le(S.size(), 4) + S; }
std::string number(int32_t N) { return "J" + le(uint32_t(N), 4); }
std::string global(const std::string &M, const std::string &N) {
  return "c" + M + "\n" + N + "\n";
}
std::string storage(const std::string &Key, int32_t Elements,
                    const std::string &Type = "FloatStorage") {
  return "(" + text("storage") + global("torch", Type) + text(Key) +
         text("cpu") + number(Elements) + "tQ";
}
std::string ints(const std::vector<int32_t> &List) {
  std::string Out = "(";
  for (int32_t N : List)
    Out += number(N);
  return Out + "t";
}
std::string tensor(const std::string &Storage, const std::vector<int32_t> &Shape,
                   const std::vector<int32_t> &Strides) {
  return global("torch._utils", "_rebuild_tensor_v2") + "(" + Storage +
         number(0) + ints(Shape) + ints(Strides) + "\x89" +
         global("collections", "OrderedDict") + ")RtR";
}
std::string object(const std::string &Class, const std::string &Fields) {
  return global("__torch__", Class) + ")\x81}(" + Fields + "ub";
}
std::string pickle(const std::string &Value) { return "\x80\x02" + Value + "."; }

/// A Net with a 4×8 weight, a bias that shares its storage, and a buffer.
std::vector<File> netFiles() {
  std::string Net = object(
      "Net", text("training") + "\x88" + text("weight") +
                 tensor(storage("0", 32), {4, 8}, {8, 1}) + text("bias") +
                 tensor(storage("0", 32), {4}, {1}) + text("mean") +
                 tensor(storage("1", 3, "DoubleStorage"), {3}, {1}));
  return {{"net/data.pkl", pickle(Net)},
          {"net/data/0", std::string(128, 'x')},
          {"net/data/1", std::string(24, 'y')},
          {"net/code/__torch__.py",
           "class Net(Module):\n  __parameters__ = [\"weight\", \"bias\", ]\n"
           "  __buffers__ = [\"mean\", ]\n  weight : Tensor\n"},
          {"net/constants.pkl", pickle(")")}};
}

std::string problem(llvm::StringRef Bytes) {
  llvm::Expected<ScriptArchive> A = readScriptArchive(Bytes);
  return A ? "" : llvm::toString(A.takeError());
}

TEST(ArchiveTest, ReadsParametersAndBuffers) {
  llvm::Expected<ScriptArchive> A = readScriptArchive(zip(netFiles()));
  ASSERT_TRUE(bool(A)) << llvm::toString(A.takeError());
  ASSERT_EQ(A->Tensors.size(), 3u);
  EXPECT_EQ(A->Tensors[0].Name, "weight");
  EXPECT_EQ(A->Tensors[0].Kind, ArchiveTensor::Parameter);
  EXPECT_EQ(A->Tensors[0].Elements, 32);
  EXPECT_EQ(A->Tensors[2].Kind, ArchiveTensor::Buffer);
  EXPECT_EQ(A->Tensors[2].Type, DType::Float64);
  EXPECT_EQ(A->Tensors[1].Elements, 4);
  EXPECT_EQ(A->Tensors[1].Storage, A->Tensors[0].Storage);
  EXPECT_EQ(A->bytes(), 128 + 24); // The shared storage once.
}

TEST(ArchiveTest, SaysWhatIsWrong) {
  EXPECT_EQ(problem("hello"), "is no zip archive");
  std::string Whole = zip(netFiles());
  EXPECT_THAT(problem(llvm::StringRef(Whole).drop_back(30)), HasSubstr("cut off"));
  std::vector<File> NoCode = netFiles();
  NoCode.erase(NoCode.begin() + 3);
  EXPECT_THAT(problem(zip(NoCode)), HasSubstr("no code"));
  std::vector<File> Missing = netFiles();
  Missing.erase(Missing.begin() + 1);
  EXPECT_THAT(problem(zip(Missing)), HasSubstr("'data/0' is missing"));
  std::vector<File> Short = netFiles();
  Short[1].Data.resize(64);
  EXPECT_THAT(problem(zip(Short)), HasSubstr("another size"));
}

/// \p Whole with \p Value at \p Field of the directory's entry number \p Index.
std::string patched(std::string Whole, unsigned Index, size_t Field, uint32_t Value) {
  size_t At = Whole.find("PK\1\2");
  while (Index-- > 0)
    At = Whole.find("PK\1\2", At + 1);
  return Whole.replace(At + Field, 4, le(Value, 4));
}

TEST(ArchiveTest, RefusesHostileZips) {
  static constexpr size_t Packed = 20, Size = 24, Offset = 42;
  std::string Whole = zip(netFiles());
  // Two files on the same bytes: what makes small archives unpack to anything.
  EXPECT_THAT(problem(patched(Whole, 1, Offset, 0)), HasSubstr("overlap"));
  // A size of 64 bits that isn't there; one beyond the file; a lie about it.
  EXPECT_THAT(problem(patched(Whole, 1, Size, ~0u)), HasSubstr("damaged directory"));
  EXPECT_THAT(problem(patched(Whole, 1, Packed, ~0u - 1)), HasSubstr("outside of it"));
  EXPECT_THAT(problem(patched(Whole, 1, Size, 100)), HasSubstr("two sizes"));
  ArchiveLimits Small;
  Small.MaxPickleBytes = 10;
  llvm::Expected<ScriptArchive> A = readScriptArchive(Whole, Small);
  ASSERT_FALSE(bool(A));
  EXPECT_THAT(llvm::toString(A.takeError()), HasSubstr("too large"));
}

TEST(ArchiveTest, RefusesHostilePickles) {
  auto With = [](const std::string &Pickle) {
    std::vector<File> Files = netFiles();
    Files[0].Data = Pickle;
    return problem(zip(Files));
  };
  // A tensor of 2^62 elements on 32 of them.
  EXPECT_THAT(With(pickle(tensor(storage("0", 32), {0x7fffffff, 0x7fffffff}, {1, 1}))),
              HasSubstr("larger than its storage"));
  EXPECT_THAT(With(pickle("(")), HasSubstr("is damaged"));
  EXPECT_THAT(With("\x80\x02" "X\xff\xff\xff\xff"), HasSubstr("cut off"));
  EXPECT_THAT(With(pickle("h\x05")), HasSubstr("is damaged"));
  EXPECT_THAT(With("\x80\x02" "j\xff\xff\xff\xff."), HasSubstr("is damaged"));
  // A long name once, and a hundred thousand objects of that class.
  std::string Many = global(std::string(4000, 'm'), "N") + "q" + le(1, 1);
  for (int I = 0; I < 100000; ++I)
    Many += "h" + le(1, 1) + ")\x81";
  EXPECT_THAT(With(pickle(Many)), HasSubstr("too many values"));
  // A list that holds itself is walked once.
  EXPECT_EQ(With(pickle("]q" + le(1, 1) + "h" + le(1, 1) + "a")), "");
  std::string Deep = ")";
  for (int I = 0; I < 1000; ++I)
    Deep += "\x85";
  EXPECT_THAT(With(pickle(Deep)), HasSubstr("nested too deep"));
}

TEST(ArchiveTest, SurvivesDamage) {
  std::mt19937 Random(1);
  std::vector<File> Files = netFiles();
  std::string Whole = zip(Files);
  for (int I = 0; I < 4000; ++I) {
    // Half the damage goes to the pickle, whose checksum is then right.
    bool Inside = I % 2;
    std::string Text = Inside ? Files[0].Data : Whole;
    for (unsigned N = 1 + Random() % 4; N > 0; --N)
      Text[Random() % Text.size()] = char(Random());
    if (Random() % 4 == 0)
      Text.resize(Random() % Text.size());
    if (Inside) {
      std::vector<File> Damaged = Files;
      Damaged[0].Data = Text;
      Text = zip(Damaged);
    }
    llvm::Expected<ScriptArchive> A = readScriptArchive(Text);
    if (A)
      EXPECT_LE(A->bytes(), int64_t(Text.size()));
    else
      EXPECT_FALSE(llvm::toString(A.takeError()).empty());
  }
}

} // namespace
