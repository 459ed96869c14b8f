//===- lib/frontend/PreambleCache.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// LibTorch's headers, parsed once and kept on disk as a precompiled header.
//
//   key = hash(clang's release, canonical flags, text of the preamble,
//              BodyFilter's version)
//   <dir>/<key>.h         the text
//   <dir>/<key>.pch       what clang made of it
//   <dir>/<key>.manifest  the files it was made of, with sizes, times, hashes
//   <dir>/<key>.lock      held while an entry is made, so that it's made once
//   <dir>/<key>.fails     the text's line that doesn't compile; then the lines
//                         before it are an entry of their own
//
// Files are written beside and renamed; the manifest comes last and names the
// precompiled header's own size and hash, so a torn or damaged entry is seen and
// made again. A folder that can't be written costs only the time: the header is
// then made in a temporary folder for this process.

#pragma once

#include "lib/frontend/Project.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace clang {
class CompilerInvocation;
}

namespace vramlint {

struct PreambleCacheOptions {
  std::string Dir;                       ///< --cache-dir; "": defaultDir().
  uint64_t MaxBytes = 2ull << 30;        ///< Older entries go beyond it.
  /// Told once when headers have to be read: "reading LibTorch's headers once …".
  std::function<void(llvm::StringRef)> Say;
  Environment Env = processEnvironment;
};

class PreambleCache {
public:
  explicit PreambleCache(PreambleCacheOptions Options = {});
  ~PreambleCache();

  /// $VRAMLINT_CACHE_DIR, $XDG_CACHE_HOME/vramlint, ~/.cache/vramlint, or "".
  static std::string defaultDir(const Environment &Env);

  /// The precompiled header for \p Invocation's file; made if need be. "" where
  /// the file reaches no LibTorch header or none can be made. Thread-safe.
  std::string preambleFor(const clang::CompilerInvocation &Invocation,
                          FileSystemPtr FS, const Project &Files,
                          llvm::StringRef Directory);

  /// The compiled headers that preambleFor() gave since this was asked last.
  std::vector<std::string> takeUsed();
  /// Whether \p Pch, which preambleFor() once gave, is there and all that it was made
  /// of unchanged. Costs a stat per header, once per process.
  bool stillHolds(llvm::StringRef Pch);

  /// Throws the entry away that preambleFor() returned: it made clang fail.
  void reject(llvm::StringRef Pch);

  const std::string &dir() const { return Dir; }

private:
  struct Entry;
  bool isValid(const std::string &Stem);
  bool make(Entry &E, const std::string &Folder, FileSystemPtr FS);
  std::string inFolder(Entry &E, const std::string &Folder, FileSystemPtr FS);
  std::string temporaryFolder();
  void prune(const std::string &Folder, llvm::StringRef KeepKey);
  void say(llvm::StringRef Folder, bool Kept);

  PreambleCacheOptions Options;
  std::string Dir, Temporary;
  bool Said = false;
  std::mutex Lock;
  std::vector<std::string> Used;       ///< For takeUsed().
  std::map<std::string, bool> Checked; ///< Entries seen valid by this process.
};

} // namespace vramlint
