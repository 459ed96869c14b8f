//===- lib/torch/plugin/ArchiveStore.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The TorchScript archives that a program may load: those that the user names, and
// those that lie where the program looks for them. Each is read once, however often
// the program is run.

#pragma once

#include "lib/frontend/DataFiles.h"
#include "lib/torch/jit/Archive.h"
#include <map>
#include <memory>

namespace vramlint {

/// One archive that is here: what it holds, or what is wrong with it.
struct KnownArchive {
  std::shared_ptr<const ScriptArchive> Contents; ///< Null: see Problem.
  std::string Problem; ///< To stand after its name: "is no zip archive".
};

/// Reads the archive at \p Path.
KnownArchive readArchiveFile(const DataFiles &Files, llvm::StringRef Path);

class ArchiveStore {
public:
  /// \p Told: what the user says, by the name in the program or its last part.
  explicit ArchiveStore(DataFiles Files,
                        std::map<std::string, KnownArchive> Told = {});

  /// The archive that the program calls \p Name; null if it isn't here.
  const KnownArchive *find(llvm::StringRef Name);
  /// Why the weights of \p Name are not known, as a sentence's end: "'model.pt' is
  /// not here (--archive model.pt=PATH)". Empty if they are.
  std::string whyUnknown(llvm::StringRef Name);

  /// The contents of a small file that the program opens, configuration mostly;
  /// nothing: it isn't here.
  std::optional<std::string> text(llvm::StringRef Name) const;
  /// Is there a file that the program calls \p Name?
  bool has(llvm::StringRef Name) const { return Files.find(Name).has_value(); }

private:
  DataFiles Files;
  std::map<std::string, KnownArchive> Told, Read; ///< Read: by path.
};

} // namespace vramlint
