//===- lib/frontend/RecordingFileSystem.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Notes what is asked of the file system.

#include "lib/frontend/RecordingFileSystem.h"

#include "llvm/Support/Path.h"

using namespace llvm;

namespace vramlint {

static std::string fullPath(const vfs::FileSystem &FS, const Twine &Path) {
  SmallString<256> Full;
  Path.toVector(Full);
  (void)FS.makeAbsolute(Full);
  sys::path::remove_dots(Full, /*remove_dot_dot=*/false);
  return std::string(Full);
}

void RecordingFileSystem::note(const Twine &Path,
                               const ErrorOr<vfs::Status> &S) {
  std::string Full = fullPath(*this, Path);
  // A name with a line's end in it has no place in a manifest; none of ours has
  // one.
  if (Full.find('\n') != std::string::npos)
    return;
  auto [It, IsNew] = Seen.try_emplace(std::move(Full));
  // The first look counts: what comes later must agree with it, or nothing is
  // kept.
  if (!IsNew || !S)
    return;
  Note &N = It->second;
  N.Is = Note::There;
  N.Folder = S->isDirectory();
  N.Size = S->getSize();
  N.Time = S->getLastModificationTime();
}

ErrorOr<vfs::Status> RecordingFileSystem::status(const Twine &Path) {
  ErrorOr<vfs::Status> S = ProxyFileSystem::status(Path);
  note(Path, S);
  return S;
}

bool RecordingFileSystem::exists(const Twine &Path) {
  return bool(status(Path));
}

ErrorOr<std::unique_ptr<vfs::File>>
RecordingFileSystem::openFileForRead(const Twine &Path) {
  auto File = ProxyFileSystem::openFileForRead(Path);
  note(Path, File ? (*File)->status() : ErrorOr<vfs::Status>(File.getError()));
  return File;
}

vfs::directory_iterator RecordingFileSystem::dir_begin(const Twine &Folder,
                                                       std::error_code &EC) {
  vfs::directory_iterator I = ProxyFileSystem::dir_begin(Folder, EC);
  if (EC)
    (void)status(Folder); // There is nothing of that name, or it is a file.
  else
    Seen[fullPath(*this, Folder)].Is = Note::Listed;
  return I;
}

bool RecordingFileSystem::addTo(FileManifest &M) const {
  // A program's data may be gigabytes.
  constexpr uint64_t LargeBytes = 16 << 20;
  for (const auto &[Path, N] : Seen) {
    if (N.Is == Note::Listed) {
      if (!M.addFolder(Path))
        return false;
      continue;
    }
    sys::fs::file_status S;
    bool There = !sys::fs::status(Path, S);
    if (There != (N.Is == Note::There))
      return false;
    if (!There) {
      M.addAbsent(Path);
      continue;
    }
    if (N.Folder || !sys::fs::is_regular_file(S))
      continue; // That it is there is told by what lies in it.
    if (S.getSize() != N.Size || S.getLastModificationTime() != N.Time ||
        !(N.Size > LargeBytes ? M.addLargeFile(Path) : M.addFile(Path)))
      return false;
  }
  return true;
}

} // namespace vramlint
