//===- lib/frontend/RecordingFileSystem.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The real file system, with a note of all that is asked of it: what a result
// was made of, names that led to no file included.

#pragma once

#include "lib/frontend/FileManifest.h"
#include "llvm/Support/VirtualFileSystem.h"
#include <map>

namespace vramlint {

class RecordingFileSystem : public llvm::vfs::ProxyFileSystem {
public:
  explicit RecordingFileSystem(
      llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> FS)
      : ProxyFileSystem(std::move(FS)) {}

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine &Path) override;
  bool exists(const llvm::Twine &Path) override;
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>>
  openFileForRead(const llvm::Twine &Path) override;
  llvm::vfs::directory_iterator dir_begin(const llvm::Twine &Folder,
                                          std::error_code &EC) override;

  /// Forgets all notes.
  void clear() { Seen.clear(); }
  /// Adds what was seen to \p M. False where something has changed since, so
  /// that what was read is not what lies there now.
  bool addTo(FileManifest &M) const;

private:
  struct Note {
    enum {
      Absent,
      There,
      Listed
    } Is = Absent; // There: a file, or a folder's name.
    bool Folder = false;
    uint64_t Size = 0;
    llvm::sys::TimePoint<> Time;
  };
  void note(const llvm::Twine &Path, const llvm::ErrorOr<llvm::vfs::Status> &S);

  std::map<std::string, Note> Seen; // By absolute path.
};

} // namespace vramlint
