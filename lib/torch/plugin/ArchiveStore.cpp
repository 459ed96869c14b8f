//===- lib/torch/plugin/ArchiveStore.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See ArchiveStore.h.

#include "lib/torch/plugin/ArchiveStore.h"

#include "llvm/Support/Path.h"

namespace vramlint {

KnownArchive readArchiveFile(const DataFiles &Files, llvm::StringRef Path) {
  KnownArchive A;
  auto Buffer = Files.read(Path);
  if (!Buffer) {
    A.Problem = llvm::toString(Buffer.takeError());
    return A;
  }
  llvm::Expected<ScriptArchive> Contents =
      readScriptArchive((*Buffer)->getBuffer());
  if (Contents)
    A.Contents = std::make_shared<const ScriptArchive>(std::move(*Contents));
  else
    A.Problem = llvm::toString(Contents.takeError());
  return A;
}

ArchiveStore::ArchiveStore(DataFiles Files,
                           std::map<std::string, KnownArchive> Told)
    : Files(std::move(Files)), Told(std::move(Told)) {}

const KnownArchive *ArchiveStore::find(llvm::StringRef Name) {
  for (llvm::StringRef Key : {Name, llvm::sys::path::filename(Name)})
    if (auto It = Told.find(Key.str()); It != Told.end())
      return &It->second;
  std::optional<std::string> Path = Files.find(Name);
  if (!Path)
    return nullptr;
  auto [It, New] = Read.try_emplace(*Path);
  if (New)
    It->second = readArchiveFile(Files, *Path);
  return &It->second;
}

std::optional<std::string> ArchiveStore::text(llvm::StringRef Name) const {
  static constexpr size_t MaxBytes = 4 << 20;
  std::optional<std::string> Path = Files.find(Name);
  if (!Path)
    return std::nullopt;
  auto Buffer = Files.read(*Path);
  if (!Buffer) {
    llvm::consumeError(Buffer.takeError());
    return std::nullopt;
  }
  if ((*Buffer)->getBufferSize() > MaxBytes)
    return std::nullopt;
  return (*Buffer)->getBuffer().str();
}

std::string ArchiveStore::whyUnknown(llvm::StringRef Name) {
  if (Name.empty())
    return "which archive is loaded is not known";
  const KnownArchive *A = find(Name);
  if (!A)
    return ("'" + Name + "' is not here (--archive " +
            llvm::sys::path::filename(Name) + "=PATH)")
        .str();
  return A->Contents ? "" : ("'" + Name + "' " + A->Problem).str();
}

} // namespace vramlint
