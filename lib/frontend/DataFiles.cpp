//===- lib/frontend/DataFiles.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See DataFiles.h.

#include "lib/frontend/DataFiles.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

namespace vramlint {

DataFiles::DataFiles(FileSystemPtr FS, std::vector<std::string> Dirs)
    : FS(FS ? std::move(FS) : llvm::vfs::getRealFileSystem()),
      Dirs(std::move(Dirs)) {}

/// Never a device or a pipe: to open one may block, or change something.
static bool isFile(llvm::vfs::FileSystem &FS, llvm::StringRef Path) {
  llvm::ErrorOr<llvm::vfs::Status> S = FS.status(Path);
  return S && S->isRegularFile();
}

std::optional<std::string> DataFiles::find(llvm::StringRef Name) const {
  if (Name.empty() || Name.contains('\0'))
    return std::nullopt;
  if (llvm::sys::path::is_absolute(Name))
    return isFile(*FS, Name) ? std::optional(Name.str()) : std::nullopt;
  auto Look = [&](llvm::StringRef Rest) -> std::optional<std::string> {
    for (const std::string &Dir : Dirs) {
      llvm::SmallString<256> Path(Dir);
      llvm::sys::path::append(Path, Rest);
      if (!Dir.empty() && isFile(*FS, Path))
        return Path.str().str();
    }
    return std::nullopt;
  };
  std::optional<std::string> Found = Look(Name);
  // "../model.cfg": the program may be started in a folder for builds, below.
  if (!Found && Name.consume_front("../"))
    Found = Look(Name);
  return Found;
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
DataFiles::read(llvm::StringRef Path) const {
  llvm::ErrorOr<llvm::vfs::Status> S = FS->status(Path);
  if (!S)
    return llvm::createStringError(S.getError(), "no such file");
  if (!S->isRegularFile())
    return llvm::createStringError("is no regular file");
  auto Buffer = FS->getBufferForFile(Path, /*FileSize=*/-1,
                                     /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return llvm::createStringError("can't be read: " + Buffer.getError().message());
  return std::move(*Buffer);
}

} // namespace vramlint
