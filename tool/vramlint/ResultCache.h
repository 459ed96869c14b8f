//===- tool/vramlint/ResultCache.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Results by content: an unchanged file is not analysed again.
//
//   key = hash(this vramlint, options, environment, folder, file's name)
//   <cache>/results/<key>   what the result was made of (FileManifest), the
//                           compiled headers that it used, then the result
//
// All that was read is in the manifest: sources, headers,
// compile_commands.json, .clang-tidy, GPU facts, data; names too that led to no
// file. So a look costs stats alone. Of LibTorch's headers the preamble's own
// manifest is asked. An entry is one file, written beside and renamed, with a
// hash over the result; one that is damaged, or of which anything has changed,
// counts as none.

#pragma once

#include "lib/frontend/RecordingFileSystem.h"
#include "tool/vramlint/FileOutput.h"

namespace vramlint::tool {

class ResultCache {
public:
  /// \p Shared saw what is read for all files, \p Own what is read for one.
  /// Both and
  /// \p Headers must outlive this. \p Salt: all else that results depend on.
  ResultCache(const CommandLine &C, PreambleCache &Headers, std::string Salt,
              const RecordingFileSystem &Shared, RecordingFileSystem &Own);

  std::optional<FileOutput> find(llvm::StringRef File);
  /// From here on what is read is read for the next file.
  void begin();
  /// Keeps \p O, unless something has changed since begin().
  void keep(llvm::StringRef File, const FileOutput &O);

private:
  std::string pathOf(llvm::StringRef File) const;
  void prune();

  PreambleCache &Headers;
  std::string Salt, Dir; ///< Dir: empty where nothing is kept.
  const RecordingFileSystem &Shared;
  RecordingFileSystem &Own;
  bool Pruned = false;
};

} // namespace vramlint::tool
