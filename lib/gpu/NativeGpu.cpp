//===- lib/gpu/NativeGpu.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Asks nvidia-smi, the one thing that every NVIDIA driver brings.

#include "lib/gpu/NativeGpu.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

namespace vramlint {

namespace {

llvm::Error failed(const llvm::Twine &Message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "--gpu native: " + Message);
}

} // namespace

llvm::Expected<GpuSpec> parseNativeGpu(llvm::StringRef Output,
                                       const GpuCatalog &Catalog) {
  auto [Name, Memory] = Output.split('\n').first.rsplit(',');
  Name = Name.trim();
  if (Name.empty())
    return failed("this machine has no NVIDIA GPU");
  int64_t Mebibytes = 0;
  Memory = Memory.trim();
  bool HasMemory = !Memory.consumeInteger(10, Mebibytes) && Mebibytes > 0;
  llvm::Expected<const GpuSpec *> Found = Catalog.find(Name);
  if (!Found)
    return failed(llvm::toString(Found.takeError()));
  GpuSpec Spec = **Found;
  // Cards of one name come with several sizes of memory: take the nearest one's
  // facts. What nvidia-smi calls total is a little less than the nominal size.
  if (HasMemory) {
    int64_t Total = Mebibytes << 20;
    if (Total > Spec.VramBytes || Total < Spec.VramBytes * 8 / 10)
      for (const GpuSpec *Other : Catalog.matching(Name))
        if (Total <= Other->VramBytes && Total >= Other->VramBytes * 8 / 10) {
          Spec = *Other;
          break;
        }
    Spec.UsableVramBytes = Total;
  }
  return Spec;
}

llvm::Expected<GpuSpec> findNativeGpu(const GpuCatalog &Catalog) {
  llvm::ErrorOr<std::string> Program =
      llvm::sys::findProgramByName("nvidia-smi");
  if (!Program)
    return failed("nvidia-smi is not installed here; name the GPU instead");
  llvm::SmallString<128> Path;
  if (std::error_code Bad =
          llvm::sys::fs::createTemporaryFile("vramlint-gpu", "txt", Path))
    return failed("no temporary file: " + Bad.message());
  llvm::FileRemover Remove(Path);
  std::optional<llvm::StringRef> Redirects[] = {"", Path.str(), ""};
  std::string Message;
  int Code = llvm::sys::ExecuteAndWait(
      *Program,
      {*Program, "--query-gpu=name,memory.total", "--format=csv,noheader"},
      std::nullopt, Redirects, /*SecondsToWait=*/10, 0, &Message);
  if (Code != 0)
    return failed("nvidia-smi fails" +
                  (Message.empty() ? std::string() : ": " + Message));
  auto Buffer = llvm::MemoryBuffer::getFile(Path);
  if (!Buffer)
    return failed("cannot read what nvidia-smi printed");
  return parseNativeGpu((*Buffer)->getBuffer(), Catalog);
}

} // namespace vramlint
