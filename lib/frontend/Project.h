//===- lib/frontend/Project.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// What belongs to the user's project and what is from outside: the system's,
// LibTorch's and other packages' headers.

#pragma once

#include "lib/frontend/CompileFlags.h"

namespace vramlint {

/// The folder that holds the project of \p File: its repository, else the
/// topmost folder with a CMakeLists.txt, else the file's folder (its parent
/// where that is src/, app/ …).
std::string projectRootOf(llvm::vfs::FileSystem &FS, llvm::StringRef File,
                          const Environment &Env);

/// Tells own files from external ones, by path alone.
class Project {
public:
  Project() = default;
  Project(llvm::vfs::FileSystem &FS, const CompileCommand &Command,
          const Environment &Env = processEnvironment);

  const std::string &root() const { return Root; }
  /// True for a file of the user's project. A LibTorch, a package manager's
  /// folder or a build's fetched dependencies below the root are external.
  bool owns(llvm::StringRef AbsolutePath) const;

private:
  std::string Root, MainFile;
  /// Folders outside the root from which the main file includes headers by a path
  /// that starts at itself ("../../common/net.h"): no package is named like that.
  std::vector<std::string> Beside;
  std::optional<LibTorch> Torch;
};

} // namespace vramlint
