//===- lib/frontend/DataFiles.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Files that the analysed program opens when it runs, looked for where it may be
// started. They are mapped, not copied: a model's weights are large.

#pragma once

#include "lib/frontend/LibTorch.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace vramlint {

class DataFiles {
public:
  /// \p Dirs: where relative names are looked for, in this order. A null \p FS is
  /// the real one.
  DataFiles(FileSystemPtr FS, std::vector<std::string> Dirs);

  /// The regular file that the program calls \p Name; nothing if there is none.
  std::optional<std::string> find(llvm::StringRef Name) const;
  /// Fails where \p Path is no regular file, or can't be read.
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
  read(llvm::StringRef Path) const;

private:
  FileSystemPtr FS;
  std::vector<std::string> Dirs;
};

} // namespace vramlint
