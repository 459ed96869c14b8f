//===- test/unit/modules/JitModuleTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// TorchScript archives that real LibTorch wrote, against what it reads from them
// (test/oracle/probes/archives.cpp).

#include "Probe.h"
#include "lib/torch/jit/JitModule.h"

namespace vramlint {
namespace {

ScriptArchive archive(llvm::StringRef Name) {
  std::string Path = (llvm::Twine(VRAMLINT_SOURCE_DIR) +
                      "/test/oracle/recorded/" + Name)
                         .str();
  auto Buffer = llvm::MemoryBuffer::getFile(Path);
  if (!Buffer) {
    ADD_FAILURE() << Path;
    return {};
  }
  llvm::Expected<ScriptArchive> A = readScriptArchive((*Buffer)->getBuffer());
  if (!A) {
    ADD_FAILURE() << llvm::toString(A.takeError());
    return {};
  }
  return *A;
}

/// Without what LibTorch allocates for the texts of pickles and code, which is
/// not ours: what is left must be just \p Ours, in order.
bool holdsInOrder(const Sizes &Recorded, const Sizes &Ours) {
  auto It = Ours.begin();
  for (int64_t N : Recorded)
    if (It != Ours.end() && N == *It)
      ++It;
  return It == Ours.end();
}

Sizes elements(const std::vector<ParameterInfo> &List) {
  Sizes Out;
  for (const ParameterInfo &P : List)
    Out.push_back(P.Elements);
  return Out;
}

TEST(JitModuleTest, LoadsWhatLibTorchLoads) {
  Bench B;
  ScriptArchive A = archive("net.pt");
  {
    JitModule M(B.R);
    B.start();
    M.load(A, Device());
    EXPECT_TRUE(holdsInOrder(*recorded("archives", "net.load"), B.events()))
        << print(B.events());
    // Eight float storages and a long: the tied weights are one.
    EXPECT_EQ(B.R.liveBytes(DeviceKind::CPU), 864 + 6 * 32 + 8 + 512);
    const ModuleInfo &Info = B.Out.Modules[M.Id];
    EXPECT_EQ(elements(Info.Parameters), *recorded("archives", "net.parameters"));
    EXPECT_EQ(Info.Parameters[0].Name, "conv.weight");
    Sizes Buffers = *recorded("archives", "net.buffers");
    Buffers.push_back(4); // The attribute that is no buffer.
    EXPECT_EQ(elements(Info.Buffers), Buffers);
  }
  EXPECT_EQ(B.R.liveBytes(DeviceKind::CPU), 0);
}

TEST(JitModuleTest, ConvertsWhatLibTorchConverts) {
  Bench B;
  JitModule M(B.R);
  M.load(archive("net.pt"), Device());
  B.start();
  M.to(Device(), std::nullopt);
  EXPECT_EQ(print(B.events()), print(*recorded("archives", "net.to.same")));
  M.to(std::nullopt, DType::Float16);
  EXPECT_EQ(print(B.events()), print(*recorded("archives", "net.to.half")));
}

TEST(JitModuleTest, FrozenWeightsStay) {
  Bench B;
  JitModule M(B.R);
  B.start();
  M.load(archive("frozen.pt"), Device());
  EXPECT_TRUE(holdsInOrder(*recorded("archives", "frozen.load"), B.events()))
      << print(B.events());
  // To LibTorch they are constants; we show them as what they were.
  EXPECT_TRUE(recorded("archives", "frozen.parameters")->empty());
  EXPECT_FALSE(B.Out.Modules[M.Id].Parameters.empty());
  B.start();
  M.to(std::nullopt, DType::Float16);
  EXPECT_EQ(print(B.events()), print(*recorded("archives", "frozen.to.half")));
}

TEST(JitModuleTest, ReadsIntoCpuMemoryFirst) {
  Bench B;
  JitModule M(B.R);
  ScriptArchive A = archive("net.pt");
  M.load(A, Device{DeviceKind::CUDA, 0});
  EXPECT_EQ(B.R.liveBytes(DeviceKind::CPU), 0);
  EXPECT_EQ(B.R.peakBytes(DeviceKind::CPU), 864); // One storage at a time.
  EXPECT_EQ(B.R.liveBytes(DeviceKind::CUDA), A.bytes());
}

} // namespace
} // namespace vramlint
